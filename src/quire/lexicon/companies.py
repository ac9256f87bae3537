"""Names of companies: their legal forms, slogans that are none, and the registration numbers beside them."""

from __future__ import annotations

import re

from quire.lexicon.phrases import folded
from quire.lexicon.words import phrase_pattern, word_groups, words_of

_FORMS = word_groups("legal_forms")
_LEGAL_FORM = re.compile(rf"(?<!\w){phrase_pattern(_FORMS['all'] + _FORMS['bills'])}(?!\w)", re.IGNORECASE)
_SHORT_FORM = re.compile(
    rf"[^\W\d_]{{2}}[\w.&' -]*(?:\s{phrase_pattern(_FORMS['words'])}|[\s,]+{phrase_pattern(_FORMS['ends'])})"
    r"\.?\s*(?:\(.*)?$",
    re.IGNORECASE,
)
"""Forms that are also the abbreviations of other things stand behind a name: SE is no company in 2210 SE Park Blvd."""
_REGISTRATION = re.compile(
    r"^\W*(?:(?:co(?:mpany)?|business|roc|ssm|reg(?:istration|d)?|c\.?i\.?f|n\.?i\.?f|uen|abn|siret|siren)\b[\s.:/()-]*)*"
    r"(?:no|nr|number|id|#)?[\s.:#]*(?:[A-Z]{1,3}[- ]?)?\d[\d\s-]{3,16}(?:[- ]?[A-Z])?\W*$",
    re.IGNORECASE,
)
_PROMISE = re.compile(rf"(?<!\w){phrase_pattern(words_of('slogan_words'))}(?!\w)", re.IGNORECASE)
_PARTICLES = frozenset(words_of("name_particles"))
"""Words without a capital that names have, too."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEGAL = {short: long for short, (long,) in word_groups("legal_form_names").items()}
_LEGAL |= {long: short for short, long in _LEGAL.items()}
_SPELLED = re.compile(rf"(?<!\w)({'|'.join(sorted(map(re.escape, _LEGAL), key=len, reverse=True))})(?!\w)\.?")
BRAND = 1.2
"""The height of the name of a shop, in that of the company that runs it."""
MUCH_LARGER = 1.35
MOST_OF_SECOND = 2
"""Words before the legal form in the second line of a name."""
MOST_IN_FORM = 3
LONGEST = 40  # characters of a line with a registration number


def has_legal_form(text: str) -> bool:
    """Whether a name says what kind of company it is: GmbH, Sdn Bhd, Ltd."""
    return _LEGAL_FORM.search(text) is not None or _SHORT_FORM.search(text.strip()) is not None


def is_slogan(text: str) -> bool:
    """Whether a line says what a company promises, and not what it is called: `Quality you can trust`."""
    words = text.split()
    if len(words) < 3 or has_legal_form(text):
        return False
    plain = [word for word in words if word.isalpha() and word.islower() and word not in _PARTICLES]
    return _PROMISE.search(text) is not None or len(plain) > 1


def is_one_name(first: str, second: str, taller: float) -> bool:
    """Whether two lines may be one name; `taller` is the height of the first relative to that of the second.

    The brand of a shop above the company that runs it is none: it is larger, or that begins with the same word. A
    company that has said its legal form is complete.
    """
    if has_legal_form(first):
        return has_legal_form(second) and len(_words(second)) <= MOST_IN_FORM
    if not has_legal_form(second):
        return taller < MUCH_LARGER or len(_words(second)) <= MOST_OF_SECOND
    named = _words(_LEGAL_FORM.sub(" ", second))
    if len(named) < 2:  # `Sdn Bhd`, `Trading Ltd`
        return True
    same = bool(_words(first)) and _words(first)[0] == named[0]
    return taller < BRAND and not same and len(named) <= MOST_OF_SECOND


def is_registration(text: str) -> bool:
    """Whether a line is only a number of registration, as it stands below the name of a company."""
    marked = text.startswith("(") or any(map(str.isalpha, text))
    return marked and len(text) <= LONGEST and _REGISTRATION.match(text) is not None


def name_forms(value: str) -> tuple[str, ...]:
    """Other spellings of a name: its legal form spelled out or shortened, `&` for `and`."""
    given = folded(value)
    other = _SPELLED.sub(lambda match: _LEGAL[match[1]], given)
    last = list(_SPELLED.finditer(given))[-1:]
    only = [given[: match.start()] + _LEGAL[match[1]] + given[match.end() :] for match in last]
    return tuple(dict.fromkeys(form for form in (other, *only) if form != given))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
