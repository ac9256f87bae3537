"""Rows on a scan, where the file has no text order: labels and values are read across, prose is not."""

from __future__ import annotations

from quire.pages.geometry.extents import Boxed, are_level, width_of

PROSE_LETTERS = 22  # a shorter line is probably not prose; a Chinese one is half as long
ALIGNED = 0.6  # share of the things of a side at the height of one on the other side: rows
VALUE_LETTERS = 12  # a longer thing is probably not a value
PROSE_WIDTH = 120.0  # points: a narrower column is hardly one of text


def stand_in_rows(few: list[Boxed], many: list[Boxed]) -> bool:
    """Whether two sides of a scan are labels and values: numbers in rows, or no prose and short things on one side."""
    aligned = sum(1 for thing in few if any(are_level(thing, other) for other in many)) >= ALIGNED * len(few)
    if aligned and (_are_numbers(few) or _are_numbers(many)):
        return True
    if _is_prose(few) or _is_prose(many):
        return False
    if min(_letters(few), _letters(many)) <= VALUE_LETTERS:
        return True
    return len(few) < 3


def _are_numbers(things: list[Boxed]) -> bool:
    """Whether most of some things are short and hold a number."""
    texts = [getattr(thing, "text", "") for thing in things]
    return 2 * sum(1 for t in texts if len(t) <= VALUE_LETTERS and any(map(str.isdigit, t))) > len(texts)


def _letters(things: list[Boxed]) -> int:
    """The usual number of letters of the things of a side."""
    lengths = sorted(len(getattr(t, "text", "")) for t in things)
    return lengths[len(lengths) // 2]


def letters_of(thing: Boxed) -> int:
    """The letters of a thing, 0 for one without text; those of Chinese count double."""
    text: str = getattr(thing, "text", "")
    return len(text) + sum(character > "\u2e80" for character in text)


def _is_prose(things: list[Boxed]) -> bool:
    """Whether things are the lines of a text that fills its column."""
    lines = [thing for thing in things if letters_of(thing) >= PROSE_LETTERS]
    width = width_of(things)
    full = sum(1 for line in lines if line.right - line.left > 0.7 * width)
    return full >= 3 and full >= 0.5 * len(things) and width > 0.5 * PROSE_WIDTH
