"""The places of texts on printed pages, from the order that both have in common.

All texts are aligned at once (`chaining`), the rest between those that have a place; then what the pages have in
another order (text boxes, footnotes), parts of lines, texts that printing changed, and at last formulas, whose text
is not what is printed. A text whose place is not certain gets none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from quire.pages.formats.candidate_chains import chained
from quire.pages.formats.printed_text import KeptText, PrintedText

Stretch = tuple[int, int]

_LIMITS = (16, 128)
"""Texts that occur more often wait until their neighbours have a place."""
_ORPHAN_CHARS = 4
_CHANGED_CHARS = 20
_CHANGED_SHARE = 0.75
_CHANGED_WORK = 1_000_000


@dataclass(slots=True, eq=False)
class SoughtText:
    """A text that looks for its place."""

    kept: KeptText
    whole: bool
    """It fills its lines; otherwise it is a part of one."""
    may_change: bool = False
    """Printing may put other words into it."""
    formula: bool = False
    """It is written in LaTeX, and printed as a formula."""
    found: list[Stretch] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.kept.text


def align(texts: Sequence[SoughtText], printed: PrintedText, window: Stretch) -> None:
    """Find the places of texts, given in reading order, in this part of what is printed."""
    _in_order(texts, printed, window)
    _out_of_order(texts, printed, window)
    for between, gap in _gaps(texts, window):
        _parts_of_lines(between, printed, gap)
    _changed(texts, printed, window)
    for between, gap in _gaps(texts, window):
        if all(one.formula for one in between):
            _formulas(between, printed, gap)


def _gaps(texts: Sequence[SoughtText], window: Stretch) -> Iterator[tuple[list[SoughtText], Stretch]]:
    """Texts without a place that follow each other, and what is printed between those around them."""
    start, between = window[0], list[SoughtText]()
    for one in texts:
        if not one.found:
            between += [one] if one.text or one.formula else []
            continue
        if between and start < one.found[0][0]:
            yield between, (start, one.found[0][0])
        start, between = one.found[-1][1], []
    if between and start < window[1]:
        yield between, (start, window[1])


def _parts_of_lines(texts: Sequence[SoughtText], printed: PrintedText, gap: Stretch) -> None:
    """Place short texts that share a line: a label and its value."""
    candidates = [printed.places(one.text, gap, whole=False, limit=_LIMITS[0]) or () for one in texts]
    free = [[place for place in places if printed.is_free_word(place.start, place.end)] for places in candidates]
    for one, found in zip(texts, chained(free), strict=True):
        if found is not None:
            _take(one, [(found.start, found.end)], printed)


def _formulas(texts: Sequence[SoughtText], printed: PrintedText, gap: Stretch) -> None:
    """Place formulas on what is printed between the texts around them, if that is one group of lines for each."""
    groups = printed.free_groups(*gap)
    if len(groups) == len(texts):
        for one, stretches in zip(texts, groups, strict=True):
            _take(one, stretches, printed)


def _in_order(texts: Sequence[SoughtText], printed: PrintedText, window: Stretch) -> None:
    """Place what is certain, then what is certain between that, until nothing more is."""
    todo = [(list(texts), window, 0)]
    while todo:
        sought, (start, end), level = todo.pop()
        limit = _LIMITS[level]
        places = chained([printed.places(one.text, (start, end), whole=one.whole, limit=limit) or () for one in sought])
        if not any(places):
            if level + 1 < len(_LIMITS):
                todo.append((sought, (start, end), level + 1))
            continue
        between: list[SoughtText] = []
        for one, place in zip(sought, places, strict=True):
            if place is None:
                between.append(one)
                continue
            _take(one, [(place.start, place.end)], printed)
            if between:
                todo.append((between, (start, place.start), 0))
            start, between = place.end, []
        if between:
            todo.append((between, (start, end), 0))


def _out_of_order(texts: Sequence[SoughtText], printed: PrintedText, window: Stretch) -> None:
    """Place what is elsewhere on the pages, if it is there exactly as often as it is looked for."""
    alike: dict[str, list[SoughtText]] = defaultdict(list)
    for one in texts:
        if not one.found and len(one.text) >= _ORPHAN_CHARS:
            alike[one.text].append(one)
    for text, group in alike.items():
        whole = any(one.whole for one in group)
        places = printed.places(text, window, whole=whole, limit=_LIMITS[-1]) or ()
        free = [(start, end) for start, end, _ in places if printed.is_free(start, end)]
        if len(free) == len(group):
            for one, stretch in zip(group, free, strict=True):
                _take(one, [stretch], printed)


def _changed(texts: Sequence[SoughtText], printed: PrintedText, window: Stretch) -> None:
    """Place long texts of which most words are there: a field, or the foot of a page, comes between them."""
    ends: list[int] = []
    for one in reversed(texts):
        if one.found:
            ends.append(one.found[0][0])
        else:
            ends.append(ends[-1] if ends else window[1])
    start = window[0]
    for one, end in zip(texts, reversed(ends), strict=True):
        if one.found:
            start = one.found[-1][1]
        elif one.may_change and len(one.text) >= _CHANGED_CHARS and start < end:
            _take(one, _most_words(one, printed, (start, end)), printed)


def _most_words(one: SoughtText, printed: PrintedText, window: Stretch) -> list[Stretch]:
    """The words of a text in a window, if that has most of them, and no second place has nearly as many."""
    tokens = printed.free_words(*window)
    words = one.kept.words()
    if len(words) * len(tokens) > _CHANGED_WORK:
        return []
    there = [printed.text[start:end] for start, end in tokens]
    blocks = _matching(words, there)
    taken = {at + n for _, at, size in blocks for n in range(size)}
    others = ["" if number in taken else word for number, word in enumerate(there)]
    if _share(words, blocks) < _CHANGED_SHARE or _share(words, _matching(words, others)) > _CHANGED_SHARE / 2:
        return []
    return [tokens[number] for number in sorted(taken)]


def _take(one: SoughtText, stretches: list[Stretch], printed: PrintedText) -> None:
    one.found = stretches
    for start, end in stretches:
        printed.use(start, end)


def _matching(words: list[str], there: list[str]) -> list[tuple[int, int, int]]:
    blocks = SequenceMatcher(None, words, there, autojunk=False).get_matching_blocks()
    return [(a, b, size) for a, b, size in blocks if size]


def _share(words: list[str], blocks: list[tuple[int, int, int]]) -> float:
    matched = sum(len(words[first + n]) for first, _, size in blocks for n in range(size))
    return matched / sum(map(len, words))
