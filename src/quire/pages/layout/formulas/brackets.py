"""Large brackets, and the rows and columns between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quire.core.median import median
from quire.pages.geometry.extents import box_of
from quire.pages.layout.formulas.placed_symbols import AXIS, Symbol, SymbolKind
from quire.pages.layout.formulas.scripts import SCRIPT
from quire.pages.layout.formulas.signs import COMMANDS, PIECES

ROW = 0.75  # of the size: rows are at least this far apart
COLUMN = 0.7  # of the size: the gap between the columns of a matrix


def joined_brackets(items: list[Symbol]) -> list[Symbol]:
    """Large brackets that are built from parts joined to one each."""
    pieces = [item for item in items if item.sign in PIECES and not item.latex]
    bars = [item for item in items if item.sign in ("|", "∥", "‖")]
    pieces += [bar for bar in bars if any(bar is not other and _stacked(bar, other) for other in bars)]
    if not pieces:
        return items
    rest = [item for item in items if item not in pieces]
    while pieces:
        first = min(pieces, key=lambda item: (item.left, item.top))
        column = [item for item in pieces if abs(item.middle - first.middle) < 0.5 * first.size]
        column.sort(key=lambda item: item.top)
        stack = [column[0]]
        for item in column[1:]:
            if item.top > max(i.bottom for i in stack) + 0.5 * item.size:
                break
            stack.append(item)
        pieces = [item for item in pieces if item not in stack]
        sign = next((found for item in stack if (found := PIECES.get(item.sign, item.sign))), "|")
        kind: SymbolKind = "open" if sign in "([{" else "close" if sign in ")]}" else "bar"
        left, top, right, bottom = box_of(stack)
        size = stack[0].size
        base = (top + bottom) / 2 + AXIS * size
        latex = COMMANDS.get(sign, sign)
        rest.append(Symbol(kind, latex, (left, top, right, bottom), base, size, sign=sign, centred=True))
    return rest


def _stacked(bar: Symbol, other: Symbol) -> bool:
    """Whether a bar continues another one above or below."""
    near = 0.2 * bar.size < abs(bar.base - other.base) < 1.1 * bar.size
    return bar.sign == other.sign and near and abs(bar.left - other.left) < 0.05 * bar.size


def partner_of(items: Sequence[Symbol], bracket: Symbol) -> Symbol | None:
    """The bracket that closes this one."""
    closing = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}.get(bracket.sign, bracket.sign)
    found = [
        item
        for item in items
        if item.sign == closing
        and item.left >= bracket.right
        and abs(item.axis - bracket.axis) < 0.3 * bracket.size
        and abs(item.height - bracket.height) < 0.3 * bracket.height
    ]
    return min(found, key=lambda item: item.left, default=None)


def rows_of(items: Sequence[Symbol]) -> list[list[Symbol]]:
    """The rows of a part, from top to bottom."""
    size = max([item.size for item in items])
    full = [item for item in items if item.size > SCRIPT * size and item.kind != "root"]
    axes = [item.axis for item in full]
    if not full or max(axes) - min(axes) <= ROW * size:
        return [list(items)]
    full.sort(key=lambda item: item.axis)
    rows: list[list[Symbol]] = [[full[0]]]
    for last, item in pairwise(full):
        if item.axis - last.axis > ROW * size and not _beside(rows[-1], item):
            rows.append([item])
        else:
            rows[-1].append(item)
    if len(rows) == 1:
        return [list(items)]
    axes = [median([item.axis for item in row]) for row in rows]
    rest = [item for item in items if not any(item in row for row in rows)]
    for item in rest:
        nearest = min(range(len(rows)), key=lambda i: abs(item.axis - axes[i]))
        rows[nearest].append(item)
    return rows


def _beside(row: Sequence[Symbol], item: Symbol) -> bool:
    """Whether an item is at the height of something tall in a row."""
    return any(other.centred and other.top < item.axis < other.bottom and other.height > 2 * item.size for other in row)


def columns_of(rows: Sequence[Sequence[Symbol]]) -> list[tuple[float, float]]:
    """The columns of a matrix as extents, from the gaps that go through all rows."""
    spans = sorted((item.left, item.right) for row in rows for item in row)
    size = max(item.size for row in rows for item in row)
    columns = [spans[0]]
    for left, right in spans[1:]:
        if left - columns[-1][1] > COLUMN * size:
            columns.append((left, right))
        else:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
    return columns


def cells_of(row: Sequence[Symbol], columns: Sequence[tuple[float, float]]) -> list[list[Symbol]]:
    cells: list[list[Symbol]] = [[] for _ in columns]
    for item in row:
        place = min(range(len(columns)), key=lambda i: max(columns[i][0] - item.middle, item.middle - columns[i][1], 0))
        cells[place].append(item)
    return cells
