"""The choices of a page that say a value which a person confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from quire.core.context import Json
from quire.core.types import BBox
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.learn.choices import LeafChoice
from quire.evidence.learn.samples import SamplePlace
from quire.lexicon.amounts import number_readings
from quire.lexicon.dates import date_readings
from quire.lexicon.durations import duration_of
from quire.lexicon.phrases import solid
from quire.pages.geometry.extents import overlap

ALIKE = 0.88
"""The least similarity of a text to a value that stands nowhere letter by letter: OCR misread it."""
COVERED = 0.5
"""The least that a choice and the box of a value share."""
_NUMBERS = ("amount", "number", "percentage")
_REMEMBERED = 4096  # texts: several leaves are compared with the same candidates
_date_readings = lru_cache(maxsize=_REMEMBERED)(date_readings)
_number_readings = lru_cache(maxsize=_REMEMBERED)(number_readings)


class ConfirmedValue:
    """A value that a person confirmed for a leaf, compared with others: dates, numbers and durations by value, texts by
    their letters and digits."""

    def __init__(self, leaf: LeafSpec, value: Json) -> None:
        text = str(value)
        self._dates = date_readings(text) if leaf.kind == "date" else frozenset()
        counted = leaf.kind in _NUMBERS or leaf.type in ("number", "integer")
        self._numbers = number_readings(value) if counted else frozenset()
        lasts = leaf.kind in ("duration", None) and not self._dates and not self._numbers
        self._duration = duration_of(text) if lasts else None
        self._letters, self._words = solid(text), _words(text)

    @property
    def kinds(self) -> frozenset[str] | None:
        """The kinds of candidates that may say it; None for all."""
        if self._dates:
            return frozenset({"date"})
        if self._duration is not None:
            return frozenset({"duration"})
        return frozenset(_NUMBERS) if self._numbers else None

    def is_said_by(self, said: Json) -> bool:
        if said is None or said == "":
            return False
        if self._dates:
            return not self._dates.isdisjoint(_date_readings(str(said)))
        if self._numbers:
            return not self._numbers.isdisjoint(
                _number_readings(said) if isinstance(said, str) else number_readings(said)
            )
        if self._duration is not None:
            other = duration_of(str(said))
            return other is not None and other[1:] == self._duration[1:]
        return self._letters == solid(str(said))

    def has_words(self, said: Json) -> bool:
        return self._words == _words(str(said))


def right_choices(
    leaf: LeafSpec, choices: Sequence[LeafChoice], values: Sequence[Json], place: SamplePlace | None
) -> list[int]:
    """The numbers of the choices that are the confirmed value: choices with its text, at its place if one is there;
    else the choices at its place; else the one choice whose text is nearly the same."""
    wanted = [ConfirmedValue(leaf, value) for value in values]
    exact = [at for at, choice in enumerate(choices) if any(_is_said(one, choice) for one in wanted)]
    exact = [at for at in exact if any(one.has_words(choices[at].value) for one in wanted)] or exact
    if place is not None:
        there = [at for at in exact if _shared(choices[at], place) > 0]
        if exact:
            return there or exact
        near = [(share, at) for at, choice in enumerate(choices) if (share := _shared(choice, place)) >= COVERED]
        if near:
            most = max(share for share, _ in near)
            return [at for share, at in near if share == most]
    return exact or _nearly(choices, values)


def _is_said(wanted: ConfirmedValue, choice: LeafChoice) -> bool:
    if choice.rank is None and wanted.kinds is not None and choice.candidate.kind not in wanted.kinds:
        return False
    value, printed = choice.value, choice.candidate.text
    return wanted.is_said_by(value) or (printed != value and wanted.is_said_by(printed))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _nearly(choices: Sequence[LeafChoice], values: Sequence[Json]) -> list[int]:
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


def _shared(choice: LeafChoice, place: SamplePlace) -> float:
    """The part of the page that both cover, as a share of what at least one covers."""
    if choice.candidate.page != place.page or not place.bboxes:
        return 0.0
    return overlap(choice.candidate.bbox, BBox.union(place.bboxes))
