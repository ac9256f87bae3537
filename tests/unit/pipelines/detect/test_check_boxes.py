"""Check boxes on pictures of pages."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFont

from quire.core.picture import Picture
from quire.pipelines.detect.check_boxes import find_check_boxes


def page(draw: Callable[[ImageDraw.ImageDraw], None]) -> Picture:
    image = Image.new("L", (600, 400), 250)
    draw(ImageDraw.Draw(image))
    return Picture(600, 400, "L", image.tobytes(), 150)


def found(draw: Callable[[ImageDraw.ImageDraw], None]) -> list[bool]:
    return [box.is_checked for box in find_check_boxes(page(draw))]


def test_empty_ticked_and_crossed_boxes_are_told_apart():
    def draw(pen: ImageDraw.ImageDraw) -> None:
        for row in range(3):
            pen.rectangle((50, 50 + 60 * row, 74, 74 + 60 * row), outline=20, width=2)
        pen.line((45, 105, 80, 140), fill=20, width=3)  # beyond the frame on both sides
        pen.line((45, 140, 80, 105), fill=20, width=3)
        pen.line((55, 182, 62, 190, 71, 175), fill=20, width=3)

    assert found(draw) == [False, True, True]


def test_letters_tables_rules_and_bullets_are_no_check_boxes():
    def draw(pen: ImageDraw.ImageDraw) -> None:
        pen.text((40, 30), "HOB DRAWN E B 8 0", font=ImageFont.load_default(30), fill=10)
        for x in range(50, 300, 24):  # cells that are as small as check boxes
            pen.line((x, 150, x, 222), fill=20, width=2)
        for y in range(150, 230, 24):
            pen.line((50, y, 290, y), fill=20, width=2)
        pen.rectangle((400, 200, 420, 220), fill=10)
        pen.line((350, 100, 590, 100), fill=10, width=2)

    assert found(draw) == []


def test_a_blank_page_has_none():
    assert found(lambda pen: None) == []
