"""Pipelines that really read: grids, forms and pages, with Tesseract."""

from __future__ import annotations

import json

import pytest
from PIL import Image, ImageDraw, ImageFont

import quire
from quire import recognize
from quire.core.engine import ReadLine, Recognition
from quire.core.types import BBox, GridCell, Layout, Region
from quire.pipeline import Pipeline, detector, preprocess, regions, save
from quire.pipelines import classify, correct, detect
from tests import documents

pytestmark = pytest.mark.usefixtures("tesseract")

ROWS = [["Item", "Price", "Place"], ["Anchor", "120", ""], ["Rope", "45", "Harbour"]]
XS, YS = (100, 500, 800, 1300), (150, 240, 330, 420)


@pytest.fixture
def form(tmp_path):
    """A ruled table on a scan, a little askew, with one empty cell."""
    page = Image.new("L", (1500, 900), 250)
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(40)
    pen.rectangle((XS[0], YS[0], XS[-1], YS[1]), fill=210)
    for x in XS:
        pen.line((x, YS[0], x, YS[-1]), 0, 3)
    for y in YS:
        pen.line((XS[0], y, XS[-1], y), 0, 3)
    for top, row in zip(YS, ROWS, strict=False):
        for left, text in zip(XS, row, strict=False):
            pen.text((left + 25, top + 18), text, 0, font)
    path = tmp_path / "form.png"
    page.rotate(-0.8, fillcolor=250, resample=Image.Resampling.BICUBIC).save(path, dpi=(200, 200))
    return path


def test_a_ruled_form_becomes_a_table(form, tmp_path):
    events = []
    pipeline = Pipeline(
        detect.fallback(detect.morphological_grid(padding_px=6), detect.whole_page()),
        classify.rule_based(),
        regions.pad(10),
        recognize.tesseract(),
        correct.pipe(correct.whitespace(), correct.dictionary(["Anchor", "Harbour", "Rope"])),
        save(tmp_path / "out", "csv"),
        cache=tmp_path / "answers",
        on_event=events.append,
    )
    (table,) = pipeline(form).tables
    assert [[c.text for c in table.table.cells if c.row == row] for row in range(3)] == ROWS
    assert [cell.header for cell in table.table.cells[:3]] == [True] * 3
    assert (table.engine, table.confidence > 0.5) == ("tesseract", True)
    assert (tmp_path / "out" / "form.png.table-1.csv").read_text().splitlines()[2] == "Rope,45,Harbour"
    told = {(e.stage, e.kind): dict(e.payload) for e in events}
    assert told["classify", "finished"]["blank"] == 1
    assert {k: told["detect", "finished"][k] for k in ("rows", "cols", "cells")} == {"rows": 3, "cols": 3, "cells": 9}
    events.clear()
    assert pipeline(form).tables[0].text == table.text
    assert [e.payload["tier"] for e in events if e.kind == "hit"] == ["exact"] * 8


def test_a_whole_page_goes_through_the_layout_of_native_text(saved):
    path = saved(documents.simple())
    result = Pipeline(preprocess.prepared(), recognize.tesseract(), correct.language_detector())(path)
    words = result.to_text().split()
    assert "harbour" in words
    assert {block.engine for block in result} == {"tesseract"}
    assert result.recognitions[1][0].language == "en"
    assert json.loads(result.to_json())["document"]["pages"][0]["status"] == "ok"
    assert all(block.words for block in result if block.kind == "paragraph")


LINES = ["Minutes of the harbour board", *["The keeper of the light writes down the weather."] * 12]


def printed(picture, question):
    """A page whose first line stands apart near its upper edge."""
    tops = [0.03, *(0.2 + 0.03 * row for row in range(12))]
    return [ReadLine(text, BBox(0.1, top, 0.6, 0.015), 0.95) for text, top in zip(LINES, tops, strict=True)]


def test_a_pipeline_finishes_a_document_like_read(saved):
    path = saved(documents.scan_like(1), "scan.pdf")
    engine = recognize.from_function("printed", printed)
    ours, theirs = Pipeline(engine)(path), quire.read(path, engines=engine)
    shown = [[(block.kind, block.text) for block in result.blocks] for result in (ours, theirs)]
    assert shown[0] == shown[1]
    assert LINES[0] in ours.to_markdown()


class Halves:
    """Finds a grid that goes down to the end of a page, and on from the top of the next."""

    name = "halves"

    def detect(self, picture, page=1):
        top, height = [(0.1, 0.86), (0.04, 0.4)][page - 1]
        places = [(row, column) for row in range(4) for column in range(2)]
        return Layout(
            tuple(
                Region(
                    f"r{row}c{column}",
                    BBox(0.1 + 0.4 * column, top + row * height / 4, 0.4, height / 4),
                    "cell",
                    GridCell(row, column),
                )
                for row, column in places
            )
        )


def test_the_tables_of_a_pipeline_are_joined_over_a_page_break(saved):
    path = saved(documents.scan_like(2), "scan.pdf")

    def digest(picture, question):
        return [ReadLine(picture.digest[:8], BBox(0, 0, 1, 1), 0.9)]

    result = Pipeline(Halves(), recognize.from_function("digest", digest))(path)
    assert [table.table.rows for table in result.tables] == [8]


def test_a_document_with_unread_regions_is_partial(saved):
    """With `attach` the page is ok, and its reason says how many; the document is not complete."""
    boxes = [Region(f"r{row}", BBox(0.1, 0.1 + 0.06 * row, 0.4, 0.05)) for row in range(12)]

    def sometimes(picture, question):
        return [
            Recognition("sometimes", error="too dark", region=region.id)
            if number < 5
            else Recognition("sometimes", (ReadLine("harbour", region.bbox, 0.9),), region=region.id)
            for number, region in enumerate(question.regions)
        ]

    @detector
    def rows(picture):
        return Layout(tuple(boxes))

    path = saved(documents.scan_like(1), "scan.pdf")
    engine = recognize.from_function("sometimes", sometimes, capabilities=("text", "regions"))
    builder = Pipeline.builder().detect(rows).recognize(engine)
    result = builder.options(error_policy="attach").build()(path)
    assert result.pages[0].info.reason == "5 of 12 regions could not be read"
    assert (result.pages[0].status, result.status) == ("ok", "partial")
