"""The grammar of tags: texts of a drawing that ISA-5.1, ISO 10628 and KKS would write as one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

TagKind: TypeAlias = Literal["equipment", "instrument", "valve", "line", "nozzle"]
TAG_KINDS: tuple[TagKind, ...] = get_args(TagKind)

_BEFORE_NUMBERS = """
    A AISI ANSI API ASME AND AS ASTM AT BAR BY CAD CHK CL CLASS COL DATE DE DET DIA DIM DIN DN DOC DP DT DWG ED EL ELEV
    EN FIG FOR FROM GGG ID IN IP ISO ITEM JIS KG KM KW LTR MAX MIN MM MPA NFPA NO NOS NOTE NPS NR NS NW OD OF OHM ON OR
    PAGE PG PN POS PRJ PROJ PSI PT QTY REF REV ROW RPM SCH SEC SHT SIZE SS ST STD TEL TO TYP TYPE UN VAC VDC VOL
    JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC
"""
NOT_TAGS = frozenset(_BEFORE_NUMBERS.split())
"""Letters that stand before a number and are no tag: units, sizes, standards, materials, words of title blocks."""

LONGEST = 80  # characters of a tag
_SUFFIX = r"(?:[.\-]\d{1,3})?(?:[A-Z](?:/[A-Z])*| [A-D](?:/[A-D])*)?"
_INSTRUMENT = re.compile(rf"(?P<code>[A-Z]{{2,6}})(?P<sep>[ \-])?(?P<number>\d{{2,6}}{_SUFFIX})")
_EQUIPMENT = re.compile(rf"(?:[A-Z]{{1,3}}\d{{2}}-)?(?P<code>[A-Z]{{1,3}})(?P<sep>-)?(?P<number>\d{{2,5}}{_SUFFIX})")
_NOZZLE = re.compile(r"[NMK]\d{1,2}[A-Z]?")
_KKS = re.compile(r"\d{0,2}[A-Z]{3}\d{2}\s?(?P<unit>[A-Z]{2})\d{3}")
_VALVE = re.compile(r"[A-Z]{0,4}V[A-Z]?")
_CODE = re.compile(r"[A-Z]{2,6}")
_NUMBER = re.compile(rf"\d{{2,6}}{_SUFFIX}")
_SPEC = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])\w{3,}#?")
_FLUID = re.compile(r"[A-Za-z]{1,4}")
_SIZE = re.compile(r'\d{1,4}(?:/\d)?(?:"|MM|IN)?', re.IGNORECASE)
_LOOP = re.compile(r"[A-Z]{0,3}\d{3,6}[A-Z]?")
_DIVIDER = re.compile(r"[\s\-.]+")
_FUNCTIONS = frozenset("ACEGHIKLQRSTVYZDX")
_ISA_FIRST = frozenset("AEFHLPQSTUWYZDG")


@dataclass(frozen=True, slots=True)
class TagText:
    """A text as a tag: its kind, its letters (`PI`, `P`, the fluid of a line) and its number (`4712.01`)."""

    kind: TagKind
    text: str
    code: str
    number: str


def tag_of(text: str) -> TagText | None:
    """The tag that a whole text is; None for everything else."""
    plain = " ".join(text.replace("–", "-").replace("−", "-").split()).strip(" .,;:_|-")
    if not 0 < len(plain) <= LONGEST or not any(map(str.isdigit, plain)) or not any(map(str.isalpha, plain)):
        return None
    return _line(plain) or _short(plain)


def _short(plain: str) -> TagText | None:
    if _NOZZLE.fullmatch(plain):
        return TagText("nozzle", plain, plain[0], plain[1:])
    if (found := _KKS.fullmatch(plain)) is not None:
        kind: TagKind = "valve" if found["unit"] == "AA" else "instrument" if found["unit"][0] == "C" else "equipment"
        return TagText(kind, plain, found["unit"], plain)
    if (found := _EQUIPMENT.fullmatch(plain)) is not None and _digits(found["number"]) + bool(found["sep"]) >= 3:
        code = found["code"]
        if code in NOT_TAGS - {"A"}:
            return None
        if len(code) < 2 or not (_is_valve(code) or _is_instrument(code)):
            return TagText("equipment", plain, code, found["number"])
    if (found := _INSTRUMENT.fullmatch(plain)) is not None and found["code"] not in NOT_TAGS:
        return _loop(found["code"], found["number"], plain)
    return None


def stacked_tag(code: str, number: str) -> TagText | None:
    """The tag of letters above a number, as in the circle of an instrument: `PI` over `4712.01`, `FIC` over `F0001`."""
    code, number = "".join(code.split()), " ".join(number.split())
    if not _CODE.fullmatch(code) or code in NOT_TAGS:
        return None
    if number[:1] == code[:1] and (own := _EQUIPMENT.fullmatch(number)) is not None and len(own["code"]) == 1:
        return TagText("valve" if _is_valve(code) else "instrument", number, code, own["number"])
    return _loop(code, number, f"{code} {number}") if _NUMBER.fullmatch(number) else None


def is_code(text: str) -> bool:
    """Whether a text may be the letters of a tag whose number stands below."""
    return _CODE.fullmatch(text.replace(" ", "")) is not None and text not in NOT_TAGS


def _loop(code: str, number: str, text: str) -> TagText | None:
    if _is_valve(code):
        return TagText("valve", text, code, number)
    return TagText("instrument", text, code, number) if _is_instrument(code) else None


def _is_valve(code: str) -> bool:
    return len(code) >= 2 and _VALVE.fullmatch(code) is not None


def _is_instrument(code: str) -> bool:
    """Letters by ISA-5.1: a measured variable, then functions; differential and the like may follow the first."""
    return len(code) >= 2 and code[0] in _ISA_FIRST and {*code[1:]} <= _FUNCTIONS


def _line(plain: str) -> TagText | None:
    """A line number: size, fluid, number and pipe class in any order, between hyphens, points or spaces."""
    words = re.sub(r"\s*-\s*", "-", plain).split(" ")
    if "-" in words[0]:  # what follows is a unit, the gasket, the insulation or the like
        short = all("-" in word or len(word) <= 4 for word in words)
        return _line_of(_DIVIDER.split(plain), plain) if short and _hyphened("".join(words)) else None
    if not 3 <= len(words) <= 7 or not all(_FLUID.fullmatch(w) or any(map(str.isdigit, w)) for w in words):
        return None
    fluid = next((at for at, word in enumerate(words[:2]) if _FLUID.fullmatch(word)), None)
    if fluid is None or not (fluid == 0 or _SIZE.fullmatch(words[0])) or not words[fluid + 1].isdigit():
        return None
    if len(words[fluid + 1]) < 3 or not any(_SPEC.fullmatch(word) for word in words[fluid + 2 :]):
        return None
    return TagText("line", plain, words[fluid], words[fluid + 1])


def _hyphened(word: str) -> bool:
    parts = [part for part in re.split(r"[\-.]", word) if part]
    with_digits = [part for part in parts if any(map(str.isdigit, part))]
    numbered = any(_SIZE.fullmatch(part) and _digits(part) >= 2 for part in parts) or re.search(r"\d{4}", word)
    lettered = sum(any(map(str.isalpha, part)) for part in parts)
    return len(parts) >= 3 and len(with_digits) >= 2 and lettered >= 2 and bool(numbered) and len(word) >= 9


def _line_of(parts: list[str], plain: str) -> TagText | None:
    loops = [part for part in parts if _LOOP.fullmatch(part)]
    named = next((part for part in loops if part[0].isalpha()), None)
    number = named or max(loops, key=len, default="")
    fluid = next((part for part in parts if _FLUID.fullmatch(part)), "")
    return TagText("line", plain, fluid, number)


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))
