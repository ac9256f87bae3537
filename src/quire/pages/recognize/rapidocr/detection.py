"""Text detection: a network marks the cores of lines, which are fitted with rectangles and expanded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels
from quire.pages.recognize.rapidocr.model_settings import RapidOcrProfile

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
_LEVELS = np.arange(256, dtype=np.float32).reshape(1, 256, 1)
_NORMAL = (_LEVELS - _MEAN * 255) * (1 / (_DEVIATION * 255))
"""What the network sees for each level of each channel."""
_STEP = 32  # the network needs sides that are multiples of this
_SMALLEST = 3.0  # pixels of the map: thinner cores are specks


@dataclass(frozen=True, slots=True)
class Quad:
    """A turned rectangle around a line: corners from its top left, clockwise, in pixels of the page."""

    corners: NDArray[np.float32]
    score: float

    @property
    def width(self) -> float:
        return float(np.linalg.norm(self.corners[1] - self.corners[0]))

    @property
    def height(self) -> float:
        return float(np.linalg.norm(self.corners[3] - self.corners[0]))


def detect(pixels: Pixels, session: InferenceSession, profile: RapidOcrProfile) -> list[Quad]:
    """The lines of a page (three channels, blue first), from top to bottom."""
    height, width = pixels.shape[:2]
    scale = min(1.0, profile.max_side / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = pixels if scale == 1.0 else cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    chart = np.asarray(session.run(None, {session.get_inputs()[0].name: _input(small)})[0])[0, 0]
    quads = _quads(chart[: size[1], : size[0]], profile)
    stretch = np.array([width / size[0], height / size[1]], np.float32)
    limit = np.array([width, height], np.float32)
    placed = [Quad(np.clip(quad.corners * stretch, 0, limit), quad.score) for quad in quads]
    return sorted(placed, key=lambda quad: (float(quad.corners[0, 1]), float(quad.corners[0, 0])))


def _input(pixels: Any) -> NDArray[np.float32]:
    height, width = pixels.shape[:2]
    bottom, right = -height % _STEP, -width % _STEP
    padded = cv2.copyMakeBorder(pixels, 0, bottom, 0, right, cv2.BORDER_REPLICATE)
    planes = np.empty((1, 3, *padded.shape[:2]), np.float32)
    cv2.split(cv2.LUT(padded, _NORMAL), list(planes[0]))
    return planes


def _quads(chart: NDArray[np.float32], profile: RapidOcrProfile) -> list[Quad]:
    marked = (chart > profile.ink).astype(np.uint8)
    outlines, _ = cv2.findContours(marked, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for outline in outlines:
        centre, (along, across), angle = cv2.minAreaRect(outline)
        if min(along, across) < _SMALLEST:
            continue
        score = _score(chart, outline)
        if score < profile.line:
            continue
        margin = 2 * along * across * profile.grow / (2 * (along + across))
        corners = cv2.boxPoints((centre, (along + margin, across + margin), angle))
        found.append(Quad(_clockwise(corners), score))
    return found


def _score(chart: NDArray[np.float32], outline: Any) -> float:
    """The mean of the map inside the outline."""
    left, top, width, height = cv2.boundingRect(outline)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [outline - (left, top)], 1)
    return float(cv2.mean(chart[top : top + height, left : left + width], mask)[0])


def _clockwise(corners: Any) -> NDArray[np.float32]:
    """Corners clockwise from the top left."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    top_left, bottom_left = left[np.argsort(left[:, 1], kind="stable")]
    top_right, bottom_right = right[np.argsort(right[:, 1], kind="stable")]
    return np.array([top_left, top_right, bottom_right, bottom_left], np.float32)
