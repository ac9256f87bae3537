"""The jurisdiction whose law governs an agreement."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quire.evidence.extract.prose.found import FoundInProse, likeliest_first
from quire.evidence.extract.prose.jurisdictions import ADJECTIVE, PLACE, has_states, is_place
from quire.evidence.extract.prose.running_text import RunningText

_STATE = r"(?:State|Commonwealth|Province|Republic|Kingdom|Territory|Federal Republic|Canton|Emirate|District)"
_UNKNOWN_PLACE = r"[A-Z][\w’'-]*(?:\s+(?:of\s+(?:the\s+)?|and\s+)?[A-Z][\w’'-]*){0,4}"
_KNOWN = rf"(?P<place>(?i:{PLACE}))(?![\w’'-])(?!\s+(?i:(?:General\s+)?Corporation\b|LLC|Inc\b))"


_PLACE = re.compile(rf"\b{PLACE}\b", re.IGNORECASE)
_FARTHEST = 180
"""Characters between the words that begin a wording and its place."""


class _Wording(NamedTuple):
    """A way to say whose law applies. `alone` is how sure it is where the sentence does not say what it governs, `cue`
    the words that it begins with, where those stand far more often than places do."""

    pattern: re.Pattern[str]
    alone: float = 0.0
    cue: re.Pattern[str] | None = None

    def found_in(self, text: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
        if self.cue is None:
            yield from self.pattern.finditer(text)
            return
        for cue in self.cue.finditer(text):
            following = bisect_left(places, cue.end())
            near = following < len(places) and places[following] - cue.end() <= _FARTHEST
            if near and (match := self.pattern.match(text, cue.start())):
                yield match


_WORDINGS = (
    _Wording(
        re.compile(rf"\b(?i:laws?|statutes?)\b[^.;]{{0,110}}?\b(?i:of|in|by)\W+(?i:the\s+)?[^.;]{{0,40}}?{_KNOWN}"),
        cue=re.compile(r"\b(?:laws?|statutes?)\b", re.IGNORECASE),
    ),
    _Wording(re.compile(rf"{_KNOWN}(?:\s+(?i:state|federal|substantive|domestic|internal|contract))*\s+(?i:laws?)\b")),
    _Wording(re.compile(rf"(?P<place>\b(?i:{ADJECTIVE}))(?:\s+(?i:substantive|civil))?\s+(?i:laws?)\b")),
    _Wording(re.compile(rf"\b(?i:governing|applicable)\s+(?i:law|jurisdiction)\b\W*[^.;]{{0,60}}?{_KNOWN}"), 0.7),
    _Wording(
        re.compile(
            rf"\b(?i:jurisdiction|venue|courts?|arbitration)\b[^.;]{{0,90}}?\b(?i:of|in|for)\s[^.;]{{0,60}}?{_KNOWN}",
        ),
        0.5,
        re.compile(r"\b(?:jurisdiction|venue|courts?|arbitration)\b", re.IGNORECASE),
    ),
    _Wording(
        re.compile(
            rf"\b(?i:laws?|jurisdiction)\b[^.;]{{0,90}}?\b(?i:of)\s+(?:(?i:the)\s+)?(?:(?i:{_STATE})\s+(?i:of)\s+)"
            rf"(?P<place>{_UNKNOWN_PLACE})"
        )
    ),
)
_GOVERNED = re.compile(
    r"govern|constru|interpret|enforce|determined\s+in\s+accordance|in\s+accordance\s+with|subject\s+to\s+the\s+laws|"
    r"made\s+under|\bappl(?:y|ies)\b",
    re.IGNORECASE,
)
_LAW = re.compile(r"\blaws?\b", re.IGNORECASE)
_ORGANISED = re.compile(
    r"\b(?:organi[sz]ed|incorporated|existing|formed|registered|constituted|duly|corporation|company|partnership)\b[^.;]{0,60}"
    r"\b(?:under|pursuant\s+to|by|in)\b[^.;]{0,30}$|\bas\s+defined\s+(?:in|under)\b[^.;]{0,30}$",
    re.IGNORECASE,
)
"""Words before a law that a company was founded under."""
_SPECIAL = re.compile(
    r"\b(?:securities|export|tax|bankruptcy|antitrust|privacy|employment|labou?r|patent|copyright|trade\s+secrets?|criminal|"
    r"federal\s+securities|insolvency|import)\s+$",
    re.IGNORECASE,
)
"""Words before laws about one subject."""
_STATE_OF_IT = re.compile(
    rf"(?:,|\s+and)\s+(?:of\s+)?(?:the\s+)?(?:laws\s+of\s+)?(?:the\s+)?{_STATE}\s+of\s+(?P<place>{PLACE})\b",
    re.IGNORECASE,
)
"""The state after the country that it is a part of."""
_OTHER_LAW = re.compile(
    r"\b(?:other\s+than|regard\s+to|effect\s+to|reference\s+to|whether\s+of)\b[^.;]{0,60}$|"
    r"\bconflicts?\s+of\s+laws?.{0,30}\bof\s*$",
    re.IGNORECASE,
)
_ABOUT_IT = re.compile(
    r"\b(?:this|the|these|said|such|all|any)\s+(?:\w+[\s-]+){0,4}?"
    r"(?:agreement|letter|contract|deed|lease|license|undertaking|msa|note|plan|engagement|terms|covenants?)\b|\bhereof\b|\bhereunder\b|"
    r"\bit\s+(?:is|shall)",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(
    r"^(?:Agreement|Company|Section|Party|Parties|Conflicts?|Law|Laws|Choice|Employee|Executive|Court|Courts|Any|Such|"
    r"Contract|Board|Internal Revenue|Directors?)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s+(?:and|of|the|AND|OF|THE|WITHOUT|APPLICABLE|U\.?S\.?A?|USA)\b.*$")


def governing_law(running: RunningText) -> list[FoundInProse]:
    """The states and countries whose law is said to apply, the most likely first."""
    return likeliest_first(_places(running))


def _places(running: RunningText) -> Iterator[FoundInProse]:
    known = [one.start() for one in _PLACE.finditer(running.text)]
    for wording in _WORDINGS:
        for match in wording.found_in(running.text, known):
            at, place = match.start("place"), match["place"]
            if has_states(place) and (state := _STATE_OF_IT.match(running.text, match.end("place"))):
                at, place = state.start("place"), state["place"]
            elif not is_place(place):
                place = _TAIL.sub("", place)
            sure = _confidence(running, match, place, wording.alone)
            if sure:
                value = " ".join(place.split())
                yield FoundInProse(_titled(value) if value.isupper() else value, at, at + len(place), round(sure, 2))


def _confidence(running: RunningText, match: re.Match[str], place: str, alone: float) -> float:
    text = running.text
    if _NO_PLACE.match(place) or len(place) < 3 or not place[0].isupper():
        return 0.0
    first, last = running.sentence(match.start("place"))
    before = text[max(first, match.start() - 100) : match.start()]
    if _ORGANISED.search(before) or _SPECIAL.search(before):
        return 0.0
    sentence = text[first:last]
    governed = _GOVERNED.search(sentence) is not None and _LAW.search(sentence) is not None
    sure = max(0.85 if governed else 0.0, alone)
    if not sure:
        return 0.0
    sure += 0.06 * bool(re.search(_STATE, match[0], re.IGNORECASE)) - 0.15 * (
        not _ABOUT_IT.search(sentence) and not alone
    )
    if _OTHER_LAW.search(text[max(first, match.start("place") - 80) : match.start("place")]):
        sure -= 0.3
    return sure - 0.1 * has_states(place)


def _titled(place: str) -> str:
    return re.sub(r"\b(?:Of|And)\b", lambda found: found[0].lower(), place.title())
