"""The parties of an agreement: after "between" at its beginning, or in the head of a letter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.extract.prose.found import FoundInProse
from quire.extract.prose.names import NAME, canonical, is_company, is_name
from quire.extract.prose.running_text import RunningText
from quire.verify.dates import dates_in

_BEGINNING = 9000
"""Characters in which an agreement names its parties."""
_BETWEEN = re.compile(
    r"\b(?:by\s+and\s+between|by\s+and\s+among|between|amongst?|BETWEEN|AMONG|zwischen|entre)\b[\s:]*"
)
_DEFINED = re.compile(r"\(\s*[^()]{0,120}?[“\"‘'„«][^”\"’'“»()]{1,60}[”\"’'“»][^()]{0,120}\)")
_ALL_OF_THEM = re.compile(r"\b(?:part(?:y|ies)|collectively|together|each)\b", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:WHEREAS|Whereas|RECITALS|Recitals|WITNESSETH|W I T N E S S E T H|BACKGROUND|NOW,? THEREFORE|"
    r"In consideration|FOR GOOD|The parties|for the purpose|with respect to|in connection with|"
    r"in consideration|Capitali[sz]ed)\b"
)
_LEAD = re.compile(r"^(?:[\s,;:]|\band\b|&|\bby\b|\bbetween\b|\bamong\b|\(\w{1,3}\)|\d\.|on the (?:one|other) hand,?)+")
_DESCRIBED = re.compile(r"^\s*,?\s*(?:an?\s|having\s|with\s|whose\s|on behalf)[^;]{0,200}?\band\s+(?=[A-Z])")
"""What is said about a party after the word for it."""
_LIKE = re.compile(r"\binclud\w+[^,]{0,40},|\bnamely,?")
_SALUTATION = re.compile(r"\b(?:Ladies and Gentlemen|Gentlemen|Dear\s+[A-Z][^:\n]{0,60})\s*[:,\n]")
_ROLE = re.compile(
    r"\(\s*(?:(?:together|collectively|hereinafter|including|referred)[^()]{0,80})?(?:the\s+)?[“\"‘'](?:the\s+)?(?:Company|Employer|"
    r"Corporation|Bank|Firm|Discloser|Disclosing Party|Receiving Party|Recipient|Provider|Owner|Seller|Buyer|Purchaser|"
    r"Employee|Executive|Director|Consultant|Contractor|Participant|Associate|Investor|Licensor|Licensee|Parent)[”\"’']"
)
"""The word by which an agreement calls a party."""
_BETWEEN_NAME_AND_ROLE = re.compile(r",\s+(?:an?\s|and\s+(?:its|their|all)|together|including|on behalf)[^()]{0,150}$")


def parties(running: RunningText) -> list[FoundInProse]:
    """The parties in the order in which they are named; empty where no sentence says who they are."""
    found = _of_preamble(running.text) or _of_letter(running)
    kept: dict[str, FoundInProse] = {}
    for one in found:
        kept.setdefault(str(one.value).casefold(), one)
    return list(kept.values())


def _of_preamble(text: str) -> list[FoundInProse]:
    for between in _BETWEEN.finditer(text, 0, _BEGINNING):
        end = _end_of_parties(text, between.end())
        found = list(_named(text, between.end(), end))
        defined = len(_DEFINED.findall(text, between.end(), end))
        if found and (len(found) > 1 or defined):
            sure = 0.8 if defined else 0.6
            return [FoundInProse(canonical(text[a:b]), a, b, sure) for a, b in found]
    return []


def _end_of_parties(text: str, start: int) -> int:
    """Where the sentence ends that names the parties."""
    end = min(len(text), start + 1200)
    over = _OVER.search(text, start, end)
    end = over.start() if over else end
    for stop in re.finditer(r"\.\s+(?=[A-Z“\"(])", text[start:end]):
        before = text[start : start + stop.start() + 1]
        if not re.search(r"\b(?:Inc|Ltd|Co|Corp|Mr|Ms|Mrs|Dr|Jr|Sr|St|[A-Z])\.$", before):
            return start + stop.start()
    return end


def _named(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The names of the parties: each before the word by which the agreement calls it, or between "and"s."""
    at = start
    for defined in _DEFINED.finditer(text, start, end):
        if defined.start() < at:
            continue
        if not _ALL_OF_THEM.search(defined[0]) or len(text[at : defined.start()].split()) > 1:
            yield from _names(text, at, defined.start())
        at = defined.end()
    if at == start:
        for piece in re.finditer(r"(?:(?!\band\b(?=\s+[A-Z])).)+", text[start:end], re.DOTALL):
            yield from _names(text, start + piece.start(), start + piece.end())


def _names(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The name that a piece begins with, and names of further companies after commas."""
    piece = text[start:end]
    if described := _DESCRIBED.match(piece):
        piece = " " * described.end() + piece[described.end() :]
    lead = _LEAD.match(piece)
    at = lead.end() if lead else 0
    if like := _LIKE.search(piece, at):
        at = like.end()
        while at < len(piece) and not piece[at].isupper():
            at += 1
    first = True
    while at < len(piece):
        name = NAME.match(piece, at)
        if name is None:
            break
        begin, stop = start + name.start(), start + name.end()
        divided = _at_full_stop(text[begin:stop])
        for a, b in divided:
            if is_name(text[begin + a : begin + b].strip(" ,")) and (first or is_company(text[begin + a : begin + b])):
                yield begin + a, begin + b
        first = False
        following = re.match(r",?\s+(?:and\s+)?(?=[A-Z])|,\s+", piece[name.end() :])
        if following is None:
            break
        at = name.end() + following.end()


def _at_full_stop(name: str) -> list[tuple[int, int]]:
    """A name, or two that a missing comma joined: after `Inc.` another begins."""
    cut = re.search(r"\b(?:Inc|Ltd|Corp|LLC)\.\s+(?=[A-Z]\w+\s+[A-Z])", name)
    return [(0, cut.end() - 1), (cut.end(), len(name))] if cut else [(0, len(name))]


def _of_letter(running: RunningText) -> list[FoundInProse]:
    """To whom a letter is, and the parties that the text gives a word for: NAME (the "Company")."""
    salutation = _SALUTATION.search(running.text, 0, _BEGINNING)
    addressed = list(_addressed(running, salutation.start())) if salutation else []
    return [*addressed, *_defined(running.text, most=1 if addressed else 4)]


def _defined(text: str, *, most: int) -> Iterator[FoundInProse]:
    for defined in _ROLE.finditer(text, 0, _BEGINNING):
        begin = max(0, defined.start() - 200)
        before = _BETWEEN_NAME_AND_ROLE.sub("", text[begin : defined.start()])
        names = [name for name in NAME.finditer(before) if name.end() == len(before.rstrip(" ,"))]
        if names and is_name(names[-1][0]):
            start = begin + names[-1].start()
            yield FoundInProse(canonical(names[-1][0]), start, start + len(names[-1][0]), 0.55)
            most -= 1
        if not most:
            return


def _addressed(running: RunningText, salutation: int) -> Iterator[FoundInProse]:
    """The first name of the address above the salutation; what stands above the date is who writes."""
    above = running.blocks_before(salutation)[-6:]
    dated = max((at for at, start in enumerate(above) if dates_in(start.block.text)), default=0)
    for start in above[dated:]:
        lines = start.block.text.split("\n")
        at = start.at
        for line in lines:
            name = line.strip(" ,")
            if is_company(name) and is_name(name) and not re.search(r"\d|Attention|Attn", name):
                a = at + line.index(name[0])
                yield FoundInProse(canonical(name), a, a + len(name), 0.5)
                return
            at += len(line) + 1
