"""Words of a page, and the rows they form: the view of the page that tables are found in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter

from quire.core.pagetext import PageText
from quire.pages.layout.lines import Line, words_of
from quire.pages.layout.patterns import is_leader

SAME_ROW = 0.3  # of the size: baselines that differ by less form one row
MARK = 0.75  # of the size: the marks of notes are smaller than this
RAISED = 0.5  # of the size: and stand no higher above the baseline of their row
TITLE_PITCH = 1.4  # of the size: lines of a title are no further apart
PIECE_GAP = 0.8  # of the size: a wider gap between words separates two pieces of a row

_NUMBER = re.compile(r"[(\[<>≤≥~≈±+\-–—−$€£¥#]*\.?\d[\d.,:/%+\-–−()×]*[%)\]*†‡§a-zA-Z]{0,2}[.,)]?\Z")
_DASH = re.compile(r"[-–—−.…*†‡§]{1,3}\Z|n/?a\.?\Z", re.IGNORECASE)
_DOTS = frozenset(".…·")
LEADER_DOTS = 4  # single dots in a row of words: a dot leader

_LEFT, _BASELINE = attrgetter("left"), attrgetter("baseline")


class TableWord:
    """A word and its position."""

    __slots__ = ("baseline", "bold", "bottom", "left", "middle", "right", "runs", "size", "text", "top")

    def __init__(self, page: PageText, line: Line, runs: list[int]) -> None:
        boxes = page.boxes
        self.runs = runs
        first = 4 * runs[0]
        left, right = boxes[first], boxes[first + 2]
        if len(runs) == 1:
            self.text = page.texts[runs[0]]
        else:
            left, right = min([boxes[4 * run] for run in runs]), max([boxes[4 * run + 2] for run in runs])
            self.text = "".join([page.texts[run] for run in runs])
        self.left, self.right, self.middle = left, right, (left + right) / 2
        self.top, self.bottom, self.baseline, self.size = line.top, line.bottom, line.baseline, line.size
        self.bold = line.bold

    def __repr__(self) -> str:
        return f"Word({self.left:.0f},{self.baseline:.0f} {self.text!r})"


def count_words(text: str) -> int:
    """The number of words that a text without spaces counts as: two Chinese or Japanese characters make one."""
    if text.isascii():
        return 1
    return max(1, sum(1 for sign in text if sign > "\u2e80") // 2)


def amount(words: Iterable[TableWord]) -> int:
    """The number of words, whatever the script."""
    return sum([count_words(word.text) for word in words])


class Row:
    """Words on one baseline, from left to right."""

    __slots__ = ("_numbers", "baseline", "bottom", "leader", "left", "pieces", "right", "size", "top", "words")

    def __init__(self, words: list[TableWord], *, leader: bool = False) -> None:
        if len(words) > 1:
            words.sort(key=_LEFT)
        self.words = words
        self.pieces = pieces_of(words)  # separated by wide gaps
        self._numbers = -1
        self.leader = leader  # dot leaders between words; they are not in `words`
        sizes = [w.size for w in words]
        self.left = words[0].left
        self.right = max([w.right for w in words])
        self.top = min([w.top for w in words])
        self.bottom = max([w.bottom for w in words])
        self.size = max(sizes)
        self.baseline = words[sizes.index(self.size)].baseline

    @property
    def middle(self) -> float:
        return self.baseline - 0.3 * self.size

    @property
    def numbers(self) -> int:
        """The number of words that are values as in a column of numbers."""
        if self._numbers < 0:
            self._numbers = [is_number(word.text) for word in self.words].count(True)
        return self._numbers

    def __repr__(self) -> str:
        return f"Row({self.baseline:.0f} {' '.join(w.text for w in self.words)!r})"


def words_in(page: PageText, lines: Iterable[Line]) -> list[TableWord]:
    """The words of the upright lines."""
    return [TableWord(page, line, runs) for line in lines if not line.angle for runs in words_of(page, line.runs)]


def turned_words(page: PageText, lines: Iterable[Line]) -> list[TableWord]:
    """Lines rotated by a right angle, each as one word with its baseline at the lower end of its box."""
    words = []
    for line in lines:
        if line.angle in (90, 270):
            word = TableWord(page, line, line.runs)
            word.baseline = line.bottom
            words.append(word)
    return words


def rows_of(words: Iterable[TableWord]) -> list[Row]:
    """Words grouped to rows, from top to bottom."""
    rows: list[Row] = []
    for row in _by_baseline(words):
        add_row(rows, Row(row))
    return rows


def add_row(rows: list[Row] | list[Row | None], row: Row) -> None:
    """Add a row below the others; one beside the last, on nearly the same baseline, is joined with it."""
    last = rows[-1] if rows else None
    if last and row.baseline - last.baseline <= SAME_ROW * max(row.size, last.size) and _are_beside(last, row):
        rows[-1] = Row(last.words + row.words)
    else:
        rows.append(row)


def _are_beside(a: Row, b: Row) -> bool:
    """Whether no word of a row is over one of the other."""
    return not any(v.left < w.right and w.left < v.right for v in a.words for w in b.words)


def is_title_line(row: Row, below: Row) -> bool:
    """Whether a row is one line of a title whose next line is centred under it, alone, in the row below."""
    if len(row.pieces) > 1 or below.baseline - row.baseline > TITLE_PITCH * row.size:
        return False
    under = [piece for piece in below.pieces if row.left < piece[-1].right and piece[0].left < row.right]
    return len(under) == 1 and abs(row.left + row.right - under[0][0].left - under[0][-1].right) < 0.5 * row.size


def in_rows(words: list[TableWord]) -> list[TableWord]:
    """Words row by row, each from left to right."""
    if len(words) < 2:
        return words
    return [word for row in _by_baseline(words) for word in sorted(row, key=_LEFT)]


def _by_baseline(words: Iterable[TableWord]) -> list[list[TableWord]]:
    """The words of each row, in the given order."""
    rows: list[list[TableWord]] = []
    row: list[TableWord] = []
    start = size = 0.0  # of the first word of the row
    for word in sorted(words, key=_BASELINE):
        step = word.baseline - start
        if row and (step <= SAME_ROW * size or step <= SAME_ROW * word.size):
            row.append(word)
        elif row and size < MARK * word.size and step <= RAISED * word.size:
            row.append(word)
            start, size = word.baseline, word.size
        else:
            row = [word]
            rows.append(row)
            start, size = word.baseline, word.size
    return rows


def without_leaders(row: Row) -> Row:
    """The row without its dot leaders, which it keeps separately."""
    dots = {id(w) for w in row.words if w.text in _DOTS}
    gone = {id(w) for w in row.words if is_leader(w.text)} | (dots if len(dots) >= LEADER_DOTS else set())
    if not gone or len(gone) == len(row.words):
        return row
    return Row([w for w in row.words if id(w) not in gone], leader=True)


def pieces_of(row: Sequence[TableWord], gap: float = PIECE_GAP) -> list[list[TableWord]]:
    """The words of a row in pieces, separated by more than `gap` times the size."""
    pieces: list[list[TableWord]] = []
    right = 0.0
    for word in row:
        if pieces and word.left - right <= gap * word.size:
            pieces[-1].append(word)
            if word.right > right:
                right = word.right
        else:
            pieces.append([word])
            right = word.right
    return pieces


@lru_cache(maxsize=4096)
def is_number(text: str) -> bool:
    """Whether a word is a value as found in a column of numbers: a number, a dash, n/a."""
    return bool(_NUMBER.match(text) or _DASH.match(text))
