"""Short texts side by side: the addresses of an invoice, the parties of an order, the signatures under a contract.

Their lines stand in rows like those of a table, and many files write them row by row, but each is read as a whole.
What the texts say tells them from tables and labels with values: see `quire.pages.layout.parties`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise, zip_longest

from quire.core.median import median
from quire.core.pagetext import PageText
from quire.pages.geometry.extents import Boxed, box_of
from quire.pages.geometry.rows import TIGHT_ROW, baseline_rows, from_left, grouped
from quire.pages.layout.fields import FieldPair, find_fields
from quire.pages.layout.labels import is_label
from quire.pages.layout.lines import Line, words_of
from quire.pages.layout.parties import (
    are_contacts,
    are_labelled,
    are_numbers,
    has_place,
    is_address,
    is_blank,
    is_signed,
    label_of,
    names_addressee,
    names_party,
)
from quire.pages.layout.tables.strokes import Rules

GAP = 1.0  # of the size: the least width between two texts
WIDE = 1.5  # of the size: a gap that parts two texts which the file, or OCR, wrote as one line
VALUE = 8.0  # of the size: how far from its label a value may be
EDGE, SCANNED_EDGE = 0.4, 0.9  # of the size: how far from each other the lines of a text may begin
INDENT = 3.5  # of the size: how far behind the first line others may begin
STEP = 2.2  # of the size: from one line of an address to the next
SIGNED_STEP = 6.5  # of the size: the same where there is room to sign
LARGER = 1.5  # times the usual step from line to line: another text follows
LAST = 1.25  # the same for lines at the end, beside nothing
LONG = 45  # characters: a line with more, and no label, is prose
FEWEST, MOST = 3, 12  # rows
TEXTS = 4  # side by side
ROOM = 1.0  # of the size: how far above a name the rule is on which it is signed
SIGNED = 8.0  # of the size: the least length of that rule
HEADS = 4  # rows without labels or rules in signatures


class SideText:
    """One of several texts side by side, as one thing to be ordered."""

    __slots__ = ("bottom", "left", "lines", "right", "things", "top")

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.things: list[Boxed] = list(lines)
        self.left, self.top, self.right, self.bottom = box_of(lines)

    def with_fields(self, page: PageText, *, form: bool) -> list[FieldPair]:
        """Find the labels with values among the lines of the text."""
        pairs, rest = find_fields(page, self.lines, form=form)
        self.things = sorted([*pairs, *rest], key=lambda thing: thing.top)
        return pairs


class _Cell:
    """The content of a text in one row: a line, or a label and its value."""

    __slots__ = ("baseline", "left", "lines", "right", "size", "starts", "text")

    def __init__(self, *lines: Line) -> None:
        self.lines, self.starts = lines, [line.left for line in lines]
        self.left, self.right = lines[0].left, lines[-1].right
        self.baseline, self.size = lines[0].baseline, lines[0].size
        self.text = lines[0].text if len(lines) == 1 else f"{lines[0].text} {lines[1].text}"


class _Column:
    """Cells below each other."""

    __slots__ = ("left", "middle", "right", "starts")

    def __init__(self, cell: _Cell) -> None:
        self.left, self.right, self.starts = cell.left, cell.right, list(cell.starts)
        self.middle = (cell.left + cell.right) / 2

    def add(self, cell: _Cell) -> None:
        self.left, self.right = min(self.left, cell.left), max(self.right, cell.right)
        self.starts += cell.starts

    def fits(self, cell: _Cell, near: float) -> bool:
        """Whether a cell begins where the column, or a value in it, does, or a little behind, or has its middle."""
        if -near <= cell.left - self.left <= INDENT * cell.size:
            return True
        if any(abs(cell.left - start) <= near for start in self.starts):
            return True
        return abs((cell.left + cell.right) / 2 - self.middle) < near


_Row = list[_Cell]
_Text = list[_Cell]


def find_beside(page: PageText, lines: Sequence[Line], rules: Rules) -> tuple[list[SideText], list[Line]]:
    """The texts side by side on a page, and the lines that are in none of them, in their order."""
    if not _any_beside(lines):
        return [], list(lines)
    parts = {id(line): _pieces(page, line) for line in lines if not line.angle}
    upright = [piece for pieces in parts.values() for piece in pieces]
    rows = [_cells(from_left(row)) for row in baseline_rows(upright, TIGHT_ROW)]
    edge = SCANNED_EDGE if page.engine and page.recognised == 0 else EDGE
    found: list[SideText] = []
    taken: set[int] = set()
    at = 0
    while at < len(rows) - 1:
        if not 1 < len(rows[at]) <= TEXTS:
            at += 1
            continue
        run = _run(rows, at, edge)
        above = rows[at - 1] if at else []
        used, texts = next(
            (one for part in _windows(run) if (one := (len(part), _texts(part, above, rules)))[1]),
            (len(run) if len(run) > MOST else 1, []),
        )
        at += used
        found += [SideText([line for cell in text for line in cell.lines]) for text in texts]
        taken |= {id(line) for text in texts for cell in text for line in cell.lines}
    rest: list[Line] = []
    for line in lines:
        pieces = parts.get(id(line), [line])
        left = [piece for piece in pieces if id(piece) not in taken]
        rest += [line] if len(left) == len(pieces) else left
    return found, rest


def _any_beside(lines: Sequence[Line]) -> bool:
    """A cheap look: whether short lines are beside each other in two rows or more."""
    rows = 0
    last = float("-inf")
    for line in sorted(lines, key=lambda line: line.baseline):
        if len(line.text) > LONG and ":" not in line.text and line.gap < WIDE * line.size:
            continue
        rows += line.baseline - last < TIGHT_ROW * line.size or line.gap >= WIDE * line.size
        if rows > 1:
            return True
        last = line.baseline
    return False


def _pieces(page: PageText, line: Line) -> list[Line]:
    """A line, or its pieces where wide gaps part it."""
    if line.gap < WIDE * line.size:
        return [line]
    pieces: list[list[int]] = [[]]
    for word in words_of(page, line.runs):
        last = pieces[-1]
        if last and page.boxes[4 * word[0]] - page.boxes[4 * last[-1] + 2] > WIDE * line.size:
            pieces.append([])
        pieces[-1] += word
    made = [Line(page, runs, line.tag) for runs in pieces]
    for piece in made:
        piece.size = line.size
    return made


def _cells(row: list[Line]) -> _Row:
    """The lines of a row, labels together with the values beside them."""
    if len(row) == 1:
        return [_Cell(row[0])]
    cells: list[_Cell] = []
    rest = list(row)
    while rest:
        line, *rest = rest
        if rest and _is_pair(line, rest[0]) and rest[0].left - line.right < VALUE * line.size:
            cells.append(_Cell(line, rest.pop(0)))
        else:
            cells.append(_Cell(line))
    return cells


def _is_pair(line: Line, right: Line) -> bool:
    return right.text.startswith(":") or (_ends_label(line) and not _ends_label(right))


def _ends_label(line: Line) -> bool:
    return line.text.rstrip().endswith((":", "：")) and is_label(line.text)


def _run(rows: Sequence[_Row], start: int, edge: float) -> list[_Row]:
    """The rows from a first one on whose cells are below each other, in columns with gaps between them."""
    columns = [_Column(cell) for cell in rows[start]]
    run: list[_Row] = []
    for row in islice(rows, start, None):
        if run and (_step(run[-1], row) > SIGNED_STEP * row[0].size or not _add_row(columns, row, edge)):
            break
        if any(map(_is_prose, row)) or any(b.left - a.right < GAP * row[0].size for a, b in pairwise(columns)):
            break
        run.append(row)
    return _without_tail(run)


def _is_prose(cell: _Cell) -> bool:
    return len(cell.text) > LONG and not label_of(cell.text)


def _without_tail(run: list[_Row]) -> list[_Row]:
    """The rows without those of one cell at their end that a wider step sets apart."""
    last = max((n for n, row in enumerate(run) if len(row) > 1), default=0)
    if last < FEWEST - 1:
        return run
    most = LAST * median([_step(a, b) for a, b in pairwise(run[: last + 1])])
    end = next((n for n in range(last + 1, len(run)) if _step(run[n - 1], run[n]) > most), len(run))
    return run[:end]


def _add_row(columns: list[_Column], row: _Row, edge: float) -> bool:
    """Add the cells of a row to the columns above them; whether each is below one, and not below several."""
    for cell in row:
        over = [column for column in columns if cell.left < column.right and column.left < cell.right]
        if not over and cell.left > columns[-1].right:
            columns.append(_Column(cell))
        elif len(over) == 1 and over[0].fits(cell, edge * cell.size):
            over[0].add(cell)
        else:
            return False
    return True


def _left(column: _Text) -> float:
    return min([cell.left for cell in column])


def _right(column: _Text) -> float:
    return max([cell.right for cell in column])


def _step(above: _Row, row: _Row) -> float:
    return row[0].baseline - above[0].baseline


def _windows(run: list[_Row]) -> list[list[_Row]]:
    """The rows of a run that may be texts side by side: all, and those before a wider step."""
    if not FEWEST <= len(run) <= MOST:
        return []
    steps = [_step(a, b) for a, b in pairwise(run)]
    most = min(STEP * run[0][0].size, LARGER * median(steps[: FEWEST - 1]))
    end = next((n for n, step in enumerate(steps, 1) if step > most), len(run))
    return [run, run[:end]] if FEWEST <= end < len(run) else [run]


def _texts(rows: list[_Row], above: _Row, rules: Rules) -> list[_Text]:
    """The texts of some rows, if what they say shows that each is read as a whole; otherwise nothing.

    Addresses do not begin directly below a row of several cells: `above` is the row before.
    """
    cells = sorted([cell for row in rows for cell in row], key=lambda cell: cell.left)
    texts = grouped(cells, lambda text, cell: cell.left < _right(text))
    if not 2 <= len(texts) <= TEXTS or min(map(len, texts)) < 2 or max(map(len, texts)) < FEWEST:
        return []
    texts = [sorted(text, key=lambda cell: cell.baseline) for text in texts]
    written = [[cell.text for cell in text] for text in texts]
    if any(map(are_numbers, written)) or _is_ruled(texts, rules):
        return []
    tight = all(_step(a, b) <= STEP * a[0].size for a, b in pairwise(rows))
    inside = len(above) > 1 and _step(above, rows[0]) < LARGER * _step(*rows[:2]) and not names_party(written[0][0])
    return texts if (tight and not inside and _are_parties(written)) or _are_signatures(rows, texts, rules) else []


def _are_parties(texts: Sequence[Sequence[str]]) -> bool:
    """Whether the texts are addresses, or begin with the names of parties; labels with values may be beside them."""
    if any(sum(map(names_party, row)) > 1 for row in zip_longest(*(text[1:] for text in texts), fillvalue="")):
        return False  # the texts begin further below
    headed = [text for text in texts if names_party(text[0])]
    if len(headed) > 1 and len(headed) + sum(map(are_labelled, texts)) >= len(texts):
        return any(names_addressee(text[0]) for text in headed) or all(has_place(text[1:]) for text in headed)
    addresses = sum(map(is_address, texts))
    others = sum(1 for text in texts if not is_address(text) and (are_contacts(text) or are_labelled(text)))
    return addresses > 0 and addresses + others > 1


def _are_signatures(rows: list[_Row], texts: Sequence[_Text], rules: Rules) -> bool:
    """Whether the same labels, or rules to sign on, are beside each other in all texts."""
    labels: list[str] = []
    blank = 0
    for above, row in zip([None, *rows], rows, strict=False):
        if len(row) < len(texts):
            continue
        label = _label(row[0])
        if label and all(_label(cell) == label for cell in row):
            labels.append(label)
        elif all(is_blank(cell.text) for cell in row) or _are_below_rules(row, above, rules):
            blank += 1
    if len(set(labels)) > 1 and 2 * (len(labels) + blank) >= len(rows):
        return True
    return (any(map(is_signed, labels)) or 0 < blank <= 2) and len(rows) <= HEADS + 2 * (blank + len(labels))


def _label(cell: _Cell) -> str:
    """The label of a cell: what is before its colon, or all of it if it says what is to be signed."""
    return (label_of(cell.text) or (cell.text if is_signed(cell.text) else "")).casefold()


def _are_below_rules(row: _Row, above: _Row | None, rules: Rules) -> bool:
    """Whether each cell of a row is directly below a rule of its own, with room to sign above it."""
    if above is None or _step(above, row) < STEP * row[0].size:
        return False
    top, bottom = above[0].baseline, row[0].baseline
    near = [rule for rule in rules.across if top < rule.at < bottom]
    if len(near) != len(row) or any(rule.start < bottom and rule.end > top for rule in rules.down):
        return False  # those of a drawing
    return all(
        -ROOM < (rule.at - cell.lines[0].top) / cell.size < ROOM / 3
        and rule.start < cell.right
        and rule.end > cell.left
        and rule.length > SIGNED * cell.size
        for rule, cell in zip(sorted(near, key=lambda rule: rule.start), row, strict=True)
    )


def _is_ruled(texts: Sequence[_Text], rules: Rules) -> bool:
    """Whether rules make the texts cells of a table: across a gap, or down and above or below."""
    lines = [line for text in texts for cell in text for line in cell.lines]
    size = lines[0].size
    _, top, _, bottom = box_of(lines)
    for a, b in pairwise(texts):
        start, end = _right(a), _left(b)
        across = [rule.at for rule in rules.across if rule.start < start + 1 and rule.end > end - 1]
        if any(top < at < bottom for at in across):
            return True
        divided = any(start <= rule.at <= end and rule.start < bottom and rule.end > top for rule in rules.down)
        if divided and any(top - 2 * size < at < bottom + 2 * size for at in across):
            return True
    return False
