"""Unruled and partly ruled tables: runs of rows whose words stand in columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from quire.layout.tables.judge import is_drawn, is_table
from quire.layout.tables.ruled import CAPTION
from quire.layout.tables.strokes import Rule, Rules
from quire.layout.tables.stream import FULL, build_mesh
from quire.layout.tables.types import FoundTable
from quire.layout.tables.words import Row, Word, is_number, pieces_of, rows_of, without_leaders
from quire.layout.tables.zones import find_zones
from quire.pagetext import PageText

APART = 2.3  # of the size: rows further apart than this are not of one table, unless rules hold them together
RULED_APART = 4.0
LONG = 0.7  # of the width of the zone: a row of one piece that is longer is prose
MAX_SINGLES = 3  # rows of one piece in a row
LIKE = 0.6  # of the pieces that rows have between the rules: rows outside with fewer are not of the table
MAX_ROWS = 400
_TYPED_RULE = re.compile(r"[-_=─━═]{8,}\Z")


def unruled_tables(page: PageText, rules: Rules, words: list[Word]) -> list[FoundTable]:
    """The tables among words that no ruled table holds."""
    typed = [word for word in words if _TYPED_RULE.match(word.text)]
    if typed:
        words = [word for word in words if word not in typed]
        drawn = [Rule(word.baseline - 0.3 * word.size, word.left, word.right) for word in typed]
        rules = Rules(sorted(rules.across + drawn, key=lambda r: r.at), rules.down)
    tables: list[FoundTable] = []
    for zone in find_zones([without_leaders(row) for row in rows_of(words)], rules):
        for run in _runs(zone, rules.across):
            table = _table(page, run, rules.across)
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
        prose = not several and (singles > MAX_SINGLES or _is_prose(row, width))
        if prose or CAPTION.match(_start(row)):
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
    return len(pieces_of(row.words)) > 1 or 2 * sum(is_number(w.text) for w in row.words) > max(4, len(row.words))


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


def _table(page: PageText, run: list[Row], across: Sequence[Rule]) -> FoundTable | None:
    rows, rules = _bounded(run[:MAX_ROWS], across)
    if len(rows) < 2:
        return None
    made = build_mesh(rows, rules)
    if made is None:
        return None
    mesh, head = made
    left, right = mesh.xs[0], mesh.xs[-1]
    full = sum(1 for rule in rules if rule.length > FULL * (right - left))
    if not is_table(mesh, rows, head, full):
        return None
    table = mesh.table(head)
    return None if is_drawn(page, table.box) else table


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
    between = [row for row in run if full[0] <= row.middle <= full[-1]]
    if not between:
        return run, near
    usual = median([len(pieces_of(row.words)) for row in between])
    over = _attached([row for row in reversed(run) if row.middle < full[0]], usual)
    under = _attached([row for row in run if row.middle > full[-1]], usual)
    return [*reversed(over), *between, *under], near


def _attached(rows: list[Row], usual: float) -> list[Row]:
    """The rows outside the rules, from the rules outwards, that are like those between."""
    found: list[Row] = []
    for row in rows:
        if len(pieces_of(row.words)) < max(2, LIKE * usual):
            break
        found.append(row)
    return found
