"""Splits columns and rows of a ruled table that only white space separates."""

from __future__ import annotations

from itertools import pairwise

from quire.pages.geometry.extents import extent
from quire.pages.layout.tables.columns import find_gutters
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.word_rows import Row, TableWord, rows_of
from quire.pages.layout.tables.wrap import are_numeric, goes_on

FEW_ROWS = 4  # a ruled table with more rows has lines between them all
LISTED, MOST = 4, 0.8  # lines of a list of rows, and the share of them that begin a row
TITLE_LINES = 3  # of a title over several columns and the titles below it
CENTRED = 0.4  # of the size: how far from that of its column twice the middle of a title may be
NEAR = 4.0  # points: titles of columns that begin within this height are on one line
CLEAR = 0.6  # of the size: words nearer than this on both sides of a gutter are one piece


def split_columns(mesh: Mesh) -> None:
    """Add the gutters inside the ruled columns."""
    for column in reversed(range(mesh.columns)):
        alone = [mesh.atoms[r][column] for r in range(mesh.rows) if not _spans(mesh, r, column)]
        rows = rows_of(word for atom in alone for word in atom)
        several = sum(1 for row in rows if len(row.words) > 1)
        if several < 2 or 2 * several < len(rows):
            continue
        gutters = find_gutters(rows, support=max(2, int(0.5 * len(rows))), crossings=int(len(rows) > 3))
        for gutter in reversed(gutters):
            _cut_column(mesh, column, gutter.middle)


def _spans(mesh: Mesh, row: int, column: int) -> bool:
    """Whether the atom continues to the left or to the right."""
    open_left = column > 0 and not mesh.before[row][column]
    return open_left or (column + 1 < mesh.columns and not mesh.before[row][column + 1])


def _cut_column(mesh: Mesh, column: int, x: float) -> None:
    """A new line at x; rows whose words run across it stay whole."""
    mesh.xs.insert(column + 1, x)
    clear = [w for row in mesh.atoms if not _crossed(row[column], x) for w in row[column]]
    sides = [[w for w in clear if w.middle < x], [w for w in clear if w.middle >= x]]
    for r in range(len(mesh.atoms)):
        words = mesh.atoms[r][column]
        left, right = [w for w in words if w.middle < x], [w for w in words if w.middle >= x]
        mesh.atoms[r][column : column + 1] = [left, right]
        mesh.above[r].insert(column + 1, mesh.above[r][column])
        titles = len(rows_of(words)) == 1 and _is_centred(left, sides[0]) and _is_centred(right, sides[1])
        whole = _crossed(words, x) and not (titles and not any(w.left < x < w.right for w in words))
        mesh.before[r].insert(column + 1, not whole)


def _is_centred(title: list[TableWord], column: list[TableWord]) -> bool:
    """Whether a title is centred over the words of a column."""
    if not title or not column:
        return False
    (left, right), (start, end) = extent(title), extent(column)
    return abs(left + right - start - end) < CENTRED * title[0].size


def _crossed(words: list[TableWord], x: float) -> bool:
    """Whether a word, or two words close together, run across x."""
    for row in rows_of(words):
        before = [w for w in row.words if w.middle < x]
        after = [w for w in row.words if w.middle >= x]
        if any(w.left < x < w.right for w in row.words):
            return True
        if before and after and after[0].left - max(w.right for w in before) < CLEAR * row.size:
            return True
    return False


def part_words(mesh: Mesh) -> None:
    """Draw the lines that only some rows show where the words of another row keep clear of them on both sides."""
    for r in range(mesh.rows):
        bare = not any(mesh.before[r][1:])
        parted = [c for left, right in _open_runs(mesh, r) for c in _parting(mesh, r, left, right)]
        for c in parted:
            mesh.before[r][c] = True
        if bare and len(parted) > 1:
            words = mesh.row_words(r)
            mesh.before[r][1:] = [not _crossed(words, x) for x in mesh.xs[1:-1]]


def _open_runs(mesh: Mesh, row: int) -> list[tuple[int, int]]:
    """First and last column of the atoms of a row that no line separates."""
    starts = [c for c in range(mesh.columns) if c == 0 or mesh.before[row][c]]
    return [(a, b - 1) for a, b in zip(starts, [*starts[1:], mesh.columns], strict=True) if b - a > 1]


def _parting(mesh: Mesh, row: int, left: int, right: int) -> list[int]:
    """The columns before which the words of such a run leave a clear gap, in each of its lines."""
    words = [word for atom in mesh.atoms[row][left : right + 1] for word in atom]
    found: set[int] = set()
    for line in rows_of(words):
        for a, b in pairwise(line.pieces):
            start, end = max(w.right for w in a), b[0].left
            inside = [c for c in range(left + 1, right + 1) if start - 1 <= mesh.xs[c] <= end + 1]
            if inside:
                found.add(min(inside, key=lambda c: abs(2 * mesh.xs[c] - start - end)))
    return [c for c in sorted(found) if not _crossed(words, mesh.xs[c])]


def split_titles(mesh: Mesh) -> None:
    """Cut cells over several columns that hold a title of all of them and below it a title of each."""
    for r in reversed(range(mesh.rows)):
        cuts = {run: y for run in _open_runs(mesh, r) if (y := _below_title(mesh, r, *run))}
        if not cuts:
            continue
        y = min(cuts.values())
        under = {c for (left, right), cut in cuts.items() if cut - y < NEAR for c in range(left, right + 1)}
        inner = {c for left, right in cuts for c in range(left + 1, right + 1)} & under
        words = [[w for w in atom if c in under and w.baseline > y] for c, atom in enumerate(mesh.atoms[r])]
        kept = [[w for w in atom if c not in under or w.baseline <= y] for c, atom in enumerate(mesh.atoms[r])]
        mesh.ys.insert(r + 1, y)
        mesh.atoms[r : r + 1] = [kept, words]
        mesh.above.insert(r + 1, [c in under for c in range(mesh.columns)])
        mesh.before.insert(r + 1, [drawn or c in inner for c, drawn in enumerate(mesh.before[r])])


def _below_title(mesh: Mesh, row: int, left: int, right: int) -> float:
    """The y below the lines that run across all columns of a cell, if those after them keep to the columns; else 0."""
    if not all(mesh.above[row][left : right + 1]) or (
        row + 1 < mesh.rows and not all(mesh.above[row + 1][left : right + 1])
    ):
        return 0.0
    lines = rows_of(word for atom in mesh.atoms[row][left : right + 1] for word in atom)
    inner = mesh.xs[left + 1 : right + 1]
    clear = [not any(_crossed(line.words, x) for x in inner) and len(line.pieces) > 1 for line in lines]
    if not 1 < len(clear) <= TITLE_LINES or clear[0] or not clear[-1]:
        return 0.0
    first = clear.index(True)
    if not all(clear[first:]):
        return 0.0
    return (lines[first - 1].bottom + lines[first].top) / 2


def split_rows(mesh: Mesh) -> None:
    """Cut the ruled rows that hold several rows of the table."""
    first = 1 if mesh.rows > 1 else 0
    ruled = mesh.rows > FEW_ROWS
    for r in reversed(range(first, mesh.rows)):
        lines = rows_of(_single(mesh, r))
        if len(lines) > 1:
            for y in reversed(_cuts(mesh, lines, ruled=ruled)):
                _cut_row(mesh, r, y)


def _single(mesh: Mesh, row: int) -> list[TableWord]:
    """Words of the row that are not in a cell with a row span."""
    last = row + 1 == mesh.rows
    return [
        word
        for c, atom in enumerate(mesh.atoms[row])
        if mesh.above[row][c] and (last or mesh.above[row + 1][c])
        for word in atom
    ]


def _cuts(mesh: Mesh, lines: list[Row], *, ruled: bool) -> list[float]:
    """The lines of a ruled row with which a new row of the table begins."""
    parts = [_parts(mesh, line) for line in lines]
    filled = sum(1 for p in parts if len(p) > 1)
    if filled < 2 or 2 * filled < len(lines):
        return []
    cuts = []
    above = dict(parts[0])
    listed = not ruled and _is_listed(parts)
    for i in range(1, len(lines)):
        if (listed and 0 in parts[i]) or _begins(mesh, above, parts[i], ruled=ruled):
            cuts.append((lines[i - 1].bottom + lines[i].top) / 2)
            above = {}
        above |= parts[i]
    return cuts


def _is_listed(parts: list[dict[int, list[TableWord]]]) -> bool:
    """Whether nearly every line has a label that does not begin small, and something beside it: each is a row."""
    begins = [part for part in parts if len(part) > 1 and 0 in part and not part[0][0].text[:1].islower()]
    return len(parts) >= LISTED and len(begins) >= MOST * len(parts)


def _parts(mesh: Mesh, line: Row) -> dict[int, list[TableWord]]:
    parts: dict[int, list[TableWord]] = {}
    for word in line.words:
        column = next((c for c in range(mesh.columns) if word.middle < mesh.xs[c + 1]), mesh.columns - 1)
        parts.setdefault(column, []).append(word)
    return parts


def _begins(mesh: Mesh, above: dict[int, list[TableWord]], here: dict[int, list[TableWord]], *, ruled: bool) -> bool:
    """Whether a line begins a row: numbers under numbers or titles, or a first cell that is not a continuation.

    Where lines are drawn between most rows, numbers are the only sign that one is missing.
    """
    common = above.keys() & here.keys()
    if any(c and are_numeric(above[c]) and are_numeric(here[c]) for c in common):
        return True
    if sum(1 for c in common if are_numeric(here[c]) and not are_numeric(above[c])) > 1:
        return True
    if 0 not in here or ruled:
        return False
    if 0 not in above:
        return True
    going = [c for c in common if goes_on(above[c], here[c], _room(mesh, c))]
    return 0 not in going and 2 * len(going) < len(common)


def _room(mesh: Mesh, column: int) -> float:
    """The width that the text of a column has: between the lines, less the padding at the left on both sides."""
    left, right = mesh.xs[column], mesh.xs[column + 1]
    padding = min((w.left for row in mesh.atoms for w in row[column]), default=left) - left
    return right - left - 2 * min(max(padding, 0.0), 0.15 * (right - left))


def _cut_row(mesh: Mesh, row: int, y: float) -> None:
    """A new line at y, except through cells that span several rows."""
    mesh.ys.insert(row + 1, y)
    cut = []
    over, under = [], []
    for c, atom in enumerate(mesh.atoms[row]):
        over.append([w for w in atom if w.baseline - 0.3 * w.size < y])
        under.append([w for w in atom if w.baseline - 0.3 * w.size >= y])
        last = row + 2 >= len(mesh.ys) - 1
        cut.append(mesh.above[row][c] and (last or mesh.above[row + 1][c]))
    mesh.atoms[row : row + 1] = [over, under]
    mesh.above.insert(row + 1, cut)
    mesh.before.insert(row + 1, list(mesh.before[row]))
