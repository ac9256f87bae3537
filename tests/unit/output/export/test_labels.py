"""Labels of boxes stay off the print of the page."""

from __future__ import annotations

import io

from PIL import Image, ImageChops, ImageDraw

from quire.core.types import BBox
from quire.output.export._show import Mark, marked

SIZE = (900, 1200)


def _page() -> Image.Image:
    """Lines of print with no room between them, and a blank margin of a ninth of the width on both sides."""
    page = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(page)
    for top in range(100, 1100, 20):
        for left in range(100, 800, 6):
            draw.line((left, top, left, top + 17), fill="black")
    return page


def _marked(page: Image.Image, marks: list[Mark]) -> Image.Image:
    written = io.BytesIO()
    page.save(written, "PNG")
    return Image.open(io.BytesIO(marked(written.getvalue(), marks))).convert("RGB")


def _line(number: int, label: str) -> Mark:
    top = 100 + 20 * number
    return Mark(BBox(100 / 900, top / 1200, 700 / 900, 18 / 1200), "#b10026", 1, label)


def test_labels_of_crowded_lines_go_to_the_margin_and_hide_no_print():
    page = _page()
    marks = [_line(number, f"{number} paragraph") for number in range(50)]
    drawn = _marked(page, marks)
    inside = (101, 101, 799, 1099)
    boxes_only = _marked(page, [mark._replace(label="") for mark in marks])
    assert ImageChops.difference(drawn.crop(inside), boxes_only.crop(inside)).getbbox() is None
    assert ImageChops.difference(drawn, boxes_only).getbbox() is not None, "the labels are there"


def test_a_label_stands_above_its_box_where_the_page_is_blank():
    page = Image.new("RGB", SIZE, "white")
    drawn = _marked(page, [Mark(BBox(0.2, 0.5, 0.5, 0.02), "#b10026", 1, "1 paragraph")])
    changed = ImageChops.difference(drawn, page).getbbox()
    assert changed is not None
    left, top, _, bottom = changed
    assert left == 180
    assert top < 600 < bottom


def test_a_box_at_the_edge_of_the_page_has_its_label_on_the_page():
    drawn = _marked(Image.new("RGB", SIZE, "white"), [Mark(BBox(0.0, 0.0, 1.0, 1.0), "#b10026", 1, "1 figure")])
    assert drawn.size == SIZE
    assert drawn.getpixel((4, 3)) != (255, 255, 255)
