"""Groups the lines of a column into paragraphs: where one ends and the next begins."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from copy import copy
from itertools import pairwise

from quire.core.median import median
from quire.pages.geometry.extents import box_of
from quire.pages.layout.hanging_indents import hanging_entries
from quire.pages.layout.lines import Line, is_right_to_left
from quire.pages.layout.order import Column
from quire.pages.layout.patterns import (
    STRONG_BULLETS,
    bullet,
    caption_marked,
    is_contents_line,
    is_known_heading,
    list_number,
    section_depth,
)

_INITIAL = re.compile(r"[A-Z]\. ")
_NOTE = re.compile(r"(\d{1,3}) ?(?=[A-Z])")
SPACED = 1.1  # the same between two sentences, where the distance of lines is even
EVEN = 0.6  # of the distances are the usual one
GAP = 1.35  # of the usual distance of lines: a wider one ends a paragraph
SET_OFF = 1.1  # of the usual distance: so far a heading is from the text below it
CODE_GAP = 2.3  # a listing may hold an empty line
SIZE = 0.09  # a larger relative change of size does too
INDENT = 0.8  # of the size: a first line is indented by more than this
SHORT = 0.12  # of the column's width: a last line ends earlier than this before its right edge


class Paragraph:
    """Lines that belong together, and their column."""

    __slots__ = ("column_left", "column_right", "lines", "marker")

    def __init__(self, lines: list[Line], column: Column) -> None:
        self.lines = lines
        self.column_left, self.column_right = column.left, column.right
        self.marker = ""

    def of(self, lines: list[Line]) -> Paragraph:
        """Some of its lines, in the same column."""
        part = copy(self)
        part.lines = lines
        return part

    @property
    def box(self) -> tuple[float, float, float, float]:
        return box_of(self.lines)


def paragraphs(column: Column, lines: Sequence[Line], cuts: Collection[int] = ()) -> list[Paragraph]:
    """The paragraphs of consecutive lines of one column; `cuts` are the indexes of lines before which one ends."""
    if not lines:
        return []
    found: list[Paragraph] = []
    _mark(lines)
    if 2 * sum(is_right_to_left(line.text) for line in lines) > len(lines):
        shown: Sequence[Line] = [_mirrored(line) for line in lines]
        left = -column.right
    else:
        shown, left = lines, column.left
    starts = sorted({*_starts(shown, left), *cuts, len(lines)})
    for start, end in pairwise(starts):
        found.append(Paragraph(list(lines[start:end]), column))
    for paragraph in found:
        paragraph.marker = paragraph.lines[0].marker
    return found


def _mark(lines: Sequence[Line]) -> None:
    """Set the list markers of the lines. A capital with a point is one only in a sequence: else it is an initial."""
    marks = {line.text[:2] for line in lines if _INITIAL.match(line.text)}
    for line in lines:
        if line.marker or line.mono:
            continue
        line.marker = marker_of(line.text)
        if _INITIAL.match(line.text):
            code = ord(line.text[0])
            if f"{chr(code - 1)}." not in marks and f"{chr(code + 1)}." not in marks:
                line.marker = ""


def _starts(lines: Sequence[Line], left: float) -> list[int]:
    """The indexes of the lines with which paragraphs begin."""
    pitch = _Pitches(lines)
    right = _right_edge(lines)
    justified = _justified(lines, right)
    entries = hanging_entries(lines)
    for index in entries:
        lines[index].marker = ""  # an initial, a volume
    starts = [0]
    for index in range(1, len(lines)):
        if index in entries:
            if entries[index] or _apart(lines[index], lines[index - 1], pitch):
                starts.append(index)
            continue
        following = lines[index + 1] if index + 1 < len(lines) else None
        if _begins(lines[index], lines[starts[-1] : index], following, pitch, (left, right), justified):
            starts.append(index)
    return starts


def _apart(line: Line, last: Line, pitch: _Pitches) -> bool:
    """Whether white space, another place or another size separates two lines."""
    size = max(line.size, last.size)
    usual = pitch.of(last.size) or 1.25 * size
    step = line.baseline - last.baseline
    return line.tag != last.tag or step < -0.4 * size or step > GAP * max(usual, size)


def _mirrored(line: Line) -> Line:
    """A right-to-left line mirrored, as if it were written from left to right."""
    mirrored = copy(line)
    mirrored.left, mirrored.right = -line.right, -line.left
    return mirrored


def marker_of(text: str) -> str:
    return bullet(text) or list_number(text)


class _Pitches:
    """The usual distance of baselines for each size of type."""

    def __init__(self, lines: Sequence[Line]) -> None:
        distances: dict[int, list[float]] = {}
        for a, b in itertools.pairwise(lines):
            step = b.baseline - a.baseline
            if abs(a.size - b.size) < 0.05 * a.size and 0.7 * a.size < step < 2.5 * a.size:
                distances.setdefault(round(2 * a.size), []).append(step)
        self._usual = {size: _usual(steps) for size, steps in distances.items()}
        self._seen = {size: len(steps) for size, steps in distances.items()}
        self._even = {size: _share_of(steps, self._usual[size]) for size, steps in distances.items()}

    def of(self, size: float) -> float | None:
        return self._usual.get(round(2 * size))

    def even(self, size: float) -> bool:
        """Whether most lines of a size are equally far apart, as printed by a program and not on a scan."""
        key = round(2 * size)
        return self._seen.get(key, 0) > 3 and self._even[key] >= EVEN

    def seen(self, size: float) -> int:
        """The number of pairs of lines that show the pitch of a size."""
        return self._seen.get(round(2 * size), 0)


def _usual(steps: list[float]) -> float:
    """The median of the smaller half: the distance inside paragraphs, not between them."""
    ordered = sorted(steps)
    return median(ordered[: max(1, (2 * len(ordered) + 2) // 3)])


def _share_of(steps: list[float], usual: float) -> float:
    return sum(abs(step - usual) < 0.01 * usual for step in steps) / len(steps)


def _new_sentence(line: Line, last: Line) -> bool:
    return last.text.rstrip("0123456789")[-1:] in (".", ":", "!", "?") and not line.text[:1].islower()


def _right_edge(lines: Sequence[Line]) -> float:
    """The right edge at which full lines of the column end."""
    ends = sorted((line.right for line in lines), reverse=True)
    return ends[min(len(ends) - 1, len(ends) // 20)]


def _first_word(line: Line) -> float:
    """The approximate width of a line's first word: a previous line with room for it ended on purpose."""
    word = line.text.partition(" ")[0]
    return line.width * len(word) / max(len(line.text), 1)


def _justified(lines: Sequence[Line], right: float) -> bool:
    """Whether most lines reach the right edge."""
    if len(lines) < 4:
        return False
    reach = sum(1 for line in lines if abs(line.right - right) < 0.6 * line.size)
    return reach >= 0.55 * len(lines)


def _begins(
    line: Line,
    current: Sequence[Line],
    following: Line | None,
    pitch: _Pitches,
    edges: tuple[float, float],
    justified: bool,
) -> bool:
    """Whether `line` begins a paragraph after the lines of `current`."""
    last = current[-1]
    size = max(line.size, last.size)
    step = line.baseline - last.baseline
    if abs(step) < 0.4 * size:  # the same row, written in pieces
        return not (line.left >= last.left)
    usual = pitch.of(last.size) or pitch.of(line.size) or 1.25 * size
    if current[0].cap and step > 0 and line.top < current[0].cap:
        return False  # beside the large letter with which the paragraph begins
    if line.tag != last.tag or step < 0:
        return True
    if line.tag >= 0:
        return step > 4 * size
    if is_contents_line(last.text):
        return True
    if line.mono and last.mono:
        return step > CODE_GAP * usual or abs(line.size - last.size) > SIZE * size
    if step > GAP * max(usual, size) or step > 2.6 * size:
        return True
    if abs(line.size - last.size) > SIZE * size and not _scripted(line, last):
        return True
    if line.marker and _list_begins(line, current):
        return True
    if caption_marked(line.text) and not caption_marked(last.text):
        return True
    if _next_note(line.text, current[0].text):
        return True
    if step > 1.55 * size and len(current) == 1 and pitch.seen(last.size) == 1:
        return True  # two titles below each other: nothing else shows how far lines of this size are apart
    if len(current) == 1 and line.font != last.font and is_known_heading(last.text):
        return True
    if len(current) == 1 and (section_depth(line.text) or 0) > (section_depth(last.text) or 9):
        return True  # a section begins with one of its own
    if line.bold != last.bold and _heading_like(line, last, edges[1], step > SET_OFF * usual):
        return True
    if line.mono != last.mono:
        return True
    if _titled(line, current, following, edges[1]):
        return True
    if line.math != last.math and _displayed(line if line.math else last, current, edges[0]):
        return True
    if step > SPACED * usual and pitch.even(last.size) and not (line.math or last.math) and _new_sentence(line, last):
        return True
    spaced = step > 1.15 * usual
    return _indented(line, current, following, edges, justified, spaced=spaced)


def _next_note(text: str, first: str) -> bool:
    """Whether a line begins with the number of a footnote that follows the one with which the lines before begin."""
    match, before = _NOTE.match(text), _NOTE.match(first)
    return match is not None and before is not None and int(match[1]) == int(before[1]) + 1


def _titled(line: Line, current: Sequence[Line], following: Line | None, right: float) -> bool:
    """Whether a short line in a font of its own begins, or has just ended: the title of the paragraph below it."""
    last = current[-1]
    if line.font == last.font or following is None or not _starts_sentence(line):
        return False
    if following.font == line.font and len(current) <= 2:  # the title is above this line
        same = all(other.font == last.font for other in current)
        return same and _is_title(last, right) and _starts_sentence(current[0])
    ended = last.text[-1:] in ".:!?)]" or right - last.right > 0.3 * last.width
    if not ended:
        return False
    return following.font == last.font and _is_title(line, right) and _starts_sentence(following)


def _starts_sentence(line: Line) -> bool:
    return line.text[:1].isupper() or line.text[:1].isdigit()


def _is_title(line: Line, right: float) -> bool:
    return line.right < right - 2 * line.size and line.text[-1:] not in ".,;:-"


def _displayed(line: Line, current: Sequence[Line], left: float) -> bool:
    """Whether a line of symbols is indented, as a displayed formula is, and not at the start of a line of text."""
    if len(line.text) <= 3 and line is not current[-1]:
        return line.left > left + 2 * line.size
    return line.left > left + 0.8 * line.size


def _scripted(line: Line, last: Line) -> bool:
    """A line of smaller type that is only a piece of a formula or an exponent of its neighbour."""
    return min(len(line.text), len(last.text)) <= 3


def _heading_like(line: Line, last: Line, right: float, set_off: bool) -> bool:
    """Whether the bold one of two lines is a heading: it ends early or is set off, and continues no sentence."""
    bold = line if line.bold else last
    if line.text[:1].islower():
        return False
    return set_off or bold.right < right - 1.5 * bold.size or (bold is line and last.text[-1:] in ".!?")


def _list_begins(line: Line, current: Sequence[Line]) -> bool:
    """A marker begins an item unless the line is the continuation of one, like a number at its start."""
    first = current[0]
    if line.marker in STRONG_BULLETS:
        return True
    if bullet(line.text) and not line.text[2:3].islower():
        return True
    if first.marker:
        return line.left < first.left + 0.8 * line.size or line.left > current[-1].left + 0.8 * line.size
    last = current[-1]
    return last.text[-1:] in ".:;!?”)" or line.left > last.left + 0.5 * line.size or last.right < line.right - 60


def _indented(
    line: Line,
    current: Sequence[Line],
    following: Line | None,
    edges: tuple[float, float],
    justified: bool,
    *,
    spaced: bool,
) -> bool:
    """Whether the left edges begin a paragraph with a line; `spaced` is whether it is farther below than usual."""
    last, first = current[-1], current[0]
    indent = INDENT * line.size
    width = edges[1] - edges[0]
    ended_short = edges[1] - last.right > _first_word(line) + 0.6 * line.size
    inner_left = min(other.left for other in current[1:]) if len(current) > 1 else last.left
    centered = _centered(line, last)
    if first.marker:
        back = line.left < first.left + 0.5 * line.size
        ended = last.text[-1:] in ".!?:;" and not line.text[:1].islower()
        if back and ended and (ended_short or spaced):
            return True  # the paragraph after a list
        if len(current) == 1:  # the second line of an item is indented, or the first one is, as in a contract
            return line.left < first.left - indent and (ended_short or bullet(first.text) != "")
    if line.left > last.left + indent and not centered:
        back = following is None or following.left < line.left - 0.5 * indent or following.bottom < line.top
        if len(current) > 1 or ended_short:
            return back or ended_short
        return back and justified and last.text[-1:] in ".:!?”"
    hanging = len(current) > 1 and first.left < inner_left - indent
    if hanging and line.left < inner_left - 0.6 * indent:
        return True
    if centered or not ended_short:
        return False
    ended = last.text[-1:] in ".:!?”)"
    return ended and not line.text[:1].islower() and last.right < edges[1] - SHORT * width


def _centered(line: Line, last: Line) -> bool:
    return (
        abs((line.left + line.right) - (last.left + last.right)) < 2 * line.size
        and abs(line.left - last.left) > 0.5 * line.size
        and abs(line.right - last.right) > 0.5 * line.size
    )
