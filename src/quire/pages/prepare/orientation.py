"""The orientation of a page, by PaddleOCR's model for whole pages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from quire.pages.prepare.pixels import Pixels
from quire.system.ocr_models import find, open_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_SHORT_SIDE, _SIDE = 256, 224
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def page_turn(pixels: Pixels) -> tuple[int, float]:
    """By how many degrees clockwise the page must be rotated to be upright (0, 90, 180, 270), and the confidence.

    Runs in the caller's thread; the model is loaded on the first call. Raises ConfigurationError when it is missing.
    """
    session = _session()
    probabilities = np.asarray(session.run(None, {session.get_inputs()[0].name: _input(pixels)})[0])[0]
    best = int(probabilities.argmax())
    # The model returns the clockwise rotation that was applied to the page.
    return (4 - best) % 4 * 90, float(probabilities[best])


@lru_cache(maxsize=1)
def _session() -> InferenceSession:
    return open_session(find("orientation"))


def _input(pixels: Pixels) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    height, width = pixels.shape[:2]
    scale = _SHORT_SIDE / min(height, width)
    size = (max(_SIDE, round(width * scale)), max(_SIDE, round(height * scale)))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    top, left = (size[1] - _SIDE) // 2, (size[0] - _SIDE) // 2
    middle = small[top : top + _SIDE, left : left + _SIDE].astype(np.float32) / 255
    coloured = np.repeat(middle[:, :, None], 3, axis=2) if middle.ndim == 2 else middle[:, :, ::-1]
    return np.ascontiguousarray(((coloured - _MEAN) / _DEVIATION).transpose(2, 0, 1)[None], np.float32)
