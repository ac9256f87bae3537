"""The lines of a page, rebuilt from the words of its blocks, for formats that describe pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.core.errors import UsageError
from quire.core.lazy_words import JoinedWords
from quire.core.types import NO_BOX, BBox, Block, Cell, Part, Word
from quire.output.export._flow import is_unspaced
from quire.output.export.contracts import Exportable
from quire.pages.geometry.extents import has_middle
from quire.pages.layout.lines import is_right_to_left

Size = tuple[float, float]
Points = tuple[float, float, float, float]
"""Left, top, right and bottom in points of the displayed page."""

_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]")

SAME_LINE = 0.5  # of the lower of two words: the vertical overlap of words on one line
CLEARLY = 1.2  # how much longer one side of a word must be to determine the direction of writing


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a block. `words` is empty when only the text is known; then the box is an equal share of the block's.

    `angle` is the direction of writing: 0, 90, 180 or 270 degrees, clockwise; 90 reads from top to bottom.
    """

    text: str
    bbox: BBox
    words: tuple[Word, ...] = ()
    angle: int = 0


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """One place of a block on a page, with its lines; the block begins in the place with `number` 1.

    The lines of a table are in its cells, except for words that are in none of them.
    """

    block: Block
    page: int
    bbox: BBox
    number: int
    lines: tuple[TextLine, ...]
    cells: tuple[tuple[Cell, tuple[TextLine, ...]], ...] = ()

    @property
    def id(self) -> str:
        """The id of the block as a name that XML allows, with a number for every place but the first."""
        name = _NOT_NAME.sub("_", self.block.id)
        name = name if name[:1].isalpha() else f"b{name}"
        return name if self.number == 1 else f"{name}.{self.number}"

    def all_lines(self) -> Iterator[TextLine]:
        for _, lines in self.cells:
            yield from lines
        yield from self.lines


def places_of(result: Exportable) -> dict[int, list[BlockPlace]]:
    """Map page numbers to the places of blocks on that page, in reading order. Blocks without a place are left out.

    Raises UsageError for a document without any, whose format is about nothing else.
    """
    if result.blocks and not any(block.placed for block in result.blocks):
        raise UsageError(
            f"{result.name} has no boxes, which hOCR, ALTO and searchable PDFs are made of: it is not paged. Choose "
            "another format; an office file has boxes where LibreOffice is installed"
        )
    sizes = {page.number: page.size for page in result.pages}
    found: dict[int, list[BlockPlace]] = {page.number: [] for page in result.pages}
    for block in result.blocks:
        words = words_by_place(block)
        for position, part in enumerate(block.places):
            if part.page in found and part.bbox != NO_BOX:
                found[part.page].append(_place(block, position, part, words[position], sizes[part.page]))
    return found


def is_spaced(before: str, after: str) -> bool:
    """Whether a space separates two words: not in scripts that are written without spaces."""
    return not (is_unspaced(before[-1:]) and is_unspaced(after[:1]))


def joined(words: Iterable[str]) -> str:
    """The words of a line as its text."""
    text = ""
    for word in words:
        text += f" {word}" if text and is_spaced(text, word) else word
    return text


def _place(block: Block, position: int, part: Part, words: Sequence[Word], size: Size) -> BlockPlace:
    if block.table is None:
        lines = _lines(words, size) if words else _lines_of_text(block.text if position == 0 else "", part.bbox)
        return BlockPlace(block, part.page, part.bbox, position + 1, lines)
    begins_page = all(before.page != part.page for before in block.places[:position])
    cells = [cell for cell in block.table.cells if cell.page == part.page] if begins_page else []
    inside, outside = _words_by_cell(cells, words)
    return BlockPlace(
        block,
        part.page,
        part.bbox,
        position + 1,
        _lines(outside, size),
        tuple(
            (cell, _lines(found, size) if found else _lines_of_text(cell.text, cell.bbox))
            for cell, found in zip(cells, inside, strict=True)
        ),
    )


def _words_by_cell(cells: Sequence[Cell], words: Iterable[Word]) -> tuple[list[list[Word]], list[Word]]:
    """The words of each cell, and those that are in none."""
    rows: dict[tuple[float, float], list[int]] = {}  # far fewer than cells
    for number, cell in enumerate(cells):
        rows.setdefault((cell.bbox.top, cell.bbox.bottom), []).append(number)
    inside: list[list[Word]] = [[] for _ in cells]
    outside: list[Word] = []
    for word in words:
        y = word.bbox.top + word.bbox.height / 2
        near = (number for (top, bottom), row in rows.items() if top <= y <= bottom for number in row)
        found = next((number for number in near if has_middle(cells[number].bbox, word.bbox)), None)
        (outside if found is None else inside[found]).append(word)
    return inside, outside


def words_by_place(block: Block) -> list[list[Word]]:
    """The words of each place of a block. They are in reading order, so the place changes only forwards."""
    places = block.places
    if len(places) == 1:
        return [list(block.words)]
    if isinstance(block.words, JoinedWords) and len(block.words.parts) == len(places):
        return [list(words) for words in block.words.parts]
    found: list[list[Word]] = [[] for _ in places]
    at = 0
    for word in block.words:
        following = next((i for i in range(at + 1, len(places)) if has_middle(places[i].bbox, word.bbox)), None)
        rises = bool(found[at]) and word.bbox.bottom < found[at][-1].bbox.top
        if following is not None and (rises or not has_middle(places[at].bbox, word.bbox)):
            at = following
        found[at].append(word)
    return found


def _lines_of_text(text: str, box: BBox) -> tuple[TextLine, ...]:
    listed = [line.strip() for line in text.split("\n") if line.strip()]
    height = box.height / max(len(listed), 1)
    return tuple(
        TextLine(line, BBox(box.left, round(box.top + height * number, 5), box.width, round(height, 5)))
        for number, line in enumerate(listed)
    )


def _lines(words: Sequence[Word], size: Size) -> tuple[TextLine, ...]:
    """Group words in reading order into lines: those next to each other in the direction of writing."""
    words = [word for word in words if word.text.strip()]
    if not words:
        return ()
    leftwards = 2 * sum(is_right_to_left(word.text) for word in words) > len(words)
    angle = _angle([(word.text, word.bbox.points(size)) for word in words], leftwards=leftwards)
    lines: list[list[tuple[Word, Points]]] = []
    for word in words:
        box = upright(word.bbox.points(size), angle)
        if not lines or _begins_line([box for _, box in lines[-1]], box, leftwards=leftwards):
            lines.append([])
        lines[-1].append((word, box))
    return tuple(
        TextLine(
            joined(word.text for word, _ in line),
            BBox.union(word.bbox for word, _ in line),
            tuple(word for word, _ in line),
            angle,
        )
        for line in lines
    )


def _begins_line(line: Sequence[Points], box: Points, *, leftwards: bool) -> bool:
    """Whether a word is lower than the end of the line, or back at its beginning (lines may slope)."""
    last = line[-1]
    if _overlap(last[1], last[3], box[1], box[3]) < SAME_LINE:
        return True
    height = last[3] - last[1]
    if leftwards:
        return box[0] > last[2] and box[2] > max(b[2] for b in line) - height
    return box[2] < last[0] and box[0] < min(b[0] for b in line) + height


def _angle(words: Sequence[tuple[str, Points]], *, leftwards: bool) -> int:
    """The direction of writing, from the shape of the words and the position of each relative to the one before it."""
    boxes = [box for _, box in words]
    pairs = list(pairwise(boxes))
    tall = sum(len(text) for text, box in words if len(text) > 1 and _height(box) > CLEARLY * _width(box))
    wide = sum(len(text) for text, box in words if len(text) > 1 and _width(box) > CLEARLY * _height(box))
    if tall == wide:  # single characters: stacked, or side by side
        tall = sum(_overlap(a[0], a[2], b[0], b[2]) > SAME_LINE for a, b in pairs)
        wide = sum(_overlap(a[1], a[3], b[1], b[3]) > SAME_LINE for a, b in pairs)
    if tall > wide:
        beside = [b[1] - a[1] for a, b in pairs if _overlap(a[0], a[2], b[0], b[2]) > SAME_LINE]
        downwards = sum(1 if step > 0 else -1 for step in beside)
        return 90 if downwards > 0 else 270
    beside = [b[0] - a[0] for a, b in pairs if _overlap(a[1], a[3], b[1], b[3]) > SAME_LINE]
    rightwards = sum(1 if step > 0 else -1 for step in beside)
    return 180 if (-rightwards if leftwards else rightwards) < -1 else 0


def upright(box: Points, angle: int) -> Points:
    """A box in the frame in which text of that angle reads from left to right, with lines downwards."""
    left, top, right, bottom = box
    if angle == 90:
        return top, -right, bottom, -left
    if angle == 180:
        return -right, -bottom, -left, -top
    if angle == 270:
        return -bottom, left, -top, right
    return box


def _width(box: Points) -> float:
    return box[2] - box[0]


def _height(box: Points) -> float:
    return box[3] - box[1]


def _overlap(a: float, b: float, c: float, d: float) -> float:
    """The overlap of two intervals, as a fraction of the shorter."""
    shorter = min(b - a, d - c)
    return (min(b, d) - max(a, c)) / shorter if shorter > 0 else float(a <= d and c <= b)
