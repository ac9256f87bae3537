"""The structure of a table whose columns only white space separates: turns rows of words into a mesh."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence

from quire.core.median import median
from quire.pages.geometry.extents import extent
from quire.pages.layout.tables.body import group_rows
from quire.pages.layout.tables.columns import find_gutters
from quire.pages.layout.tables.header import SPACE, Head, header_length, read_head
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.spans import settle, span_rows
from quire.pages.layout.tables.strokes import Rule
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, pieces_of
from quire.pages.layout.tables.wrap import INDENT

CENTRED = 0.12  # of the width of the table: how far from the middle a title of rows may be
MEAGRE = 0.4  # of the usual pieces: rows with fewer do not show the columns


class Grid:
    """Rows of words and the columns found in them."""

    __slots__ = ("_full", "_titles", "across", "bounds", "columns", "extents", "fixed_bounds", "head", "rows")

    def __init__(
        self,
        rows: list[Row],
        across: list[Rule],
        *,
        scanned: bool,
        fixed_bounds: Sequence[float] = (),
        head: int | None = None,
    ) -> None:
        self.rows, self.across, self.fixed_bounds = rows, across, bool(fixed_bounds)
        left, right = extent(rows)
        self._full = [rule.at for rule in across if rule.crosses(left, right)]
        length = header_length(rows, self._full, scanned=scanned) if head is None else head
        self.head = min(length, len(rows) - 1)
        self.bounds = [x for x in fixed_bounds if left < x < right] or self._found()
        self.columns = len(self.bounds) + 1
        self._titles = _common_middles(rows[self.head :])
        self.extents = _extents(rows[self.head :], self.bounds)

    def _found(self) -> list[float]:
        """The bounds between columns that the rows show."""
        rows = _column_rows(self.rows, self.head, self._full)
        bounds = [g.middle for g in find_gutters(rows, support=2 if len(rows) > 3 else 1)]
        return _titled(self.rows[: self.head], self.rows[self.head :], bounds) if bounds else []

    def column_at(self, word: TableWord) -> int:
        return bisect_left(self.bounds, word.middle)

    def parts(self, row: Row) -> dict[int, list[TableWord]]:
        """The words of a row by column; a piece that crosses a boundary stays in the column where it begins."""
        parts: dict[int, list[TableWord]] = {}
        pieces = pieces_of(row.words, 0.6)
        whole = len(pieces) == 1 and not all(is_number(w.text) for w in row.words[1:])
        if self.fixed_bounds:  # words show where columns are only if one of them stands across a bound
            whole = whole and any(w.left < b - 1 and w.right > b + 1 for w in row.words for b in self.bounds)
        for piece in pieces:
            for group in [piece] if whole else self._split(piece):
                column = 0 if whole and self._is_centred(piece) else self.column_at(group[0])
                parts.setdefault(column, []).extend(group)
        return parts

    def _is_centred(self, piece: list[TableWord]) -> bool:
        """Whether a single piece is centred in the table, not a line of its column: a title of the rows below it."""
        start, end, size = piece[0].left, piece[-1].right, piece[0].size
        if any(abs(start + end - other) < size for other in self._titles):
            return True
        ends = [*self.bounds[1:], self.extents[-1][1] + size]
        if any(
            -0.5 < (start - a) / size < INDENT and end < b for (a, _), b in zip(self.extents[1:], ends, strict=True)
        ):
            return False
        left, right = self.extents[0][0], self.extents[-1][1]
        return abs(start + end - left - right) < CENTRED * (right - left)

    def _split(self, piece: list[TableWord]) -> list[list[TableWord]]:
        """Cut a piece at the boundaries that fall into its gaps."""
        groups: list[list[TableWord]] = [[piece[0]]]
        for word in piece[1:]:
            before = groups[-1][-1]
            if any(
                self.fixed_bounds
                or (before.right <= b + 0.5 and b - 0.5 <= word.left and not _is_phrase(before, word))
                or (is_number(before.text) and is_number(word.text))
                for b in self.bounds
                if before.middle < b < word.middle
            ):
                groups.append([word])
            else:
                groups[-1].append(word)
        return groups


def _is_phrase(before: TableWord, word: TableWord) -> bool:
    """Whether two words are as close as in a sentence."""
    near = word.left - before.right < SPACE * word.size
    return near and before.text[-1:].isalpha() and word.text[:1].isalpha()


def _common_middles(rows: list[Row]) -> list[float]:
    """Twice the middles that several single pieces of different lengths share: titles of rows, centred."""
    single = [row for row in rows if len(row.pieces) == 1 and not any(is_number(w.text) for w in row.words)]
    found = []
    for row in single:
        alike = [o for o in single if abs(o.left + o.right - row.left - row.right) < 0.5 * row.size]
        if len({round(o.left / row.size) for o in alike}) > 2:
            found.append(row.left + row.right)
    return found


def _titled(head: list[Row], body: list[Row], bounds: list[float]) -> list[float]:
    """The bounds, and those beside a title that has nothing below it, where one line of the header has the titles."""
    found: set[float] = set()
    lines = [row for row in head if len(row.pieces) > 1]
    for row in lines if len(lines) == 1 else []:
        for a, b in itertools.pairwise(row.pieces):
            left, right = a[-1].right, b[0].left
            if any(a[0].middle < x < b[0].middle for x in bounds):
                continue
            start = max([0.0, *(x for x in bounds if x < left)])
            end = min([x for x in bounds if x > right], default=1e9)
            words = [w for r in body if len(r.pieces) > 1 for w in r.words if start < w.middle < end]
            low, high = min((w.left for w in words), default=right), max((w.right for w in words), default=left)
            if low >= left:
                found.add((left + min(low, right)) / 2)
            elif high <= right:
                found.add((max(high, left) + right) / 2)
    clear = [x for x in found if not any(p[0].left < x < p[-1].right for row in head for p in row.pieces)]
    return sorted([*bounds, *clear])


def _column_rows(rows: list[Row], head: int, rules: Sequence[float]) -> list[Row]:
    """The rows that show the columns: those with several pieces or numbers; of the header only if there are few."""
    body = [row for row in rows[head:] if _several(row)]
    if len(body) < 3:
        above = [row for row in rows[max(head - 1, 0) : head] if _several(row)]
        body = [*above, *body] if len(body) + len(above) > 2 else [row for row in rows if _several(row)]
    usual = median([len(row.pieces) for row in body]) if body else 0
    full = [row for row in body if len(row.pieces) > MEAGRE * usual]
    titles = all(row in rows[:head] for row in body if row not in full)
    body = full if len(full) > 3 or (len(full) > 1 and titles) else body
    below = [row for row in body if len(row.pieces) == usual or not _is_section(rows, row, rules)]
    body = below if len(below) > 1 else body
    most = max((len(row.pieces) for row in body), default=0)
    if head and len(body) < 6 and most:
        last = rows[head - 1]
        if len(last.pieces) >= most and last not in body:
            body = [last, *body]
    return body


def _is_section(rows: list[Row], row: Row, rules: Sequence[float]) -> bool:
    """Whether a row stands alone between two rules: titles of the rows below it."""
    i = rows.index(row)
    if not 0 < i < len(rows) - 1:
        return False
    return all(any(a.middle < y < b.middle for y in rules) for a, b in itertools.pairwise(rows[i - 1 : i + 2]))


def _several(row: Row) -> bool:
    return len(row.pieces) > 1 or 2 * row.numbers > max(2, len(row.words))


def _extents(rows: Sequence[Row], bounds: Sequence[float]) -> list[tuple[float, float]]:
    """Left and right of the words of each column; the space between its bounds where it has none."""
    spans: list[tuple[float, float] | None] = [None] * (len(bounds) + 1)
    for row in rows:
        if len(row.pieces) < 2 and bounds:
            continue
        for word in row.words:
            column = bisect_left(bounds, word.middle)
            span = spans[column]
            if span is None:
                spans[column] = word.left, word.right
            elif word.left < span[0] or word.right > span[1]:
                spans[column] = min(span[0], word.left), max(span[1], word.right)
    edges = [min(r.left for r in rows), *bounds, max(r.right for r in rows)] if rows else []
    return [span or (edges[i], edges[i + 1]) for i, span in enumerate(spans)]


def build_mesh(
    rows: list[Row],
    across: list[Rule],
    *,
    scanned: bool = False,
    fixed_bounds: Sequence[float] = (),
    head: int | None = None,
) -> tuple[Mesh, int] | None:
    """The mesh of a table of these rows and its number of header rows; None without two columns.

    `fixed_bounds` are the bounds between its columns, and `head` is the number of its header lines, where known.
    """
    ends = extent(rows)
    rows, floating = settle(rows, [rule.at for rule in across if rule.crosses(*ends)])
    grid = Grid(rows, across, scanned=scanned, fixed_bounds=fixed_bounds, head=head)
    if grid.columns < 2:
        return None
    titles = read_head(rows[: grid.head], grid.bounds, grid.extents, across) if grid.head else Head([], [])
    left, right = extent(rows)
    parts = [grid.parts(row) for row in rows[grid.head :]]
    full = [r.at for r in across if r.crosses(left, right)]
    groups = group_rows(rows[grid.head :], parts, _widths(grid, left, right), full)
    bands = [rows[g[0] + grid.head : g[-1] + 1 + grid.head] for g in groups]
    mesh = Mesh(
        [left - 0.5, *grid.bounds, right + 0.5],
        _lines(titles.bands(rows) + [(b[0].top, b[-1].bottom) for b in bands]),
    )
    titles.fill(mesh)
    top = len(titles.levels)
    for r, group in enumerate(groups):
        for i in group:
            for column, words in parts[i].items():
                mesh.atoms[top + r][column] += words
    span_rows(mesh, top, floating, full)
    for column in reversed(range(mesh.columns)):
        if not fixed_bounds and mesh.columns > 2 and not mesh.column_words(column):
            mesh.drop_column(column)
    return mesh, top


def _widths(grid: Grid, left: float, right: float) -> list[float]:
    edges = [left, *grid.bounds, right]
    size = median([row.size for row in grid.rows])
    return [min(edges[c + 1] - edges[c], grid.extents[c][1] - grid.extents[c][0] + size) for c in range(grid.columns)]


def _lines(bands: list[tuple[float, float]]) -> list[float]:
    """Lines between bands of text, and at both ends."""
    ys = [bands[0][0] - 0.5]
    for (_, bottom), (top, _) in itertools.pairwise(bands):
        ys.append(max((bottom + top) / 2, ys[-1] + 0.5))
    ys.append(max(bands[-1][1] + 0.5, ys[-1] + 0.5))
    return ys
