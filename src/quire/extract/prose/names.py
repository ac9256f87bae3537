"""Names of companies and people in running text."""

from __future__ import annotations

import re

LEGAL_FORM = (
    r"(?:Incorporated|Inc|Corporation|Corp|Company|Co|Limited|Ltd|LLC|L\.L\.C|LLP|L\.L\.P|LP|L\.P|PLC|plc|P\.C|PC|N\.A|NA|"
    r"AG|GmbH|KGaA|KG|SE|S\.A\.S|SAS|S\.A|SA|S\.p\.A|SpA|S\.r\.l|SRL|B\.V|BV|N\.V|NV|AB|ASA|AS|A/S|Oy|Oyj|Pty|Pte|Bhd|Sdn|"
    r"Partners|Partnership|Trust|Bank|Association|Foundation|University|Fund|Group|Holdings|Capital|Technologies|"
    r"Systems|Industries|International|Enterprises|Associates|Laboratories|Pharmaceuticals|Securities)"
)
_JOINED = r"(?:of|and|the|for|de|la|von|van|der|&)"
_TOKEN = r"(?:[A-Z0-9][\w.’'&/@+-]*|[a-z]{1,3}[A-Z]\w*)"
NAME = re.compile(
    rf"(?:[Tt]he\s+(?=[A-Z]))?{_TOKEN}(?:(?:\s+{_JOINED}){{0,2}}\s+{_TOKEN}){{0,9}}"
    rf"(?:,\s*(?i:{LEGAL_FORM})\b\.?(?:\s+(?i:{LEGAL_FORM})\b\.?)*)*"
)
_HAS_FORM = re.compile(rf"\b{LEGAL_FORM}\b", re.IGNORECASE)
_PERSON = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?[A-Z][\w’'-]+\.?(?:\s+(?:[A-Z]\.?|[A-Z][\w’'-]+|de|van|von|la)){1,3}"
    r"(?:,?\s+(?:Jr|Sr|II|III|IV)\.?)?$"
)
_NO_NAME = re.compile(
    r"^(?:the\s+)?(?:undersigned|company|employee|employer|executive|director|party|parties|recipient|agreement|this|you|"
    r"seller|buyer|purchaser|consultant|contractor|effective date|date|affiliated companies|exhibit|section|article|"
    r"board|state|commonwealth|x+|name|individual)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Dr|Prof|Messrs)\.?\s+")
_FORMS = (
    (re.compile(r",\s+(?=\S+(?:\s\S+)?$)"), " "),
    (re.compile(r"\bIncorporated$", re.IGNORECASE), "Inc."),
    (re.compile(r"\bLimited$", re.IGNORECASE), "Ltd."),
    (re.compile(r"\b(Inc|Ltd|Corp|Co)$", re.IGNORECASE), r"\1."),
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
    return len(name) > 3 and not _NO_NAME.match(name) and (is_company(name) or is_person(name) or name.isupper())


def canonical(name: str) -> str:
    """A name as registers write it: without a title, with its legal form abbreviated and without a comma before it."""
    plain = _TITLE.sub("", " ".join(name.split()).strip(" ,;"))
    for pattern, form in _FORMS:
        plain = pattern.sub(form, plain)
    return plain
