"""Unruled and partly ruled tables: runs of rows whose words stand in columns."""

from __future__ import annotations

from collections.abc import Sequence

from quire.layout.tables.judge import is_table
from quire.layout.tables.ruled import CAPTION
from quire.layout.tables.strokes import Rule, Rules
from quire.layout.tables.stream import FULL, build_mesh
from quire.layout.tables.types import FoundTable
from quire.layout.tables.words import Row, Word, is_number, pieces_of, rows_of
from quire.layout.tables.zones import find_zones
from quire.pagetext import PageText

APART = 2.3  # of the size: rows further apart than this are not of one table, unless rules hold them together
RULED_APART = 4.0
LONG = 0.7  # of the width of the zone: a row of one piece that is longer is prose
MAX_SINGLES = 3  # rows of one piece in a row
MAX_ROWS = 400


def unruled_tables(page: PageText, rules: Rules, words: list[Word]) -> list[FoundTable]:
    """The tables among words that no ruled table holds."""
    tables: list[FoundTable] = []
    for zone in find_zones(rows_of(words), rules):
        for run in _runs(zone, rules.across):
            table = _table(run, rules.across)
            if table:
                tables.append(table)
    return tables


def _runs(zone: list[Row | None], across: Sequence[Rule]) -> list[list[Row]]:
    """Rows that may be a table: several pieces in most, no prose between."""
    rows = [row for row in zone if row]
    if not rows:
        return []
    width = max(r.right for r in rows) - min(r.left for r in rows)
    runs: list[list[Row]] = []
    current: list[Row] = []
    singles = 0
    for row in zone:
        several = bool(row) and _several(row)
        if row and current:
            gap = row.top - current[-1].bottom
            held = any(current[-1].middle < r.at < row.middle for r in across)
            apart = gap > (RULED_APART if held else APART) * row.size
        else:
            apart = row is None
        if apart and current:
            runs.append(current)
            current, singles = [], 0
        if row is None:
            continue
        singles = 0 if several else singles + 1
        if not several and (singles > MAX_SINGLES or _is_prose(row, width) or CAPTION.match(_start(row))):
            if current:
                runs.append(current)
            current, singles = [], 0
            continue
        if several or current:
            current.append(row)
    if current:
        runs.append(current)
    return [trimmed for run in runs if len(trimmed := _trimmed(run)) > 1]


def _several(row: Row | None) -> bool:
    if row is None:
        return False
    return len(pieces_of(row.words)) > 1 or sum(is_number(w.text) for w in row.words) > 2


def _is_prose(row: Row, width: float) -> bool:
    return row.right - row.left > LONG * width and len(row.words) > 5


def _start(row: Row) -> str:
    return " ".join(w.text for w in row.words[:3])


def _trimmed(run: list[Row]) -> list[Row]:
    """Without the rows of one piece at the end."""
    end = len(run)
    while end and not _several(run[end - 1]):
        end -= 1
    return run[:end]


def _table(run: list[Row], across: Sequence[Rule]) -> FoundTable | None:
    rows, rules = _bounded(run[:MAX_ROWS], across)
    if len(rows) < 2:
        return None
    made = build_mesh(rows, rules)
    if made is None:
        return None
    mesh, head = made
    left, right = mesh.xs[0], mesh.xs[-1]
    full = sum(1 for rule in rules if rule.length > FULL * (right - left))
    return mesh.table(head) if is_table(mesh, head, full) else None


def _bounded(run: list[Row], across: Sequence[Rule]) -> tuple[list[Row], list[Rule]]:
    """The rows between the first and the last rule across the run, and the rules that are the run's."""
    left, right = min(r.left for r in run), max(r.right for r in run)
    size = run[0].size
    near = [
        rule
        for rule in across
        if run[0].top - 2 * size < rule.at < run[-1].bottom + 2 * size and rule.end > left and rule.start < right
    ]
    full = [rule.at for rule in near if rule.length > FULL * (right - left)]
    if len(full) < 2:
        return run, near
    over = [row for row in run if row.middle < full[0]]
    between = [row for row in run if full[0] <= row.middle <= full[-1]]
    under = [row for row in run if row.middle > full[-1]]
    if len(between) <= 3 and len(full) == 2 and len(under) > len(between):
        return between + under, near
    if not between:
        return run, near
    return (between if len(over) < len(between) else over + between), near
