"""Splits a text that is too long: between lines, sentences, clauses or words, and inside a word as a last resort."""

from __future__ import annotations

import re
from collections.abc import Callable

_BORDERS = (
    re.compile(r"\n+"),
    re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])"),
    re.compile(r"(?<=[;:,—])\s+|(?<=[；：，、])"),
    re.compile(r"\s+"),
    re.compile(r"(?<=.)(?=.)", re.DOTALL),
)
"""Where a text may be cut, the best places first."""

Place = tuple[int, int]


def split(text: str, fits: Callable[[str], bool]) -> list[Place]:
    """The places of the parts, in order, each as long as fits: they hold everything but white space between them.

    A single character that does not fit is a part of its own.
    """
    atoms = _atoms(text, (0, len(text)), fits, 0)
    runs = longest_runs(len(atoms), lambda first, last: fits(text[atoms[first][0] : atoms[last][1]]))
    return [(atoms[first][0], atoms[last][1]) for first, last in runs]


def longest_runs(count: int, fits: Callable[[int, int], bool]) -> list[Place]:
    """Items 0 to `count` - 1 in runs (first, last), each as long as fits; one that does not fit alone is a run.

    Sizes are nearly monotonic, so the search for the last item gallops, then halves the rest.
    """
    runs, first = [], 0
    while first < count:
        last, most, step = first, count - 1, 1
        while last < most:
            probe = min(last + step, most)
            if fits(first, probe):
                last, step = probe, step * 2
            elif probe == last + 1:
                break
            else:
                most, step = probe - 1, 1
        runs.append((first, last))
        first = last + 1
    return runs


def _atoms(text: str, place: Place, fits: Callable[[str], bool], level: int) -> list[Place]:
    """Parts that each fit, cut at the best border that makes them fit."""
    start, end = place
    if level == len(_BORDERS) or fits(text[start:end]):
        return [place]
    cut, at = [], start
    for border in _BORDERS[level].finditer(text, start, end):
        if border.start() > at or border.end() > at:
            closing = len(border.group()) - len(border.group().lstrip("\"'”’»)]"))  # stays with its sentence
            cut.append((at, border.start() + closing))
            at = border.end()
    cut.append((at, end))
    parts = [(first, last) for first, last in cut if text[first:last].strip()]
    return [atom for part in parts for atom in _atoms(text, part, fits, level + 1)]
