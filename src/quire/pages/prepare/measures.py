"""Measures of a picture: levels, noise, strokes, specks and letters, measured cheaply."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels, pixels
from quire.pages.prepare.prepared import ImageMeasures

Ints = NDArray[np.int32]

_LAPLACE = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)  # blind to slopes and ridges (Immerkaer)
_LAPLACE_NORM = 6 * 0.6745  # its norm, times the median deviation of a normal distribution
_LEAST_CONTRAST = (6, 100)  # levels between paper and the faintest ink, without and with noise
_MOST_CONTRAST = 100
_MOST_SHORT_LABELS = 30_000


@dataclass(frozen=True, slots=True)
class Ink:
    """The ink of a picture: the mask (255 is ink) and its connected components."""

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
    """The ink, darker than the paper around it, and the paper: its level everywhere, on a small copy."""
    paper = paper_of(grey)
    height, width = grey.shape
    ground = pixels(cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR))
    darker = pixels(cv2.subtract(ground, grey))
    mask = pixels(cv2.threshold(darker, _threshold(darker, noise_of(grey)), 255, cv2.THRESH_BINARY)[1])
    parts = _parts(mask)
    return Ink(mask, *(parts[:, column] for column in range(5))), paper


def _parts(mask: Pixels) -> Ints:
    """Left, top, width, height and area of the connected components. 16-bit labels take half the time of 32-bit."""
    if min(mask.shape) < 2:
        return np.zeros((0, 5), np.int32)
    beside, above = mask[1:, :-1], pixels(cv2.dilate(mask[:-1], np.ones((1, 3), np.uint8)))[:, 1:]
    first = cv2.countNonZero(
        cv2.subtract(mask[1:, 1:], cv2.bitwise_or(beside, above))
    )  # at least as many as components
    label = cv2.CV_16U if first < _MOST_SHORT_LABELS else cv2.CV_32S
    found = cv2.connectedComponentsWithStatsWithAlgorithm(mask, 8, label, cv2.CCL_SPAGHETTI)
    return np.asarray(found[2], np.int32)[1:]


def _threshold(darker: Pixels, noise: float) -> float:
    """Half as dark as ink usually is here: faint ink may be only a few levels darker than clean paper."""
    least = float(np.clip(5 * noise, *_LEAST_CONTRAST))
    histogram = histogram_of(darker)
    histogram[: int(least)] = 0
    return float(np.clip(level_at(histogram, 0.5) / 2, least, _MOST_CONTRAST)) - 1


def histogram_of(grey: Pixels, mask: Pixels | None = None) -> NDArray[np.float64]:
    """The histogram of levels, over every second row."""
    rows = None if mask is None else mask[::2]
    return np.asarray(cv2.calcHist([grey[::2]], [0], rows, [256], [0, 256]), np.float64).ravel()


def level_at(histogram: NDArray[np.float64], share: float) -> float:
    """The level below which that share of the pixels lies (a quantile)."""
    counts = np.cumsum(histogram)
    return float(np.searchsorted(counts, share * counts[-1])) if counts[-1] else 0.0


def paper_of(grey: Pixels) -> Pixels:
    """The level of the background on a copy an eighth as large: the brightest around, without the writing."""
    height, width = grey.shape
    small = cv2.resize(grey, (max(1, width // 8), max(1, height // 8)), interpolation=cv2.INTER_AREA)
    reach = max(3, min(small.shape) // 24 | 1)
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    return pixels(cv2.medianBlur(closed, 5))


def measure(grey: Pixels, ink: Ink, paper: Pixels, dpi: float) -> ImageMeasures:
    """The measures of a grey picture whose ink has been found."""
    histogram = histogram_of(grey)
    shares = histogram / histogram.sum()
    letters = letters_of(ink, dpi)
    written = cv2.countNonZero(ink.mask)
    return ImageMeasures(
        mean=round(float(shares @ np.arange(256)), 1),
        paper=float(np.median(paper)),
        ink_level=level_at(histogram_of(grey, ink.mask), 0.05) if written else 255.0,
        otsu_separability=round(separability(shares), 4),
        noise_sigma=round(noise_of(grey), 2),
        stroke_width=round(_stroke_width(ink.mask, written), 2),
        specks=int(np.count_nonzero(specks_of(ink, dpi))),
        text_height=float(np.median(ink.height[letters])) if np.count_nonzero(letters) >= 12 else 0.0,
        letters=int(np.count_nonzero(letters)),
        ink=round(written / grey.size, 5),
        shade=_shade(paper, ink, letters),
        bilevel=bool(shares[[0, 255]].sum() > 0.9995),
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
    """The standard deviation of the noise: from the median, so that ink on less than half of it hardly counts."""
    every = max(1, grey.size // 1_000_000)
    bands = [grey[top : top + 32] for top in range(0, max(1, grey.shape[0] - 31), 32 * every)]
    sample = np.concatenate(bands)
    response = pixels(cv2.convertScaleAbs(cv2.filter2D(sample, cv2.CV_16S, _LAPLACE)))
    return level_at(histogram_of(response), 0.5) / _LAPLACE_NORM


def letters_of(ink: Ink, dpi: float) -> NDArray[np.bool_]:
    """The parts that look like letters: 4 to 40 points high, neither rules nor dust nor pictures."""
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
    """The parts that are too small to be a dot of a letter."""
    most = max(2.0, dpi / 72)
    return np.asarray((ink.height <= most) & (ink.width <= most))


def _stroke_width(mask: Pixels, written: int) -> float:
    """Twice the area of the ink over its outline, the outline being counted along rows and columns (Crofton)."""
    across = cv2.countNonZero(cv2.bitwise_xor(mask[:, 1:], mask[:, :-1]))
    down = cv2.countNonZero(cv2.bitwise_xor(mask[1:], mask[:-1]))
    outline = (across + down) * np.pi / 4
    return float(2 * written / outline) if outline else 0.0


def _shade(paper: Pixels, ink: Ink, letters: NDArray[np.bool_]) -> float:
    """The variation of the paper's level where letters are; borders of a scan and photographs do not count."""
    if np.count_nonzero(letters) < 12:
        return 0.0
    rows = np.minimum((ink.top + ink.height // 2)[letters] * paper.shape[0] // ink.size[1], paper.shape[0] - 1)
    columns = np.minimum((ink.left + ink.width // 2)[letters] * paper.shape[1] // ink.size[0], paper.shape[1] - 1)
    dark, light = np.percentile(paper[rows, columns], (5, 95))
    return round(float(light - dark), 1)
