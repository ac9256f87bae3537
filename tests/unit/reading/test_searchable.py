"""Scans with a hidden text layer: what the picture shows says which words are labels, and which are in a table."""

from __future__ import annotations

from textwrap import wrap

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

import quire
from tests import documents

pytestmark = pytest.mark.both_readers

WIDTH, HEIGHT = 420, 595


def searchable(words: list[tuple[str, float, float]], lines: list[tuple[float, float, float, float]]) -> bytes:
    """A page that is a picture of these words and lines, in points from the top left, with the words hidden over it."""

    def draw(canvas: Canvas) -> None:
        picture = Image.new("L", (WIDTH * 3, HEIGHT * 3), 250)
        pen = ImageDraw.Draw(picture)
        for x0, y0, x1, y1 in lines:
            pen.line((x0 * 3, y0 * 3, x1 * 3, y1 * 3), fill=10, width=4)
        for text, left, top in words:
            pen.text((left * 3, top * 3), text, fill=10, font_size=30)
        canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)
        for text, left, top in words:
            hidden = canvas.beginText(left, HEIGHT - top - 9)
            hidden.setTextRenderMode(3)
            hidden.setFont("Helvetica", 10)
            hidden.textLine(text)
            canvas.drawText(hidden)

    return documents.drawn(draw, size=(WIDTH, HEIGHT))


PROSE = [(text, 40.0, 40.0 + 14 * row) for row, text in enumerate(wrap(documents.prose(6), 60))]


def frame(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float, float, float]]:
    return [
        (left, top, right, top),
        (left, bottom, right, bottom),
        (left, top, left, bottom),
        (right, top, right, bottom),
    ]


def test_the_words_in_a_framed_drawing_with_a_caption_are_its_labels():
    labels = [("Pump", 80.0, 330.0), ("Valve", 200.0, 360.0), ("Boiler and its three pressure gauges", 100.0, 400.0)]
    drawn = [*frame(60, 300, 340, 440), (90, 345, 190, 362), (230, 372, 150, 398)]
    result = quire.read(searchable([*PROSE, *labels, ("Figure 1. The pump", 140.0, 448.0)], drawn), ocr="never")
    (figure,) = [block for block in result.blocks if block.kind == "figure"]
    assert "Pump" in figure.text and "Valve" in figure.text and "Boiler" in figure.text
    assert not [block for block in result.blocks if block.kind == "paragraph" and "Valve" in block.text]
    characters = result.pages[0].info.characters
    assert characters.in_blocks + sum(characters.left_out.values()) == characters.drawn


def test_the_rules_of_a_searchable_scan_make_a_table():
    rows = [("Goods", "Pieces"), ("Rope", "12"), ("Tar", "7"), ("Nails", "400")]
    cells = [(text, 80.0 + 130 * at, 305.0 + 25 * row) for row, pair in enumerate(rows) for at, text in enumerate(pair)]
    rules = [(70.0, 300.0 + 25 * n, 330.0, 300.0 + 25 * n) for n in range(5)]
    rules += [(x, 300.0, x, 400.0) for x in (70.0, 200.0, 330.0)]
    result = quire.read(searchable([*PROSE, *cells], rules), ocr="never")
    (table,) = [block.table for block in result.blocks if block.table]
    assert table.grid() == [list(row) for row in rows]


def test_the_lines_of_a_drawing_on_a_searchable_scan_make_a_figure():
    """The bricks of a wall: each spans columns that begin and end in other rows."""
    lines = [*frame(60, 300, 360, 480), *((60.0, 300.0 + 30 * row, 360.0, 300.0 + 30 * row) for row in range(1, 6))]
    for row in range(6):
        joints = range(160, 360, 100) if row % 2 else range(110, 360, 100)
        lines += [(float(x), 300.0 + 30 * row, float(x), 330.0 + 30 * row) for x in joints]
    labels = [
        (f"brick {row}{at}", 120.0 + 50 * (row % 2) + 100 * at, 308.0 + 30 * row) for row in range(6) for at in (0, 1)
    ]
    result = quire.read(searchable([*PROSE, ("THE WALL", 60.0, 270.0), *labels], lines), ocr="never")
    assert not [block for block in result.blocks if block.table]
    (figure,) = [block for block in result.blocks if block.kind == "figure"]
    assert all(label in figure.text for label, _, _ in labels)
    assert any(block.text == "THE WALL" for block in result.blocks)
    characters = result.pages[0].info.characters
    assert characters.in_blocks + sum(characters.left_out.values()) == characters.drawn


def test_a_page_of_visible_text_is_not_drawn(monkeypatch):
    monkeypatch.setattr("quire.pages.prepare.page_pictures.drawn_page", lambda *_: 1 / 0)
    assert quire.read(documents.simple(), ocr="never").pages[0].info.status == "ok"
