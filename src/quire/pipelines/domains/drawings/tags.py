"""The tags of a sheet: texts that are one, words inside a text, and letters above a number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from quire.core.types import BBox
from quire.pipelines.domains.drawings.grammar import TagKind, TagText, is_code, stacked_tag, tag_of
from quire.pipelines.domains.drawings.tag_repair import agreed
from quire.pipelines.domains.drawings.texts import SheetText

BELOW = 1.3  # of the height of the letters: how far below them their number may begin
CENTRED = 0.6  # of the wider of both: how far their middles may be apart
STACKED = 2  # instruments of a sheet from which on letters stand above numbers, and other codes name equipment
LONGEST = 7  # words of a tag
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class DrawingTag:
    """A tag of a drawing. `code` are its letters, `number` what follows them: the loop, or the number of a line.

    `angle` is the direction of writing, clockwise. `confidence` is that of the OCR engine, None for text of the file.
    """

    text: str
    kind: TagKind
    code: str
    number: str
    page: int
    bbox: BBox
    angle: int = 0
    confidence: float | None = None


class TagGrammar(Protocol):
    """Says whether a text is a tag: `tag_of`, or a function of your own for the numbering of a plant."""

    def __call__(self, text: str) -> TagText | None: ...


def find_tags(texts: Sequence[SheetText], grammar: TagGrammar = tag_of) -> list[DrawingTag]:
    """The tags of a sheet, from the top; one that is written twice is there twice."""
    texts = agreed(texts)
    used: set[int] = set()
    found: list[DrawingTag] = []
    for above, below, tag in _stacks(texts):
        if not {above, below} & used:
            used |= {above, below}
            found.append(_stacked(tag, texts[above], texts[below]))
    stacked = sum(tag.kind == "instrument" for tag in found) >= STACKED
    for number, text in enumerate(texts):
        if number not in used:
            found += (_by_context(tag, stacked=stacked) for tag in _inside(text, grammar))
    return sorted(found, key=lambda tag: (tag.page, round(tag.bbox.top, 3), tag.bbox.left))


def _inside(text: SheetText, grammar: TagGrammar) -> Iterator[DrawingTag]:
    """The tag that a text is, or those among its words."""
    whole = grammar(text.text)
    if whole is not None:
        yield _placed(whole, text, text.bbox)
        return
    words = list(_WORD.finditer(text.text))
    at = 0
    while at < len(words):
        for end in range(min(len(words), at + LONGEST), at, -1):
            start, stop = words[at].start(), words[end - 1].end()
            tag = grammar(text.text[start:stop]) if len(words) > 1 else None
            if tag is not None and tag.kind != "nozzle":
                yield _placed(tag, text, _part(text, start, stop))
                at = end
                break
        else:
            at += 1


def _placed(tag: TagText, text: SheetText, box: BBox) -> DrawingTag:
    return DrawingTag(tag.text, tag.kind, tag.code, tag.number, text.page, box, text.angle, text.confidence)


def _stacked(tag: TagText, above: SheetText, below: SheetText) -> DrawingTag:
    known = [one.confidence for one in (above, below) if one.confidence is not None]
    placed = _placed(tag, above, BBox.union((above.bbox, below.bbox)))
    return replace(placed, confidence=min(known, default=None))


def _by_context(tag: DrawingTag, *, stacked: bool) -> DrawingTag:
    """`PA001` is a pressure alarm or a pump: where instruments are letters above numbers, it is equipment."""
    joined = tag.kind == "instrument" and tag.text.isalnum()
    return replace(tag, kind="equipment") if stacked and joined else tag


def _stacks(texts: Sequence[SheetText]) -> Iterator[tuple[int, int, TagText]]:
    """Letters and the number below them, as places in `texts`, nearest first."""
    frames = [_frame(text) for text in texts]
    pairs = []
    for above, text in enumerate(texts):
        if not is_code(text.text):
            continue
        left, top, right, bottom = frames[above]
        for below, other in enumerate(texts):
            if other.angle != text.angle or other.page != text.page or above == below:
                continue
            start, upper, end, lower = frames[below]
            gap, height = upper - bottom, min(bottom - top, lower - upper)
            apart = abs(left + right - start - end) / 2
            if not -0.6 * height <= gap <= BELOW * height or apart > CENTRED * max(right - left, end - start):
                continue
            if (tag := stacked_tag(text.text, other.text)) is not None:
                pairs.append((gap + apart, above, below, tag))
    yield from ((above, below, tag) for _, above, below, tag in sorted(pairs, key=lambda pair: pair[:3]))


def _frame(text: SheetText) -> tuple[float, float, float, float]:
    """Left, top, right and bottom for a reader who turns the sheet so that the text is upright."""
    box = text.bbox
    match round(text.angle / 90) % 4:
        case 1:
            return box.top, -box.right, box.bottom, -box.left
        case 2:
            return -box.right, -box.bottom, -box.left, -box.top
        case 3:
            return -box.bottom, box.left, -box.top, box.right
    return box.left, box.top, box.right, box.bottom


def _part(text: SheetText, start: int, end: int) -> BBox:
    """The box of some characters, as if all were equally wide."""
    box, length = text.bbox, len(text.text)
    first, last = start / length, end / length
    match round(text.angle / 90) % 4:
        case 1:
            return BBox(box.left, box.top + first * box.height, box.width, (last - first) * box.height)
        case 2:
            return BBox(box.right - last * box.width, box.top, (last - first) * box.width, box.height)
        case 3:
            return BBox(box.left, box.bottom - last * box.height, box.width, (last - first) * box.height)
    return BBox(box.left + first * box.width, box.top, (last - first) * box.width, box.height)


def by_kind(tags: Iterable[DrawingTag]) -> dict[TagKind, list[DrawingTag]]:
    """The tags of each kind, in their order."""
    found: dict[TagKind, list[DrawingTag]] = {}
    for tag in tags:
        found.setdefault(tag.kind, []).append(tag)
    return found
