"""Row spans of an unruled table: labels set half way between lines, or in the middle of a band."""

from __future__ import annotations

from collections.abc import Sequence

from quire.layout.tables.mesh import Mesh
from quire.layout.tables.words import Row, TableWord

HALF = 0.8  # of the size: a row nearer than this to the rows above and below is between them
LINE = 0.85  # of the size: rows are at least this far apart
MAX_COLUMNS = 2  # the first columns may hold labels in the middle of a band


def settle(rows: list[Row]) -> tuple[list[Row], set[int]]:
    """Merge rows half way between two others into the upper one; returns the words that moved, by `id()`."""
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


def _at(mesh: Mesh, row: int, y: float) -> bool:
    """Whether a rule at y is the line above the row."""
    over = [w.baseline - 0.3 * w.size for w in mesh.row_words(row - 1)]
    under = [w.baseline - 0.3 * w.size for w in mesh.row_words(row)]
    return bool(over and under) and min(over) < y < max(under) and max(over) <= y <= min(under) + 1


def _span_band(mesh: Mesh, start: int, end: int, column: int, floating: set[int]) -> bool:
    """Let the only label of a column span its band if it is in the middle."""
    filled = [r for r in range(start, end) if mesh.atoms[r][column]]
    if len(filled) != 1:
        return False
    row = filled[0]
    words: list[TableWord] = mesh.atoms[row][column]
    half = 0.5 if any(id(w) in floating for w in words) else 0.0
    if abs(row + half - (start + end - 1) / 2) > 0.3:
        return False
    mesh.atoms[row][column] = []
    mesh.atoms[start][column] = words
    for r in range(start + 1, end):
        mesh.above[r][column] = False
    return True
