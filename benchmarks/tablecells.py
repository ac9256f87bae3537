"""Words put into the cells of a table whose cells somebody found: what every rival of the layout needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quire.core.types import GridCell

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""


class Place(NamedTuple):
    """A cell before anything stands in it."""

    grid: GridCell
    box: Box


class Placed(NamedTuple):
    """A recognised word and where it stands."""

    text: str
    box: Box


def filled(places: Sequence[Place], words: Iterable[Placed]) -> list[dict[str, object]]:
    """The cells with their text: each word in the cell that holds its middle, or else in the nearest one."""
    held: dict[Place, list[Placed]] = {place: [] for place in places}
    for word in words if places else ():
        held[min(places, key=lambda place: _distance(word.box, place.box))].append(word)
    return [
        {
            "row": place.grid.row,
            "column": place.grid.column,
            "row_span": place.grid.row_span,
            "column_span": place.grid.column_span,
            "text": _text(inside),
        }
        for place, inside in held.items()
    ]


def within(words: Iterable[Placed], box: Box) -> list[Placed]:
    """The words whose middle lies in a box."""
    return [word for word in words if not _distance(word.box, box)[0]]


def _distance(word: Box, box: Box) -> tuple[float, float]:
    """From the middle of a word to a box, and, where several hold it, to the middle of the box."""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    outside = max(box[0] - x, x - box[2], 0.0) + max(box[1] - y, y - box[3], 0.0)
    return outside, abs(x - (box[0] + box[2]) / 2) + abs(y - (box[1] + box[3]) / 2)


def _text(words: Sequence[Placed]) -> str:
    """Line by line, each from the left."""
    lines: list[list[Placed]] = []
    for word in sorted(words, key=lambda word: word.box[1] + word.box[3]):
        middle = (word.box[1] + word.box[3]) / 2
        if lines and middle < lines[-1][0].box[3]:
            lines[-1].append(word)
        else:
            lines.append([word])
    return " ".join(word.text for line in lines for word in sorted(line, key=lambda word: word.box[0]))
