"""Text recognition (CTC): a network predicts the character at each step along a strip of one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels
from quire.pages.recognize.rapidocr.last_layer import cut
from quire.system.ocr_models import Size, find, open_session, session_of

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_HEIGHT = 48  # height of the input strips
_STEP = 8  # pixels of a strip for one step of the answer
_NARROWEST, _WIDEST = 48, 4800
_BATCH_PIXELS = 48 * 1600  # batch size by area: a wider batch only costs memory
_UNEVEN = 0.9  # a strip narrower than this part of the batch would be mostly padding
_HAN = "\u2e80"  # the first of the letters of Chinese and Japanese
_WIDE = "\uff00"  # the first of the wide forms of Latin letters and punctuation
_LOOSE = re.compile(r"(?<=[^\W\d_]) (?=[,.](?: |$))|(?<=[(\[]) (?=\w)|(?<=\w) (?=[)\]])")
"""Spaces that are narrower in print than those between words."""
_ONE = re.compile(r"(?<![^\W\d_])l(?=\d\d)|(?<=\d)l(?=\d)")  # typewriters have no 1
_NOUGHT = re.compile(r"(?<=\d)o(?=\d)")


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character, its horizontal extent (fractions of the strip's width) and its confidence."""

    text: str
    start: float
    end: float
    confidence: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


@dataclass(frozen=True, slots=True)
class Reading:
    """The recognised text of one strip."""

    glyphs: tuple[Glyph, ...] = ()

    @property
    def text(self) -> str:
        return "".join(glyph.text for glyph in self.glyphs)

    @property
    def confidence(self) -> float:
        """The mean over the characters, including spaces, which are wrong most often; 0 when there are none."""
        return sum(glyph.confidence for glyph in self.glyphs) / len(self.glyphs) if self.glyphs else 0.0


class LineRecognizer:
    """A loaded recogniser."""

    def __init__(self, size: Size, space: float, *, western: bool = False) -> None:
        """`space` is the probability from which a space is read between two characters, even if a blank is likelier.

        A `western` recogniser knows no Han letters and is faster.
        """
        model = find("recognizer", size)
        self._characters = model.listed_characters()
        self._han = np.array([is_han(text) for text in self._characters], np.bool_)
        self._layer: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        parts = cut(model.path, len(self._characters)) if western else None
        if parts is not None:
            kept = np.flatnonzero(~self._han)
            self._characters = tuple(self._characters[index] for index in kept)
            self._han = self._han[kept]
            self._layer = np.ascontiguousarray(parts.matrix[:, kept]), parts.bias[kept]
        self._session: InferenceSession = session_of(parts.model) if parts else open_session(model)
        self._input = self._session.get_inputs()[0].name
        self._space = space

    def read(self, strips: Sequence[Pixels], *, western: bool = False) -> list[Reading]:
        """The readings of the strips (three channels, blue first), in order; without Han letters if it is `western`."""
        widths = [_width(strip) for strip in strips]
        readings = [Reading()] * len(strips)
        for batch in _batches(widths):
            widest = max(widths[index] for index in batch)
            tensor = np.zeros((len(batch), 3, _HEIGHT, widest), np.float32)
            for row, index in enumerate(batch):
                tensor[row, :, :, : widths[index]] = _normal(strips[index], widths[index])
            answer = self._answer(tensor)
            for row, index in enumerate(batch):
                readings[index] = self._decode(answer[row], widths[index], western=western)
        return readings

    def _answer(self, tensor: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability of each character at each step of each strip."""
        answer = np.asarray(self._session.run(None, {self._input: tensor})[0])
        if self._layer is None:
            return answer
        matrix, bias = self._layer
        scores = np.tensordot(answer, matrix, axes=1) + bias
        likely = np.exp(scores - scores.max(axis=2, keepdims=True))
        return np.asarray(likely / likely.sum(axis=2, keepdims=True))

    def _decode(self, answer: NDArray[np.float32], width: int, *, western: bool) -> Reading:
        """CTC decoding: equal consecutive steps are one character; a blank separates."""
        best, spaces = answer.argmax(axis=1), answer[:, -1]
        if western and self._han[best].any():
            answer = np.where(self._han, 0.0, answer)
            best = answer.argmax(axis=1)
        sure = answer[np.arange(len(best)), best]
        changes = (np.flatnonzero(np.diff(best)) + 1).tolist()
        glyphs: list[Glyph] = []
        seen = 0
        for start, end in pairwise([0, *changes, len(best)]):
            text = self._characters[best[start]]
            if not text or start * _STEP >= width:
                continue
            space = float(spaces[seen:start].max(initial=0.0))
            if space > self._space and glyphs and not (text.isspace() or glyphs[-1].text.isspace()):
                glyphs.append(Glyph(" ", seen * _STEP / width, start * _STEP / width, space))
            right = min(1.0, end * _STEP / width)
            glyphs.append(Glyph(text, start * _STEP / width, right, float(sure[start:end].max())))
            seen = end
        return mended(Reading(tuple(glyphs)))


def is_han(text: str) -> bool:
    """Whether a character is one of Chinese or Japanese, punctuation included."""
    return text >= _HAN


def han_letters(reading: Reading) -> int:
    """The number of Chinese and Japanese letters in a reading."""
    return sum(is_han(glyph.text) and glyph.text.isalpha() and glyph.text < _WIDE for glyph in reading.glyphs)


def mended(reading: Reading) -> Reading:
    """Without thin spaces, and with figures for the letters that look like them in numbers."""
    text = reading.text
    if len(text) != len(reading.glyphs):
        return reading
    loose = {found.start() for found in _LOOSE.finditer(text)}
    figures = dict.fromkeys((found.start() for found in _ONE.finditer(text)), "1")
    figures |= dict.fromkeys((found.start() for found in _NOUGHT.finditer(text)), "0")
    if not loose and not figures:
        return reading
    return Reading(
        tuple(
            replace(glyph, text=figures[at]) if at in figures else glyph
            for at, glyph in enumerate(reading.glyphs)
            if at not in loose
        )
    )


def _width(strip: Pixels) -> int:
    height, width = strip.shape[:2]
    return min(_WIDEST, max(_NARROWEST, int(_HEIGHT * width / height + 0.5)))


def _normal(strip: Pixels, width: int) -> NDArray[np.float32]:
    method = cv2.INTER_AREA if strip.shape[0] > _HEIGHT else cv2.INTER_LINEAR
    scaled = cv2.resize(strip, (width, _HEIGHT), interpolation=method)
    return scaled.transpose(2, 0, 1).astype(np.float32) / 127.5 - 1


def _batches(widths: Sequence[int]) -> list[list[int]]:
    """Batches of strips of similar width."""
    batches: list[list[int]] = []
    for index in sorted(range(len(widths)), key=lambda i: -widths[i]):
        if batches:
            widest = widths[batches[-1][0]]
            room = widest * _HEIGHT * (len(batches[-1]) + 1) <= _BATCH_PIXELS
            if room and widths[index] >= widest * _UNEVEN:
                batches[-1].append(index)
                continue
        batches.append([index])
    return batches
