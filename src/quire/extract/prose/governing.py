"""The jurisdiction whose law governs an agreement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.extract.prose.found import FoundInProse
from quire.extract.prose.running_text import RunningText

_STATE = r"(?:State|Commonwealth|Province|Republic|Kingdom|Territory|Federal Republic|Canton|Emirate|District)"
_PLACE = r"[A-Z][\w’'-]*(?:\s+(?:of\s+(?:the\s+)?|and\s+)?[A-Z][\w’'-]*){0,4}"
_OF = re.compile(
    rf"\b(?i:laws?|jurisdiction)\b[^.;]{{0,90}}?\b(?i:of)\s+(?:(?i:the)\s+)?"
    rf"(?:(?i:internal\s+)?(?i:laws\s+of\s+(?:the\s+)?))?(?:(?i:{_STATE})\s+(?i:of)\s+)?(?:[A-Z][\w\s]{{2,30}},\s+(?i:{_STATE})\s+of\s+)?(?P<place>{_PLACE})"
)
_ADJECTIVE = re.compile(
    r"\b(?i:governed\s+by|under|accordance\s+with)\s+(?:the\s+)?(?P<place>[A-Z]\w+(?:\s[A-Z]\w+)?)\s+laws?\b"
)
_GOVERNED = re.compile(r"govern|constru|interpret|enforce|determined in accordance", re.IGNORECASE)
_NO_PLACE = re.compile(
    r"^(?:Agreement|Company|Section|Party|Parties|Conflicts?|Law|Laws|Choice|Employee|Executive|Court|Courts|Any|Such|"
    r"Contract|Board|Internal Revenue|Directors?)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s+(?:and|of|the|AND|OF|THE|WITHOUT|APPLICABLE|U\.?S\.?A?|USA)\b.*$")


def governing_law(running: RunningText) -> list[FoundInProse]:
    """The states and countries whose law is said to apply, the most likely first."""
    found = sorted(_places(running), key=lambda one: (-one.confidence, one.start))
    kept: dict[str, FoundInProse] = {}
    for one in found:
        kept.setdefault(str(one.value).casefold(), one)
    return list(kept.values())


def _places(running: RunningText) -> Iterator[FoundInProse]:
    for pattern in (_OF, _ADJECTIVE):
        for match in pattern.finditer(running.text):
            place = _TAIL.sub("", match["place"]) if not match["place"].startswith("District of") else match["place"]
            if _NO_PLACE.match(place) or len(place) < 3:
                continue
            first, last = running.sentence(match.start())
            sentence = running.text[first:last]
            governed = bool(_GOVERNED.search(sentence))
            stated = bool(re.search(_STATE, match[0], re.IGNORECASE))
            sure = 0.45 + 0.4 * governed + 0.08 * stated
            if re.search(
                r"other than|conflicts?\s+of\s+laws?.{0,30}\bof\s*$", running.text[match.start() - 60 : match.start()]
            ):
                sure -= 0.3
            if not governed and not stated:
                continue
            at = match.start("place")
            value = place.title() if place.isupper() else place
            yield FoundInProse(value, at, at + len(place), sure)
