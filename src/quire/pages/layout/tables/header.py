"""Header rows of an unruled table: lines stacked into cells, and cells that span several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.pages.geometry.extents import extent
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.strokes import Rule
from quire.pages.layout.tables.word_rows import Row, TableWord, is_number, pieces_of

MAX_HEAD = 9  # lines
ALIGNED = 0.5  # of the size
SPACE = 0.36  # of the size: words nearer than this are of one title
LONE = 0.06  # of the width of columns: how far from their middle, twice, a title alone in its line may be
JOINED = 0.55  # of the size: header words nearer than this may be one title

Span = tuple[int, int]  # first and last column


def header_length(rows: Sequence[Row], full: Sequence[float], *, scanned: bool = False) -> int:
    """The number of header lines at the top: down to the first rule across, or to the first line of numbers.

    There is none where the first line has numbers and nothing sets it apart.

    On a scan lines with dates and numbers above the rule are not header: text above a table is easily mistaken for it.
    """
    for i in range(1, min(len(rows), MAX_HEAD + 1)):
        if any(rows[i - 1].middle < y < rows[i].middle for y in full):
            if sum(map(_has_digits if scanned else _has_numbers, rows[:i])) > 1:
                break  # rows of the body, over the rule of a sum
            return i if i < len(rows) else 0
    first = next((i for i, row in enumerate(rows) if _has_numbers(row)), 0)
    if first == 0 and _are_years(rows[0]):
        first = 1
    if 0 < first <= MAX_HEAD // 2:
        return _after_sections(rows, first)
    bold = next((i for i, row in enumerate(rows) if not all(w.bold for w in row.words)), 0)
    if 0 < bold <= 3:
        return bold
    return 0 if rows and _has_numbers(rows[0]) else 1


def _has_numbers(row: Row) -> bool:
    """Whether the row has numbers other than its label."""
    pieces = row.pieces
    texts = [piece[0].text for piece in (pieces[1:] if len(pieces) > 1 else pieces)]
    return 2 * sum(is_number(t) for t in texts) > len(texts) and not _are_years(row)


def _has_digits(row: Row) -> bool:
    return any(sum(map(str.isdigit, word.text)) > 1 for word in row.words) and not _are_years(row)


def _are_years(row: Row) -> bool:
    numbers = [w.text for w in row.words if w.text[:1].isdigit()]
    years = [t for t in numbers if t[:4].isdigit() and 1900 <= int(t[:4]) <= 2100 and len(t) in (4, 5, 7, 9)]
    return len(numbers) > 1 and len(years) == len(numbers)


def _after_sections(rows: Sequence[Row], first: int) -> int:
    """A line before the numbers that has only a label is a heading of rows, not of columns."""
    while first > 1 and len(rows[first - 1].pieces) == 1 and rows[first - 1].left < rows[first].left + 15:
        if len(rows[first - 2].pieces) < 2:
            break
        first -= 1
    return first


@dataclass(slots=True)
class HeaderTitle:
    """A title in the header: the columns it covers, its line and its words."""

    span: Span
    line: int
    words: list[TableWord]
    ruled: bool = False  # a rule under it shows its columns


@dataclass(slots=True)
class Head:
    """The levels of a header: lines of each, and per level the titles that begin there."""

    levels: list[list[int]]
    cells: list[tuple[int, int, Span, list[TableWord]]]  # first level, last level, columns, words

    def bands(self, rows: Sequence[Row]) -> list[tuple[float, float]]:
        return [(rows[level[0]].top, rows[level[-1]].bottom) for level in self.levels]

    def fill(self, mesh: Mesh) -> None:
        """Put the titles into the mesh and remove the lines inside them."""
        for first, last, (left, right), words in self.cells:
            mesh.atoms[first][left] += words
            for r in range(first, last + 1):
                for c in range(left, right + 1):
                    if r > first:
                        mesh.above[r][c] = False
                    if c > left:
                        mesh.before[r][c] = False


def read_head(
    rows: Sequence[Row], bounds: Sequence[float], extents: Sequence[tuple[float, float]], across: Sequence[Rule]
) -> Head:
    """Titles of the header by column and level."""
    blocks = []
    for i, row in enumerate(rows):
        titles = rows[i + 1].words if i + 1 < len(rows) else []
        blocks += _blocks(i, row, bounds, extents, across, below=titles)
    _widen(blocks, len(rows) - 1, extents)
    parting = [rule for rule in across if not any(_underlines(rule, word) for row in rows for word in row.words)]
    cut = [[False] * (len(bounds) + 1) for _ in rows]  # a line above this row of text in this column
    for i in range(1, len(rows)):
        for c in range(len(bounds) + 1):
            cut[i][c] = _ruled(rows, i, extents[c], parting)
    for block in blocks:
        for other in blocks:
            if other.line > block.line and block.span != other.span and _meet(block.span, other.span):
                _cut_between(cut, block, other)
    starts = [i for i in range(len(rows)) if i == 0 or any(cut[i])]
    levels = [list(range(s, e)) for s, e in zip(starts, [*starts[1:], len(rows)], strict=True)]
    return Head(levels, _cells(levels, cut, blocks, len(bounds) + 1))


def _widen(blocks: list[HeaderTitle], last: int, extents: Sequence[tuple[float, float]]) -> None:
    """Let titles that are centred over several columns span them all; on the last line only one that is alone."""
    for block in sorted(blocks, key=lambda b: -b.line):
        if block.ruled or (block.line == last and any(b.line == last for b in blocks if b is not block)):
            continue
        wider = [b.span for b in blocks if b.line > block.line and _meet(b.span, block.span) and b.span[1] > b.span[0]]
        first, end = min([block.span[0], *(s[0] for s in wider)]), max([block.span[1], *(s[1] for s in wider)])
        columns = list(extents)
        for lower in blocks:
            if lower.line > block.line and lower.span[0] == lower.span[1]:
                c, (left, right) = lower.span[0], extent(lower.words)
                columns[c] = (min(columns[c][0], left), max(columns[c][1], right))
        if first == end and _aligned(block.words, columns[first]):
            continue
        taken = [b.span for b in blocks if b.line == block.line and b is not block]
        if any(_meet(span, (first, end)) for span in taken):
            continue
        start = max([0, *(b + 1 for _, b in taken if b < first)])
        stop = min([len(columns) - 1, *(a - 1 for a, _ in taken if a > end)])
        left, right = extent(block.words)
        spans = [(a, b) for a in range(start, first + 1) for b in range(end, stop + 1)]
        near = 2 * ALIGNED * block.words[0].size
        centred = []
        for a, b in spans:
            reach = max(near, LONE * (columns[b][1] - columns[a][0])) if not taken else near
            if abs(columns[a][0] + columns[b][1] - left - right) < reach:
                centred.append((a, b))
        if centred:
            block.span = max(centred, key=lambda s: s[1] - s[0])


def _ruled(rows: Sequence[Row], i: int, column: tuple[float, float], across: Sequence[Rule]) -> bool:
    middle = (column[0] + column[1]) / 2
    return any(
        rows[i - 1].middle < rule.at < rows[i].middle and rule.start - 2 <= middle <= rule.end + 2 for rule in across
    )


def _underlines(rule: Rule, word: TableWord) -> bool:
    """Whether a rule is the underline of one word, like that of a link."""
    below = 0 < rule.at - word.baseline < 0.3 * word.size
    return below and abs(rule.start - word.left) < 1.5 and abs(rule.end - word.right) < 1.5


def _meet(a: Span, b: Span) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def _cut_between(cut: list[list[bool]], upper: HeaderTitle, lower: HeaderTitle) -> None:
    """Add a line between two titles over different columns, if there is none yet."""
    columns = range(max(upper.span[0], lower.span[0]), min(upper.span[1], lower.span[1]) + 1)
    wide = upper.span if upper.span[1] - upper.span[0] >= lower.span[1] - lower.span[0] else lower.span
    if not any(cut[i][c] for i in range(upper.line + 1, lower.line + 1) for c in columns):
        row = upper.line + 1 if wide == upper.span else lower.line
        for c in range(wide[0], wide[1] + 1):
            cut[row][c] = True


def _blocks(
    line: int,
    row: Row,
    bounds: Sequence[float],
    extents: Sequence[tuple[float, float]],
    across: Sequence[Rule],
    *,
    below: Sequence[TableWord],
) -> list[HeaderTitle]:
    """The titles in one line; `below` are the words of the next line of the header."""
    blocks = []
    for piece in pieces_of(row.words, JOINED):
        left, right = extent(piece)
        under = [
            r for r in across if 0 < r.at - row.middle < 2 * row.size and r.start - 3 <= left and right <= r.end + 3
        ]
        if under:
            columns = [c for c, (a, b) in enumerate(extents) if under[0].start - 2 <= (a + b) / 2 <= under[0].end + 2]
            others = [w for w in row.words if w not in piece and under[0].start <= w.middle <= under[0].end]
            labels = extents[0]
            beyond = left > labels[1] or (right < labels[1] + 1 and left < labels[0] + ALIGNED * row.size)
            whole = columns[:1] == [0] and len(columns) > 1 and beyond  # under the labels too, not under one title
            if columns and not others and len(columns) < len(extents) and not whole:
                blocks.append(HeaderTitle((columns[0], columns[-1]), line, piece, ruled=True))
                continue
        blocks += _over(piece, line, bounds, extents, below)
    return _disjoint(blocks)


def _over(
    piece: list[TableWord],
    line: int,
    bounds: Sequence[float],
    extents: Sequence[tuple[float, float]],
    below: Sequence[TableWord],
) -> list[HeaderTitle]:
    """The piece as one title over the columns it covers, or as several if each is clearly over its own column."""
    groups: dict[int, list[TableWord]] = {}
    for word in piece:
        groups.setdefault(_column(bounds, word), []).append(word)
    if len(groups) == 2 and (_is_title(piece, groups, extents) or _is_over(piece, groups, bounds, below)):
        return [HeaderTitle((min(groups), max(groups)), line, piece)]
    phrase = len(groups) > 2 and _is_phrase(piece) and all(any(_column(bounds, w) == c for w in below) for c in groups)
    if len(groups) > 1 and not phrase and all(_aligned(words, extents[c]) for c, words in groups.items()):
        return [HeaderTitle((c, c), line, words) for c, words in groups.items()]
    left, right = extent(piece)
    covered = [c for c, (a, b) in enumerate(extents) if min(b, right) - max(a, left) > 0.35 * (b - a)]
    if len(covered) > 1:
        return [HeaderTitle((covered[0], covered[-1]), line, piece)]
    middle = (left + right) / 2
    column = covered[0] if covered else sum(1 for bound in bounds if bound < middle)
    return [HeaderTitle((column, column), line, piece)]


def _column(bounds: Sequence[float], word: TableWord) -> int:
    return sum(1 for bound in bounds if bound < word.middle)


def _is_phrase(piece: Sequence[TableWord]) -> bool:
    """Whether words are as close as in a sentence."""
    return all(b.left - a.right < SPACE * b.size for a, b in pairwise(piece))


def _is_title(
    piece: list[TableWord], groups: dict[int, list[TableWord]], extents: Sequence[tuple[float, float]]
) -> bool:
    """Whether words over two columns are as close as in a sentence and centred over both columns."""
    a, b = sorted(groups)
    left, right = extent(piece)
    near = min(w.left for w in groups[b]) - max(w.right for w in groups[a]) < SPACE * piece[0].size
    return near and abs(left + right - extents[a][0] - extents[b][1]) < 2 * ALIGNED * piece[0].size


def _is_over(
    piece: list[TableWord],
    groups: dict[int, list[TableWord]],
    bounds: Sequence[float],
    below: Sequence[TableWord],
) -> bool:
    """Whether a phrase over two columns is centred over the titles of both below it."""
    under = [word for word in below if _column(bounds, word) in groups]
    if len({_column(bounds, word) for word in under}) < 2 or not _is_phrase(piece):
        return False
    return abs(sum(extent(piece)) - sum(extent(under))) < 2 * ALIGNED * piece[0].size


def _aligned(words: Sequence[TableWord], column: tuple[float, float]) -> bool:
    left, right = extent(words)
    near = ALIGNED * words[0].size
    return (
        abs(left - column[0]) < near
        or abs(right - column[1]) < near
        or abs(left + right - column[0] - column[1]) < 2 * near
    )


def _disjoint(blocks: list[HeaderTitle]) -> list[HeaderTitle]:
    """Titles of one line that claim the same column become one."""
    blocks.sort(key=lambda b: (b.span, b.words[0].left))
    found: list[HeaderTitle] = []
    for block in blocks:
        if found and block.span[0] <= found[-1].span[1]:
            last = found[-1]
            last.span = (last.span[0], max(last.span[1], block.span[1]))
            last.words = last.words + block.words
        else:
            found.append(block)
    return found


def _cells(
    levels: list[list[int]], cut: list[list[bool]], blocks: list[HeaderTitle], columns: int
) -> list[tuple[int, int, Span, list[TableWord]]]:
    """Titles grouped to cells; a column continues from level to level where no line separates them."""
    cells: list[tuple[int, int, Span, list[TableWord]]] = []
    taken = [[False] * columns for _ in levels]
    by_level = [[b for b in blocks if b.line in level] for level in levels]
    for n in range(len(levels)):
        for c in range(columns):
            if taken[n][c]:
                continue
            last = n
            while last + 1 < len(levels) and not cut[levels[last + 1][0]][c]:
                last += 1
            inside = [b for k in range(n, last + 1) for b in by_level[k] if b.span[0] <= c <= b.span[1]]
            span = (min([c, *(b.span[0] for b in inside)]), max([c, *(b.span[1] for b in inside)]))
            span = (max(span[0], c), span[1])
            inside = [b for k in range(n, last + 1) for b in by_level[k] if _meet(b.span, span) and b.span[0] >= c]
            for k in range(n, last + 1):
                for x in range(span[0], span[1] + 1):
                    taken[k][x] = True
            cells.append((n, last, span, [w for b in inside for w in b.words]))
    return cells
