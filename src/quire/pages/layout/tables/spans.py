"""Row spans of an unruled table: labels set half way between lines, or in the middle of a band."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number

HALF = 0.8  # of the size: a row nearer than this to the rows above and below is between them
LINE = 0.85  # of the size: rows are at least this far apart
MOST_LINES = 5  # of a label with numbers beside its middle
APART = 1.5  # of the size: its lines, and the numbers between them, are nearer
PITCH = 2.0  # of the size: lines of a label in the middle of a band are nearer
MAX_COLUMNS = 2  # the first columns may hold labels in the middle of a band


def settle(rows: list[Row], rules: Sequence[float]) -> tuple[list[Row], set[int]]:
    """Merge rows half way between two others into the upper one; returns the words that moved, by `id()`.

    Between two rules, numbers in the middle of a label of several lines are merged with all of them.
    """
    rows = [row for band in _bands(rows, rules) for row in _labelled(band)]
    settled: list[Row] = []
    floating: set[int] = set()
    i = 0
    while i < len(rows):
        if settled and i + 1 < len(rows) and _floats(settled[-1], rows[i], rows[i + 1]):
            floating |= {id(word) for word in rows[i].words}
            above = settled[-1]
            settled[-1] = Row(above.words + rows[i].words, leader=above.leader)
            settled[-1].baseline, settled[-1].top, settled[-1].bottom = above.baseline, above.top, above.bottom
        else:
            settled.append(rows[i])
        i += 1
    return settled, floating


def _bands(rows: list[Row], rules: Sequence[float]) -> list[list[Row]]:
    """The rows in groups that rules separate."""
    bands: list[list[Row]] = [rows[:1]]
    for above, row in pairwise(rows):
        if any(above.middle < y < row.middle for y in rules):
            bands.append([])
        bands[-1].append(row)
    return bands


def _labelled(band: list[Row]) -> list[Row]:
    """A band with one row of numbers half way between the lines of a label beside them is one row."""
    several = [row for row in band if len(row.pieces) > 1 or (len(row.words) > 1 and all(map(_is_number, row.words)))]
    if not 2 < len(band) <= MOST_LINES or len(several) != 1 or several[0] in (band[0], band[-1]):
        return band
    (numbers,) = several
    labels = [row for row in band if row is not numbers]
    if any(b.baseline - a.baseline > APART * b.size for a, b in pairwise(band)):
        return band
    if max(row.right for row in labels) > numbers.left:
        return band
    whole = Row([word for row in band for word in row.words])
    whole.baseline = numbers.baseline
    return [whole]


def _is_number(word: TableWord) -> bool:
    return is_number(word.text)


def _floats(above: Row, row: Row, below: Row) -> bool:
    near = HALF * row.size
    if row.baseline - above.baseline > near or below.baseline - row.baseline > near:
        return False
    if below.baseline - above.baseline < LINE * row.size:
        return False
    return not any(a.left < b.right and b.left < a.right for a in row.words for b in above.words + below.words)


def span_rows(mesh: Mesh, top: int, floating: set[int], rules: Sequence[float]) -> None:
    """Let labels span the rows beside them."""
    starts = [
        r
        for r in range(top, mesh.rows)
        if r == top or any(mesh.ys[r - 1] < y < mesh.ys[r + 1] and _at(mesh, r, y) for y in rules)
    ]
    for start, end in zip(starts, [*starts[1:], mesh.rows], strict=True):
        for column in range(min(MAX_COLUMNS, mesh.columns - 1)):
            if end - start > 1 and not _span_band(mesh, start, end, column, floating):
                break
    for r in range(top, mesh.rows - 1 if floating else top):
        for c in range(mesh.columns):
            if any(id(w) in floating for w in mesh.atoms[r][c]) and not mesh.atoms[r + 1][c]:
                mesh.above[r + 1][c] = False


def _is_middle(mesh: Mesh, start: int, end: int, words: list[TableWord]) -> bool:
    """Whether lines of one label are in the middle of a band of more rows, and not beside each of them."""
    lines = sorted({word.baseline for word in words})
    beside = sorted({word.baseline for r in range(start, end) for word in mesh.row_words(r)} - set(lines))
    if not beside or len(lines) >= end - start or any(is_number(word.text) for word in words):
        return False
    size = max(word.size for word in words)
    if any(b - a > PITCH * size for a, b in pairwise(lines)) or any(b - a < LINE * size for a, b in pairwise(lines)):
        return False
    return abs(lines[0] + lines[-1] - beside[0] - beside[-1]) < size and lines[0] - beside[0] > 0.3 * size


def _at(mesh: Mesh, row: int, y: float) -> bool:
    """Whether a rule at y is the line above the row."""
    over = [w.baseline - 0.3 * w.size for w in mesh.row_words(row - 1)]
    under = [w.baseline - 0.3 * w.size for w in mesh.row_words(row)]
    return bool(over and under) and min(over) < y < max(under) and max(over) <= y <= min(under) + 1


def _span_band(mesh: Mesh, start: int, end: int, column: int, floating: set[int]) -> bool:
    """Let the only label of a column, of one or several lines, span its band if it is in the middle."""
    filled = [r for r in range(start, end) if mesh.atoms[r][column]]
    words: list[TableWord] = [word for r in filled for word in mesh.atoms[r][column]]
    if len(filled) == 1:
        half = 0.5 if any(id(w) in floating for w in words) else 0.0
        if abs(filled[0] + half - (start + end - 1) / 2) > 0.3:
            return False
    elif not filled or not _is_middle(mesh, start, end, words):
        return False
    for row in filled:
        mesh.atoms[row][column] = []
    mesh.atoms[start][column] = words
    for r in range(start + 1, end):
        mesh.above[r][column] = False
    return True
