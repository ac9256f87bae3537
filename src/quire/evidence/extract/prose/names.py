"""Names of companies, bodies and people in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.evidence.extract.prose.jurisdictions import PLACE, is_place
from quire.lexicon.phrases import TextSpan
from quire.lexicon.words import phrase_pattern, word_groups

_LEGAL_FORMS = word_groups("legal_forms")
_SUFFIX = (
    rf"(?:(?i:{phrase_pattern([*_LEGAL_FORMS['all'], *_LEGAL_FORMS['agreements']])})"
    rf"|{phrase_pattern(_LEGAL_FORMS['capitals'])})"
)
"""The legal form at the end of the name of a company."""
_BODY = (
    r"(?:Partners|Partnership|Trust|Bank|Bancorp|Bancshares|Association|Foundation|University|Universität|Université|College|"
    r"Institute|Institution|School|Hospital|Clinic|Regents|Trustees|Fund|Group|Holdings?|Capital|Technologies|Systems|"
    r"Industries|International|Enterprises|Associates|Laborator(?:y|ies)|Labs|Pharmaceuticals|Therapeutics|Securities|"
    r"Ventures|Investments|Networks|Communications|Solutions|Services|Resources|Society|Council|Commission|Authority|"
    r"Agency|Ministry|Department|Center|Centre|Federation|Cooperative|Church|Museum|Observatory|"
    r"(?:City|County|Town|Village|State|Commonwealth|Province|Borough|Government|Kabushiki)(?=\s+(?:of|Kaisha)\b))"
)
"""A word in the names of bodies, with or without a legal form."""
LEGAL_FORM = rf"(?:{_SUFFIX}|(?i:{_BODY}))"
_JOINED = r"(?:of|and|the|for|de|del|la|von|van|der|den|y|e|und|et|&)"
_TOKEN = r"(?:[A-Z0-9À-Þ][\w.’'&/@+-]*|[a-z]{1,3}[A-Z][\w.]*)"
_SMALL = (
    r"\b(?!(?:between|and|by|among|of|the|with|from|to|for|an?)\s)[a-z][\w.-]*(?:\s+(?!and\s)[a-z][\w.-]*)?,?\s+"
    r"(?:inc|corp|llc|ltd)\b\.?"
)
"""A name without capitals: bebe stores, inc."""
NAME = re.compile(
    rf"{_SMALL}|(?:[Tt]he\s+(?=[A-Z]))?{_TOKEN}(?:(?:\s+{_JOINED}){{0,2}}\s+(?:{_TOKEN}|plc\b|mbH\b|r\.l\b\.?)|"
    rf"\s\((?:{PLACE}|U\.?S\.?A?\.?|U\.?K\.?|Asia|Europe|America|Holdings?|[IVX]+|\d{{4}})\)(?=\s\S)){{0,9}}"
    rf"(?:,\s*(?!incorporated|company|corporation|limited){_SUFFIX}(?![\w-])\.?(?:\s+{_SUFFIX}(?![\w-])\.?)*|,\s*(?i:Jr|Sr|II|III|IV)\b\.?)*"
)
_HAS_FORM = re.compile(rf"(?<!\w){LEGAL_FORM}(?!\w)")
_FORM_INSIDE = re.compile(
    rf"(?<=\s)(?!Company\b|Co\b|Corporation\b|AS\b|SE\b|SA\b|NA\b|PA\b){_SUFFIX}(?!\w)(?:\.|(?!\.))(?!\s+(?i:Partnership|Liability|Cos?\b|"
    rf"Company\b|(?:&|de|y)\s|{_SUFFIX}(?!\w))|,?\s*{_SUFFIX}(?!\w))"
)
"""A legal form after which the name is over, though a further word follows: that of an address, or of another name."""
_PERSON = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?[A-Z][\w’'-]*\.?(?:\s+(?:[A-Z]\.?|[A-Z][\w’'-]+|de|van|von|la)){1,3}"
    r"(?:,?\s+(?i:Jr|Sr|II|III|IV)\.?)?$"
)
_NO_NAME = re.compile(
    r"^(?:the\s+)?(?:undersigned|company|employee|employer|executive|director|part(?:y|ies)\b|recipient|agreement|this|you|"
    r"seller|buyer|purchaser|consultant|contractor|effective date|date|affiliated companies|exhibit|section|article|"
    r"board of directors|state of|commonwealth of|x+|name|individual|confidential|private|mutual|non|whereas|"
    r"background|recitals?|whose|its|their|such|each|any|attention|disclos\w+|receiving|in witness|by|title|"
    r"on|as|at|for)\b",
    re.IGNORECASE,
)
_NO_PARTY = re.compile(
    r"\b(?:Agreement|Contract|Act|Section|Exhibit|Schedule|Street|Avenue|Road|Boulevard|Suite|Floor|County|Drive|Information|"
    r"Parkway|Square|P\.?O\.? Box|Purpose|Date|January|February|March|April|June|July|August|September|October|"
    r"November|December)(?!\w)(?!.*\b(?:Inc|LLC|Ltd|Corp|Corporation|Limited|Company|L\.?P)\b)",
    re.IGNORECASE,
)
_ONLY_FORM = re.compile(rf"(?:(?:{LEGAL_FORM}|(?i:the|of|liability|public|private|general))[\s.,]*)+")
_NO_START = re.compile(
    r"(?:And|Between|By|Agreement)\s+|[^\n]*\b(?:agreement|undertaking|deed|contract|form|letter|exhibit|execution\s+(?:copy|version))\b[^\n]*\n\s*",
    re.IGNORECASE,
)
"""Words with a capital before a name: a word, or a heading in the line above."""
_ADDRESS = re.compile(rf",?\s+of\s+(?:\d|[A-Z][\w.]+(?:\s[A-Z]\w+)?,\s+(?i:{PLACE})\b)")
_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Dr|Prof|Messrs|M/s)\.?\s+")
_FORMS = (
    (re.compile(r",\s+(?=\S+(?:\s\S+)?$)"), " "),
    (re.compile(r"\bIncorporated$", re.IGNORECASE), "Inc."),
    (re.compile(r"\bLimited$", re.IGNORECASE), "Ltd."),
    (re.compile(r"\b(Inc|Ltd|Corp|Co|Jr|Sr)$", re.IGNORECASE), r"\1."),
    (re.compile(r"\b(Co\.|Company),?\s+(?=(?:Inc|Ltd)\.$)", re.IGNORECASE), r"\1 "),
    (re.compile(r"\bL\.L\.C\.?$"), "LLC"),
    (re.compile(r"\bL\.L\.P\.?$"), "LLP"),
    (re.compile(r"\bL\.P\.?$"), "LP"),
    (re.compile(r"\bN\.V\.?$"), "NV"),
    (re.compile(r"\bA\.G\.?$"), "AG"),
)


def is_company(name: str) -> bool:
    return bool(_HAS_FORM.search(name))


def is_person(name: str) -> bool:
    return bool(_PERSON.fullmatch(name)) and not is_company(name)


def is_name(name: str) -> bool:
    """Whether it may be the name of a party, and is not a word for one."""
    if len(name) <= 3 or _NO_NAME.match(name) or _NO_PARTY.search(name) or _ONLY_FORM.fullmatch(name):
        return False
    return is_company(name) or is_person(name) or name.isupper()


def is_capitalised(name: str) -> bool:
    """Whether it may be a name of which nothing shows whose: where a text says that a name stands there."""
    return len(name) > 3 and not (_NO_NAME.match(name) or _NO_PARTY.search(name) or name[0].isdigit())


def names_in(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """Where names stand in a part of a text: each without what follows its legal form, two joined by "and" apart."""
    at = start
    while (found := NAME.search(text, at, end)) is not None:
        first, last = found.span()
        if lead := _NO_START.match(text, first, last):
            first = lead.end()
        if over := _FORM_INSIDE.search(text, first, last):
            last = over.end()
        if address := _ADDRESS.search(text, first, min(end, last + 60)):
            last = min(last, address.start())
        for joined in re.finditer(r",?\s+(?:and|AND|&|-\s*and\s*-)\s+", text[first:last]):
            left, right = text[first : first + joined.start()], text[first + joined.end() : last]
            if _are_two(left, right, joined[0]):
                last = first + joined.start()
                break
        last = first + len(text[first:last].rstrip(" ,\n"))
        yield first, last
        at = max(last, found.start() + 1)


def _are_two(left: str, right: str, between: str) -> bool:
    """Whether "and" stands between two names, and not within one: after a legal form, a place or a postal code."""
    if re.match(r"(?i:Co|Company|Cie|Sons|Associates|Partners)\b", right):
        return False
    if re.search(rf"(?<!\w){_SUFFIX}\.?$|\d{{4,}}$|\b(?i:part)$", left) or is_place(left):
        return True
    return "&" not in between and is_person(left) and (is_person(right) or bool(re.search(r"\b[A-Z]\.\s", left)))


def canonical(name: str) -> str:
    """A name as registers write it: without a title, with its legal form abbreviated and without a comma before it."""
    plain = _TITLE.sub("", " ".join(name.split()).strip(" ,;").removeprefix("the "))
    for pattern, form in _FORMS:
        plain = pattern.sub(form, plain)
    return plain
