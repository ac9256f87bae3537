"""What is ordered on a page: anything with a box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

PROSE_WIDTH = 120.0  # points: a narrower column is hardly one of text


class Thing(Protocol):
    """Anything with a box: a line, a table, a figure."""

    left: float
    top: float
    right: float
    bottom: float


def width_of(things: Sequence[Thing]) -> float:
    return max(t.right for t in things) - min(t.left for t in things)


def box_of(things: Sequence[Thing]) -> tuple[float, float, float, float]:
    """The box around some things."""
    return (
        min([t.left for t in things]),
        min([t.top for t in things]),
        max([t.right for t in things]),
        max([t.bottom for t in things]),
    )
