"""Unruled and partly ruled tables: runs of rows whose words form columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from quire.core.median import median
from quire.core.pagetext import PageText
from quire.pages.geometry.extents import extent
from quire.pages.layout.tables.columns import SIGNS
from quire.pages.layout.tables.judge import is_drawn, is_table
from quire.pages.layout.tables.ruled import CAPTION
from quire.pages.layout.tables.stream import build_mesh
from quire.pages.layout.tables.strokes import Rule, Rules
from quire.pages.layout.tables.table_values import FoundTable
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, is_title_line, rows_of, without_leaders
from quire.pages.layout.tables.zones import find_zones

APART = 2.3  # of the size: rows further apart than this are not of one table, unless rules hold them together
RULED_APART = 4.0
BAND_APART = 8.0  # nor those further apart than this, even between two rules
SAME_END = 6.0  # points: rules whose ends differ by less have the same extent
LONG = 0.7  # of the width of the zone: a row of one piece that is longer is prose
MAX_SINGLES = 3  # rows of one piece in a row
LIKE = 0.5  # of the pieces that rows have between the rules: rows outside with fewer are not of the table
MAX_LINES = 12  # of one cell
LONG_CELL = 30  # lines of a cell of text between others
PITCH = 1.9  # of the size: lines of one cell are no further apart
LARGER = 1.12  # than the rows above: a single piece in larger type is a heading, not a row
MAX_ROWS = 400
_TYPED_RULE = re.compile(r"[-_=─━═]{8,}\Z")


def unruled_tables(
    page: PageText, rules: Rules, words: list[TableWord], rows: list[Row], gutters: list[float]
) -> list[FoundTable]:
    """The tables among words, and their rows, that no ruled table holds; gutters are those between columns of text."""
    typed = [word for word in words if len(word.text) > 7 and _TYPED_RULE.match(word.text)]
    if typed:
        words = [word for word in words if word not in typed]
        rows = rows_of(words)
        drawn = [Rule(word.baseline - 0.3 * word.size, word.left, word.right) for word in typed]
        rules = Rules(sorted(rules.across + drawn, key=lambda r: r.at), rules.down)
    rows, captions = _without_captions(words, rows, rules.across)
    tables: list[FoundTable] = []
    for zone in find_zones([without_leaders(row) for row in rows], rules, gutters):
        for run in _runs(_interrupted(zone, captions), rules.across):
            table = _table(page, run, rules.across)
            if table:
                tables.append(table)
    return tables


def _without_captions(words: list[TableWord], rows: list[Row], across: Sequence[Rule]) -> tuple[list[Row], list[float]]:
    """The rows without captions that stand at the left of a table, beside its rules; and where the captions begin."""
    captions = []
    for row in rows:
        if not CAPTION.match(_start(row)):
            continue
        beside = [r for r in across if abs(r.at - row.middle) < 2 * row.size and r.start > row.pieces[0][-1].right]
        alike = [r for r in across for b in beside[:1] if abs(r.start - b.start) + abs(r.end - b.end) < SAME_END]
        if len(alike) > 1:
            top, bottom, left = row.top - row.size, alike[-1].at, alike[0].start
            words = [w for w in words if not (top < w.baseline < bottom and w.right < left)]
            captions.append(min(top, beside[0].at - 1))
    return rows_of(words) if captions else rows, captions


def _interrupted(zone: list[Row | None], captions: Sequence[float]) -> list[Row | None]:
    """The rows of a zone with None where a caption beside a table begins."""
    for y in captions:
        at = next((i for i, row in enumerate(zone) if row and row.middle > y), len(zone))
        zone = [*zone[:at], None, *zone[at:]]
    return zone


def _runs(zone: list[Row | None], across: Sequence[Rule]) -> list[list[Row]]:
    """Rows that may be a table: several pieces in most, no prose between; before them the short rows above."""
    rows = [row for row in zone if row]
    if not rows:
        return []
    width = max(r.right for r in rows) - min(r.left for r in rows)
    runs: list[list[Row]] = [[]]
    for row in zone:
        last = runs[-1]
        if row is None or (last and _is_apart(last[-1], row, across)):
            runs.append([])
        if row is None:
            continue
        if runs[-1] and _hangs(row, runs[-1]):
            runs[-1].append(row)
            continue
        if CAPTION.match(_start(row)) or (not _several(row) and _is_prose(row, width)):
            runs.append([])
            continue
        if _is_larger(row, runs[-1]):
            runs.append([])
        lonely = not _several(row) and not (runs[-1] and (_is_value(row, runs[-1][-1]) or _is_under(row, runs[-1])))
        if lonely and sum(1 for r in runs[-1][-MAX_SINGLES:] if not _several(r)) == MAX_SINGLES:
            runs.append(runs[-1][-MAX_SINGLES + 1 :] if not any(map(_several, runs[-1])) else [])
        runs[-1].append(row)
    parts = [part for run in runs for part in _parted(run, across)]
    return [trimmed for part in parts if len(trimmed := _trimmed(part, across)) > 1]


def _parted(run: list[Row], across: Sequence[Rule]) -> list[list[Row]]:
    """The run split where its header repeats: the same first word in the same place, over a rule again.

    Where most rows have a rule under them, a rule does not make a header.
    """
    heads = [i for i, row in enumerate(run[:-1]) if _several(row) and _ruled_under(row, run[i + 1], across)]
    if 2 * len(heads) > len(run):
        return [run]
    cuts = []
    for i in heads[1:]:
        first, again = run[heads[0]].words[0], run[i].words[0]
        if again.text == first.text and not is_number(again.text) and abs(again.left - first.left) < 2 * first.size:
            start = i
            while start and not _several(run[start - 1]) and not _hangs(run[start - 1], run[: start - 1]):
                start -= 1
            cuts.append(start)
    return [run[a:b] for a, b in pairwise([0, *cuts, len(run)])]


def _ruled_under(row: Row, below: Row, across: Sequence[Rule]) -> bool:
    return any(row.middle < rule.at < below.middle and _covers(rule, row) for rule in across)


def _is_apart(above: Row, row: Row, across: Sequence[Rule]) -> bool:
    gap = row.top - above.bottom
    if gap <= APART * row.size:
        return False
    if gap > BAND_APART * row.size:
        return True
    if any(above.middle < rule.at < row.middle for rule in across):
        return gap > RULED_APART * row.size
    return not _in_band(above, row, across)


def _in_band(above: Row, row: Row, across: Sequence[Rule]) -> bool:
    """Whether the next rules above and below two rows have the same extent and cover both."""
    over = next((rule for rule in reversed(across) if rule.at < above.middle and _covers(rule, above)), None)
    under = next((rule for rule in across if rule.at > row.middle and _covers(rule, row)), None)
    return (
        over is not None
        and under is not None
        and abs(over.start - under.start) < SAME_END
        and abs(over.end - under.end) < SAME_END
    )


def _covers(rule: Rule, row: Row) -> bool:
    return rule.start - SAME_END < row.left and row.right < rule.end + SAME_END


def _several(row: Row | None) -> bool:
    if row is None:
        return False
    return len(row.pieces) > 1 or 2 * row.numbers > max(4, len(row.words))


def _is_value(row: Row, above: Row) -> bool:
    """Whether the row is one number under a word of the row above."""
    word = row.words[0]
    return (
        len(row.words) == 1
        and is_number(word.text)
        and any(w.left < word.right and word.left < w.right and is_number(w.text) for w in above.words)
    )


def _is_under(row: Row, run: list[Row]) -> bool:
    """Whether a row of one piece continues the last column of the last row that has several."""
    for above in reversed(run[-MAX_LINES:]):
        pieces = above.pieces
        if len(pieces) > 1:
            return row.left >= pieces[-1][0].left - 2
    return False


def _hangs(row: Row, run: list[Row]) -> bool:
    """Whether a row of one piece is the next line of a text in the middle of the last row that has three."""
    if not run or len(row.pieces) > 1 or row.baseline - run[-1].baseline > PITCH * row.size:
        return False
    for above in reversed(run[-LONG_CELL:]):
        pieces = above.pieces
        if len(pieces) > 2:
            near = [i for i in range(1, len(pieces)) if abs(pieces[i][0].left - row.left) < 0.5 * row.size]
            return bool(near) and (near[0] + 1 == len(pieces) or row.right < pieces[near[0] + 1][0].left)
    return False


def _is_larger(row: Row, run: list[Row]) -> bool:
    if _several(row):
        return False
    sizes = [r.size for r in run if _several(r)]
    return bool(sizes) and row.size > LARGER * max(sizes)


def _is_prose(row: Row, width: float) -> bool:
    if len(row.words) > 5 and row.words[-1].text[-1:] in ".:;" and not _several(row):
        return True
    return row.right - row.left > LONG * width and len(row.words) > 5


def _start(row: Row) -> str:
    return " ".join(w.text for w in row.words[:3])


def _trimmed(run: list[Row], across: Sequence[Rule]) -> list[Row]:
    """Without the rows of one piece at the end, and at the start those that are not column titles."""
    end = len(run)
    while end > 1 and not _several(run[end - 1]) and not _is_value(run[end - 1], run[end - 2]):
        if _is_closed(run, end - 1, across) or _hangs(run[end - 1], run[: end - 1]):
            break
        end -= 1
    first = next((i for i, row in enumerate(run) if _several(row)), end)
    start = first
    while start and (start < first or first < end) and _is_title(run, start - 1, first, across):
        start -= 1
    return run[start:end]


def _is_closed(run: list[Row], i: int, across: Sequence[Rule]) -> bool:
    """Whether a rule across the run is directly below row i."""
    row = run[i]
    left, right = extent(run)
    return any(0 < rule.at - row.middle < 2 * row.size and rule.crosses(left, right) for rule in across)


def _is_title(run: list[Row], i: int, first: int, across: Sequence[Rule]) -> bool:
    """Whether row i is over columns of the first row: beside its first piece, or under the table's top rule."""
    row, body = run[i], run[first]
    if row.left > body.pieces[0][-1].right and run[i + 1].top - row.bottom < row.size:
        return True
    top = max(run[0].top - 2 * row.size, row.top - (i + 2) * 2 * row.size)
    return any(top < rule.at < row.middle and rule.crosses(body.left, body.right) for rule in across)


def _table(page: PageText, run: list[Row], across: Sequence[Rule]) -> FoundTable | None:
    rows, rules = _bounded(run[:MAX_ROWS], across)
    if len(rows) < 2:
        return None
    scanned = bool(page.engine)
    made = build_mesh(rows, rules, scanned=scanned)
    if made is None:
        return None
    mesh, head = made
    left, right = mesh.xs[0], mesh.xs[-1]
    full = sum(1 for rule in rules if rule.crosses(left, right))
    if not is_table(mesh, rows, head, full, scanned=scanned):
        return None
    table = mesh.table(head)
    return None if is_drawn(page, table.box) else table


def _bounded(run: list[Row], across: Sequence[Rule]) -> tuple[list[Row], list[Rule]]:
    """The rows between the first and the last rule across the run, and the rules that are the run's."""
    left, right = extent(run)
    size = run[0].size
    near = [
        rule
        for rule in across
        if run[0].top - 2 * size < rule.at < run[-1].bottom + 2 * size and rule.end > left and rule.start < right
    ]
    full = [rule.at for rule in near if rule.crosses(left, right)]
    if len(full) < 2:
        return run, near
    between = [row for row in run if full[0] <= row.middle <= full[-1]]
    if not between:
        return run, near
    usual = median([_count(row) for row in between])
    above = [row for row in reversed(run) if row.middle < full[0]]
    over = _attached(full[0], above, usual)
    while over and len(over) < len(above) and is_title_line(above[len(over)], over[-1]):
        over.append(above[len(over)])
    below = [row for row in run if row.middle > full[-1]]
    like = [row for row in below if _count(row) >= max(2, LIKE * usual)]
    if len(like) < 3 or len(like) <= len(between):  # otherwise the last rule is the one under the header
        below = _attached(full[-1], below, usual)
    return [*reversed(over), *between, *below], near


def _count(row: Row) -> int:
    """The pieces of a row, except isolated currency symbols."""
    return sum(1 for piece in row.pieces if len(piece) > 1 or piece[0].text not in SIGNS)


def _attached(rule: float, rows: list[Row], usual: float) -> list[Row]:
    """The rows outside a rule, from it outwards, that are near and similar to those inside."""
    found: list[Row] = []
    top = bottom = rule
    for row in rows:
        if _count(row) < max(2, LIKE * usual) or max(row.top - bottom, top - row.bottom) > row.size:
            break
        found.append(row)
        top, bottom = row.top, row.bottom
    return found
