"""Text written from right to left: the words of a line in the order in which they are read.

PDFium turns letters into reading order, but places numbers, punctuation and brackets by guesses, and files keep
vowel marks apart from their letters. Where the words stand shows their order; words in Latin letters, and the pieces
of a number, are read from left to right among them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from quire.core.pagetext import LINE, SPACE, PageText
from quire.pages.geometry.rows import baseline_rows
from quire.pages.layout.lines import Line, is_right_to_left

if TYPE_CHECKING:
    from quire.pages.layout.tables import FoundCell, FoundTable

TIGHT = 0.1  # of the size: a wider gap separates words
MARK_REACH = 80  # runs between a mark and its letter in the file
_LIGATURE = re.compile("(?<=ا)([اأإآ])ل")  # no word has two alefs in a row: the second belongs behind the lam
_OPENING, _CLOSING = "([{", ")]}"
_MIRRORED = dict(zip(_OPENING + _CLOSING, _CLOSING + _OPENING, strict=True))
_BEHIND = "%٪/.,،:؛"
"""Signs that are read after the number to their right."""


def with_whole_words(page: PageText) -> PageText:
    """The page with marks joined to their letters, and without parts of letters that the file does not name."""
    if _is_recognised(page) or all(map(str.isascii, page.texts)) or not is_right_to_left("".join(page.texts)):
        return page
    texts, flags = list(page.texts), list(page.flags)
    letters = {run for run, text in enumerate(texts) if is_right_to_left(text) and not _is_mark(text)}
    for run, text in enumerate(page.texts):
        if run in letters:
            texts[run] = _LIGATURE.sub(r"ل\1", text.replace("\ufffd", ""))
        elif not text.strip("\ufffd"):
            texts[run] = ""
    unmapped = sum(map(len, page.texts)) - sum(map(len, texts))
    boxes = _without_holes(page, letters)
    for run, text in enumerate(texts):
        if text and _ends_a_ligature(page, run, letters):
            texts[run - 1] = texts[run - 1][:-1] + text + texts[run - 1][-1:]
            texts[run] = ""
        elif text and _is_mark(text):
            base = _base_of(page, run, letters)
            if base is not None:
                texts[base] = _marked(page, texts[base], base, run, text)
                texts[run] = ""
    left_out = {**page.left_out, "unmapped": page.left_out.get("unmapped", 0) + unmapped}
    counted = {key: count for key, count in left_out.items() if count}
    return replace(page, texts=texts, flags=flags, boxes=boxes, left_out=counted)


def _without_holes(page: PageText, letters: set[int]) -> Sequence[float]:
    """The boxes of the runs; those of parts of letters that the file does not name are added to the word they touch."""
    boxes = list(page.boxes)
    for run, text in enumerate(page.texts):
        if run in letters or text.strip("\ufffd"):
            continue
        left, right, near = page.boxes[4 * run], page.boxes[4 * run + 2], TIGHT * page.sizes[run]
        for other in (run + 1, run - 1):
            if other not in letters or abs(page.baselines[other] - page.baselines[run]) > near:
                continue
            if abs(page.boxes[4 * other + 2] - left) < near:
                boxes[4 * other + 2] = right
                break
            if abs(page.boxes[4 * other] - right) < near:
                boxes[4 * other] = left
                break
    return boxes


def _ends_a_ligature(page: PageText, run: int, letters: set[int]) -> bool:
    """Whether a letter stands in the place of the last one of the word before it: both are one sign of the font, and
    this one is read first."""
    if run not in letters or run - 1 not in letters or len(page.texts[run]) != 1:
        return False
    left, _, right, _ = page.boxes[4 * run : 4 * run + 4]
    before_left, _, before_right, _ = page.boxes[4 * run - 4 : 4 * run]
    near = abs(page.baselines[run] - page.baselines[run - 1]) < TIGHT * page.sizes[run]
    return near and abs(left - before_left) < 0.03 * page.sizes[run] and right < before_right


def _is_recognised(page: PageText) -> bool:
    return bool(page.engine) and page.recognised == 0


def _is_mark(text: str) -> bool:
    return all(unicodedata.category(c) == "Mn" for c in text)


def _base_of(page: PageText, mark: int, letters: set[int]) -> int | None:
    """The word above or below which a mark stands."""
    left, _, right, _ = page.boxes[4 * mark : 4 * mark + 4]
    middle = (left + right) / 2
    for step in range(1, MARK_REACH):
        for run in (mark - step, mark + step):
            if run not in letters or abs(page.baselines[run] - page.baselines[mark]) > 0.7 * page.sizes[run]:
                continue
            if page.boxes[4 * run] <= middle <= page.boxes[4 * run + 2]:
                return run
    return None


def _marked(page: PageText, word: str, base: int, mark: int, text: str) -> str:
    left, _, right, _ = page.boxes[4 * base : 4 * base + 4]
    middle = (page.boxes[4 * mark] + page.boxes[4 * mark + 2]) / 2
    share = (right - middle) / max(right - left, 1.0)
    place = min(max(round(share * len(word) + 0.5), 1), len(word))
    return word[:place] + text + word[place:]


def in_reading_order(page: PageText, lines: Sequence[Line]) -> None:
    """Put the words of the lines in order, with spaces where they are apart. Changes the texts and flags of the page,
    which are its own after `with_whole_words`."""
    if _is_recognised(page) or not isinstance(page.texts, list) or not isinstance(page.flags, list):
        return
    for line in lines:
        if not line.angle and is_right_to_left(line.text):
            groups = _groups(page, line.runs)
            _space(page, page.flags, groups)
            _punctuate(page.texts, page.flags, groups)
            line.runs = [run for group in groups for run in group]
            line.measure(page)


def order_of_cell(page: PageText, runs: Sequence[int]) -> list[int]:
    """The runs of a cell, line after line in reading order."""
    rows = baseline_rows(runs, baseline=page.baselines.__getitem__, size=page.sizes.__getitem__)
    return [run for row in rows for group in _groups(page, row) for run in group]


def mirrored(page: PageText, table: FoundTable) -> FoundTable:
    """A table of right-to-left text with its columns counted from the right."""
    words = [page.texts[run] for cell in table.cells for run in cell.runs]
    letters = [word for word in words if any(map(str.isalpha, word))]
    if 2 * sum(map(is_right_to_left, letters)) <= len(letters):
        return table

    if isinstance(page.texts, list):
        for run in (run for cell in table.cells for run in cell.runs):
            if _kind(page.texts[run]) == "N":
                _settle(page.texts, run, run)

    def moved(cell: FoundCell) -> FoundCell:
        return replace(cell, column=table.columns - cell.column - cell.column_span)

    return replace(table, cells=[moved(cell) for cell in table.cells])


def _groups(page: PageText, runs: Sequence[int]) -> list[list[int]]:
    """The runs of a line from right to left; those that are read from left to right together in one group."""
    boxes = page.boxes
    placed = sorted(runs, key=lambda run: -(boxes[4 * run] + boxes[4 * run + 2]))
    kinds = {run: _kind(page.texts[run]) for run in placed}
    groups: list[list[int]] = []
    latin = False  # whether the last group has letters
    for place, run in enumerate(placed):
        kind = kinds[run]
        last = groups[-1][0] if groups else None  # the leftmost of its group
        if last is not None and kinds[last] in "LN" and kind != "R":
            gap = _gap(page, last, run)
            tight = gap < TIGHT * page.sizes[run]
            if kind == "O":
                after = next((kinds[r] for r in placed[place + 1 :] if kinds[r] != "O"), "R")
                joins = after in "LN" and (
                    (latin and after == "L") or (tight and _joins_digits(page, placed, place, last))
                )
            else:
                joins = tight or latin or kind == "L"
            if joins:
                groups[-1].insert(0, run)
                kinds[run] = kind if kind != "O" else "N"
                latin = latin or kind == "L"
                continue
        groups.append([run])
        latin = kind == "L"
    return groups


def _joins_digits(page: PageText, placed: Sequence[int], place: int, last: int) -> bool:
    """Whether a sign between two numbers is set like them: one in the font of the words divides them."""
    if place + 1 == len(placed):
        return False
    run, left = placed[place], placed[place + 1]
    near = _gap(page, run, left) < TIGHT * page.sizes[run]
    return near and page.fonts[run] == page.fonts[last] and page.texts[left][-1:].isdigit()


def _kind(text: str) -> str:
    """R for words from right to left, L for others, N for numbers and O for the rest."""
    if is_right_to_left(text):
        return "R" if any(map(str.isalpha, text)) else "N" if any(map(str.isdigit, text)) else "O"
    if any(map(str.isalpha, text)):
        return "L"
    return "N" if any(map(str.isdigit, text)) else "O"


def _gap(page: PageText, right: int, left: int) -> float:
    return page.boxes[4 * right] - page.boxes[4 * left + 2]


def _space(page: PageText, flags: list[int], groups: Sequence[Sequence[int]]) -> None:
    """Set where a space precedes: as the file says where it wrote the runs so, otherwise where there is a gap."""
    for group in groups:
        for a, b in pairwise(group):
            _part(flags, a, b, page.boxes[4 * b] - page.boxes[4 * a + 2] > TIGHT * page.sizes[b])
    for before, group in pairwise(groups):
        a, b = before[-1], group[0]
        apart = page.boxes[4 * before[0]] - page.boxes[4 * group[-1] + 2] > TIGHT * page.sizes[b]
        if len(before) == len(group) == 1:
            _part(flags, a, b, apart)
        else:
            flags[b] = flags[b] | SPACE if apart else flags[b] & ~SPACE


def _part(flags: list[int], a: int, b: int, apart: bool) -> None:
    if b != a + 1 or flags[b] & LINE:
        flags[b] = flags[b] | SPACE if apart else flags[b] & ~SPACE


def _punctuate(texts: list[str], flags: Sequence[int], groups: Sequence[Sequence[int]]) -> None:
    """Brackets open before and close behind what they enclose, and signs follow the number they belong to."""
    depth = 0
    for place, group in enumerate(groups):
        first, last = group[0], group[-1]
        kind = _kind(texts[first])
        if kind == "O" and len(group) == 1:
            free_before = place == 0 or bool(flags[first] & SPACE)
            free_behind = place + 1 == len(groups) or bool(flags[groups[place + 1][0]] & SPACE)
            opens = free_before if free_before != free_behind else not depth
            texts[first] = _faced(texts[first], opens=opens)
        elif kind == "R":
            text = texts[first]
            if len(text) > 1:
                texts[first] = _faced(text[0], opens=True) + text[1:-1] + _faced(text[-1], opens=False)
        else:
            _settle(texts, first, last)
        text = "".join(texts[run] for run in group)
        depth = max(0, depth + sum(c in _OPENING for c in text) - sum(c in _CLOSING for c in text))


def _faced(text: str, *, opens: bool) -> str:
    wrong = _CLOSING if opens else _OPENING
    return "".join(_MIRRORED[c] if c in wrong else c for c in text)


def _settle(texts: list[str], first: int, last: int) -> None:
    """Move what stands at the left of a number or a Latin word, and belongs behind it, to its end."""
    while len(texts[first]) > 1 and (texts[first][0] in _BEHIND and texts[first][1:2].isdigit()):
        sign, texts[first] = texts[first][0], texts[first][1:]
        texts[last] += sign
    head, tail = texts[first][:1], texts[last][-1:]
    whole = texts[first] if first == last else texts[first] + texts[last]
    if head in _OPENING and head and _MIRRORED[head] not in whole and len(texts[first]) > 1:
        texts[first] = texts[first][1:]
        texts[last] += _MIRRORED[head]
    elif tail in _CLOSING and tail and _MIRRORED[tail] not in whole and len(texts[last]) > 1:
        texts[last] = texts[last][:-1]
        texts[first] = _MIRRORED[tail] + texts[first]
