"""The loaded models of a profile, and OCR with them: detect lines, crop them, recognise text, split into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels
from quire.pages.recognize.rapidocr.detection import Quad, detect
from quire.pages.recognize.rapidocr.line_regions import quads_of_regions
from quire.pages.recognize.rapidocr.model_settings import RapidOcrProfile
from quire.pages.recognize.rapidocr.recognition import LineRecognizer, Reading, han_letters
from quire.pages.recognize.rapidocr.word_boxes import Box, words_of
from quire.system.ocr_models import find, open_session

_HAN_LINE = 2  # Chinese or Japanese letters of a line that is read again with all letters; one is often a mistake
_HAN_PAGE = 0.05  # share of such letters on a page of which every line is
_TALL = 1.5  # a strip this much higher than wide is vertical text
_COLUMN = 2.5  # below this it may also be a single narrow character


@dataclass(frozen=True, slots=True)
class FoundWord:
    """A word and its box in pixels of the page."""

    text: str
    box: Box
    confidence: float


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line as it was read, in pixels of the page."""

    corners: NDArray[np.float32]
    text: str
    confidence: float
    angle: int
    words: tuple[FoundWord, ...]


@dataclass(frozen=True, slots=True)
class _Strip:
    """The upright pixels of a line and the transform back to the page."""

    pixels: Pixels
    back: NDArray[np.float32]
    angle: int


class PageReader:
    """Runs in the worker that owns it, one page at a time."""

    def __init__(self, profile: RapidOcrProfile) -> None:
        self._profile = profile
        self._detector = open_session(find("detector", profile.detector))
        self._recognizer = LineRecognizer(profile.recognizer, profile.space)

    @cached_property
    def _second(self) -> LineRecognizer:
        return LineRecognizer(self._profile.second_look or "small", self._profile.space)

    @cached_property
    def _second_western(self) -> LineRecognizer:
        return LineRecognizer(self._profile.second_look or "small", self._profile.space, western=True)

    def read(self, pixels: Pixels, *, western: bool = False) -> list[FoundLine]:
        """The lines of a picture, grey or red, green, blue; a `western` one has no Han letters."""
        page, scale = self._sized(_blue_first(pixels))
        quads = detect(page, self._detector, self._profile)
        return [line for line in self._lines(page, quads, scale, western=western) if line]

    def read_regions(self, pixels: Pixels, boxes: Sequence[Box], *, western: bool = False) -> list[list[FoundLine]]:
        """The lines inside each box (pixels of the picture), detected and read in one batch."""
        page, scale = self._sized(_blue_first(pixels))
        scaled = [(box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale) for box in boxes]
        quads = quads_of_regions(page, scaled, lambda part: detect(part, self._detector, self._profile))
        lines = iter(self._lines(page, [quad for listed in quads for quad in listed], scale, western=western))
        return [[line for _ in listed if (line := next(lines))] for listed in quads]

    def _lines(self, page: Pixels, quads: Sequence[Quad], scale: float, *, western: bool) -> list[FoundLine | None]:
        """The reading of each quad, without text where no letter was recognised; None for noise."""
        strips = [_cut(page, quad, 90 if quad.height >= quad.width * _TALL else 0) for quad in quads]
        readings = self._readings([strip.pixels for strip in strips], western=western)
        self._turn_weak(page, quads, strips, readings, western=western)
        return [
            _line(quad, strip, reading, scale) if reading.confidence >= self._profile.floor else None
            for quad, strip, reading in zip(quads, strips, readings, strict=True)
        ]

    def _turn_weak(
        self, page: Pixels, quads: Sequence[Quad], strips: list[_Strip], readings: list[Reading], *, western: bool
    ) -> None:
        """Tall strips with low confidence are also read upwards, the less tall ones also unrotated."""
        tall = [index for index, strip in enumerate(strips) if strip.angle]
        weak = [index for index in tall if readings[index].confidence < self._profile.weak]
        tries = [(index, _cut(page, quads[index], 270)) for index in weak]
        tries += [(i, _cut(page, quads[i], 0)) for i in weak if quads[i].height < quads[i].width * _COLUMN]
        again = self._readings([strip.pixels for _, strip in tries], western=western)
        for (index, strip), reading in zip(tries, again, strict=True):
            if reading.confidence > readings[index].confidence:
                strips[index], readings[index] = strip, reading

    def _sized(self, pixels: Pixels) -> tuple[Pixels, float]:
        """The page, enlarged if it is too small for the models, and the scale."""
        height, width = pixels.shape[:2]
        scale = self._profile.min_side / max(height, width)
        if scale <= 1.0:
            return pixels, 1.0
        size = round(width * scale), round(height * scale)
        return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_CUBIC), np.uint8), scale

    def _readings(self, strips: Sequence[Pixels], *, western: bool) -> list[Reading]:
        readings = self._recognizer.read(strips, western=western)
        weak = [index for index, reading in enumerate(readings) if reading.confidence < self._profile.weak]
        if self._profile.second_look and weak:
            written = 0 if western else sum(map(han_letters, readings))
            many = written > _HAN_PAGE * sum(len(reading.glyphs) for reading in readings)
            han = [index for index in weak if many or (not western and han_letters(readings[index]) >= _HAN_LINE)]
            rest = sorted({*weak} - {*han})
            if han:
                self._read_again(self._second, han, strips, readings)
            if rest:
                self._read_again(self._second_western, rest, strips, readings)
        return readings

    def _read_again(
        self, second: LineRecognizer, chosen: Sequence[int], strips: Sequence[Pixels], readings: list[Reading]
    ) -> None:
        for index, reading in zip(chosen, second.read([strips[index] for index in chosen]), strict=True):
            readings[index] = reading


def _blue_first(pixels: Pixels) -> Pixels:
    code = cv2.COLOR_GRAY2BGR if pixels.ndim == 2 else cv2.COLOR_RGB2BGR
    return np.asarray(cv2.cvtColor(pixels, code), np.uint8)


def _cut(page: Pixels, quad: Quad, angle: int) -> _Strip:
    """The pixels of a rotated line, turned to run from left to right."""
    width, height = max(1, round(quad.width)), max(1, round(quad.height))
    target = np.array([[0, 0], [width, 0], [width, height]], np.float32)
    forth = cv2.getAffineTransform(quad.corners[:3], target)
    upright = cv2.warpAffine(page, forth, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    turn = np.array(
        {0: [[1, 0, 0], [0, 1, 0]], 90: [[0, -1, width], [1, 0, 0]], 270: [[0, 1, 0], [-1, 0, height]]}[angle]
    )
    back = cv2.invertAffineTransform(forth) @ np.vstack([turn, [0, 0, 1]])
    pixels = np.rot90(upright, {0: 0, 90: 1, 270: -1}[angle])
    return _Strip(np.ascontiguousarray(pixels, np.uint8), np.asarray(back, np.float32), angle)


def _line(quad: Quad, strip: _Strip, reading: Reading, scale: float) -> FoundLine:
    text = reading.text.strip()
    words = tuple(
        FoundWord(word.text, _placed(word.box, strip.back, scale), word.confidence)
        for word in (words_of(reading, strip.pixels) if text else ())
    )
    return FoundLine(quad.corners / scale, text, reading.confidence, strip.angle, words)


def _placed(box: Box, back: NDArray[np.float32], scale: float) -> Box:
    """A box of the strip as an axis-aligned box of the page."""
    left, top, right, bottom = box
    corners = np.array([[left, top, 1], [right, top, 1], [right, bottom, 1], [left, bottom, 1]], np.float32)
    points = corners @ back.T / scale
    low, high = points.min(axis=0), points.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
