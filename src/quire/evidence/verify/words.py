"""Words that say a value without being it: yes and no, ticked boxes, names of currencies."""

from __future__ import annotations

import re

from quire.evidence.verify.phrases import folded, without_accents

_YES_WORDS = "yes true ja oui si sim tak ano evet да y x on checked ticked included enabled accepted agreed"
_NO_WORDS = (
    "no not none never nor neither without false nein nicht kein keine ohne non ne pas sans aucun nao sem nie hayir "
    "нет не n off unchecked excluded disabled declined cannot isnt doesnt dont wont"
)
_YES, _NO = frozenset(_YES_WORDS.split()), frozenset(_NO_WORDS.split())
_TICKED, _EMPTY = "☑☒✓✔✗✘■●◉", "☐□○◯"
_CURRENCIES = {
    "usd": "$ us$ dollar dollars",
    "eur": "€ euro euros",
    "gbp": "£ pound pounds sterling",
    "jpy": "¥ yen 円",
    "cny": "¥ rmb yuan renminbi 元",
    "inr": "₹ rs rupee rupees",
    "chf": "sfr franken francs fr",
    "krw": "₩ won",
    "myr": "rm ringgit",
    "cad": "c$ ca$ $",
    "aud": "a$ au$ $",
    "sgd": "s$ $",
    "hkd": "hk$ $",
    "brl": "r$ reais real",
    "pln": "zł złoty",
    "sek": "kr kronor",
    "nok": "kr kroner",
    "dkk": "kr kroner",
    "rub": "₽ руб",
    "try": "₺ tl",
    "mxn": "$ pesos peso",
    "zar": "r rand",
    "idr": "rp rupiah",
    "thb": "฿ baht",
}

_LEGAL_FORMS = {
    "inc": "incorporated",
    "ltd": "limited",
    "corp": "corporation",
    "co": "company",
    "llc": "limited liability company",
    "lp": "limited partnership",
    "llp": "limited liability partnership",
    "plc": "public limited company",
    "gmbh": "gesellschaft mit beschränkter haftung",
    "ag": "aktiengesellschaft",
    "sdn bhd": "sendirian berhad",
    "&": "and",
}
_LEGAL = {**_LEGAL_FORMS, **{long: short for short, long in _LEGAL_FORMS.items()}}
_LEGAL_FORM = re.compile(rf"(?<!\w)({'|'.join(sorted(map(re.escape, _LEGAL), key=len, reverse=True))})(?!\w)\.?")


def said_boolean(text: str) -> bool | None:
    """What a text says: False where it denies something, True where it affirms; None if it does neither."""
    words = set(re.findall(r"[^\W\d_]+", folded(text, without_accents).replace("'", "")))
    if words & _NO:
        return False
    ticked, empty = any(one in text for one in _TICKED), any(one in text for one in _EMPTY)
    if ticked != empty:
        return ticked
    return True if words & _YES else None


def currency_forms(value: str) -> tuple[str, ...]:
    """How a currency may be written: its code, its sign, its names."""
    given = folded(value).strip()
    code = next((code for code, names in _CURRENCIES.items() if given == code or given in names.split()), given)
    return (code, *_CURRENCIES.get(code, "").split(), *((given,) if given != code else ()))


def name_forms(value: str) -> tuple[str, ...]:
    """How a name may also be written: its legal form spelled out or shortened, `&` for `and`."""
    given = folded(value)
    other = _LEGAL_FORM.sub(lambda match: _LEGAL[match[1]], given)
    last = list(_LEGAL_FORM.finditer(given))[-1:]
    only = [given[: match.start()] + _LEGAL[match[1]] + given[match.end() :] for match in last]
    return tuple(dict.fromkeys(form for form in (other, *only) if form != given))
