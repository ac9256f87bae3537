"""Patterns at the start of lines: list markers, captions, numbered headings, page numbers."""

from __future__ import annotations

import re

from quire.core.lazy_patterns import lazy_pattern
from quire.lexicon.words import alternatives, word_groups, words_of

BULLETS = "•‣◦●○▪▫■□◆◇♦➢➤❖✓✔∙·⁃–—−*-►▶"

STRONG_BULLETS = "•‣●▪■➢➤❖✓✔►▶\uf06c\uf06e\uf071\uf076\uf0a7\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc"
"""Signs that are nothing but bullets; those of the private use area are Symbol and Wingdings."""
WEAK_BULLETS = "*–—−"
"""Signs that begin an item only where others do too."""
_BULLET = lazy_pattern(
    rf"^([{re.escape(BULLETS)}{STRONG_BULLETS}])\s+\S|^([{STRONG_BULLETS}])\S|^([a-z]?\ufffd)\s+\S|^(o)\s+(?=[A-Z])"
)
_NUMBER = lazy_pattern(
    r"^(\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\]|\[[A-Za-z+]{1,8}\d\d[a-z]?\]|\(\d{1,2}\))(?=\s+\S)"
    r"|^(\(?(?:\d{1,2}|[a-z])\))(?=[A-Z].{8})"  # a narrow tab
)
_LABEL = lazy_pattern(r"\[[A-Za-z][\w+&]{1,9}\]\Z|\[\d{1,3}\]\Z")
_ENUMERATION = lazy_pattern(r"\(?(?:\d{1,2}|[a-zA-Z]|[ivxIVX]{1,5})[.)]\Z|\d{1,2}(?:\.\d{1,2}){1,3}\.?\Z")
_PHONE = lazy_pattern(r"^\(\d{3}\)\s*\d{3}\b|^\(?\d{1,3}[.)]\s+\d{3}[-–. ]\d{3,4}\b")
_CONTENTS = lazy_pattern(  # begins only where a leader does: a line of thousands of dots is searched once
    r"(?<![.…·_])(?<![.…·_]\s)(?:[.…·_]\s?){4,}\s*(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxlc]{1,7})\Z"
)
_ADDRESS = lazy_pattern(
    r"https?://|www\.|\S@\S|\b[A-Z]{2} \d{5}\b|^\d{1,5}[A-Z]? (?:\w+\.? ){1,4}(?:street|st|avenue|ave|road|rd|drive|dr|"
    r"blvd|boulevard|lane|ln|way|plaza|suite|court|ct|highway|hwy)\b|^p\.? ?o\.? box\b|^(?:tel|phone|fax|e-?mail)\b",
    re.IGNORECASE,
)
_CAPTION = lazy_pattern(
    r"^(?:(?:supplementary|extended data|online)\s+)?"
    rf"({alternatives(words_of('captions'))})\s*"
    r"(?:[A-Z]?\d+(?:[.\-–]\d+)*[a-z]?|(?<=[\s.])(?:[IVXL]+|[A-Z]))\b\s*(?P<mark>[.:|—–-]|\)|$|\s(?=[A-Z(]))?",
    re.IGNORECASE,
)
_MONTH = rf"{alternatives(name.upper() for names in word_groups('months').values() for name in names)}\b"
_DATE = rf"(?:{_MONTH}|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b)"
_DATED = rf"(?:\W*(?:{_DATE}|['’]?\d{{1,4}}\b|[AP]\.?M\.?))*"
_STAMPS, _DATED_STAMPS = (alternatives(map(str.upper, words_of(key))) for key in ("stamps", "dated_stamps"))
_RUBBER_STAMP = lazy_pattern(
    rf"(?!\D*\d+[.,]\d{{2}}\Z)[*!.]{{0,3}}(?:{_STAMPS}|{_DATED_STAMPS}(?=.*{_DATE})){_DATED}[*!.]{{0,3}}\Z"
)
_SECTION = lazy_pattern(
    r"^((?:\d{1,2}|[A-Z])(?:\.\d{1,2}){1,4}\.?|\d{1,2}\.?|[IVX]{1,5}\.|[A-Z]\.|[B-HJ-Z](?=\s)|§\s*\d+(?:\.\d+)*)\s+"
    r"(?:(?=[A-Z\"'(\d])|(?=[\u00c0-\uffff]))"  # in two: compiling a long range together with others is slow
)
_SECTION_WORD = lazy_pattern(rf"^({alternatives(words_of('section_words'))})\s+([A-Z0-9IVXL.]+)\b", re.IGNORECASE)
_PAGE_NUMBER = lazy_pattern(
    rf"^(?:{alternatives(words_of('page_words'))}\s*)?[-–—|\[(]?\s*(?:[A-Z]{{1,2}}-)?(\d{{1,4}}|[ivxlc]{{1,7}})\s*[-–—|\])]?"
    rf"(?:\s*(?:/|{alternatives(words_of('page_of'))})\s*\d{{1,4}})?$",
    re.IGNORECASE,
)
_LEADER = lazy_pattern(r"[.…·_]{4,}\Z")
_EQUATION_NUMBER = lazy_pattern(r"\(\s*[A-Z]?\d{1,3}(?:[.\-]\d{1,3})?[a-z]?\s*\)\s*\Z")
KNOWN_HEADINGS = frozenset(words_of("headings"))
"""Titles of sections that many documents have."""


def bullet(text: str) -> str:
    """The bullet with which a line begins, or nothing."""
    match = _BULLET.match(text)
    return (match[1] or match[2] or match[3] or match[4]) if match else ""


def is_bullet(text: str) -> bool:
    """Whether a text is nothing but a bullet or a label in brackets, as before a wide tab."""
    if _LABEL.match(text):
        return True
    return len(text) == 1 and text != "−" and (text in BULLETS or text in STRONG_BULLETS or text == "o")


def is_enumeration(text: str) -> bool:
    """Whether a text is nothing but the number of a clause or an item, as before a wide tab: `9.`, `(a)`, `4.2`."""
    return bool(_ENUMERATION.match(text))


def list_number(text: str) -> str:
    """The number of a list item with which a line begins (`3.`, `b)`, `(iv)`, `[12]`), or nothing."""
    match = _NUMBER.match(text)
    return (match[1] or match[2]) if match and not _PHONE.match(text) else ""


def caption_of(text: str) -> str:
    """The word that begins a caption, in lower case (`figure`, `table`, ...), or nothing."""
    match = _CAPTION.match(text)
    if not match:
        return ""
    return match[1].lower().rstrip(".")


def caption_marked(text: str) -> bool:
    """Whether a caption's number is followed by punctuation or a capital, unlike in a sentence."""
    match = _CAPTION.match(text)
    return bool(match and match["mark"] is not None)


def section_number(text: str) -> str:
    """The number of a heading (`2`, `A.1`, `IV.`), or nothing."""
    match = _SECTION.match(text) or _SECTION_WORD.match(text)
    return match[1] if match else ""


def section_depth(text: str) -> int | None:
    """The level that a heading's number implies, None when it has none."""
    match = _SECTION.match(text)
    if match:
        number = match[1].rstrip(".")
        return number.count(".") + 1
    return 1 if _SECTION_WORD.match(text) else None


def is_equation_number(text: str) -> bool:
    """Whether a line is nothing but `(3)`, `(A.1)` or the like."""
    return bool(_EQUATION_NUMBER.match(text))


def ends_with_equation_number(text: str) -> bool:
    return bool(_EQUATION_NUMBER.search(text))


def is_page_number(text: str) -> bool:
    return len(text) <= 20 and bool(_PAGE_NUMBER.match(text))


def is_known_heading(text: str) -> bool:
    return text.strip(" .:").lower() in KNOWN_HEADINGS


def is_contents_line(text: str) -> bool:
    """Whether a line ends with a dot leader and a page number."""
    return _CONTENTS.search(text) is not None


def is_address(text: str) -> bool:
    """Whether a text has a street, a postal code, a telephone number, a web or a mail address."""
    return _ADDRESS.search(text) is not None or _PHONE.match(text) is not None


def is_leader(text: str) -> bool:
    """Whether a word is a dot leader."""
    return text[:1] in ".…·_" and bool(_LEADER.match(text))


def is_rubber_stamp(text: str) -> bool:
    """Whether a line of a scan is what a rubber stamp says: RECEIVED, PAID, COPY, with a date or without."""
    return bool(_RUBBER_STAMP.match(text))
