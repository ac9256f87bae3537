"""How long an agreement, or what it obliges to, lasts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.extract.prose.found import FoundInProse
from quire.extract.prose.running_text import RunningText
from quire.verify.durations import durations_in

_AGREEMENT = (
    r"(?:this|the|these|said)\s+(?:\w+[\s-]+){0,4}(?:agreement|obligations?|undertaking|contract|lease|licen[cs]e)"
)
_ENDS = (
    r"(?:expires?|terminates?|ends?|continues?|remains?|survives?|be\s+(?:effective|binding|valid)|lasts?|"
    r"in\s+(?:full\s+)?(?:force|effect)|have\s+a\s+term|cease)"
)
_WHOLE = re.compile(rf"\b{_AGREEMENT}\b.{{0,200}}?\b{_ENDS}\b", re.IGNORECASE | re.DOTALL)
_OBLIGED = re.compile(
    rf"\b(?:obligations?|covenants?|duties|restrictions|confidential\w*)\b.{{0,250}}?\b{_ENDS}\b",
    re.IGNORECASE | re.DOTALL,
)
_TERM = re.compile(
    r"\b(?:term|duration)\s+(?:of\s+(?:this|the)\s+(?:\w+\s+)?\w+\s+)?(?:is|shall be|will be|of)\b", re.IGNORECASE
)
_OTHER = re.compile(
    r"solicit|compet|standstill|hire|notice|employment|severance|days?\s+after|written|insurance|salary|invoice|payment|"
    r"interest|audit|vest",
    re.IGNORECASE,
)
_UNIT = re.compile(r"(year|month|week|day)s?\s*$", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:^|\n|\d\.?\s*|\)\s*)(?:Term|Duration|Term and Termination|Termination|Expiration)\b", re.IGNORECASE
)


def terms_of(running: RunningText) -> list[FoundInProse]:
    """The durations that a sentence gives for the whole agreement, the most likely first."""
    return sorted(_found(running), key=lambda one: (-one.confidence, one.start))


def _found(running: RunningText) -> Iterator[FoundInProse]:
    for duration in durations_in(running.text):
        start, end = duration.span
        unit = _UNIT.search(running.text[start:end])
        if unit is None:
            continue
        first, last = running.sentence(start)
        before, after = running.text[first:start], running.text[end:last]
        sure = 0.0
        if _WHOLE.search(before) or (
            _WHOLE.search(running.text[first:last]) and re.match(r"\W*(?:from|after|following)", after)
        ):
            sure = 0.6
        elif _OBLIGED.search(before):
            sure = 0.5
        if _TERM.search(before[-80:]):
            sure = max(sure, 0.6) + 0.1
        if not sure:
            continue
        sure += 0.15 * bool(_HEADING.search(before[:60])) - 0.3 * bool(_OTHER.search(before[-160:] + after[:60]))
        sure += 0.05 * bool(
            re.match(r"\W*(?:from|after|following)\s+(?:the\s+)?(?:date|effective)", after, re.IGNORECASE)
        )
        count = int(duration.number) // (12 if unit[1].lower() == "year" else 1)
        if unit[1].lower() == "week":
            count //= 7
        unit_name = unit[1].lower() + ("s" if count != 1 else "")
        yield FoundInProse(f"{count} {unit_name}", start, end, round(sure, 2))
