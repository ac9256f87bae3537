"""The term of an agreement, or of the obligations in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.evidence.extract.prose.found import FoundInProse, likeliest_first
from quire.evidence.extract.prose.running_text import RunningText
from quire.lexicon.durations import durations_in

_PAPER = (
    r"(?:agreement|undertaking|contract|lease|licen[cs]e|letter|deed|nda|msa|engagement|memorandum|arrangement|instrument|"
    r"sublease|retainer|appointment)"
)
_AGREEMENT = (
    rf"(?:this|the|these|said|its?|my|your|such)\s+(?:[\w’']+[\s-]+){{0,4}}?(?:{_PAPER}|obligations?|provisions)"
)
_ENDS = (
    r"(?:expires?|extends?|terminates?|ends?|be\s+for|continues?|remains?|survives?|be\s+(?:effective|binding|valid|in\s+effect)|lasts?|runs?|"
    r"is\s+(?:effective|binding|valid|in\s+effect)|effective\s+for|in\s+(?:full\s+)?(?:force|effect)|ha(?:ve|s)\s+a\s+term|"
    r"cease|of\s+no\s+(?:further\s+)?(?:force|effect)|period\s+ending)"
)
_WHOLE = re.compile(rf"\b{_AGREEMENT}\b.{{0,200}}?\b{_ENDS}\b", re.IGNORECASE | re.DOTALL)
_OBLIGED = re.compile(
    rf"\b(?:obligations?|covenants?|dut(?:y|ies)|confidential\w*)\b.{{0,250}}?\b{_ENDS}\b",
    re.IGNORECASE | re.DOTALL,
)
_TERM = re.compile(
    r"\b(?:term|duration)\s+(?:of\s+(?:this|the|your|his|her)\s+(?:[\w’']+\s+)?[\w’']+\s+)?(?:hereof\s+)?(?:(?:\([^()]{0,40}\)\s*)?"
    r"(?:is|shall\s+be|will\s+be|shall\s+(?:begin|commence|start|run)|(?:begins|commences)|of)\b)",
    re.IGNORECASE,
)
_DISCLOSED_UNTIL = re.compile(r"\bbetween\s+the\s+effective\s+date\s+and\s+$", re.IGNORECASE)
_EMPLOYED = re.compile(r"\bterm\s+of\s+(?:the\s+)?(?:[\w’']+\s+)?employment\b", re.IGNORECASE)
_OTHER = re.compile(
    r"solicit|compet|standstill|hire|severance|insurance|salary|interest|audit|vest|violat|securities|not\s+limited|"
    r"\bnotice\b(?!\s*\.)|days?\s+after|written\s+(?:notice|consent|request)|invoice|payment|prior\s+to|preceding|within",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"renew|extended|extension|successive|(?:additional|further)\s+(?:period|term)", re.IGNORECASE)
_EMPLOYMENT = re.compile(r"employment|separation|(?:ceases?|termination)\s+(?:to\s+be|as)\b", re.IGNORECASE)
_AFTERWARDS = re.compile(
    r"\W*(?:after|following|from|beyond|subsequent\s+to)\s+"
    r"(?:(?!or\b|and\b|unless\b|until\b|hereof\b)[\w’']+\s+){0,8}?(?:terminat\w*|expir\w*|cessation|end|cease\w*|return|"
    r"completion|separation|leav\w+|date\s+on\s+which)\b",
    re.IGNORECASE,
)
"""Words after a duration for which an obligation outlasts the agreement."""
_FROM = re.compile(
    r"\W*(?:from|after|following|of)\s+(?:and\s+including\s+)?(?:the\s+|its\s+|this\s+)?(?:date|effective|signing|execution|"
    r"commencement)",
    re.IGNORECASE,
)
_HEADING_ALONE = re.compile(r"(?:^|[\n.)\d])\s*(?:Term|Duration)(?:\s+of\s+\w+)?\s*[.:\n–—-]\s*$", re.IGNORECASE)
_UNIT = re.compile(r"(year|month|week|day|anniversary)s?\s*$", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:^|\n|\d\.?\s*|\)\s*)(?:Term|Duration|Term and Termination|Termination|Expiration)\b", re.IGNORECASE
)


def terms_of(running: RunningText) -> list[FoundInProse]:
    """The durations that a sentence gives for the whole agreement, the most likely first."""
    return likeliest_first(_found(running))


def _found(running: RunningText) -> Iterator[FoundInProse]:
    for duration in durations_in(running.text):
        start, end = duration.span
        unit = _UNIT.search(running.text[start:end])
        if unit is None:
            continue
        first, last = running.sentence(start)
        sure = _confidence(running.text[first:start], running.text[end:last])
        if _HEADING_ALONE.search(running.text, max(0, start - 40), start):
            sure = max(sure, 0.75)
        if not sure:
            continue
        name = unit[1].lower().replace("anniversary", "year")
        count = int(duration.number) // {"year": 12, "week": 7}.get(name, 1)
        yield FoundInProse(f"{count} {name}{'s' if count != 1 else ''}", start, end, round(sure, 2))


def _confidence(before: str, after: str) -> float:
    """The confidence that a duration is that of the agreement, from its sentence before and after it."""
    sure = 0.0
    if _WHOLE.search(before) or (_WHOLE.search(before + after) and re.match(r"\W*(?:from|after|following)", after)):
        sure = 0.6
    elif _OBLIGED.search(before):
        sure = 0.5
    if _DISCLOSED_UNTIL.search(before):
        sure = 0.65
    if _TERM.search(before[-110:]):
        sure = max(sure, 0.6) + 0.1
    if not sure or _AFTERWARDS.match(after):
        return 0.0
    about = before[-160:] + after[:60]
    again = _AGAIN.search(before[-50:])
    other = again or _OTHER.search(about) or (_EMPLOYMENT.search(about) and not _EMPLOYED.search(before))
    sure += 0.15 * bool(_HEADING.search(before[:60])) - 0.35 * bool(other)
    return sure + 0.05 * bool(_FROM.match(after))
