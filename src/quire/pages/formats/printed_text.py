"""The text of printed pages as one long string to search in, which knows the place of each of its characters.

Only what survives printing is kept: letters and digits, without case, accents and ligatures, and the signs that make
another number of the same digits. White space, hyphens and bullets are left out, so that a word which is hyphenated
on the page is found, and so is one whose letters are spaced.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from quire.core.pagetext import LINE, SPACE, PageText
from quire.core.types import Box
from quire.pages.formats.candidate_chains import PossiblePlace
from quire.pages.geometry.extents import box_of

MARKER_CHARS = 8
"""What printing may put before a text on its line: the number of a heading, the letter of a list item."""
LONG = 30
"""A text of so many characters is found wherever it is; a shorter one must fill its lines."""

_INDEXED = 6
_MARGIN = 0.12
_SAME_LINE_POINTS = 2.0
_SAME_GROUP_POINTS = 6.0
_MINUS = "-\u2212\u2013"
_WORD, _LETTER_TO_DIGIT = 1, 2


@dataclass(slots=True)
class KeptText:
    """The characters of a text that are compared, where each came from, and which of them begin a word."""

    text: str
    sources: list[int]
    bounds: list[int]

    def words(self) -> list[str]:
        starts = [position for position, bound in enumerate(self.bounds) if bound == _WORD]
        return [self.text[start:end] for start, end in pairwise([*starts, len(self.text)])]


def kept(text: str) -> KeptText:
    """The comparable part of a text."""
    characters: list[str] = []
    sources: list[int] = []
    bounds: list[int] = []
    bound, last = _WORD, ""
    for index, character in enumerate(text):
        following = text[index + 1 : index + 2]
        folded = _folded(character)
        if not folded:
            previous = text[index - 1 : index] if index else ""
            if not _makes_number(character, previous, following):
                if character != "\u00ad":  # a soft hyphen does not end a word
                    bound, last = _WORD, ""
                continue
            folded = "-" if character in _MINUS else character
        for part in folded:
            change = last and (last.isdigit() != part.isdigit() or _is_ideograph(part) or _is_ideograph(last))
            characters.append(part)
            sources.append(index)
            bounds.append(bound or (_WORD if change and _is_ideograph(part) else _LETTER_TO_DIGIT if change else 0))
            bound, last = 0, part
    return KeptText("".join(characters), sources, bounds)


@dataclass(slots=True)
class PrintedLine:
    """One line of a page as its reader found it: a cell of a table, or one line of a paragraph."""

    page: int
    """Index into the pages."""
    words: list[list[int]]
    """Runs of each word."""
    kept: KeptText
    run_ends: list[tuple[int, int]]
    """Where each run ends in the text of the line, and its number."""
    box: Box

    @property
    def pattern(self) -> str:
        """The letters of the line without its digits: a page number differs from page to page."""
        return letters(self.kept.text)


def letters(text: str) -> str:
    return re.sub(r"[\d.,%-]", "", text)


def lines_of(index: int, page: PageText) -> Iterator[PrintedLine]:
    """The lines of a page in the order of the file."""
    words: list[list[int]] = []
    for run in range(len(page.texts)):
        if words and page.flags[run] & LINE:
            yield _line(index, page, words)
            words = []
        if words and not page.flags[run] & SPACE:
            words[-1].append(run)
        else:
            words.append([run])
    if words:
        yield _line(index, page, words)


def _line(index: int, page: PageText, words: list[list[int]]) -> PrintedLine:
    texts: list[str] = []
    ends: list[tuple[int, int]] = []
    length = 0
    for position, word in enumerate(words):
        if position:
            texts.append(" ")
            length += 1
        for run in word:
            texts.append(page.texts[run])
            length += len(page.texts[run])
            ends.append((length, run))
    runs = [run for word in words for run in word]
    return PrintedLine(index, words, kept("".join(texts)), ends, box_of([page.box(run) for run in runs]))


def without_furniture(
    lines: Sequence[PrintedLine], pages: Sequence[PageText], furniture: Collection[str], body: str
) -> tuple[list[PrintedLine], list[PrintedLine]]:
    """The lines of the body, and those of running headers and footers.

    These are in the margin of their page. They say what `furniture` says, which the body may say too if they are on
    several pages; or they say the same on several pages and nothing that `body` says. Both are given as letters.
    """
    margins = [line for line in lines if _in_margin(line, pages[line.page])]
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for line in margins:
        for row in _rows(line):
            seen[line.pattern, row].add(line.page)

    def is_furniture(line: PrintedLine) -> bool:
        pattern = line.pattern
        repeated = any(len(seen[pattern, row]) > 1 for row in _rows(line))
        if pattern and (repeated or pattern not in body) and any(pattern in text for text in furniture):
            return True
        return repeated and (not pattern or pattern not in body)

    out = {id(line) for line in margins if is_furniture(line)}
    return [line for line in lines if id(line) not in out], [line for line in lines if id(line) in out]


@dataclass
class PrintedText:
    """The lines of all pages as one string. Positions are indexes into `text`."""

    pages: Sequence[PageText]
    lines: Sequence[PrintedLine]
    text: str = ""
    bounds: array[int] = field(default_factory=lambda: array("B"))
    line_starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        position = 0
        for line in self.lines:
            self.line_starts.append(position)
            self.bounds.extend(line.kept.bounds)
            position += len(line.kept.text)
        self.bounds.append(_WORD)
        self.text = "".join(line.kept.text for line in self.lines)
        self.used = bytearray(len(self.text))

    def page_span(self, index: int) -> tuple[int, int]:
        """The first and the last position of a page in the text."""
        first = bisect_left(self.lines, index, key=lambda line: line.page)
        last = bisect_right(self.lines, index, key=lambda line: line.page)
        starts = [*self.line_starts[first : last + 1], len(self.text)]
        return starts[0], starts[last - first]

    def use(self, start: int, end: int) -> None:
        self.used[start:end] = b"\1" * (end - start)

    def is_free(self, start: int, end: int) -> bool:
        return not any(self.used[start:end])

    def is_free_word(self, start: int, end: int) -> bool:
        """Whether nothing has used this stretch, and it is no part of a word or number."""
        return self.is_free(start, end) and self.bounds[start] == self.bounds[end] == _WORD

    @cached_property
    def _index(self) -> dict[str, array[int]]:
        """The positions at which texts may begin, by their first characters, or by all of them if they have fewer."""
        index: dict[str, array[int]] = defaultdict(lambda: array("I"))
        bounds = [position for position, bound in enumerate(self.bounds) if bound]
        for number, position in enumerate(bounds[:-1]):
            if position + _INDEXED <= len(self.text):
                index[self.text[position : position + _INDEXED]].append(position)
            for end in bounds[number + 1 :]:
                if end - position >= _INDEXED:
                    break
                index[self.text[position:end]].append(position)
        return dict(index)

    def places(self, text: str, window: tuple[int, int], *, whole: bool, limit: int) -> list[PossiblePlace] | None:
        """The places of `text` in the window, as whole words; None for more than `limit` of them.

        `whole`: it must fill its lines, but for a number or a bullet before it.
        """
        positions = self._index.get(text[:_INDEXED])
        if not text or positions is None:
            return []
        first = bisect_left(positions, window[0])
        found: list[PossiblePlace] = []
        for position in positions[first:]:
            end = position + len(text)
            if end > window[1]:
                break
            if not self._bounded(position, end, whole=whole) or self.text[position:end] != text:
                continue
            begins, ends = self._begins_line(position), self._ends_line(end)
            if whole and len(text) < LONG and not (begins and ends):
                continue
            found.append(PossiblePlace(position, end, 8 * len(text) + 4 * begins + 4 * ends))
            if len(found) > limit:
                return None
        return found

    def _bounded(self, start: int, end: int, *, whole: bool) -> bool:
        if not whole or end - start >= LONG:  # a number of a footnote, or a cell that begins where another ends
            return bool(self.bounds[start] and self.bounds[end])
        return self.bounds[start] == self.bounds[end] == _WORD

    def _begins_line(self, position: int) -> bool:
        start = self.line_starts[bisect_right(self.line_starts, position) - 1]
        return position - start <= MARKER_CHARS

    def _ends_line(self, end: int) -> bool:
        at = bisect_left(self.line_starts, end)
        return end == len(self.text) or (at < len(self.line_starts) and self.line_starts[at] == end)

    def boxes(self, start: int, end: int) -> list[tuple[int, int, Box]]:
        """The boxes of a stretch by page: index of the page, where the stretch begins on it, box."""
        found: list[tuple[int, int, list[Box]]] = []
        number = bisect_right(self.line_starts, start) - 1
        while number < len(self.lines) and self.line_starts[number] < end:
            line, offset = self.lines[number], self.line_starts[number]
            first, last = max(start - offset, 0), min(end - offset, len(line.kept.text))
            if last > first:
                if not found or found[-1][0] != line.page:
                    found.append((line.page, offset + first, []))
                found[-1][2].extend(_boxes_in(line, self.pages[line.page], first, last))
            number += 1
        return [(page, at, box_of(boxes)) for page, at, boxes in found if boxes]

    def free_words(self, start: int, end: int) -> list[tuple[int, int]]:
        """The words of a stretch that nothing has used."""
        bounds = [position for position in range(start, end) if self.bounds[position] == _WORD]
        return [(first, last) for first, last in pairwise([*bounds, end]) if not self.used[first]]

    def free_groups(self, start: int, end: int) -> list[list[tuple[int, int]]]:
        """The lines between two positions that nothing has used, those close to each other in one group."""
        first, last = bisect_left(self.line_starts, start), bisect_left(self.line_starts, end)
        ends = [*self.line_starts[1:], len(self.text)]
        lines = [number for number in range(first, last) if self.line_starts[number] < ends[number] <= end]
        free = [number for number in lines if self.is_free(self.line_starts[number], ends[number])]
        groups: list[list[tuple[int, int]]] = []
        page, bottom = -1, 0.0
        for number in sorted(free, key=lambda number: (self.lines[number].page, self.lines[number].box.top)):
            line = self.lines[number]
            if line.page != page or line.box.top > bottom + _SAME_GROUP_POINTS:
                groups.append([])
                page, bottom = line.page, 0.0
            groups[-1].append((self.line_starts[number], ends[number]))
            bottom = max(bottom, line.box.bottom)
        return groups


def _boxes_in(line: PrintedLine, page: PageText, first: int, last: int) -> Iterator[Box]:
    """Boxes of the runs, or parts of runs, that have the characters from `first` to `last` of a line."""
    sources = line.kept.sources
    begin, stop = sources[first], sources[last - 1] + 1
    for end, run in line.run_ends:
        start = end - len(page.texts[run])
        if end <= begin or start >= stop:
            continue
        box = page.box(run)
        left, right = box.left, box.right
        if page.angles[run] == 0:  # what is before and after in the same run belongs to another text
            step = (box.right - box.left) / (end - start)
            if first and sources[first - 1] >= start:
                left = box.left + step * (begin - start)
            if last < len(sources) and sources[last] < end:
                right = box.left + step * (stop - start)
        yield Box(left, box.top, right, box.bottom)


def _in_margin(line: PrintedLine, page: PageText) -> bool:
    return line.box.bottom < _MARGIN * page.height or line.box.top > (1 - _MARGIN) * page.height


def _rows(line: PrintedLine) -> tuple[int, int]:
    """Two grids of rows half a row apart: lines in the same place share one of them."""
    at = line.box.bottom / (2 * _SAME_LINE_POINTS)
    return 2 * int(at), 2 * int(at + 0.5) + 1


@lru_cache(maxsize=1 << 16)
def _folded(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character.casefold())
    return "".join(part for part in decomposed.casefold() if part.isalnum())


def _makes_number(character: str, previous: str, following: str) -> bool:
    if character in ".,":
        return previous.isdigit() and following.isdigit()
    if character in _MINUS:
        return following.isdigit() and not previous.isalnum()
    return character == "%" and previous.isdigit()


def _is_ideograph(character: str) -> bool:
    return character >= "\u2e80"
