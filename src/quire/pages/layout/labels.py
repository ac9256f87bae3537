"""Labels and values by the look of their texts, and the pages that are made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.lexicon.amounts import is_amount
from quire.lexicon.amounts import is_number as is_one_number
from quire.lexicon.dates import is_date
from quire.pages.layout.lines import Line
from quire.pages.layout.patterns import caption_of, is_known_heading

LABEL_LENGTH = 40  # characters
LABEL_WORDS = 5
AMOUNT_LENGTH, AMOUNT_WORDS = 50, 8  # of the label of an amount
PROSE_LENGTH, PROSE_WORDS = 35, 5  # characters and spaces: a line with more may be one of a narrow column
PROSE = 0.4  # of the lines of a page: a page with more of running text is no form
FORMULAS = 0.1  # of the lines of a page: those with signs of formulas
FEWEST_PAIRS, PAIRED = 3, 0.6  # of the rows of a table: those that are labels with their values
_LABEL = re.compile(r"[#'\"“‘]{0,2}[^\W\d_].*")
_NOT_IN_LABEL = re.compile(r"[,;!?|@]|\.\s|://")
_SALUTATION = re.compile(r"(?:dear|ladies|gentlemen|to whom)\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"[#(]?[-–−+]?\d[\d.,:/%()-]*\s?(?:[%]|[A-Z]{3}|[AP]M)?"  # a time, a date, a share, a measure
    r"|\d[\d./-]+ ?[-–] ?\d[\d./-]+"  # a span of dates
    r"|[A-Z0-9][A-Z0-9/._#-]*\d[A-Z0-9/._#-]*"  # a code
)
_GROUPS = re.compile(r"\+?[\d()][\d\s()/.-]+")  # a telephone number, an account
_KNOWN = re.compile(
    r"(?:iban|bic|swift|vat|btw|tva|ust-?id(?:-?nr)?\.?|siret|siren|kvk|tel\.?|telephone|phone|fax|mobile|e-?mail)\Z",
    re.IGNORECASE,
)


def is_form(lines: Sequence[Line]) -> bool:
    """Whether few lines of a page are running text or formulas."""
    formulas = sum(1 for line in lines if line.signs)
    return formulas <= FORMULAS * len(lines) and sum(map(is_prose, lines)) <= PROSE * len(lines)


def is_prose(line: Line) -> bool:
    return len(line.text) > PROSE_LENGTH and line.text.count(" ") >= PROSE_WORDS


def is_field_table(texts: Sequence[Sequence[str]]) -> bool:
    """Whether the rows of a table are labels with a colon, each with its value: they are fields.

    `texts` are the texts of the cells of each row.
    """
    filled = [[text for text in row if text] for row in texts]
    labelled = [sum(1 for text in row if text.endswith(":") and is_label(text)) for row in filled]
    pairs = sum(1 for row, labels in zip(filled, labelled, strict=True) if 0 < len(row) <= 2 * labels)
    return pairs >= FEWEST_PAIRS and pairs >= PAIRED * len(filled)


def is_label(text: str) -> bool:
    """Whether a text may name a value: few words, mostly letters, the first one a capital."""
    text = text.rstrip(" :")
    if not 2 <= len(text) <= LABEL_LENGTH or not _LABEL.match(text) or _NOT_IN_LABEL.search(text):
        return False
    words = text.split()
    letters = sum(map(str.isalpha, text))
    first = next((letter for letter in text if letter.isalpha()), "")
    if len(words) > LABEL_WORDS or first.islower() or 10 * letters < 6 * len("".join(words)):
        return False
    return not caption_of(text) and not is_known_heading(text) and not _SALUTATION.match(text)


def is_known_label(text: str) -> bool:
    """Whether a word names what follows it also without a colon: a bank account, a tax number, a telephone."""
    return _KNOWN.match(text) is not None


def names_number(text: str, number: str) -> bool:
    """Whether a text beside a number names it: beside an amount it may be longer, and have numbers itself."""
    if is_label(text):
        return is_numeric(number)
    words = text.split()
    letters = sum(map(str.isalpha, text))
    short = len(text) <= AMOUNT_LENGTH and len(words) <= AMOUNT_WORDS and 10 * letters >= 4 * len("".join(words))
    return short and _LABEL.match(text) is not None and is_amount(number)


def is_numeric(text: str) -> bool:
    """Whether a text is an amount, a number, a date or a code with digits."""
    return len(text) <= LABEL_LENGTH and (_FIGURE.fullmatch(text) is not None or is_one_number(text) or is_date(text))


def is_number(text: str) -> bool:
    """Whether a text is a number, or a number written in groups."""
    return is_numeric(text) or _GROUPS.fullmatch(text) is not None
