"""Splits a text that is too long: between lines, sentences, clauses or words, and inside a word as a last resort."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_BORDERS = (
    re.compile(r"\n+"),
    re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])"),
    re.compile(r"(?<=[;:,—])\s+|(?<=[；：，、])"),
    re.compile(r"\s+"),
)
"""Borders at which a text may be cut, the best first."""

Place = tuple[int, int]
Size = Callable[[str], int]
"""Counts the tokens of a text, with those of the headings above it."""


def split(text: str, size: Size, most: int) -> list[Place]:
    """The places of the parts, in order, each as long as fits: they hold everything but white space between them.

    A single character that does not fit is a part of its own.
    """
    atoms = _atoms(text, (0, len(text)), size, most, 0)
    frame = size("")
    sizes = [size(text[start:end]) - frame for start, end in atoms]
    runs = longest_runs(sizes, most - frame, lambda first, last: size(text[atoms[first][0] : atoms[last][1]]) <= most)
    return [(atoms[first][0], atoms[last][1]) for first, last in runs]


def longest_runs(sizes: Sequence[int], room: int, fits: Callable[[int, int], bool]) -> list[Place]:
    """Items in runs (first, last), each as long as fits; one that does not fit alone is a run.

    `sizes` tell roughly how many items have room, so that `fits`, which decides, is called about once for each run: the
    tokens of a text are those of its parts, give or take one where two meet.
    """
    runs, first = [], 0
    while first < len(sizes):
        last, used = first, sizes[first]
        while last + 1 < len(sizes) and used + sizes[last + 1] <= room:
            last += 1
            used += sizes[last]
        if last > first and not fits(first, last):
            last -= 1
            while last > first and not fits(first, last):
                last -= 1
        else:
            while last + 1 < len(sizes) and used + sizes[last + 1] <= room + last + 1 - first and fits(first, last + 1):
                last += 1
                used += sizes[last]
        runs.append((first, last))
        first = last + 1
    return runs


def _atoms(text: str, place: Place, size: Size, most: int, level: int) -> list[Place]:
    """Parts that each fit, cut at the best border that makes them fit."""
    start, end = place
    if size(text[start:end]) <= most:
        return [place]
    if level == len(_BORDERS):
        return _slices(text, place, size, most)
    cut, at = [], start
    for border in _BORDERS[level].finditer(text, start, end):
        if border.end() > at:
            closing = len(border.group()) - len(border.group().lstrip("\"'”’»)]"))  # stays with its sentence
            cut.append((at, border.start() + closing))
            at = border.end()
    cut.append((at, end))
    parts = [(first, last) for first, last in cut if text[first:last].strip()]
    return [atom for part in parts for atom in _atoms(text, part, size, most, level + 1)]


def _slices(text: str, place: Place, size: Size, most: int) -> list[Place]:
    """Parts of a word of nearly the length that fits: one by one its characters would take too long."""
    start, end = place
    if end - start == 1 or size(text[start:end]) <= most:
        return [place]
    frame = size("")
    fitting = (end - start) * max(most - frame, 1) // max(size(text[start:end]) - frame, 1)
    width = min(max(fitting, 1), end - start - 1)
    places = [(first, min(first + width, end)) for first in range(start, end, width)]
    return [piece for place in places for piece in _slices(text, place, size, most)]
