"""Prepares the input of Tesseract: grey, large enough, with a margin. Imports OpenCV: only where it runs."""

from __future__ import annotations

from collections.abc import Sequence

import cv2

from quire.core.picture import Picture
from quire.pages.prepare.measures import find_ink, measure
from quire.pages.prepare.pixels import Pixels, grey_of, picture_of, pixels, pixels_of

_LARGEST_SIDE = 16000  # Tesseract refuses sides of 32767 pixels and more
_LARGE_LETTER = 15.0  # pixels: the median height of the letters of 10 point type at 200 dpi


def prepared(picture: Picture, *, below_dpi: float, dpi: float, margin: int) -> Picture:
    """The picture in grey, enlarged to `dpi` when it is coarser than `below_dpi`, inside a white margin in pixels.

    One whose letters are large in spite of its dpi stays as it is, with 0 dpi: Tesseract then estimates them.
    """
    grey = grey_of(pixels_of(picture))
    coarse = picture.dpi < below_dpi
    if coarse and _letter_height(grey, picture.dpi) >= _LARGE_LETTER:
        scale = 0.0
    else:
        scale = _scale(picture, dpi) if coarse else 1.0
    if scale > 1.0:
        grey = pixels(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC))
    if margin:
        grey = pixels(cv2.copyMakeBorder(grey, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=255))
    return picture_of(grey, picture.dpi * scale)


def below_each_other(pictures: Sequence[Picture]) -> Picture:
    """Grey pictures as one, from top to bottom: a single line has too few letters to tell its script."""
    if len(pictures) == 1:
        return pictures[0]
    wide = max(picture.width for picture in pictures)
    rows = [
        cv2.copyMakeBorder(pixels_of(one), 0, 0, 0, wide - one.width, cv2.BORDER_CONSTANT, value=255)
        for one in pictures
    ]
    return picture_of(pixels(cv2.vconcat(rows)[:_LARGEST_SIDE]), pictures[0].dpi)


def _letter_height(grey: Pixels, dpi: float) -> float:
    ink, paper = find_ink(grey)
    return measure(grey, ink, paper, dpi).text_height


def _scale(picture: Picture, dpi: float) -> float:
    return max(1.0, min(dpi / max(1.0, picture.dpi), _LARGEST_SIDE / max(picture.size)))
