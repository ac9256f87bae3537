"""Tables whose titles are light text on a dark band, with rows below it that may have no rules.

The titles show the columns: what is below a title belongs to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.geometry.extents import box_of, extent, shared_width
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.stream import build_mesh
from quire.pages.layout.tables.table_values import FoundTable
from quire.pages.layout.tables.word_rows import PIECE_GAP, Row, TableWord, is_number, pieces_of, rows_of

LIGHT = 0xE0  # the least of the three colours of text that needs something darker behind it
HEIGHT = 4.0  # of the size: a band is not higher
SLACK = 2.0  # points that a word may reach out of its band
APART = 2.5  # of the size: rows of one table are no further apart
LARGER = 1.2  # than the rows above: a heading
PROSE = 6  # words of a piece: prose
MOST_PROSE = 6  # rows of prose in several columns: more are columns of text below a running head
MOST_BANDS = 30
MOST_FILLS = 3_000

_Interval = tuple[float, float]


def has_light_text(page: PageText) -> bool:
    return any(map(_is_light, set(page.colors)))


def banded_tables(page: PageText, words: Sequence[TableWord], meshes: Sequence[Mesh]) -> list[FoundTable]:
    """The tables below bands with titles, from top to bottom, where no mesh is a table already."""
    light = [word for word in words if _is_light(page.colors[word.runs[0]])]
    boxes = [mesh.box for mesh in meshes]
    bands = _bands(page, rows_of(light))[:MOST_BANDS]
    starts = [*bands, *boxes]
    found: list[FoundTable] = []
    for band in bands:
        if any(
            shared_width(band, box) > 0 and box.top < band.bottom + SLACK and band.top < box.bottom for box in boxes
        ):
            continue
        titles = [word for word in light if _is_in(band, word)]
        ends = [other.top for other in starts if shared_width(band, other) > 0 and other.top > band.bottom - SLACK]
        below = [w for w in words if band.bottom - 1 < w.top and w.bottom < min(ends, default=page.height) + 1]
        inside = [w for w in below if band.left - SLACK <= w.left and w.right <= band.right + SLACK]
        table = _table(rows_of(titles), rows_of(inside))
        if table:
            found.append(table)
    return found


def _is_light(color: int) -> bool:
    return min(color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF) >= LIGHT


def _is_in(band: Box, word: TableWord) -> bool:
    return band.left - SLACK <= word.left and word.right <= band.right + SLACK and _crosses(band, word)


def _crosses(band: Box, thing: TableWord | Row) -> bool:
    return band.top <= thing.baseline - 0.3 * thing.size <= band.bottom


def _bands(page: PageText, rows: Sequence[Row]) -> list[Box]:
    """The bands behind rows of several pieces, each made of one background or of several side by side."""
    if (len(page.rects) + len(page.drawings)) // 4 > MOST_FILLS:
        return []
    fills = [Box(*shapes[i : i + 4]) for shapes in (page.rects, page.drawings) for i in range(0, len(shapes), 4)]
    bands: list[Box] = []
    for row in rows:
        if len(row.pieces) < 2 or any(_crosses(band, row) for band in bands):
            continue
        behind = [fill for fill in fills if _crosses(fill, row) and fill.bottom - fill.top < HEIGHT * row.size]
        pieces = [[fill for fill in behind if _holds(fill, piece)] for piece in row.pieces]
        if all(pieces):
            bands.append(box_of([fill for piece in pieces for fill in piece]))
    return bands


def _holds(fill: Box, piece: Sequence[TableWord]) -> bool:
    return fill.left - SLACK <= piece[0].left and piece[-1].right <= fill.right + SLACK


def _table(head: list[Row], below: Sequence[Row]) -> FoundTable | None:
    """The table of these titles and the rows below them, if the rows are of their columns."""
    titles = pieces_of(sorted((word for row in head for word in row.words), key=lambda w: w.left))
    if len(titles) < 2 or 2 * sum(all(is_number(w.text) for w in title) for title in titles) > len(titles):
        return None
    columns = [extent(title) for title in titles]
    body: list[Row] = []
    edge = head[-1].bottom
    for row in below:
        widened = _widened(columns, row)
        heading = bool(body) and len(row.pieces) == 1 and row.size > LARGER * body[0].size
        if row.top - edge > APART * row.size or heading or not widened:
            break
        columns, edge = widened, row.bottom
        body.append(row)
    texts = [sum(len(piece) >= PROSE for piece in row.pieces) for row in body]
    if not any(len(row.pieces) > 1 for row in body) or sum(count > 1 for count in texts) > MOST_PROSE:
        return None
    bounds = [(a[1] + b[0]) / 2 for a, b in pairwise(columns)]
    made = build_mesh([*head, *body], [], fixed_bounds=bounds, head=len(head))
    return made[0].table(made[1]) if made else None


def _widened(columns: Sequence[_Interval], row: Row) -> list[_Interval]:
    """The columns with the pieces of a row; nothing where they do not fit in.

    A short piece alone in its row may reach over several columns: it is a title of the rows below it.
    """
    found = list(columns)
    for piece in row.pieces:
        left, right = extent(piece)
        under = [c for c, (start, end) in enumerate(columns) if left < end and start < right]
        if len(under) > 1:
            if len(row.pieces) == 1 and len(piece) < PROSE and under[0] == 0:
                return found
            return []
        near = PIECE_GAP / 2 * row.size
        column = under[0] if under else _nearest(columns, left, right)
        found[column] = min(found[column][0], left), max(found[column][1], right)
        if any(b[0] - a[1] < near for a, b in pairwise(found)):
            return []
    return found


def _nearest(columns: Sequence[_Interval], left: float, right: float) -> int:
    return min(range(len(columns)), key=lambda c: max(columns[c][0] - right, left - columns[c][1]))
