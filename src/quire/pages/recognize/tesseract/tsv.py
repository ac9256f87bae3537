"""The tab-separated answer of Tesseract as lines of words, with its own blocks and paragraphs, in its order."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from quire.core.engine import ReadLine
from quire.core.errors import EngineError
from quire.core.types import BBox, Word, mean_confidence

_HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
_PAGE, _WORD = 1, 5


@dataclass(frozen=True, slots=True)
class TsvLine:
    """A line with Tesseract's numbers of its block and its paragraph, both counted from 1."""

    block: int
    paragraph: int
    line: ReadLine


@dataclass(frozen=True, slots=True)
class _Row:
    level: int
    page: int
    place: tuple[int, int, int]
    box: tuple[float, float, float, float]
    confidence: float
    text: str


def pages_of(answer: bytes, *, margin: int = 0) -> list[tuple[TsvLine, ...]]:
    """The lines of each page in Tesseract's order; boxes are fractions of the page without its margin.

    Raises EngineError when the answer is not Tesseract's TSV.
    """
    try:
        head, *lines = answer.decode().removesuffix("\n").split("\n")
        if head != _HEAD:
            raise ValueError(head)
        rows = [_row(line) for line in lines]
    except ValueError as error:
        raise EngineError("tesseract", f"the answer is not a table of words: {str(error)[:80]!r}") from error
    return [tuple(_lines(list(rows), margin)) for _, rows in groupby(rows, key=lambda row: row.page)]


def _row(line: str) -> _Row:
    level, page, block, paragraph, number, _, left, top, width, height, confidence, text = line.split("\t", 11)
    x, y = int(left), int(top)
    place = int(block), int(paragraph), int(number)
    return _Row(int(level), int(page), place, (x, y, x + int(width), y + int(height)), float(confidence), text.strip())


def _lines(rows: list[_Row], margin: int) -> Iterator[TsvLine]:
    if rows[0].level != _PAGE:
        raise EngineError("tesseract", "the answer does not contain the size of the page")
    _, _, right, bottom = rows[0].box
    size = max(1.0, right - 2 * margin), max(1.0, bottom - 2 * margin)
    words = (row for row in rows if row.level == _WORD and row.text)
    for (block, paragraph, _), found in groupby(words, key=lambda row: row.place):
        yield TsvLine(block, paragraph, _line([_word(row, margin, size) for row in found]))


def _word(row: _Row, margin: int, size: tuple[float, float]) -> Word:
    left, top, right, bottom = (value - margin for value in row.box)
    confidence = min(1.0, max(0.0, row.confidence / 100)) if math.isfinite(row.confidence) else None
    return Word(row.text, BBox.of_points((left, top, right, bottom), size), confidence)


def _line(words: list[Word]) -> ReadLine:
    confidence = mean_confidence((word.confidence, len(word.text)) for word in words)
    return ReadLine(joined([word.text for word in words]), BBox.union(w.bbox for w in words), confidence, tuple(words))


def joined(words: list[str]) -> str:
    """The words joined with spaces, except between characters written without them: Tesseract splits those anywhere."""
    text = words[0]
    for word in words[1:]:
        text += word if _unspaced(text[-1]) and _unspaced(word[0]) else f" {word}"
    return text


def _unspaced(character: str) -> bool:
    """Whether it is Chinese or Japanese: wide, but not Hangul, whose words have spaces."""
    wide = unicodedata.east_asian_width(character) in "WF"
    return wide and not unicodedata.name(character, "").startswith("HANGUL")
