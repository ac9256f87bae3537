"""Routing: which pages need OCR, which engines can do it, and in which order they are tried.

The route depends on the page itself: its native text, its pictures, and what its rendered picture shows. Cheap tests
come first; the stricter question is kept for pages that are mostly a dense table.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quire.core.pagetext import PageText
from quire.core.types import SMALL_SHARE, BBox
from quire.pages.recognize.options import RecognizeOptions

if TYPE_CHECKING:
    from quire.core.engine import Capability, Engine, Recognition
    from quire.pages.layout.quality import Quality
    from quire.pages.recognize.seen import Seen

INSERT_SHARE = 0.3  # of the page: smaller pictures on a page with text are figures, not scanned inserts
FIGURE_SHARE = 0.01
FEW_CHARS = 8  # native characters over a picture that is an insert: a stamp, a page number
DENSE_RULES = (8, 4)  # horizontal and vertical rules of a dense table
DENSE_SHARE = 0.5  # of the page's area inside them
WEAK = 0.6  # mean confidence: below it another engine may do better
LETTER_WIDTH = 0.5  # of the height of a line
LEAST_LETTERS = 10  # a line with room for fewer may be a speck or a drawing
MANY_LETTERS = 60  # with room for fewer, no conclusion is possible
KNOWN_LETTERS = 0.25  # share of the letters for which there is room
MANY_WORDS = 5  # with fewer, no conclusion about an engine is possible


@dataclass(frozen=True, slots=True)
class Needs:
    """The parts of a page that need OCR: the whole page, or some of its pictures."""

    reason: str
    whole: bool
    regions: tuple[BBox, ...] = ()
    capabilities: frozenset[Capability] = frozenset({"text"})
    languages: tuple[str, ...] = ()

    def to_row(self) -> list[object]:
        boxes = [[box.left, box.top, box.width, box.height] for box in self.regions]
        return [self.reason, self.whole, boxes, sorted(self.capabilities), list(self.languages)]

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Needs:
        reason, whole, boxes, capabilities, languages = row
        regions = tuple(BBox(*box) for box in boxes)
        return cls(str(reason), bool(whole), regions, frozenset(capabilities), tuple(languages))


def needs_of(text: PageText, quality: Quality, options: RecognizeOptions) -> Needs | None:
    """The parts of a page that need OCR; None when its native text is complete, or OCR is off."""
    languages = options.languages
    if options.mode == "never" or text.ready:
        return None
    if options.mode == "always":
        return Needs("asked for", whole=True, languages=languages)
    if quality.status != "usable":
        return None if quality.reason == "blank" else Needs(quality.reason, whole=True, languages=languages)
    if 2 * text.invisible > text.chars:
        return None  # the text of the pictures exists already
    pictures = _pictures(text, FIGURE_SHARE if options.figures else INSERT_SHARE)
    if not pictures:
        return None
    capabilities: frozenset[Capability] = frozenset({"text", "line_boxes"})  # to distinguish scanned text from figures
    return Needs("pictures on a page of text", False, pictures, capabilities, languages)


def _pictures(text: PageText, least: float) -> tuple[BBox, ...]:
    """The pictures of a page that may contain text: large enough, with hardly any native text over them."""
    page = text.width * text.height
    found = []
    for left, top, right, bottom in text.pictures():
        left, top = max(left, 0.0), max(top, 0.0)
        right, bottom = min(right, text.width), min(bottom, text.height)
        if right - left <= 0 or bottom - top <= 0 or (right - left) * (bottom - top) < least * page:
            continue
        box = (left, top, right, bottom)
        if _native_chars(text, box) <= FEW_CHARS:
            found.append(BBox.of_points(box, (text.width, text.height)))
    return tuple(found)


def _native_chars(text: PageText, box: tuple[float, float, float, float]) -> int:
    boxes = text.boxes
    return sum(
        len(run)
        for n, run in enumerate(text.texts)
        if box[0] <= (boxes[4 * n] + boxes[4 * n + 2]) / 2 <= box[2]
        and box[1] <= (boxes[4 * n + 1] + boxes[4 * n + 3]) / 2 <= box[3]
    )


def route(engines: Iterable[Engine], needs: Needs, *, dense: bool = False) -> list[Engine]:
    """Engines in the order in which they are tried: those with everything the page needs, then the rest.

    An engine that does not know a language of the page would only invent text, and is left out. For a dense table,
    engines with table structure come first, if any.
    """
    able = [engine for engine in engines if "text" in engine.capabilities and _knows(engine, needs.languages)]
    capabilities = needs.capabilities | ({"table_structure"} if dense else frozenset())
    return sorted(able, key=lambda engine: len(capabilities - engine.capabilities))


def reads_formulas(engine: Engine) -> bool:
    """Whether an engine is for regions with formulas, rather than for the text of a page."""
    return {"formulas", "regions"} <= engine.capabilities and "text" not in engine.capabilities


def _knows(engine: Engine, languages: Sequence[str]) -> bool:
    return engine.languages is None or all(language in engine.languages for language in languages)


def is_dense_table(seen: Seen) -> bool:
    """Whether the ruled lines of a page show that it is mostly a dense table."""
    level = [rule for rule in seen.rulings if rule[1] == rule[3]]
    upright = [rule for rule in seen.rulings if rule[0] == rule[2]]
    if len(level) < DENSE_RULES[0] or len(upright) < DENSE_RULES[1]:
        return False
    width, height = seen.prepared.size
    across = max(r[2] for r in level) - min(r[0] for r in level)
    down = max(r[3] for r in upright) - min(r[1] for r in upright)
    return across * down > DENSE_SHARE * width * height


def room_in(box: BBox, size: tuple[int, int]) -> float:
    """The number of letters for which a line in a picture of that size has room."""
    across, down = box.width * size[0], box.height * size[1]
    return max(across, down) / (LETTER_WIDTH * max(1.0, min(across, down)))


def is_unread(text: str, box: BBox, size: tuple[int, int]) -> bool:
    """Whether hardly any of the letters of a line was read: it is in another script, or no text."""
    room = room_in(box, size)
    return room > LEAST_LETTERS and sum(map(len, text.split())) < KNOWN_LETTERS * room


def lost_letters(readings: Sequence[Recognition], size: tuple[int, int]) -> bool:
    """Whether an engine detected lines of text but recognised hardly any of their letters: another script."""
    lines = [line for reading in readings for line in reading.lines]
    room = sum(room_in(line.bbox, size) for line in lines)
    letters = sum(len(line.text) for line in lines)
    return room > MANY_LETTERS and letters < KNOWN_LETTERS * room


def unread_letters(readings: Sequence[Recognition], size: tuple[int, int]) -> int:
    """About how many letters were seen and not read."""
    return round(sum(room_in(box, size) for reading in readings for box in reading.unread))


def lacks_letters(readings: Sequence[Recognition], size: tuple[int, int]) -> bool:
    """Whether more than a small share of the letters that an engine saw was not read: lines in another script."""
    read = sum(len(line.text) for reading in readings for line in reading.lines)
    unread = unread_letters(readings, size)
    return unread > SMALL_SHARE * (read + unread)


def is_weak(readings: Sequence[Recognition]) -> bool:
    """Whether an engine has low confidence in its reading: an unknown script, handwriting."""
    words = sum(len(line.words) for reading in readings for line in reading.lines)
    confidences = [c for c in (reading.confidence for reading in readings) if c is not None]
    return words >= MANY_WORDS and bool(confidences) and sum(confidences) / len(confidences) < WEAK


def is_readable(reading: Recognition) -> bool:
    """Whether an engine read a line that another one could not, with some confidence."""
    sure = reading.confidence is None or reading.confidence >= WEAK
    return bool(reading.lines) and not reading.unread and not reading.error and sure


def without_lines(reading: Recognition, read: Container[BBox]) -> Recognition:
    """The reading without lines at these places, which another engine has read."""
    lines = tuple(line for line in reading.lines if line.bbox not in read)
    return replace(reading, lines=lines, unread=tuple(box for box in reading.unread if box not in read))
