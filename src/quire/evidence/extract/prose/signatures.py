"""Who signs an agreement: the names above the lines for signatures, and those that are filled in beside a label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from quire.evidence.extract.prose.names import is_company, is_name, is_person, names_in
from quire.evidence.extract.prose.running_text import ProseLine, RunningText
from quire.lexicon.phrases import TextSpan
from quire.lexicon.words import phrase_pattern, word_groups

_SIGNED = re.compile(r"^\W*(?:By|Per|Signature|Signed|Sign|Its|Name|Authori[sz]ed)\b\W|^\W*/s/|_{5,}", re.IGNORECASE)
_BY = re.compile(r"^\W*(?:By|Per)\b\s*:?", re.IGNORECASE)
_OFFICE = re.compile(r"^\W*(?:Title|Its|Position)\b\s*:", re.IGNORECASE)
_OWN_HAND = re.compile(
    r"^\W*(?:(?:[\w’']+\s+)?Signature\s*:?\s*|(?:Employee|Executive|Consultant|Recipient|Director)\s*:\s*)?/s/\s*(?P<name>[A-Z].*)$",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    rf"^\W*(?P<label>{phrase_pattern(word_groups('party_words')['labelled'])})\s*:\s*(?P<name>\S.*)$", re.IGNORECASE
)
_HEAD = re.compile(
    r"^\W*(?:(?:(?:accepted|acknowledged|agreed|confirmed)(?:\s*(?:,|and|to|&))*\s*)+(?:by|as\s+of[^:]{0,40})?|for|on\s+behalf\s+of|"
    r"signed\s+(?:by|for)(?:\s+and\s+on\s+behalf\s+of)?|executed\s+by)\s*:?\s*",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(r"\s*(?:$|[,;(]|of\b)")
_LONGEST = 70
"""Characters of a line that is a name."""
_LONGEST_LINE = 250
"""Characters of a line with names: a longer one is text that was not broken into lines."""
_CLOSE = 4
"""Lines after a name within which a signature is expected."""


def signers(running: RunningText) -> list[TextSpan]:
    """The companies above a line for a signature, and the people who sign for themselves, in their order."""
    lines = [line for line in running.lines if len(line.text) < _LONGEST_LINE]
    found: list[TextSpan] = []
    for number, line in enumerate(lines):
        found += _company(line, lines[number + 1 : number + 1 + _CLOSE])
        found += _person(line, lines[max(0, number - 2) : number], lines[number + 1 : number + 1 + _CLOSE])
    return found


def labelled(running: RunningText) -> list[TextSpan]:
    """The names that a label says to be those of a party: `Company: Acme Ltd`."""
    found = []
    for line in running.lines:
        if len(line.text) < _LONGEST_LINE and (match := _LABELLED.match(line.text.replace("’", "'"))):
            start = match.start("name")
            for first, last in names_in(line.text, start, len(line.text)):
                name = line.text[first:last]
                fits = is_name(name) and (is_company(name) or match["label"].casefold() != "name")
                if first == start and fits and _AFTER_NAME.match(line.text, last):
                    found.append((line.at + first, line.at + last))
                break
    return found


def _company(line: ProseLine, after: Sequence[ProseLine]) -> Iterator[TextSpan]:
    head = _HEAD.match(line.text)
    start = head.end() if head else len(line.text) - len(line.text.lstrip())
    inline = re.search(r"\W*(?:By\b|/s/)", line.text[start:])
    end = start + inline.start() if inline else len(line.text.rstrip(" ,.:"))
    names = list(names_in(line.text, start, end))
    rest = "".join(line.text[last:first] for (_, last), (first, _) in pairwise([(0, start), *names, (end, end)]))
    signed = inline is not None or any(_SIGNED.search(one.text) for one in after)
    if signed and not rest.strip(" ,.:") and all(_is_company(line.text[slice(*one)]) for one in names):
        yield from ((line.at + first, line.at + last) for first, last in names)


def _is_company(name: str) -> bool:
    return is_company(name) and is_name(name)


def _person(line: ProseLine, before: Sequence[ProseLine], after: Sequence[ProseLine]) -> Iterator[TextSpan]:
    own = _OWN_HAND.match(line.text)
    if own is None or any(_OFFICE.match(one.text) for one in after[:3]) or any(map(_is_company_line, before)):
        return
    name = own["name"].strip()
    if is_person(name) and is_name(name) and not any(_BY.match(one.text) for one in before[-1:]):
        yield line.at + own.start("name"), line.at + own.start("name") + len(name)


def _is_company_line(line: ProseLine) -> bool:
    return len(line.text) < _LONGEST and _is_company(line.text.strip(" ,:"))
