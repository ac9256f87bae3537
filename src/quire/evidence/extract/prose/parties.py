"""The parties of an agreement: as its first sentence, the head of a letter, definitions or signatures name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from quire.evidence.extract.prose.found import FoundInProse, distinct
from quire.evidence.extract.prose.letters import addressee, salutation
from quire.evidence.extract.prose.names import canonical, is_company, is_name, is_person, names_in
from quire.evidence.extract.prose.preamble import preamble
from quire.evidence.extract.prose.running_text import RunningText
from quire.evidence.extract.prose.signatures import labelled, signers
from quire.lexicon.phrases import TextSpan
from quire.lexicon.words import phrase_pattern, word_groups

_BEGINNING = 9000
_NEAR = 2500
"""Characters from the beginning in which a name with a word of its own is that of a party."""
_MOST = 4
_ROLE = re.compile(
    r"\(\s*(?:(?:together|collectively|hereinafter|including|referred)[^()]{0,80})?(?:the\s+)?[“\"‘'](?:the\s+)?"
    rf"{phrase_pattern(map(str.title, word_groups('party_words')['called']))}[”\"’']"
)
"""The word by which an agreement calls a party."""
_OWN_WORD = re.compile(
    r"\(\s*(?:(?:together|collectively|hereinafter|including)[^()“]{0,80})?[“\"‘'](?P<word>[^”\"’'()]{2,40})[”\"’']"
)
_BETWEEN_NAME_AND_ROLE = re.compile(
    r",\s+(?:an?\s|(?:and\s+)?(?:its|their|all)\b|together|including|on behalf)[^()]{0,150}$"
)
_MYSELF = re.compile(r"\bI\s*,\s+(?=[A-Z])|\bI\s+(?=[A-Z][\w.]+\s+[A-Z])")


def parties(running: RunningText) -> list[FoundInProse]:
    """The parties in the order in which they are named; empty where nothing says who they are."""
    return distinct(_found(running))


def _found(running: RunningText) -> Iterable[FoundInProse]:
    text = running.text
    said = preamble(text)
    if said is not None:
        found = _made(text, said.names, 0.8 if said.defined else 0.6)
        return [*found, *_made(text, _filled_in(running), 0.5)] if said.leaves_one_out else found
    greeting = salutation(text)
    to = addressee(running, greeting) if greeting is not None else None
    if to is not None:
        addressed = _made(text, [to], 0.5)
        others = [*_made(text, _defined(text, most=_MOST), 0.55), *_made(text, signers(running), 0.5)]
        return [*addressed, *(one for one in others if one.value != addressed[0].value)][:2]
    named = [*_myself(text), *_defined(text, most=_MOST)]
    if len(named) < 2:
        named += _filled_in(running)
    return _made(text, named, 0.55)


def _made(text: str, spans: Iterable[TextSpan], sure: float) -> list[FoundInProse]:
    return [FoundInProse(canonical(text[first:last]), first, last, sure) for first, last in spans]


def _filled_in(running: RunningText) -> list[TextSpan]:
    return labelled(running) or signers(running)


def _myself(text: str) -> list[TextSpan]:
    """Who says "I" at the beginning: `I, Jane Doe, agree`."""
    for one in _MYSELF.finditer(text, 0, _BEGINNING):
        for first, last in names_in(text, one.end(), one.end() + 80):
            if first == one.end() and is_person(text[first:last]) and is_name(text[first:last]):
                return [(first, last)]
            break
    return []


def _defined(text: str, *, most: int) -> list[TextSpan]:
    """The names that the text gives a word for: NAME (the “Company”), or a part of the name itself."""
    found = [*_before(text, _ROLE.finditer(text, 0, _BEGINNING))]
    found += [
        span
        for one in _OWN_WORD.finditer(text, 0, _NEAR)
        for span in _before(text, [one])
        if (is_company(text[slice(*span)]) or is_person(text[slice(*span)]))
        and _is_short_for(one["word"], text[slice(*span)])
    ]
    return sorted(dict.fromkeys(found))[:most]


def _before(text: str, words: Iterable[re.Match[str]]) -> Iterator[TextSpan]:
    for word in words:
        begin = max(0, word.start() - 200)
        before = _BETWEEN_NAME_AND_ROLE.sub("", text[begin : word.start()])
        end = begin + len(before.rstrip(" ,\n"))
        for first, last in names_in(text, begin, end):
            if last == end and is_name(text[first:last]):
                yield first, last


def _is_short_for(word: str, name: str) -> bool:
    """Whether a word is one of a name, or its initials."""
    first = word.casefold().removeprefix("the ").split()[0]
    parts = re.findall(r"\w+", name)
    initials = {
        "".join(part[0] for part in some).casefold() for some in (parts, [one for one in parts if one[0].isupper()])
    }
    return first in name.casefold() or (len(first) > 1 and any(letters.startswith(first) for letters in initials))
