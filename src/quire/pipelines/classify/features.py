"""The feature vector of a region's image: where its ink is, and in which directions it runs."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.core.picture import Picture
from quire.pages.prepare.pixels import grey_of, pixels_of

SIDE = 64
CELLS, DIRECTIONS = 4, 8
PLACES = 8


def features(picture: Picture) -> NDArray[np.float64]:
    grey = grey_of(pixels_of(picture))
    ground = np.percentile(grey, 90)
    ink = np.clip((ground - grey.astype(np.float32)) / 255, 0, 1)
    small = np.asarray(cv2.resize(ink, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.float32)
    places = small.reshape(PLACES, SIDE // PLACES, PLACES, SIDE // PLACES).mean(axis=(1, 3))
    shares = np.array([ink.mean(), (ink > 0.3).mean(), ground / 255, np.log(grey.shape[1] / grey.shape[0])])
    return np.concatenate([np.sqrt(places).ravel(), _directions(small), shares]).astype(np.float64)


def _directions(small: NDArray[np.float32]) -> NDArray[np.float64]:
    """The strength of edges in each direction in each part of the picture."""
    rise = cv2.Sobel(small, cv2.CV_32F, 0, 1)
    run = cv2.Sobel(small, cv2.CV_32F, 1, 0)
    strength, angle = np.hypot(run, rise), np.arctan2(rise, run) % np.pi
    which = np.minimum((angle * DIRECTIONS / np.pi).astype(np.int64), DIRECTIONS - 1)
    part = np.arange(SIDE) * CELLS // SIDE
    bins = (part[:, None] * CELLS + part[None, :]) * DIRECTIONS + which
    sums = np.bincount(bins.ravel(), strength.ravel().astype(np.float64), CELLS * CELLS * DIRECTIONS)
    return np.sqrt(sums / (SIDE // CELLS) ** 2)
