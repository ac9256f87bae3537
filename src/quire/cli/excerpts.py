"""Excerpts of hits in a terminal: tables in columns, matching words bold."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quire.core.errors import printable

if TYPE_CHECKING:
    from quire.retrieval.search.excerpts import ExcerptCell, ExcerptLine

BOLD, PLAIN = "\x1b[1m", "\x1b[22m"
_ON, _OFF = "\ue000", "\ue001"
"""Around matching words while lines are broken: characters for private use, which texts do not have."""
_MARK = re.compile(f"{_ON}|{_OFF}")
_NUMBER = re.compile(r"[(−-]?[$€£¥]?\s?\d[\d.,\s]*%?\)?")
GAP = "  "


def excerpt_lines(lines: Sequence[ExcerptLine], width: int, *, bold: bool) -> Iterator[str]:
    """The lines of an excerpt for a terminal, without control characters of the document."""
    on, off = (BOLD, PLAIN) if bold else ("", "")
    for text in _broken(lines, width):
        yield text.replace(_ON, on).replace(_OFF, off)


def _broken(lines: Sequence[ExcerptLine], width: int) -> Iterator[str]:
    rows = [at for at, line in enumerate(lines) if line.kind in ("header", "row")]
    first, last = (rows[0], rows[-1]) if rows else (len(lines), len(lines))
    for line in lines[:first]:
        yield from _text(line, width)
    if rows:
        yield from _table(lines[first : last + 1], width)
    for line in lines[last + 1 :]:
        yield from _text(line, width)


def _text(line: ExcerptLine, width: int) -> list[str]:
    return textwrap.wrap(_marked(line.cells[0]), width) if line.cells else ["…"]


def _table(lines: Sequence[ExcerptLine], width: int) -> Iterator[str]:
    """Columns, where they fit; otherwise a line of `header: cell` for each row, broken where needed."""
    rows = [[_marked(cell) for cell in line.cells] for line in lines]
    columns = [*zip(*filter(None, rows), strict=False)]
    widths = [max(map(_length, column)) for column in columns]
    if sum(widths) + len(GAP) * (len(widths) - 1) <= width:
        right = [all(_is_number(cell) for cell in column[1:]) and len(column) > 1 for column in columns]
        for row in rows:
            padded = (_padded(*cell) for cell in zip(row, widths, right, strict=False))
            yield GAP.join(padded).rstrip() or "…"
        return
    names = rows[0] if lines[0].kind == "header" else [""] * len(columns)
    for row in rows[lines[0].kind == "header" :]:
        named = zip(names, row, strict=False)
        cells = [f"{name}: {cell}" if name and cell and at else cell for at, (name, cell) in enumerate(named)]
        yield from textwrap.wrap("; ".join(filter(None, cells)) or "…", width, subsequent_indent=GAP)


def _marked(cell: ExcerptCell) -> str:
    parts, at = [], 0
    for begin, end in cell.marks:
        parts += [cell.text[at:begin], _ON, cell.text[begin:end], _OFF]
        at = end
    return "".join(part if part in (_ON, _OFF) else printable(part) for part in (*parts, cell.text[at:]))


def _length(text: str) -> int:
    return len(_MARK.sub("", text))


def _is_number(text: str) -> bool:
    return not (plain := _MARK.sub("", text)) or _NUMBER.fullmatch(plain) is not None


def _padded(text: str, width: int, right: bool) -> str:
    room = " " * (width - _length(text))
    return room + text if right else text + room
