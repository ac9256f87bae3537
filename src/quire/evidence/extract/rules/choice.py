"""Chooses one candidate for each leaf, so that what they say together makes sense."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from quire.evidence.extract.rules.candidate_ranking import LEAST, Ranked
from quire.evidence.extract.rules.leaves import WantedLeaf

TRIED = 4
"""The number of candidates of a leaf that are tried together with those of others."""
AGREES = 0.15
"""The bonus of candidates that agree over those that do not."""
NEAR = 0.25
"""The most by which a place may fit a leaf less than the one that it fits best, for both to be considered."""
Ranks = Mapping[str, Sequence[Ranked]]
Place = tuple[str, int, float, bool]


def chosen(wanted: Sequence[WantedLeaf], ranked: Ranks) -> dict[str, Sequence[Ranked]]:
    """The candidates of each leaf, the chosen one first; a leaf without any that is good enough is left out."""
    lists = {path: [one for one in those if one.score >= LEAST] for path, those in ranked.items()}
    by_concept = {one.concept.id: one.leaf.path for one in wanted if one.concept is not None}
    for first, second in (("period_from", "period_to"), ("date", "due_date"), ("order_date", "date")):
        if first in by_concept and second in by_concept:
            _in_order(lists, by_concept[first], by_concept[second])
    if {"net", "tax", "total"} <= by_concept.keys():
        _adding_up(lists, by_concept["net"], by_concept["tax"], by_concept["total"])
    _apart(lists)
    return {path: those for path, those in lists.items() if those}


def _in_order(lists: dict[str, list[Ranked]], first: str, second: str) -> None:
    """The two dates of which the first is not after the second; those of one range together."""
    pairs = [
        (a.score + b.score + AGREES * (_iso(a) <= _iso(b)) + AGREES * _are_one_range(a, b), -i - j, a, b)
        for i, a in enumerate(lists[first][:TRIED])
        for j, b in enumerate(lists[second][:TRIED])
    ]
    if pairs:
        _, _, a, b = max(pairs, key=lambda pair: pair[:2])
        _put_first(lists[first], a)
        _put_first(lists[second], b)


def _iso(one: Ranked) -> str:
    return str(one.candidate.value)


def _are_one_range(a: Ranked, b: Ranked) -> bool:
    one, other = a.candidate, b.candidate
    return one is not other and (one.record, one.order) == (other.record, other.order)


def _adding_up(lists: dict[str, list[Ranked]], net: str, tax: str, total: str) -> None:
    triples = [
        (a.score + b.score + c.score, a, b, c)
        for a in lists[net][:TRIED]
        for b in lists[tax][:TRIED]
        for c in lists[total][:TRIED]
        if abs(_number(a) + _number(b) - _number(c)) < 0.011
    ]
    if triples:
        _, a, b, c = max(triples, key=lambda triple: triple[0])
        for path, one in ((net, a), (tax, b), (total, c)):
            if one.score + AGREES >= lists[path][0].score:
                _put_first(lists[path], one)


def _number(one: Ranked) -> float:
    value = one.candidate.value
    return float(value) if isinstance(value, (int, float)) else float("nan")


def _apart(lists: dict[str, list[Ranked]]) -> None:
    """One place is the value of one leaf, and others take the next that is free.

    It belongs to the leaf that it fits best; of those that it fits almost as well, to the one with the most to lose.
    """
    while contested := _contested(lists):
        place, paths = contested
        best = max(lists[path][0].score for path in paths)
        near = [path for path in paths if lists[path][0].score >= best - NEAR]
        keeper = max(near, key=lambda path: _loss(lists[path]))
        for path in paths:
            if path != keeper:
                lists[path] = [one for one in lists[path] if _place(one) != place]
    taken: dict[Place, str] = {}
    for path in _by_score(lists):
        lists[path] = [one for one in lists[path] if taken.get(_place(one), path) == path]
        taken[_place(lists[path][0])] = path


def _contested(lists: Mapping[str, Sequence[Ranked]]) -> tuple[Place, list[str]] | None:
    """A place that several leaves have chosen, the one with the best score first, and these."""
    wanting: dict[Place, list[str]] = defaultdict(list)
    for path in _by_score(lists):
        wanting[_place(lists[path][0])].append(path)
    return next(((place, paths) for place, paths in wanting.items() if len(paths) > 1), None)


def _by_score(lists: Mapping[str, Sequence[Ranked]]) -> list[str]:
    """The leaves that have candidates, the one with the best first."""
    return sorted((path for path, those in lists.items() if those), key=lambda path: -lists[path][0].score)


def _loss(those: Sequence[Ranked]) -> float:
    """The difference in score to the next candidate that stands elsewhere."""
    first = _place(those[0])
    return those[0].score - next((one.score for one in those if _place(one) != first), LEAST)


def _place(one: Ranked) -> Place:
    """The place of a value; a currency stands in the amount that it is the currency of."""
    candidate = one.candidate
    return candidate.record, candidate.order, candidate.bbox.left, candidate.kind == "currency"


def _put_first(those: list[Ranked], one: Ranked) -> None:
    those.remove(one)
    those.insert(0, one)
