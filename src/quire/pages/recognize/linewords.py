"""Words of a line that has none: the line's box, divided in proportion to the characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from quire.core.engine import ReadLine
from quire.core.types import BBox, Word


def words_in(line: ReadLine) -> tuple[Word, ...]:
    """One word for each run of characters between spaces, in reading order."""
    total = sum(map(_advance, line.text))
    if not total:
        return ()
    backwards = (line.angle in (180, 270)) != _right_to_left(line.text)
    words = []
    for text, start, end in _runs(line.text):
        first, last = (total - end, total - start) if backwards else (start, end)
        box = _share(line.bbox, first / total, last / total, upright=line.angle % 180 != 0)
        words.append(Word(text, box, line.confidence))
    return tuple(words)


def spells(words: tuple[Word, ...], text: str) -> bool:
    """Whether the words match the line: together they have its text, and each lies between two spaces."""
    return "".join(word.text for word in words) == "".join(text.split()) and all(
        len(word.text.split()) == 1 for word in words
    )


def _runs(text: str) -> Iterator[tuple[str, int, int]]:
    """Words with their start and end, in character widths."""
    at, start, run = 0, 0, ""
    for character in f"{text} ":
        if character.isspace():
            if run:
                yield run, start, at
            run = ""
        else:
            start = start if run else at
            run += character
        at += _advance(character)


def _advance(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _share(box: BBox, start: float, end: float, *, upright: bool) -> BBox:
    """The part of the box from `start` to `end` along the direction of writing."""
    if upright:
        top, bottom = round(box.top + start * box.height, 5), round(box.top + end * box.height, 5)
        return BBox(box.left, top, box.width, round(bottom - top, 5))
    left, right = round(box.left + start * box.width, 5), round(box.left + end * box.width, 5)
    return BBox(left, box.top, round(right - left, 5), box.height)


def _right_to_left(text: str) -> bool:
    directions = [unicodedata.bidirectional(character) for character in text]
    return sum(d in ("R", "AL") for d in directions) > sum(d == "L" for d in directions)
