"""Pictures of pages with the boxes of their blocks drawn, coloured by kind."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from quire.types import BBox, Block, BlockKind

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


def show(png: bytes, blocks: Iterable[Block], *, page: int) -> bytes:
    """The picture `png` of a page with the boxes of everything that stands on it, numbered in order, as PNG."""
    from PIL import Image, ImageDraw, ImageFont

    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=max(10, picture.width // 90))
    line = max(1, picture.width // 600)
    here = [block for block in blocks if any(part.page == page for part in block.places)]
    for number, block in enumerate(here, 1):
        colour = COLOURS[block.kind]
        if block.table is not None:
            for cell in block.table.cells:
                if cell.page == page:
                    draw.rectangle(_pixels(cell.bbox, picture.size), outline=colour, width=1 + cell.header)
        for part in block.places:
            if part.page == page:
                box = _pixels(part.bbox, picture.size)
                draw.rectangle(box, outline=colour, width=line)
                level = f" {block.level}" if block.level else ""
                _label(draw, (box[0], box[1]), f"{number} {block.kind}{level}", colour, font)
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()


def _pixels(box: BBox, size: tuple[int, int]) -> tuple[float, float, float, float]:
    left, top, right, bottom = box.points(size)
    return left, top, max(right, left), max(bottom, top)


def _label(
    draw: ImageDraw, corner: tuple[float, float], text: str, colour: str, font: FreeTypeFont | ImageFont
) -> None:
    """Above the corner, or inside the page where there is no room above."""
    left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
    height = bottom - top + 2
    x, y = corner[0], corner[1] - height if corner[1] >= height else corner[1]
    draw.rectangle((x, y, x + right - left + 4, y + height), fill=colour)
    draw.text((x + 2 - left, y + 1 - top), text, fill="white", font=font)
