"""The repair of tags that OCR misread, by the rest of the sheet: a numbering is the same everywhere on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quire.pipelines.domains.drawings.texts import SheetText

AGREED = 2  # how many times more often than another reading the usual one is read
POINTED = 2  # loops with a point before their last digits, from which on it is the form of the sheet
_LOOKALIKES = str.maketrans("OQDIlSBZGT", "0001158267")
_FOLDED = str.maketrans("0O1I5S8B2Z6G", "OOIISSBBZZGG")
_MIXED = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}")
_TAGGED = re.compile(r"([A-Z]{1,6}[ \-]?)([0-9OQDIlSBZGT]{3,6})((?:\.[0-9OQDIlSBZGT]{1,3})?[A-D]?)")
_LOOP = re.compile(r"(?P<code>[A-Z]{2,6} ?)?\d{2,4}(?P<point>\.\d{1,3})")
_UNPOINTED = re.compile(r"(?P<code>[A-Z]{2,6} ?)?(?P<number>\d{5,6})")
_SPLIT = re.compile(r"(?<=\b\d\d) (?=\d{2,4} )|(?<=\b\d\d\d) (?=\d{2,3} )|(?<=\b\d) (?=\d{3,5} )")
_ELEMENT = re.compile(r"(?<=[A-Z])E(?=[A-Z])")
_CODE = re.compile(r"[A-Z]{3,6}")
_GLUED = re.compile(r"(?<= \d\d)[NMK]\d{1,2}$|(?<= \d\d\d)[NMK]\d{1,2}$")


def agreed(texts: Sequence[SheetText]) -> list[SheetText]:
    """The texts of a sheet with what OCR read put right; texts of the file are as they are."""
    usual = _usual(Counter(word for text in texts if text.confidence is not None for word in _MIXED.findall(text.text)))
    points = Counter(len(found["point"]) for text in texts if (found := _LOOP.fullmatch(text.text)) is not None)
    places, count = max(points.items(), key=lambda item: item[1], default=(0, 0))
    point = places - 1 if count >= POINTED else 0
    return [
        text if text.confidence is None else replace(text, text=_repaired(text.text, usual, point)) for text in texts
    ]


def _repaired(text: str, usual: dict[str, str], point: int) -> str:
    text = _GLUED.sub("", _SPLIT.sub("", _MIXED.sub(lambda found: usual.get(found[0], found[0]), text)))
    if _CODE.fullmatch(text):  # by ISA-5.1, a sensor (E) has no further function; an indicator may control (C)
        return _ELEMENT.sub("C", text)
    if (tagged := _TAGGED.fullmatch(text)) is not None and any(map(str.isdigit, tagged[2])):
        text = tagged[1] + tagged[2].translate(_LOOKALIKES) + tagged[3]
    if point and (found := _UNPOINTED.fullmatch(text)) is not None:
        number = found["number"]
        text = f"{found['code'] or ''}{number[:-point]}.{number[-point:]}"
    return text


def _usual(counts: Counter[str]) -> dict[str, str]:
    """Codes that look alike (`75HB13`, `75H813`), by the one that is read far more often."""
    alike: dict[str, list[str]] = {}
    for word in counts:
        alike.setdefault(word.translate(_FOLDED), []).append(word)
    found: dict[str, str] = {}
    for words in alike.values():
        best = max(words, key=lambda word: (counts[word], word))
        found |= {word: best for word in words if counts[best] >= AGREED * counts[word]}
    return found
