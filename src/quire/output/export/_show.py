"""Pictures of pages with the boxes of their blocks drawn, coloured by kind."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import InputError, LimitError
from quire.core.png import encoded
from quire.core.types import NO_BOX, BBox, Block, BlockKind
from quire.output.export._ahead import ahead
from quire.output.export._labels import FreeSpace

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

COLOURS: dict[BlockKind, str] = {
    "title": "#b10026",
    "heading": "#e6550d",
    "paragraph": "#3182bd",
    "list_item": "#6a51a3",
    "table": "#31a354",
    "figure": "#c51b8a",
    "caption": "#8c510a",
    "formula": "#017a79",
    "code": "#525252",
    "header": "#969696",
    "footer": "#969696",
    "footnote": "#7f7f00",
    "page_number": "#969696",
    "field": "#0050b5",
}


_Pixels = tuple[float, float, float, float]


class Mark(NamedTuple):
    """A box to draw on a page image. `width` is the line width in pixels, None to scale it with the picture."""

    box: BBox
    colour: str
    width: int | None = None
    label: str = ""


def show(png: bytes, blocks: Iterable[Block], *, page: int) -> bytes:
    """The page image `png` with the boxes of everything on it, numbered in order, as PNG."""
    return marked(png, marks(blocks).get(page, ()))


def marks(blocks: Iterable[Block]) -> dict[int, list[Mark]]:
    """The marks to draw on each page. Small, so that they can be sent to a worker process."""
    found: dict[int, list[Mark]] = {}
    numbers: Counter[int] = Counter()
    for block in blocks:
        colour = COLOURS[block.kind]
        level = f" {block.level}" if block.level else ""
        here = {part.page for part in block.places}
        numbers.update(here)
        for cell in block.table.cells if block.table is not None else ():
            if cell.page in here and cell.bbox != NO_BOX:
                found.setdefault(cell.page, []).append(Mark(cell.bbox, colour, 1 + cell.header))
        if block.field is not None:
            boxes = (block.field.label_bbox, block.field.value_bbox)
            found.setdefault(block.page, []).extend(Mark(box, colour, 1) for box in boxes if box != NO_BOX)
        for part in (part for part in block.places if part.bbox != NO_BOX):
            label = f"{numbers[part.page]} {block.kind}{level}"
            found.setdefault(part.page, []).append(Mark(part.bbox, colour, None, label))
    return found


def marked(png: bytes, marks: Iterable[Mark]) -> bytes:
    """The picture with the marks drawn. Thread-safe."""
    from PIL import Image, ImageDraw

    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    placed = [(mark, _pixels(mark.box, picture.size)) for mark in marks]
    labelled = [(mark, box) for mark, box in placed if mark.label]
    font = _font(_font_size(picture.width, [box for _, box in labelled]))
    free = FreeSpace(picture)
    draw = ImageDraw.Draw(picture)
    line = max(1, picture.width // 600)
    for mark, box in placed:
        draw.rectangle(box, outline=mark.colour, width=line if mark.width is None else mark.width)
    for mark, box in labelled:
        _label(draw, free, box, mark, font)
    pixels, row = picture.tobytes(), 3 * picture.width
    rows = (pixels[at : at + row] for at in range(0, len(pixels), row))
    return encoded(rows, picture.size, 3)


def shown(
    document: Document, pages: Sequence[int], marks: Mapping[int, Iterable[Mark]], *, dpi: int, threads: int
) -> Generator[PageImage | InputError]:
    """Pictures of pages with the marks drawn, in order; the error instead for a page that cannot be drawn.

    Pages are rendered, marked and encoded in `threads` threads, a few pages ahead of the caller.
    """

    def mark(image: PageImage) -> PageImage:
        return replace(image, png=marked(image.png, marks.get(image.number, ())), mode="RGB")

    yield from ahead(mark, fitting(document, pages, RenderOptions(dpi=dpi), threads=threads), threads=threads)


def fitting(
    document: Document, pages: Sequence[int], options: RenderOptions, *, threads: int
) -> Iterator[PageImage | InputError]:
    """A page whose image would exceed the pixel limit is rendered at the highest dpi that the limit allows."""
    reader = document.reader
    for number, image in zip(pages, reader.render(pages, options, threads=threads), strict=True):
        if isinstance(image, LimitError):
            width, height = reader.info(number).size
            highest = int(72 * (0.3 * options.max_pixels / max(width * height, 1.0)) ** 0.5)
            lower = replace(options, dpi=max(1, min(highest, options.dpi)))
            image = next(iter(reader.render([number], lower)))
        yield image


@lru_cache(maxsize=8)
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size=size)


def _pixels(box: BBox, size: tuple[int, int]) -> _Pixels:
    left, top, right, bottom = box.points(size)
    return left, top, max(right, left), max(bottom, top)


def _font_size(width: int, boxes: Sequence[_Pixels]) -> int:
    """As large as the picture allows, but not larger than the small boxes: a sheet of a thousand words has those."""
    heights = sorted(bottom - top for _, top, _, bottom in boxes)
    small = heights[len(heights) // 4] if heights else 0.0
    return max(10, min(width // 90, int(small)))


def _label(draw: ImageDraw, free: FreeSpace, box: _Pixels, mark: Mark, font: FreeTypeFont | ImageFont) -> None:
    """Beside the box where the page is blank; only its number where there is no room for the kind."""
    texts = (mark.label, mark.label.split(" ")[0])
    extents = [draw.textbbox((0, 0), text, font=font) for text in texts]
    sizes = [(math.ceil(right - left) + 4, math.ceil(bottom - top) + 4) for left, top, right, bottom in extents]
    rounded = math.floor(box[0]), math.floor(box[1]), math.ceil(box[2]), math.ceil(box[3])
    chosen, (x, y, right, bottom) = free.take(rounded, sizes)
    draw.rectangle((x, y, right - 1, bottom - 1), fill=mark.colour)
    draw.text((x + 2 - extents[chosen][0], y + 2 - extents[chosen][1]), texts[chosen], fill="white", font=font)
