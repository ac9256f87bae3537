"""Straight lines in pictures of pages: rules are found, letters are not."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.pages.detect.rulings import find_rulings
from tests import scans


def sheet(size=(800, 600)):
    picture = Image.new("L", size, 245)
    return picture, ImageDraw.Draw(picture)


def found(picture, dpi=150.0):
    return find_rulings(np.asarray(picture), dpi)


def level(rulings):
    return [r for r in rulings if r.y0 == r.y1]


def upright(rulings):
    return [r for r in rulings if r.x0 == r.x1]


def test_a_rule_is_found_where_it_is_and_as_thick_as_it_is():
    picture, pen = sheet()
    pen.line((100, 200, 700, 200), fill=20, width=3)
    pen.line((300, 50, 300, 550), fill=20, width=3)
    rulings = found(picture)
    [across], [down] = level(rulings), upright(rulings)
    assert (across.x0, across.y0, across.x1) == pytest.approx((100, 200, 700), abs=3)
    assert (down.x0, down.y0, down.y1) == pytest.approx((300, 50, 550), abs=3)
    assert across.thickness == pytest.approx(3, abs=1.5)


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("dpi", [100, 150, 300])
def test_the_rules_of_a_table_are_found_at_any_resolution_and_mode(mode, dpi):
    whole = scans.grid_sheet(rows=9, columns=4).picture
    scale = dpi / 150
    picture = whole.resize((round(750 * scale), round(540 * scale))).convert(mode)
    rulings = found(picture, dpi)
    assert (len(level(rulings)), len(upright(rulings))) == (10, 5)


def test_text_has_no_rules():
    picture, pen = sheet((1200, 800))
    font = ImageFont.load_default(24)
    for line in range(20):
        pen.text((40, 20 + 36 * line), "Illicit hill-tills fill the little mill _ till lil minimum", font=font, fill=20)
    assert [r for r in found(picture) if max(r.x1 - r.x0, r.y1 - r.y0) > 100] == []


def test_a_broken_rule_is_one():
    picture, pen = sheet()
    for start in range(100, 700, 60):
        pen.line((start, 200, start + 55, 200), fill=20, width=2)
    assert len(level(found(picture))) == 1


def test_a_rule_that_leans_a_little_is_found():
    picture, pen = sheet()
    pen.line((100, 200, 700, 205), fill=20, width=3)
    assert len(level(found(picture))) == 1


def test_filled_boxes_and_empty_paper_have_none():
    picture, pen = sheet()
    assert found(picture) == []
    pen.rectangle((100, 100, 400, 300), fill=20)
    assert level(found(picture)) == []


def test_a_picture_of_a_few_pixels_is_no_problem():
    assert find_rulings(np.full((3, 5), 200, np.uint8), 150.0) == []
