"""Whether a choice on a page says the value that a person confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from quire.context import Json
from quire.extract.schema import LeafSpec
from quire.learn.choices import Choice
from quire.learn.samples import SamplePlace
from quire.types import BBox
from quire.verify.dates import date_readings
from quire.verify.durations import duration_of
from quire.verify.numbers import number_readings
from quire.verify.phrases import solid

ALIKE = 0.88
"""How similar a text must be to a value that stands nowhere letter by letter: OCR misread it."""
COVERED = 0.5
"""The least that a choice and the box of a value share."""
_NUMBERS = ("amount", "number", "percentage")


def says(leaf: LeafSpec, value: Json, said: Json) -> bool:
    """Whether two values are the same: dates and numbers by value, texts by their letters and digits."""
    if said is None or said == "":
        return False
    if leaf.kind == "date" and (wanted := date_readings(str(value))):
        return not wanted.isdisjoint(date_readings(str(said)))
    if leaf.kind in _NUMBERS or leaf.type in ("number", "integer"):
        numbers = number_readings(value)
        if numbers:
            return not numbers.isdisjoint(number_readings(said))
    if leaf.kind in ("duration", None) and (term := duration_of(str(value))) is not None:
        other = duration_of(str(said))
        return other is not None and other[1:] == term[1:]
    return solid(str(value)) == solid(str(said))


def right_choices(
    leaf: LeafSpec, choices: Sequence[Choice], values: Sequence[Json], place: SamplePlace | None
) -> list[int]:
    """Which choices are the confirmed value: those that say it, if possible at its place; else what stands there;
    else the one text that nearly says it."""
    exact = [
        at
        for at, choice in enumerate(choices)
        if any(says(leaf, value, choice.value) or says(leaf, value, choice.candidate.text) for value in values)
    ]
    words = {_words(str(value)) for value in values}
    exact = [at for at in exact if _words(str(choices[at].value)) in words] or exact
    if place is not None:
        there = [at for at in exact if _shared(choices[at], place) > 0]
        if exact:
            return there or exact
        near = [(share, at) for at, choice in enumerate(choices) if (share := _shared(choice, place)) >= COVERED]
        if near:
            most = max(share for share, _ in near)
            return [at for share, at in near if share == most]
    return exact or _nearly(choices, values)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _nearly(choices: Sequence[Choice], values: Sequence[Json]) -> list[int]:
    best, found = ALIKE, -1
    for value in values:
        wanted = solid(str(value))
        if len(wanted) < 6:
            continue
        matcher = SequenceMatcher(None, "", wanted, autojunk=False)
        for at, choice in enumerate(choices):
            text = solid(choice.candidate.text)
            if abs(len(text) - len(wanted)) > (1 - ALIKE) * 2 * len(wanted):
                continue
            matcher.set_seq1(text)
            if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
                best, found = matcher.ratio(), at
    return [found] if found >= 0 else []


def _shared(choice: Choice, place: SamplePlace) -> float:
    """The part of the page that both cover, as a share of what at least one covers."""
    if choice.candidate.page != place.page or not place.bboxes:
        return 0.0
    one, other = choice.candidate.bbox, BBox.union(place.bboxes)
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / max(one.width * one.height + other.width * other.height - shared, 1e-9)
