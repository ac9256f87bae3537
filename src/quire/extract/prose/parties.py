"""The parties of an agreement: after "between" at its beginning, or in the head of a letter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.extract.prose.found import FoundInProse
from quire.extract.prose.names import NAME, canonical, is_company, is_name, is_person
from quire.extract.prose.running_text import RunningText

_BEGINNING = 9000
"""Characters in which an agreement names its parties."""
_BETWEEN = re.compile(r"\b(?:by\s+and\s+between|by\s+and\s+among|between|amongst?|BETWEEN|AMONG|zwischen|entre)\b[\s:]*")
_DEFINED = re.compile(r"\(\s*[^()]{0,120}?[“\"‘'„«][^”\"’'“»()]{1,60}[”\"’'“»][^()]{0,120}\)")
_ALL_OF_THEM = re.compile(r"\b(?:part(?:y|ies)|collectively|together|each)\b", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:WHEREAS|Whereas|RECITALS|Recitals|WITNESSETH|W I T N E S S E T H|BACKGROUND|NOW,? THEREFORE|In consideration|"
    r"FOR GOOD|The parties|for the purpose|with respect to|in connection with|in consideration|Capitali[sz]ed)\b"
)
_LEAD = re.compile(r"^(?:[\s,;:]|\band\b|&|\bby\b|\bbetween\b|\bamong\b|\(\w{1,3}\)|\d\.|on the (?:one|other) hand,?)+")
_LIKE = re.compile(r"\binclud\w+[^,]{0,40},|\bnamely,?")
_SALUTATION = re.compile(r"\b(?:Ladies and Gentlemen|Gentlemen|Dear\s+[A-Z][^:\n]{0,60})\s*[:,\n]")
_THE_COMPANY = re.compile(
    r"\(\s*(?:together[^()]{0,80}|collectively[^()]{0,80}|hereinafter[^()]{0,40}|including[^()]{0,80})?[“\"‘']?(?:the\s+)?"
    r"[“\"‘'](?:the\s+)?(?:Company|Employer|Corporation|Discloser|Disclosing Party|Provider|Owner|[A-Z][\w&]{2,20})[”\"’']"
)


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
    """To whom a letter is, and the company that it calls "the Company"."""
    text = running.text
    salutation = _SALUTATION.search(text, 0, _BEGINNING)
    found: list[FoundInProse] = []
    if salutation is not None:
        found += _addressed(running, salutation.start())
    for company in _THE_COMPANY.finditer(text, 0, _BEGINNING):
        before = text[max(0, company.start() - 160) : company.start()]
        names = [name for name in NAME.finditer(before) if name.end() >= len(before.rstrip()) - 60]
        names = [name for name in names if is_name(name[0]) and is_company(name[0])]
        if names:
            a = max(0, company.start() - 160) + names[-1].start()
            found.append(FoundInProse(canonical(names[-1][0]), a, a + len(names[-1][0]), 0.55))
            break
    return found


def _addressed(running: RunningText, salutation: int) -> Iterator[FoundInProse]:
    """The first name of the address above the salutation."""
    for start in reversed(running.blocks_before(salutation)[-6:]):
        lines = start.block.text.split("\n")
        at = start.at
        for line in lines:
            name = line.strip(" ,")
            if is_company(name) and is_name(name) and not re.search(r"\d|Attention|Attn", name):
                a = at + line.index(name[0])
                yield FoundInProse(canonical(name), a, a + len(name), 0.5)
                return
            at += len(line) + 1


__all__ = ["is_person", "parties"]
