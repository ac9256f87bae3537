"""The profile of a picture: levels, noise, strokes, specks and letters, measured cheaply."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.prepare.pixels import Pixels, pixels
from quire.prepare.prepared import ImageProfile

Ints = NDArray[np.int32]

_LAPLACE = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)  # blind to slopes and ridges (Immerkaer)
_LAPLACE_NORM = 6 * 0.6745  # its norm, times the median deviation of a normal distribution
_LEAST_CONTRAST = 24  # levels between paper and the faintest ink


@dataclass(frozen=True, slots=True)
class Ink:
    """Where a picture is written on: the mask (255 is ink) and its connected parts."""

    mask: Pixels
    left: Ints
    top: Ints
    width: Ints
    height: Ints
    area: Ints

    @property
    def size(self) -> tuple[int, int]:
        return self.mask.shape[1], self.mask.shape[0]


def find_ink(grey: Pixels) -> tuple[Ink, Pixels]:
    """What is darker than the paper around it, and the paper: its level everywhere, on a small copy."""
    paper = paper_of(grey)
    height, width = grey.shape
    ground = pixels(cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR))
    darker = pixels(cv2.subtract(ground, grey))
    threshold = max(_LEAST_CONTRAST, 0.5 * float(np.percentile(darker[::2, ::2], 99.0)))
    mask = pixels(cv2.threshold(darker, threshold - 1, 255, cv2.THRESH_BINARY)[1])
    _, _, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(mask, 8, cv2.CV_32S, cv2.CCL_SPAGHETTI)
    parts = np.asarray(stats, np.int32)[1:]
    return Ink(mask, *(parts[:, column] for column in range(5))), paper


def paper_of(grey: Pixels) -> Pixels:
    """The level of the background on a copy an eighth as large: the brightest around, without the writing."""
    small = cv2.resize(grey, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA)
    reach = max(3, min(small.shape) // 24 | 1)
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    return pixels(cv2.medianBlur(closed, 5))


def measure(grey: Pixels, ink: Ink, paper: Pixels, dpi: float) -> ImageProfile:
    """The profile of a grey picture whose ink has been found."""
    histogram = np.bincount(grey[::2, ::2].ravel(), minlength=256).astype(np.float64)
    histogram /= histogram.sum()
    letters = letters_of(ink, dpi)
    written = int(np.count_nonzero(ink.mask))
    dark = grey[ink.mask > 0] if written else grey[:1, :1]
    return ImageProfile(
        mean=round(float(histogram @ np.arange(256)), 1),
        paper=float(np.median(paper)),
        ink_level=float(np.median(dark)) if written else 255.0,
        otsu_separability=round(separability(histogram), 4),
        noise_sigma=round(noise_of(grey), 2),
        stroke_width=round(_stroke_width(ink.mask, written), 2),
        specks=int(np.count_nonzero(specks_of(ink, dpi))),
        text_height=float(np.median(ink.height[letters])) if np.count_nonzero(letters) >= 12 else 0.0,
        letters=int(np.count_nonzero(letters)),
        ink=round(written / grey.size, 5),
        shade=round(float(np.subtract(*np.percentile(paper, (95, 5)))), 1),
        bilevel=bool(np.count_nonzero(histogram > 1e-4) <= 2 and histogram[[0, 255]].sum() > 0.999),
        inverted=False,
    )


def separability(histogram: NDArray[np.float64]) -> float:
    """Otsu's criterion at its best threshold: the variance between two classes over that of all levels."""
    levels = np.arange(256)
    weight = np.cumsum(histogram)
    moment = np.cumsum(histogram * levels)
    total = moment[-1]
    variance = float(histogram @ (levels - total) ** 2)
    split = (weight > 1e-9) & (weight < 1 - 1e-9)
    if variance <= 0 or not split.any():
        return 0.0
    between = (total * weight[split] - moment[split]) ** 2 / (weight[split] * (1 - weight[split]))
    return float(between.max() / variance)


def noise_of(grey: Pixels) -> float:
    """The standard deviation of the grain: from the median, so that writing on less than half of it hardly counts."""
    every = max(1, grey.size // 1_000_000)
    bands = [grey[top : top + 32] for top in range(0, max(1, grey.shape[0] - 31), 32 * every)]
    sample = np.concatenate(bands)
    response = np.abs(cv2.filter2D(sample, cv2.CV_32F, _LAPLACE))
    return float(np.median(response)) / _LAPLACE_NORM


def letters_of(ink: Ink, dpi: float) -> NDArray[np.bool_]:
    """Which parts look like letters: 4 to 40 points high, neither rules nor dust nor pictures."""
    least = max(5.0, dpi * 2.5 / 72)
    most = max(30.0, dpi * 40 / 72)
    high, wide = ink.height, ink.width
    return np.asarray(
        (high >= least)
        & (high <= most)
        & (wide <= 4 * high)
        & (4 * wide >= high / 2)
        & (ink.area >= 0.12 * high * wide)
    )


def specks_of(ink: Ink, dpi: float) -> NDArray[np.bool_]:
    """Which parts are too small to be a dot of a letter."""
    most = max(2.0, dpi / 72)
    return np.asarray((ink.height <= most) & (ink.width <= most))


def _stroke_width(mask: Pixels, written: int) -> float:
    """Twice the area of the ink over its outline, the outline being counted along rows and columns (Crofton)."""
    across = np.count_nonzero(mask[:, 1:] != mask[:, :-1])
    down = np.count_nonzero(mask[1:] != mask[:-1])
    outline = (across + down) * np.pi / 4
    return float(2 * written / outline) if outline else 0.0
