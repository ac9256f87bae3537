"""Formulas that stand apart from the text, and lines of text that formulas tore into pieces.

A file writes a formula in one go, so its parts are consecutive lines in the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from quire.core.median import median
from quire.core.pagetext import PageText
from quire.pages.geometry.extents import extent
from quire.pages.layout.formulas.formula_runs import ANCHOR, VARIABLE, WORD, FormulaRuns
from quire.pages.layout.formulas.parse import Parsed, parse
from quire.pages.layout.formulas.placed_symbols import FLAT, items_of
from quire.pages.layout.formulas.signs import RELATIONS, SURE_ACCENTS
from quire.pages.layout.lines import Line

WORDS = 0.3  # of the characters of a row of a formula: those in words of the text
MIXED = 0.5  # the same of a row that stands apart from the text
WORDED = 0.75  # the same of a row that is centred as well
FEW = 3  # words of such a row
SMALL = 0.86  # of the largest size of a row: smaller words are scripts
SET_APART = 1.3  # of the size: white space between formulas that are not of one group
TIGHT = 0.4  # of the size: rows of one formula may be nearer, formulas below each other are not
INDENT = 1.2  # of the size: how far from the edge of the text a formula begins
FRAGMENT = 5  # characters: a line this short beside a formula is part of it
COLUMNS = 10.0  # of the size: formulas this far apart are in different columns
LABELLED = 30.0  # the gap between a formula and a text before it on the same line
WIDE = 3.0  # of the size: a gap this wide separates columns, or a formula from its number
JOINED = 2.0  # of the size: the gap between pieces of one line of text
PROSE = 60  # characters of a line that is no formula without a sign of one
SHORT = 10  # characters of a piece that has no sign of a formula itself
PIECE = 25  # characters of a part of a formula in a line of text
_NUMBER = re.compile(r"\(\s*[A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3}){0,2}\s*[a-z]?['′]?\s*\)\Z")


class FormulaZone:
    """A formula that stands apart: its lines, its box and its number; `given` is its LaTeX where an engine read it."""

    __slots__ = ("bottom", "left", "lines", "number", "parsed", "right", "top")

    def __init__(self, page: PageText, lines: list[Line], number: Line | None, parsed: Parsed | None = None) -> None:
        self.lines, self.number, self.parsed = lines, number, parsed
        boxes = [page.box(run) for line in ([*lines, number] if number else lines) for run in line.runs]
        self.left, self.right = extent(boxes)
        self.top, self.bottom = min(box.top for box in boxes), max(box.bottom for box in boxes)


def find_zones(page: PageText, lines: Sequence[Line], reader: FormulaRuns) -> tuple[list[FormulaZone], list[Line]]:
    """The formulas that stand apart, and the other lines; `lines` come in the order of the file."""
    shares = [_words(reader, line) for line in lines]
    kinds = [
        share is not None
        and (
            share <= WORDS
            or (
                _relates(lines[place])
                and (share < MIXED or (share < WORDED and _is_centred(reader, lines, place)))
                and _is_apart(lines, shares, place)
            )
        )
        for place, share in enumerate(shares)
    ]
    _mark_cases(reader, lines, kinds)
    _mark_labels(page, lines, kinds)
    zones: list[FormulaZone] = []
    taken: set[int] = set()
    start = 0
    while start < len(lines):
        if not kinds[start]:
            start += 1
            continue
        end = start
        while end < len(lines) and kinds[end]:
            end += 1
        for first, last in _apart(lines, start, end):
            before = lines[first - 1] if first else None
            after = lines[last] if last < len(lines) else None
            zone = _zone(reader, list(lines[first:last]), before, after)
            if zone and zone.number is None and _are_apart(page, zone.lines):
                zones += [FormulaZone(page, [line], None) for line in zone.lines]
                taken.update(range(first, last))
            elif zone:
                zones.append(zone)
                taken.update(range(first, last))
        start = end
    return zones, [line for number, line in enumerate(lines) if number not in taken]


def _are_apart(page: PageText, lines: Sequence[Line]) -> bool:
    """Whether each of several rows is a formula of its own: centred, with a relation that is not below that above."""
    if len(lines) < 2:
        return False
    relations = [
        next((page.boxes[4 * run] for run in line.runs if page.texts[run] in RELATIONS), None) for line in lines
    ]
    stated = [x for x in relations if x is not None]
    size = max(line.size for line in lines)
    middles = [(line.left + line.right) / 2 for line in lines]
    tight = median([below.top - above.bottom for above, below in pairwise(lines)]) < TIGHT * size
    if len(stated) < len(lines) or tight:
        return False
    return max(stated) - min(stated) > size and max(middles) - min(middles) < 0.3 * size


def _mark_cases(reader: FormulaRuns, lines: Sequence[Line], kinds: list[bool]) -> None:
    """Mark the rows behind a tall brace as rows of a formula, whatever words are in them."""
    page = reader.page
    for place, line in enumerate(lines):
        for run in line.runs:
            if page.texts[run][0] not in "{⎧":
                continue
            left, top, _, bottom = page.box(run)
            size = page.sizes[run]
            around = range(max(place - 6, 0), min(place + 9, len(lines)))
            if page.texts[run][0] == "⎧":  # with its other parts below
                for near in around:
                    if lines[near].text[0] in "⎨⎩⎪" and abs(lines[near].left - left) < 0.1 * size:
                        bottom = max(bottom, lines[near].bottom)
            if bottom - top < 1.5 * size:
                continue
            reach = 0.3 * size
            for near in around:
                other = lines[near]
                inside = top - reach < other.middle < bottom + reach and other.left > left
                kinds[near] = kinds[near] or inside


def _mark_labels(page: PageText, lines: Sequence[Line], kinds: list[bool]) -> None:
    """Mark the lines above and below horizontal braces as parts of a formula, whatever words are in them."""
    for place, line in enumerate(lines):
        if not kinds[place] or ("{z" not in line.text and "}|" not in line.text):
            continue
        for run in line.runs:
            left, top, right, bottom = page.box(run)
            size, tip = page.sizes[run], page.texts[run]
            if tip not in ("{z", "}|") or bottom - top > FLAT * size:
                continue
            for near in range(max(place - 4, 0), min(place + 5, len(lines))):
                other = lines[near]
                gap = other.top - bottom if tip == "{z" else top - other.bottom
                middle = (other.left + other.right) / 2
                label = -0.5 * size < gap < size and abs(middle - (left + right) / 2) < size
                kinds[near] = kinds[near] or label


def _words(reader: FormulaRuns, line: Line) -> float | None:
    """The share of the words of the text in a line; None where nothing may be of a formula."""
    page = reader.page
    if len(line.text) > PROSE and not _may_have_signs(reader, line):
        return None
    codes, texts, sizes = reader.codes, page.texts, page.sizes
    largest = max([sizes[run] for run in line.runs])
    total = words = 0
    anchored = 0
    for run in line.runs:
        length = len(texts[run])
        code = codes[run]
        total += length
        if code & WORD and sizes[run] > SMALL * largest:
            words += length
        anchored |= code & (ANCHOR | VARIABLE)
    if anchored or not words or total <= FRAGMENT or _NUMBER.match(line.text):
        return words / total
    return None


def _relates(line: Line) -> bool:
    """Whether a line says that something is equal, less or an element."""
    return any(sign in RELATIONS and sign != ":" for sign in line.text)


def _is_centred(reader: FormulaRuns, lines: Sequence[Line], place: int) -> bool:
    """Whether a line of few words is in the middle of the text above and below it."""
    line = lines[place]
    if sum(reader.is_word(run) for run in line.runs) > FEW:
        return False
    around = [other for other in lines[max(place - 2, 0) : place + 3] if other.left < line.right]
    around = [other for other in around if other.right > line.left] or [line]
    before = line.left - min(other.left for other in around)
    after = max(other.right for other in around) - line.right
    return min(before, after) > 3 * line.size and abs(before - after) < 2.5 * line.size


def _is_apart(lines: Sequence[Line], shares: Sequence[float | None], place: int) -> bool:
    """Whether white space surrounds a line on all sides."""
    line = lines[place]
    for near in range(max(place - 1, 0), min(place + 2, len(lines))):
        other, share = lines[near], shares[near]
        if near == place or other.right < line.left or other.left > line.right:
            continue
        gap = max(other.top - line.bottom, line.top - other.bottom)
        text = share is None or share > WORDS
        if gap < 0.5 * line.size or (text and line.left < other.left + INDENT * line.size):
            return False
    return True


def _apart(lines: Sequence[Line], start: int, end: int) -> list[tuple[int, int]]:
    """The lines from `start` to `end` cut where white space separates one formula from the next."""
    cuts = [start]
    left, top, right, bottom = _box(lines[start])
    for number in range(start + 1, end):
        line = lines[number]
        size = max(line.size, lines[number - 1].size)
        far = max(line.left - right, left - line.right) > COLUMNS * size and not _NUMBER.match(line.text)
        if far or line.top > bottom + SET_APART * size or line.bottom < top - 2 * size:
            cuts.append(number)
            left, top, right, bottom = _box(line)
        else:
            left, top = min(left, line.left), min(top, line.top)
            right, bottom = max(right, line.right), max(bottom, line.bottom)
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def _box(line: Line) -> tuple[float, float, float, float]:
    return line.left, line.top, line.right, line.bottom


def _zone(reader: FormulaRuns, lines: list[Line], before: Line | None, after: Line | None) -> FormulaZone | None:
    number = next((line for line in (lines[-1], lines[0]) if _NUMBER.match(line.text)), None)
    rest = [line for line in lines if line is not number]
    runs = [run for line in rest for run in line.runs]
    if not rest or not (reader.any(runs, ANCHOR) or _has_variables(reader, rest, runs)):
        return None
    for place, line in enumerate(rest):
        number_runs = [] if number else _number_at_the_end(reader.page, line)
        if number_runs:
            rest[place] = Line(reader.page, [run for run in line.runs if run not in number_runs])
            number = Line(reader.page, number_runs)
    size = max(line.size for line in rest)
    left, right = extent(rest)
    top, bottom = min(line.top for line in rest), max(line.bottom for line in rest)
    for near in (before, after):
        if near is None:
            continue
        level = [line for line in rest if min(line.bottom, near.bottom) - max(line.top, near.top) > 0.3 * line.height]
        if level:
            gap = max(near.left - max(line.right for line in level), min(line.left for line in level) - near.right)
            beside = near is before and near.right < left and any(abs(o.baseline - near.baseline) < 1 for o in level)
            if gap < (LABELLED if beside else WIDE) * size:
                return None
    worded = reader.any(runs, WORD)
    if number is None and not _stands_apart(size, (left, top, right, bottom), before, after, worded=worded):
        return None
    if _has_columns(rest, size):
        return None
    return FormulaZone(reader.page, rest, number)


def _has_variables(reader: FormulaRuns, lines: Sequence[Line], runs: Sequence[int]) -> bool:
    """Whether lines relate letters in italics, where the font of the text has those of the formulas too."""
    return reader.has_fonts and reader.any(runs, VARIABLE) and any("=" in line.text for line in lines)


def _number_at_the_end(page: PageText, line: Line) -> list[int]:
    """The runs of the number of an equation on the same line."""
    for place in range(len(line.runs) - 1, max(len(line.runs) - 5, 0), -1):
        run = line.runs[place]
        gap = page.boxes[4 * run] - page.boxes[4 * line.runs[place - 1] + 2]
        if gap > 1.2 * line.size:
            runs = line.runs[place:]
            return runs if _NUMBER.match("".join(page.texts[run] for run in runs)) else []
    return []


def _stands_apart(
    size: float, box: tuple[float, float, float, float], before: Line | None, after: Line | None, *, worded: bool
) -> bool:
    """Whether a formula is set apart from the text around it, not a line of a paragraph; one with words by more."""
    left, top, right, bottom = box
    near = [line for line in (before, after) if line is not None and line.left < right and line.right > left]
    if not near:
        return True
    edge = min(line.left for line in near)
    indented = left > edge + INDENT * size
    gaps = []
    if before in near and before is not None:
        gaps.append(top - before.bottom)
    if after in near and after is not None:
        gaps.append(after.top - bottom)
    spaced = max(gaps) > 0.55 * size
    if indented:
        return True
    return spaced and min(gaps) > (1.0 if worded else 0.25) * size


def _has_columns(lines: Sequence[Line], size: float) -> bool:
    """Whether wide gaps go through several rows: cells of a table, not a formula."""
    reach = min(line.left for line in lines)
    gap = 0.0
    for line in sorted(lines, key=lambda line: line.left):
        gap = max(gap, line.left - reach)
        reach = max(reach, line.right)
    return gap > WIDE * size


def join_rows(reader: FormulaRuns, lines: Sequence[Line]) -> list[Line]:
    """Lines of text whose formulas tore them into pieces joined; `lines` come in the order of the file."""
    rows: list[Line] = []
    row: _Row | None = None
    lines = sorted(lines, key=lambda line: min(line.runs))
    for line, mathematical in zip(lines, _mathematical(reader, lines), strict=True):
        if row is not None and row.takes(reader, line, mathematical=mathematical):
            row.add(line)
            continue
        if row is not None:
            rows.append(row.line(reader))
        row = _Row(line, mathematical=mathematical)
    if row is not None:
        rows.append(row.line(reader))
    return rows


class _Row:
    """A line of text in progress, with the pieces of its formulas."""

    def __init__(self, line: Line, *, mathematical: bool) -> None:
        self.lines = [line]
        self.main = line
        self.right = line.right
        self.mathematical = mathematical

    def takes(self, reader: FormulaRuns, line: Line, *, mathematical: bool) -> bool:
        """Whether a line is on this row, or a piece of a formula of it."""
        if line.angle or not (self.mathematical or mathematical):
            return False
        size = max(self.main.size, line.size)
        level = abs(_baseline(reader.page, line) - _baseline(reader.page, self.main)) < 0.15 * size
        right = max(piece.right for piece in self.lines)
        if level and line.size > 0.8 * self.main.size:
            return _main_left(reader.page, line) - right > -0.9 * size and line.left - right < JOINED * size
        if abs(line.baseline - self.main.baseline) > 1.3 * size or line.left - right > JOINED * size:
            return False
        smaller = min(line, self.main, key=lambda piece: len(piece.text))
        if not _is_piece(reader, smaller):
            return False
        if smaller is line:
            return line.left > min(self.right - line.width, _end_left(reader.page, self.lines[-1])) - 1.5 * size
        near = abs(line.baseline - self.main.baseline) < 0.8 * size
        return near and _main_left(reader.page, line) > max(piece.left for piece in self.lines)

    def add(self, line: Line) -> None:
        level = abs(line.baseline - self.main.baseline) < 0.15 * line.size
        if level or len(line.text) > len(self.main.text):
            self.main = line if len(line.text) > len(self.main.text) else self.main
            self.right = max(self.right, line.right)
        self.mathematical = True
        self.lines.append(line)

    def line(self, reader: FormulaRuns) -> Line:
        if len(self.lines) == 1:
            return self.lines[0]
        joined = Line(reader.page, [run for line in self.lines for run in line.runs], self.main.tag)
        if reader.any(joined.runs, WORD):
            joined.top, joined.bottom = self.main.top, self.main.bottom
        else:
            joined.top = min(line.top for line in self.lines)
            joined.bottom = max(line.bottom for line in self.lines)
        joined.baseline, joined.size = self.main.baseline, self.main.size
        return joined


def _baseline(page: PageText, line: Line) -> float:
    """The baseline of a line, not of an accent at its beginning."""
    letters = (run for run in line.runs if page.texts[run] not in SURE_ACCENTS)
    return page.baselines[next(letters, line.runs[0])] if page.texts[line.runs[0]] in SURE_ACCENTS else line.baseline


def _end_left(page: PageText, line: Line) -> float:
    """The left edge of the part at the end of a line that is above or below its baseline: a numerator, perhaps."""
    left = line.right
    for run in reversed(line.runs):
        if abs(page.baselines[run] - line.baseline) < 0.1 * line.size:
            break
        left = page.boxes[4 * run]
    return left


def _main_left(page: PageText, line: Line) -> float:
    """The left edge of the type of full size in a line."""
    return min(page.boxes[4 * run] for run in line.runs if page.sizes[run] > SMALL * line.size)


def _mathematical(reader: FormulaRuns, lines: Sequence[Line]) -> list[bool]:
    """Whether each line has a part of a formula, or is a short piece next to one that has."""
    sure = [
        _may_have_signs(reader, line) and (reader.any(line.runs, ANCHOR) or line.text in SURE_ACCENTS) for line in lines
    ]
    short = [len(line.text) <= SHORT and _is_piece(reader, line) for line in lines]
    found = list(sure)
    for place in range(len(lines)):
        if short[place] and not sure[place]:
            ahead = sure[place + 1 : place + 2] == [True] or (
                short[place + 1 : place + 2] == [True] and any(sure[place + 2 : place + 3])
            )
            found[place] = ahead or any(found[max(place - 1, 0) : place])
    return found


def _may_have_signs(reader: FormulaRuns, line: Line) -> bool:
    return line.signs > 0 or reader.has_roman or not line.text.isascii()


def _is_piece(reader: FormulaRuns, line: Line) -> bool:
    """Whether a line may be a part of a formula in a line of text: a numerator, a limit, an accent."""
    return len(line.text) <= PIECE and not reader.any(line.runs, WORD)


def zone_latex(reader: FormulaRuns, zone: FormulaZone) -> Parsed:
    """The LaTeX of a formula that stands apart, without its number."""
    runs = sorted(run for line in zone.lines for run in line.runs)
    return runs_latex(reader, runs)


def runs_latex(reader: FormulaRuns, runs: Sequence[int], *, tail: int = 0) -> Parsed:
    """The LaTeX of runs that are one formula, without the last `tail` characters."""
    page = reader.page
    items = items_of(page, runs, tail=tail)
    if len(items) == 1:
        return parse(items, ())
    boxes, size = page.boxes, max([page.sizes[run] for run in runs])
    left = min([boxes[4 * run] for run in runs]) - size
    top = min([boxes[4 * run + 1] for run in runs]) - size
    right = max([boxes[4 * run + 2] for run in runs]) + size
    bottom = max([boxes[4 * run + 3] for run in runs]) + size
    return parse(items, reader.rules_in(left, top, right, bottom))
