"""The parties of a letter: to whom it is, and who writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.evidence.extract.prose.names import is_company, is_name, names_in
from quire.evidence.extract.prose.running_text import RunningText
from quire.lexicon.dates import dates_in
from quire.lexicon.phrases import TextSpan

_BEGINNING = 9000
_SALUTATION = re.compile(r"\b(?:Ladies and Gentlemen|Gentlemen|Dear\s+[A-Z][^:\n]{0,60})\s*[:,\n]")
_NO_ADDRESSEE = re.compile(r"Attention|Attn|c/o|\bRe:|Board of Directors", re.IGNORECASE)
_ADDRESS = 14
"""Lines above a greeting that may be the address."""


def salutation(text: str) -> int | None:
    """The position of the greeting of a letter; None for another text."""
    found = _SALUTATION.search(text, 0, _BEGINNING)
    return found.start() if found else None


def addressee(running: RunningText, greeting: int) -> TextSpan | None:
    """The first company of the address above the greeting; what stands above the date is who writes."""
    above = [line for line in running.lines if line.at < greeting][-_ADDRESS:]
    dated = max((number for number, line in enumerate(above) if dates_in(line.text)), default=-1)
    for line in above[dated + 1 :]:
        for first, last in _company(line.text):
            return line.at + first, line.at + last
    return None


def _company(line: str) -> Iterator[TextSpan]:
    """The company that a line begins with."""
    if _NO_ADDRESSEE.match(line.strip()) or dates_in(line):
        return
    for first, last in names_in(line, 0, len(line)):
        name = line[first:last]
        if not line[:first].strip() and is_company(name) and is_name(name) and not re.search(r"\d{2}", name):
            yield first, last
        return
