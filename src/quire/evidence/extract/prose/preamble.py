"""The sentence that begins an agreement and names its parties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from quire.evidence.extract.prose.jurisdictions import is_place
from quire.evidence.extract.prose.names import is_capitalised, is_company, is_name, is_person, names_in
from quire.lexicon.phrases import TextSpan

_BEGINNING = 9000
"""Characters in which an agreement names its parties."""
_LONGEST = 1500
_BETWEEN = re.compile(
    r"\b(?:by\s+and\s+between|by\s+and\s+among(?:st)?|between|among(?:st)?|b\s+e\s+t\s+w\s+e\s+e\s+n|zwischen|entre)\b"
    r"(?!\s+(?:them|the\s+parties|us|each)\b)[\s:]*|"
    r"\b(?:entered\s+into|made|executed|given|issued)(?:,|\s+(?:and|entered|into|effective|executed|delivered))*"
    r"(?:\s+(?:on|as\s+of|this)\b[^.;()]{4,40}?)?\s+by[\s:]+"
    r"(?!and\b|the\s+part)|"
    r"(?:^|\n)\W*(?:the\s+)?parties(?:\s+to\s+this\s+\w+)?\s*(?::\s*|\n\s*(?=\(?1?\W*[A-Z]))",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"\s*,?\s*\((?:[^()]{0,160}?[“\"‘'„«][^()]{1,160}|\s*(?:hereinafter|the\s+|collectively|together|each\s+an?\s)?[^()]{0,40}?"
    r"[A-Z][\w\s]{2,30})\)|\s*,?\s*[–—-]?\s*(?:hereina?fter|hereafter)\s+(?:\w+\s+){0,4}[“\"‘'„«]",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"[“\"‘„«](?!(?:th(?:e|is)\s+)?(?:\w+\s+)?(?:Agreement|NDA|Effective|Contract|Lease|Letter)\b)[^”\"’“»()]{1,60}[”\"’“»]"
)
_OVER = re.compile(
    r"\b(?:WHEREAS|Whereas|RECITALS?|Recitals?|WITNESSETH|W I T N E S S E T H|BACKGROUND|Background|NOW,? THEREFORE|"
    r"INTRODUCTION|In consideration|FOR GOOD|The [Pp]arties|for the purpose|with respect to|in connection with|"
    r"in consideration|Capitali[sz]ed|“Confidential Information”|amends and restates)(?!\w)"
)
_ABBREVIATED = re.compile(
    r"\b(?:(?i:Inc|Ltd|Co|Corp|Cos|Mr|Ms|Mrs|Dr|Jr|Sr|St|Ste|Ave|Blvd|Rd|Fl|No|Nos|Bhd|Sdn|Pvt|Pty|Pte|M/s|S\.p\.A|z\so\.o)|"
    r"[A-Z])\.$"
)
_LEADS = re.compile(
    r"(?:^|[;:)–—/]|\band|&|\bor|\bby|\bbetween|\bamong|\bnamely|\bundersigned|\b(?:plaintiff|defendant|claimant|employee|executive|consultant)|\bpart(?:y|ies)|\(\w{1,3}\)|\s\d[.)]|\n|"
    r"\bincluding|\blimited\s+to|\bin\s+favou?r\s+of|\bhand|\bas\s+[A-Z][\w\s]{2,30},|\b(?:corporation|company|partnership|association|trust),|\s-)[\s,:]*(?:(?:Mr|Mrs|Ms|Dr|M/s|the)\b\.?\s+)?$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^,?\s+$")
_NO_LEAD = re.compile(
    r"\b(?:attention|attn|telephone|facsimile|fax|e-?mail|title|address|date|its|c/o|under|name)\W*$|"
    r"\b(?:located\s+(?:in|at)|subsidiar(?:y|ies)\s+of|division\s+of|affiliates?\s+of|on\s+behalf\s+of)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    r"\s*,?\s*(?:\bd/b/a\b|c/o\b|doing business|an?\s+(?:\w+[\s-]+){0,6}?(?:corporation|company|partnership|individual|"
    r"resident|citizen|trust|association|institution|organi[sz]ation|agency|university|person|bank|firm|employee|director|body|society|division)\b|"
    r"an?\s+[A-Z]|with\s+(?:an?\s|its|his|her|offices?|principal)|having\s|whose\s|residing|located\s|of\s+\d|\d+\s|"
    r"individually|acting\s|as\s+(?:the\s+)?[A-Z]|on\s+behalf|who\s|which\s|for\s+itself|together\s+with|incorporated|"
    r"organi[sz]ed|including\s|and\s+(?:its|all|any|his|her)\b|AC?B?N\s+\d)"
)
_DEGREE = re.compile(r"(?:,?\s+(?:Ph\.?\s?D|M\.?D|J\.?D|Esq|C\.?P\.?A|M\.?B\.?A|R\.?N)\b\.?)+")
_JOINS = re.compile(r"(?:\band|\bbetween|\bamong|\bby|&)[\s:,]*$", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:,|;|\.)?\s*(?:and\b|&|or\b|\n|-\s*and|$|[.;]|,\s+(?:effective|dated|on\b|as\s+of|this\b))")
_UNNAMED = re.compile(
    r"\bundersigned\b|\bthe\s+following\s+(?:party|company|person|individual|entity)|\b(?:identified|named|listed|set\s+forth|specified|described|sign\w*|execut\w+|appears?)\s+(?:\w+\s+){0,4}"
    r"(?:below|hereto)\b|\bsignature\s+page\b|\bsignator",
    re.IGNORECASE,
)


class Preamble(NamedTuple):
    """The parties that a sentence names, and whether it leaves another one to the signatures."""

    start: int
    names: tuple[TextSpan, ...]
    defined: bool
    leaves_one_out: bool


def preamble(text: str) -> Preamble | None:
    """The first sentence that says between whom the agreement is; None where there is none."""
    for between in _BETWEEN.finditer(text, 0, _BEGINNING):
        start = between.end()
        end = _end(text, start)
        names = tuple(_named(text, start, end))
        defined = any(_QUOTED.search(text, last, min(end, last + 300)) for _, last in names)
        unnamed = _UNNAMED.search(text, start, end) is not None
        if names and (len(names) > 1 or defined):
            return Preamble(between.start(), names, defined, unnamed and len(names) == 1)
    return None


def follows_name(text: str, place: int) -> bool:
    """Whether what stands after a name is the word that the agreement has for it."""
    return _DEFINED.match(text, place) is not None


def _end(text: str, start: int) -> int:
    """The end of the sentence that names the parties."""
    end = min(len(text), start + _LONGEST)
    over = _OVER.search(text, start, end)
    end = over.start() if over else end
    for stop in re.finditer(r"\.\s+(?=[A-Z“\"(\d])", text[start:end]):
        before = text[start : start + stop.start() + 1]
        if not _ABBREVIATED.search(before):
            return start + stop.start()
    return end


def _named(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """The names that stand where one of a party would: at the beginning, after "and", after the word for another."""
    last = start
    for first, stop in names_in(text, start, end):
        name = text[first:stop]
        before = text[max(start, first - 60) : first]
        if _NO_LEAD.search(before):
            continue
        listed = last > start and _LISTED.match(text[last:first]) is not None and is_company(name)
        if not (listed or _LEADS.search(before)) or is_place(name):
            continue
        if (is_name(name) and is_company(name)) or _is_followed(text, first, stop, end, before):
            yield first, stop
            last = stop


def _is_followed(text: str, first: int, stop: int, end: int, before: str) -> bool:
    """Whether a name without a legal form is followed by what follows a party."""
    name = text[first:stop]
    if not is_capitalised(name):
        return False
    degree = _DEGREE.match(text, stop, end)
    stop = degree.end() if degree else stop
    if follows_name(text[:end], stop):
        return len(name.split()) > 1 or bool(re.search(r"[A-Z].*[A-Z]|\w{4}", name))
    if "\n" in before[-2:] and not _JOINS.search(before):
        return False
    if _DESCRIBED.match(text, stop, end):
        return len(name.split()) > 1
    if is_person(name) and text.startswith(",", stop) and _QUOTED.search(text, stop, min(end, stop + 200)):
        return True
    return is_name(name) and _ENDS.match(text, stop, end) is not None
