"""Recognitions to correct."""

from __future__ import annotations

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.types import BBox, Cell, Table, Word


def line(text: str, *, confidence: float | None = None, top: float = 0.1) -> ReadLine:
    """A line over the page from 0 to 1, whose width is divided among its words by their letters."""
    words, at, total = [], 0.0, sum(map(len, text.split())) or 1
    for word in text.split():
        words.append(Word(word, BBox(at, top, len(word) / total, 0.02)))
        at += len(word) / total
    return ReadLine(text, BBox(0.0, top, 1.0, 0.02), confidence, tuple(words))


def reading(*texts: str, confidence: float | None = None) -> Recognition:
    return Recognition("test", tuple(line(t, confidence=confidence, top=n / 10) for n, t in enumerate(texts)))


def table(*texts: str) -> Recognition:
    cells = tuple(Cell(0, n, text, 1, BBox(n / 10, 0, 0.1, 0.1)) for n, text in enumerate(texts))
    grid = Table(1, len(texts), cells)
    return Recognition("test", blocks=(ReadBlock("table", grid.text, table=grid),))
