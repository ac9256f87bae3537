"""Joins lines into the text of a block: hyphens at line ends, emphasis and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from quire.core.fonts import Font, looks_of
from quire.core.pagetext import SPACE, LinkInfo, PageText
from quire.core.types import Span
from quire.pages.layout.formulas.inline import InlineFormula
from quire.pages.layout.leftwards import order_of_cell
from quire.pages.layout.lines import Line, is_right_to_left

_SUSPENDED = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"})
"""Words after which a hyphen at a line end does not break a word: left- and right-hand."""

_KEEPING = frozenset(
    {
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
        "two",
        "three",
        "four",
        "self",
        "well",
    }
)
"""Words that are rarely the beginning of a longer one: a hyphen after them stays."""

_DASHES = ("-", "‐", "\u00ad")


@dataclass(slots=True)
class Text:
    """The text of a block with its emphasis and links."""

    text: str
    spans: tuple[Span, ...]


class PageVocabulary:
    """The words of a page, to distinguish a compound (few-body) from a word hyphenated at the line end."""

    def __init__(self, page: PageText) -> None:
        self._page = page
        self._words: str | None = None

    def __contains__(self, word: str) -> bool:
        if self._words is None:
            self._words = f" {' '.join(self._page.texts)} ".lower()
        return word in self._words


def broken_word(piece: str, before: str, after: str, vocabulary: PageVocabulary | None = None) -> bool | None:
    """Whether the hyphen at the end of `before` stays when the lines are joined; None when it breaks no word.

    `piece` is the end of the text so far, which must end with that hyphen.
    """
    if len(before) < 2 or piece[-1:] not in _DASHES or before[-1] not in _DASHES:
        return None
    if not before[-2].isalpha() or not after[:1].isalpha() or after.split(None, 1)[0] in _SUSPENDED:
        return None
    first = before[:-1].rpartition(" ")[2]
    return _compound(first, after.partition(" ")[0], vocabulary)


def join_lines(before: str, after: str, vocabulary: PageVocabulary | None = None) -> str:
    """Two texts as one: with a line break, or with the word joined that a hyphen breaks between them."""
    last = before.rpartition("\n")[2]
    kept = broken_word(last, last, after, vocabulary)
    if kept is None:
        return f"{before}\n{after}"
    head = before if kept else before[:-1]
    tail, space, rest = after.partition(" ")
    if "\n" in tail:
        return head + after
    return f"{head}{tail}" + (f"\n{rest}" if space else "")


def _compound(first: str, tail: str, vocabulary: PageVocabulary | None) -> bool:
    if tail[0].isupper() or "-" in first or len(first) == 1 or first.lower() in _KEEPING:
        return True
    if vocabulary is None:
        return False
    clean = tail.strip(".,;:()[]'\"“”’").lower()
    start = first.strip(".,;:()[]'\"“”’").lower()
    return f"{start}-{clean}" in vocabulary and f"{start}{clean}" not in vocabulary


def block_text(
    page: PageText,
    lines: Sequence[Line],
    vocabulary: PageVocabulary,
    *,
    keep_hyphens: bool = False,
    code: bool = True,
    bold: bool = True,
    formulas: Sequence[InlineFormula] = (),
) -> Text:
    """The lines of a block, separated by line breaks, with emphasis, links and formulas as spans.

    With `code`, words in a font of fixed width are code; without `bold`, bold type stresses nothing, as on a page that
    is set in it.
    """
    if not formulas and not _stands_out(page, lines):
        text = lines[0].text
        for last, line in pairwise(lines):
            if same_row(last, line):
                text = f"{text} {line.text}"
            else:
                text = f"{text}\n{line.text}" if keep_hyphens else join_lines(text, line.text, vocabulary)
        return Text(text, ())
    return _styled(page, lines, vocabulary, keep_hyphens, code, bold, formulas)


def same_row(a: Line, b: Line) -> bool:
    """Whether `b` continues where `a` ends, at the same height."""
    return abs(a.baseline - b.baseline) < 0.3 * max(a.size, b.size) and b.left >= a.right - 1


def cell_text(page: PageText, runs: Sequence[int], vocabulary: PageVocabulary) -> str:
    """The text of a cell: a new line where the baseline steps down or the text jumps back."""
    texts, flags = page.texts, page.flags
    if not runs:
        return ""
    if len(runs) == 1:
        return texts[runs[0]]
    if is_right_to_left("".join([texts[run] for run in runs])):
        runs = order_of_cell(page, runs)
    line = texts[runs[0]]
    done: str | None = None
    sizes, baselines, boxes = page.sizes, page.baselines, page.boxes
    for last, run in pairwise(runs):
        step = abs(baselines[run] - baselines[last])
        if step < 0.3 * max(sizes[run], sizes[last]) or (
            step < 0.7 * max(sizes[run], sizes[last]) and boxes[4 * run] >= boxes[4 * last] - 1
        ):
            line = f"{line} {texts[run]}" if flags[run] & SPACE else line + texts[run]
            continue
        done = line if done is None else join_lines(done, line, vocabulary)
        line = texts[run]
    return line if done is None else join_lines(done, line, vocabulary)


def code_text(lines: Sequence[Line]) -> str:
    """Lines of a listing with their indentation, measured in characters."""
    letters = sum(len(line.text) for line in lines)
    advance = sum(line.width for line in lines) / letters if letters else 1.0
    left = min(line.left for line in lines)
    steps = [b.baseline - a.baseline for a, b in pairwise(lines)]
    usual = min((step for step in steps if step > 0), default=0.0)
    text = ""
    for line, step in zip(lines, [0.0, *steps], strict=True):
        if step:
            text += "\n" * max(1, min(round(step / usual), 3) if usual else 1)
        text += " " * min(round((line.left - left) / max(advance, 0.1)), 80) + line.text
    return text


def _stands_out(page: PageText, lines: Sequence[Line]) -> bool:
    """Whether anything in the lines differs from plain text of one style."""
    if any(link["uri"] for link in page.links):
        return True
    fonts, sizes = page.fonts, page.sizes
    first = lines[0].runs[0]
    font, size = fonts[first], sizes[first]
    look = page.font_table[font].look
    if look.bold or look.italic or look.mono:
        return True
    return any(fonts[r] != font or sizes[r] != size for line in lines for r in line.runs)


def _styled(
    page: PageText,
    lines: Sequence[Line],
    vocabulary: PageVocabulary,
    keep_hyphens: bool,
    code: bool,
    bold: bool,
    formulas: Sequence[InlineFormula],
) -> Text:
    pieces: list[str] = []
    spans: list[Span] = []
    length = 0
    flags, texts, fonts, sizes = page.flags, page.texts, page.fonts, page.sizes
    links = _Links(page, lines)
    linked = bool(links)
    formula_of = {run: number for number, formula in enumerate(formulas) for run in formula.runs}
    places: dict[int, tuple[int, int]] = {}
    marked = _marked(tuple(page.font_table))
    for number, line in enumerate(lines):
        separator = " "
        small = 0.85 * line.size
        if number:
            last = lines[number - 1]
            kept = None if keep_hyphens else broken_word(pieces[-1], last.text, line.text, vocabulary)
            if same_row(last, line):
                pieces.append(" ")
                length += 1
            elif kept is None:
                pieces.append("\n")
                length += 1
            else:
                separator = "\n"  # the rest of the word moves up, the line break follows it
                if not kept:
                    pieces[-1] = pieces[-1][:-1]
                    length -= 1
                    if spans and spans[-1].end > length:
                        spans[-1] = replace(spans[-1], end=length)
        for place, run in enumerate(line.runs):
            if place and flags[run] & SPACE and not (line.cap and place == 1):
                pieces.append(separator)
                separator = " "
                length += 1
            text = texts[run]
            if run in formula_of:
                number_of = formula_of[run]
                end = length + len(text) - (formulas[number_of].tail if run == formulas[number_of].runs[-1] else 0)
                places[number_of] = (places.get(number_of, (length, end))[0], end)
            elif (
                fonts[run] in marked
                or sizes[run] < small
                or (linked and (sizes[run] == small or links.at(run) is not None))
            ):
                span = _span(page, line, run, links, length, code, bold)
                if span:
                    _append(spans, span)
            pieces.append(text)
            length += len(text)
    for number_of, (start, end) in places.items():
        latex, unsure = formulas[number_of].parsed
        spans.append(Span(start, end, latex=latex, unsure=unsure))
    if places:
        spans.sort(key=lambda span: span.start)
    return Text("".join(pieces), tuple(span for span in spans if span.end > span.start))


@lru_cache(maxsize=64)
def _marked(fonts: tuple[Font, ...]) -> frozenset[int]:
    """The numbers of the fonts that are not plain."""
    return frozenset(number for number, look in enumerate(looks_of(fonts)) if any(look[:3]))


def _span(page: PageText, line: Line, run: int, links: _Links, start: int, code: bool, stressed: bool) -> Span | None:
    look = page.font_table[page.fonts[run]].look
    mono = look.mono and code
    raised = _raised(page, line, run)
    link = links.at(run) if links else None
    bold, italic = look.bold and stressed and not look.math, look.italic and not look.math
    if not (bold or italic or mono or raised or link):
        return None
    return Span(
        start,
        start + len(page.texts[run]),
        bold=bold,
        italic=italic,
        superscript=raised > 0,
        subscript=raised < 0,
        code=mono,
        link=link,
    )


def _append(spans: list[Span], span: Span) -> None:
    """Add a span, or extend the one before it when only a space separates them and they look alike."""
    if spans:
        last = spans[-1]
        if span.start - last.end <= 1 and _style(last) == _style(span):
            spans[-1] = Span(last.start, span.end, *_style(last))
            return
    spans.append(span)


def _style(span: Span) -> tuple[bool, bool, bool, bool, bool, str | None]:
    return span.bold, span.italic, span.superscript, span.subscript, span.code, span.link


def _raised(page: PageText, line: Line, run: int) -> int:
    """1 for a superscript, -1 for a subscript, 0 for text on the line."""
    if page.sizes[run] > 0.85 * line.size:
        return 0
    shift = line.baseline - page.baselines[run]
    if shift > 0.15 * line.size:
        return 1
    return -1 if shift < -0.08 * line.size else 0


class _Links:
    """The links of a page, by the runs inside them."""

    def __init__(self, page: PageText, lines: Sequence[Line]) -> None:
        self._page = page
        self._links: list[LinkInfo] = []
        if page.links:
            top, bottom = min(line.top for line in lines), max(line.bottom for line in lines)
            for link in page.links:
                if link["uri"] and link["box"][1] <= bottom and link["box"][3] >= top:
                    self._links.append(link)

    def __bool__(self) -> bool:
        return bool(self._links)

    def at(self, run: int) -> str | None:
        left, top, right, bottom = self._page.boxes[4 * run : 4 * run + 4]
        x, y = (left + right) / 2, (top + bottom) / 2
        for link in self._links:
            box = link["box"]
            if box[0] - 0.5 <= x <= box[2] + 0.5 and box[1] - 0.5 <= y <= box[3] + 0.5:
                return link["uri"]
        return None
