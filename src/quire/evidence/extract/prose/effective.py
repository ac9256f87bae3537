"""From when on an agreement holds: the date of its first sentence, of the letter, or of the last signature."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.evidence.extract.prose.found import FoundInProse, likeliest_first
from quire.evidence.extract.prose.jurisdictions import names_state_of_usa
from quire.evidence.extract.prose.letters import salutation
from quire.evidence.extract.prose.preamble import preamble
from quire.evidence.extract.prose.running_text import RunningText
from quire.lexicon.dates import PrintedDate, dates_in
from quire.lexicon.phrases import TextSpan

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
    r"\b(?:executed|signed)\b[^.]{0,40}\bagreement\b[^.]{0,25}\b(?:on|this|as\s+of)\s+(?:the\s+|this\s+)?$|"
    r"\b(?:set|sets)\s+(?:their|his|her|its)\s+hands?[^.]{0,40}\b(?:on|this)\s+(?:the\s+|this\s+)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[\s,]*(?:\(?\s*(?:the|hereinafter)?[^()]{0,20}[“\"‘](?:the\s+)?Effective\s+Date|"
    r"(?:which\s+is\s+)?the\s+effective\s+date\s+of\s+th)",
    re.IGNORECASE,
)
_AS_OF = re.compile(r"\bas\s+of\s+(?:the\s+|this\s+)?$", re.IGNORECASE)
_ON = re.compile(r"\b(?:this|on|as\s+of|dated|effective|from|date)\s*:?\s+(?:the\s+|this\s+)*$", re.IGNORECASE)
_OTHER_PAPER = re.compile(
    r"\b(?:supersed|replac)(?:es?|ing)\b[^.]{0,80}$|\bas\s+amended\b[^()]{0,40}$|\b(?:that\s+certain|prior|previous|original|existing|another|the|an?|its|their|such)\s+"
    r"(?:[A-Z][\w&-]+\s+(?:and\s+|of\s+)?){0,7}(?:Agreement|Plan|Policy|Letter|Lease|Note|Contract|Memorandum|Act)s?\b"
    r"[\s,]*(?:(?:dated|effective|executed|entered|made|as|of|on|into|was|is|first)\b[\s,]*)+$|"
    r"\b(?:ended|terminated|expire[sd]?|expiring|born|filed|until|through|before|after|amended)\s+(?:\w+\s+){0,2}$"
)
"""Words before the date of another paper, or of an end."""
_LAST_SIGNED = re.compile(
    r"\b(?:last|latest?r?|later)\b[^.]{0,40}\b(?:sign\w*|execut\w+|dates?)\b|\bdate\s+(?:of\s+(?:the\s+)?)?last\s+(?:sign|execut)",
    re.IGNORECASE,
)
_SIGNATURES = 1500
"""Characters at the end of an agreement in which it is signed."""
_DAY = len("2024-03-12")


def effective_dates(running: RunningText) -> list[FoundInProse]:
    """The dates that may be the beginning of the agreement, the most likely first."""
    return likeliest_first(_found(running))


def _found(running: RunningText) -> Iterator[FoundInProse]:
    text = running.text
    greeting, opening = salutation(text), preamble(text)
    sentence = running.sentence(opening.start) if opening is not None else (0, 0)
    printed = [(one, value) for one in dates_in(text) if (value := _day(text, one))]
    alone = {line.at + len(line.text) - len(line.text.lstrip()) for line in running.lines}
    for one, value in printed:
        sure = _confidence(text, one.span, sentence)
        if not sure and greeting is not None and one.span[0] < greeting:
            sure = 0.55 if one.span[0] in alone else 0.45
        if sure:
            yield FoundInProse(value, *one.span, round(sure - 0.1 * one.span[0] / len(text), 3))
    if _LAST_SIGNED.search(text, *sentence):
        signed = [(value, one.span) for one, value in printed if one.span[0] > len(text) - _SIGNATURES]
        if signed:
            value, span = max(signed)
            yield FoundInProse(value, *span, 0.7)


def _confidence(text: str, span: TextSpan, sentence: TextSpan) -> float:
    start, end = span
    before = text[max(0, start - 90) : start]
    if _AFTER.match(text[end : end + 80]):
        return 0.9
    if _OTHER_PAPER.search(before):
        return 0.0
    if _EFFECTIVE.search(before):
        return 0.9
    if start < _BEGINNING and _MADE.search(before):
        return 0.8
    if sentence[0] <= start < sentence[1] and _ON.search(before):
        return 0.75
    if start < _BEGINNING and _AS_OF.search(before):
        return 0.6
    if _SIGNED.search(before):
        return 0.65
    return 0.0


def _day(text: str, printed: PrintedDate) -> str:
    """The most likely day of a date: 03/04/24 begins with the month in the United States. Empty for a month alone."""
    readings = sorted(reading for reading in printed.readings if len(reading) == _DAY)
    if len(readings) < 2:
        return readings[0] if readings else ""
    first = int(re.findall(r"\d+", text[slice(*printed.span)])[0])
    month_first = names_state_of_usa(text)
    return next((one for one in readings if (int(one[5:7]) == first) is month_first), readings[0])
