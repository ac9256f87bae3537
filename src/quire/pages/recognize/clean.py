"""Cleans or rejects texts, boxes and confidences from an engine. Third-party engines may violate their types: what is
not a text, a number or a box counts as missing."""

from __future__ import annotations

import math
import unicodedata

from quire.core.types import BBox

SLACK = 0.05
"""How far outside the page, as a share of its side, an edge may lie and still be clamped."""

_KEPT_FORMATS = "\u200c\u200d\u200e\u200f"  # joiners and direction marks change how a word is displayed


def clean_line(text: object) -> str:
    """Text on one line: no control characters, single spaces."""
    return " ".join(_plain(text).split())


def clean_text(text: object) -> str:
    """Text that may have several lines, each without control characters; blank lines are removed."""
    lines = (" ".join(line.split()) for line in _plain(text).splitlines())
    return "\n".join(line for line in lines if line)


def clean_code(text: object) -> str:
    """Text with significant indentation: only the ends of lines are trimmed."""
    lines = (line.rstrip() for line in _plain(text).expandtabs(4).splitlines())
    return "\n".join(lines).strip("\n")


def clean_box(box: object) -> BBox | None:
    """The box clamped to the page, or None when it is invalid: not finite, empty, inverted, too far outside."""
    if not isinstance(box, BBox):
        return None
    sides = [number(side) for side in (box.left, box.top, box.width, box.height)]
    left, top, width, height = (math.nan if side is None else side for side in sides)
    edges = (left, top, left + width, top + height)
    if not all(-SLACK <= edge <= 1 + SLACK for edge in edges):
        return None
    left, top, right, bottom = (round(min(max(edge, 0.0), 1.0), 5) for edge in edges)
    if right <= left or bottom <= top:
        return None
    return BBox(left, top, round(right - left, 5), round(bottom - top, 5))


def clean_confidence(value: object) -> float | None:
    """A confidence from 0 to 1, or None when it is invalid. The engine must convert percentages."""
    converted = number(value)
    if converted is None or not -SLACK <= converted <= 1 + SLACK:
        return None
    return min(max(converted, 0.0), 1.0)


def number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return None
    return converted if math.isfinite(converted) else None


def whole(value: object, low: int, high: int) -> int | None:
    """A whole number within the limits, or None."""
    converted = number(value)
    if converted is None or converted != int(converted) or not low <= converted <= high:
        return None
    return int(converted)


def _plain(text: object) -> str:
    if not isinstance(text, str):
        return ""
    if text.isascii() and text.isprintable():
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return unicodedata.normalize("NFC", "".join(c for c in paired if _kept(c)))


def _kept(character: str) -> bool:
    if character.isspace():
        return character != "\x1f"
    match unicodedata.category(character):
        case "Cc" | "Cs":
            return False
        case "Cf":
            return character in _KEPT_FORMATS
        case "Cn":  # noncharacters are refused, characters newer than this Python's tables are not
            return ord(character) & 0xFFFE != 0xFFFE and not 0xFDD0 <= ord(character) <= 0xFDEF
    return True
