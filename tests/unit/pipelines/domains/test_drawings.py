"""Drawings read from a file and from tiles of a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

from quire import Pipeline, recognizer
from quire.core.engine import ReadLine, Recognition
from quire.core.types import BBox, Layout, Region
from quire.pipelines.detect import tiles
from quire.pipelines.domains import drawings
from quire.pipelines.domains.drawings.sheet import tags_of
from quire.pipelines.domains.drawings.texts import tiled_texts
from quire.pipelines.regions import pad
from tests.documents import drawn

SHIPPED = Path(drawings.__file__).parents[3] / "flow" / "samples" / "drawing.pdf"


def test_tags_of_a_file_have_their_kind_box_and_angle():
    sheet = drawings.read(SHIPPED)
    assert {kind: [tag.text for tag in tags] for kind, tags in sheet.lists().items()} == {
        "equipment": ["P-2041A", "T-2040"],
        "instrument": ["FIC 2041"],
        "valve": ["FV 2041"],
        "line": ['2"-CW-2041-A1B'],
    }
    (valve,) = sheet.lists()["valve"]
    assert valve.angle == 270
    assert valve.bbox.height * 200 > valve.bbox.width * 300
    assert {name: field.value for name, field in sheet.title_block.items()} == {
        "drawing number": "PID-2040",
        "scale": "1:50",
        "drawn by": "A. Marlow",
    }


def test_json_and_csv_hold_the_same_tags():
    sheet = drawings.read(SHIPPED)
    rows = list(csv.DictReader(io.StringIO(sheet.to_csv())))
    assert sorted(row["tag"] for row in rows) == sorted(tag.text for tag in tags_of(sheet.to_json()))
    assert rows[0].keys() >= {"kind", "left", "angle", "confidence"}


def test_a_grammar_of_ones_own_decides_what_is_a_tag():
    def grammar(text: str) -> drawings.TagText | None:
        return drawings.TagText("equipment", text, "", text) if text.startswith("PID") else None

    assert not drawings.reader(grammar=grammar)(SHIPPED).lists().keys() - {"equipment", "instrument"}


def test_a_sheet_without_text_is_read_in_tiles_and_each_text_is_there_once():
    image = Image.new("L", (500, 200), 255)
    ImageDraw.Draw(image).line((0, 100, 500, 100), fill=0, width=3)
    file = io.BytesIO()
    image.save(file, "PNG")

    @recognizer
    def engine(picture, question):
        return [ReadLine("P-101A", BBox(0.4, 0.4, 0.2, 0.1), 0.9)]

    pipeline = Pipeline(tiles(side_px=200, overlap_px=50), pad(8), engine)
    sheet = drawings.reader().replace(pipeline=pipeline)(file.getvalue())
    assert sheet.sheets[0].source == "ocr"
    assert len(sheet.tags) == 3  # one in the middle of each of three tiles
    assert [tag.text for tag in sheet.lists()["equipment"]] == ["P-101A"]


def test_what_two_tiles_show_is_kept_where_it_is_whole():
    layout = Layout((Region("a", BBox(0.0, 0.0, 0.6, 1.0)), Region("b", BBox(0.4, 0.0, 0.6, 1.0))))
    cut = ReadLine("P-10", BBox(0.55, 0.5, 0.05, 0.02), 0.99)
    whole = ReadLine("P-101A", BBox(0.55, 0.5, 0.08, 0.02), 0.8)
    read = [Recognition("x", (cut,), region="a"), Recognition("x", (whole,), region="b")]
    assert [text.text for text in tiled_texts(1, layout, read)] == ["P-101A"]


@pytest.mark.parametrize("labels", [("Maßstab", "Gezeichnet"), ("Scale", "Drawn by"), ("Échelle", "Dessiné par")])
def test_title_blocks_are_read_in_several_languages_with_values_beside_or_below(labels: Sequence[str]):
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.drawString(400, 100, labels[0])
        canvas.drawString(470, 100, "1:20")
        canvas.drawString(400, 80, f"{labels[1]}:")
        canvas.drawString(400, 68, "A. Marlow")
        canvas.drawString(72, 700, "A sheet with enough text of its own to be read")

    block = drawings.read(drawn(draw)).title_block
    assert (block["scale"].value, block["drawn by"].value) == ("1:20", "A. Marlow")
