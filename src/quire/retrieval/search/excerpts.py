"""The excerpt of a hit: the row or sentences with most of the matching words, with what makes them understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

Mark = tuple[int, int]
LineKind = Literal["text", "header", "row", "gap"]
"""`text` has one cell, `header` and `row` one for each column of a table, `gap`, where something is left out, none."""

ROWS = 4
"""Rows of a table that are shown, without its header."""
LENGTH = 420
"""Characters of text that are shown, if its sentences are not longer."""
LONGEST = 800
"""Characters of a sentence that are shown."""
BEFORE = 80
"""Of a longer one, the characters before the first matching word."""
_RULE = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_PIPE = re.compile(r"(?<!\\)\|")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)|(?<=[。！？])")


class ExcerptCell(NamedTuple):
    """A text, and the matching words in it as ranges."""

    text: str
    marks: tuple[Mark, ...] = ()


class ExcerptLine(NamedTuple):
    """A line of text, or a row of a table."""

    kind: LineKind
    cells: tuple[ExcerptCell, ...] = ()

    def to_json(self) -> dict[str, object]:
        cells = [{"text": cell.text, "marks": [list(mark) for mark in cell.marks]} for cell in self.cells]
        return {"kind": self.kind, "cells": cells}


def excerpt_of(text: str, marks: Sequence[Mark]) -> tuple[ExcerptLine, ...]:
    """The lines of a text to show: those around its best sentence or row, a row with the header of its table.

    The best has the most of the matching words; of equal ones it is the first.
    """
    parts = list(_parts(text, marks))
    shown = [part for part in parts if part.kind != "header"] or parts
    if not shown:
        return ()
    best = max(shown, key=lambda part: len(part.found))
    at = parts.index(best)
    chosen = _of_table(parts, at) if best.kind == "row" else _of_text(parts, at)
    return tuple(_lines(text, marks, parts, chosen))


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence, or a row: its place in the text, the line it is in, and the matching words that it has."""

    kind: LineKind
    begin: int
    end: int
    line: int
    found: frozenset[str]


def _parts(text: str, marks: Sequence[Mark]) -> Iterator[_Part]:
    lines = text.split("\n")
    begin = 0
    for number, line in enumerate(lines):
        end = begin + len(line)
        if _is_row(line):
            below = lines[number + 1] if number + 1 < len(lines) else ""
            if not _RULE.fullmatch(line.strip()):
                kind: LineKind = "header" if _RULE.fullmatch(below.strip()) else "row"
                yield _Part(kind, begin, end, number, _found(text, marks, begin, end))
        else:
            edges = [0, *(match.end() for match in _SENTENCE.finditer(line)), len(line)]
            for first, last in pairwise(edges):
                if line[first:last].strip():
                    span = begin + first, begin + last
                    yield _Part("text", *span, number, _found(text, marks, *span))
        begin = end + 1


def _is_row(line: str) -> bool:
    line = line.strip()
    return len(line) > 1 and line[0] == line[-1] == "|"


def _found(text: str, marks: Sequence[Mark], begin: int, end: int) -> frozenset[str]:
    return frozenset(text[first:last].casefold() for first, last in marks if begin <= first < end)


def _of_table(parts: Sequence[_Part], best: int) -> list[int]:
    """The best row of a table and those around it, the other rows that match as well, the header and the caption."""
    first = last = best
    while first and parts[first - 1].kind in ("row", "header") and parts[first].kind != "header":
        first -= 1
    while last + 1 < len(parts) and parts[last + 1].kind == "row":
        last += 1
    rows = [at for at in range(first, last + 1) if parts[at].kind == "row"]
    near = sorted(rows, key=lambda at: (abs(at - best), at))
    found = parts[best].found
    alike = [at for at in near if found and len(parts[at].found) == len(found)]
    alike.sort(key=lambda at: parts[at].found == found)  # those with other words first
    chosen = dict.fromkeys([best, *alike, *near])
    header = [first] if parts[first].kind == "header" else []
    caption = [at for at in range(first) if parts[at].kind == "text" and parts[at].line == parts[first - 1].line]
    if sum(map(_length, (parts[at] for at in caption))) > LENGTH:
        caption = caption[-1:]
    return [*caption, *header, *sorted([*chosen][:ROWS])]


def _of_text(parts: Sequence[_Part], best: int) -> list[int]:
    """The best sentence, the one before it and those behind it, as far as there is room; a table right behind it."""
    chosen, room = [best], LENGTH - _length(parts[best])
    for at in (best - 1, *range(best + 1, len(parts))):
        if at < 0 or (at < best and parts[at].kind != "text"):
            continue
        if parts[at].kind != "text":
            if max(chosen) == at - 1:
                chosen += range(at, min(len(parts), at + ROWS + (parts[at].kind == "header")))
            break
        room -= _length(parts[at])
        if room < 0 and at > best:
            break
        if room >= 0:
            chosen.append(at)
    return sorted(chosen)


def _length(part: _Part) -> int:
    return min(part.end - part.begin, LONGEST)


def _lines(text: str, marks: Sequence[Mark], parts: Sequence[_Part], chosen: Sequence[int]) -> Iterator[ExcerptLine]:
    """The parts as lines: sentences of a line together, and gaps where something is left out."""
    before = -1
    waiting: tuple[int, int, int] | None = None  # of sentences: where they begin and end, and their line
    for at in chosen:
        part = parts[at]
        if waiting is not None and (part.kind != "text" or part.line != waiting[2] or at != before + 1):
            yield _text(text, marks, waiting[0], waiting[1])
            waiting = None
        if at != before + 1:
            yield ExcerptLine("gap")
        if part.kind == "text":
            waiting = (waiting[0] if waiting else part.begin, part.end, part.line)
        else:
            yield ExcerptLine(part.kind, tuple(_cells(text, marks, part)))
        before = at
    if waiting is not None:
        yield _text(text, marks, waiting[0], waiting[1])
    if before + 1 < len(parts):
        yield ExcerptLine("gap")


def _text(text: str, marks: Sequence[Mark], begin: int, end: int) -> ExcerptLine:
    if end - begin > LONGEST:
        first = next((mark[0] for mark in marks if begin <= mark[0] < end), begin)
        begin = text.rfind(" ", begin, max(begin, first - BEFORE)) + 1 or begin
        end = min(end, begin + LONGEST)
        if (space := text.rfind(" ", begin, end)) > first:
            end = space
    return ExcerptLine("text", (_cell(text, marks, begin, end),))


def _cells(text: str, marks: Sequence[Mark], part: _Part) -> Iterator[ExcerptCell]:
    pipes = [part.begin + match.start() for match in _PIPE.finditer(text[part.begin : part.end])]
    for left, right in pairwise(pipes):
        yield _cell(text, marks, left + 1, right)


def _cell(text: str, marks: Sequence[Mark], begin: int, end: int) -> ExcerptCell:
    """A part of a text without spaces around it, and without the backslashes before pipes."""
    raw = text[begin:end]
    begin += len(raw) - len(raw.lstrip())
    end = begin + len(raw.strip())

    def moved(at: int) -> int:
        return at - begin - text.count("\\|", begin, at)

    found = tuple((moved(first), moved(min(last, end))) for first, last in marks if begin <= first < end)
    return ExcerptCell(text[begin:end].replace("\\|", "|"), found)
