"""Pipelines that really read: grids, forms and pages, with Tesseract."""

from __future__ import annotations

import json

import pytest
from PIL import Image, ImageDraw, ImageFont

from quire import classify, correct, detect, recognize
from quire.pipeline import Pipeline, preprocess, regions, save
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
