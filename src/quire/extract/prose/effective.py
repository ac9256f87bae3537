"""From when on an agreement holds: the date of its first sentence, or of the letter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.extract.prose.found import FoundInProse
from quire.extract.prose.running_text import RunningText
from quire.verify.dates import dates_in

_BEGINNING = 6000
_EFFECTIVE = re.compile(
    r"\beffective\s+(?:date\b[^.]{0,30}|as\s+of|on|from|beginning)?\W*(?:the\s+|this\s+)?$", re.IGNORECASE
)
_MADE = re.compile(
    r"\b(?:made|entered|executed|dated|signed|concluded|is)\b(?:\s+(?:and|is|made|entered|executed|into|effective|as|of|"
    r"on|the|this|in|duplicate|between|by)\b|[\s,:])*$",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"\b(?:executed|signed)\b[^.]{0,40}\bagreement\b[^.]{0,25}\b(?:on|this|as\s+of)\s+(?:the\s+|this\s+)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"^[\s,]*\(?\s*(?:the|hereinafter)?[^()]{0,20}[“\"‘](?:the\s+)?Effective\s+Date", re.IGNORECASE)
_SALUTATION = re.compile(r"\b(?:Ladies and Gentlemen|Gentlemen|Dear\s)")
_AS_OF = re.compile(r"\bas\s+of\s+(?:the\s+|this\s+)?$", re.IGNORECASE)
_DAY = len("2024-03-12")


def effective_dates(running: RunningText) -> list[FoundInProse]:
    """The dates that may be the beginning of the agreement, the most likely first."""
    return sorted(_found(running), key=lambda one: (-one.confidence, one.start))


def _found(running: RunningText) -> Iterator[FoundInProse]:
    text = running.text
    salutation = _SALUTATION.search(text, 0, _BEGINNING)
    for printed in dates_in(text):
        start, end = printed.span
        readings = sorted(reading for reading in printed.readings if len(reading) == _DAY)
        if not readings:
            continue
        before, sure = text[max(0, start - 90) : start], 0.0
        if _AFTER.match(text[end : end + 80]) or _EFFECTIVE.search(before):
            sure = 0.9
        elif start < _BEGINNING and _MADE.search(before):
            sure = 0.8
        elif start < _BEGINNING and _AS_OF.search(before):
            sure = 0.6
        elif _SIGNED.search(before):
            sure = 0.65
        elif salutation is not None and start < salutation.start():
            sure = 0.55 if text[end : end + 1] == "\n" or "\n" in before[-2:] or len(before.strip()) < 3 else 0.45
        if sure:
            yield FoundInProse(readings[0], start, end, round(sure - 0.1 * start / len(text), 3))
