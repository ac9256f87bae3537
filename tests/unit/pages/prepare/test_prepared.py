"""The transform from a prepared picture back to the page, and the audit list of redactions."""

from __future__ import annotations

import math
import random

import pytest

from quire.core.types import BBox
from quire.pages.prepare import ImageMeasures, Prepared, Redaction

MEASURES = ImageMeasures(
    mean=250.0,
    paper=255.0,
    ink_level=10.0,
    otsu_separability=0.9,
    noise_sigma=0.5,
    stroke_width=3.0,
    specks=3,
    text_height=14.0,
    letters=900,
    ink=0.03,
    shade=0.0,
    bilevel=False,
    inverted=False,
)


def prepared(turn: int, skew: float, page: tuple[int, int] = (1654, 2339)) -> Prepared:
    width, height = page if turn in (0, 180) else (page[1], page[0])
    sine, cosine = abs(math.sin(math.radians(skew))), math.cos(math.radians(skew))
    size = math.ceil(width * cosine + height * sine), math.ceil(width * sine + height * cosine)
    return Prepared(
        digest="d" * 64,
        size=size,
        dpi=200.0,
        page=page,
        turn=turn,
        skew=skew,
        blank=False,
        treatments=("a note",),
        measures=MEASURES,
        redactions=(Redaction(BBox(0.1, 0.2, 0.3, 0.01), 0.9),),
    )


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("page", [(1654, 2339), (2339, 1654), (463, 1013)])
def test_a_box_of_a_turned_page_comes_back_exactly(turn, page):
    chance = random.Random(turn)
    way = prepared(turn, 0.0, page)
    for _ in range(50):
        left, top = chance.random() * 0.8, chance.random() * 0.8
        box = BBox(left, top, chance.random() * (1 - left), chance.random() * (1 - top))
        back = way.to_page(way.from_page(box))
        assert (back.left, back.top, back.right, back.bottom) == pytest.approx(
            (box.left, box.top, box.right, box.bottom), abs=5e-5
        )


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("skew", [-14.9, -3.0, -0.2, 0.2, 1.3, 15.0])
def test_a_box_of_a_skewed_page_comes_back_around_itself_and_little_larger(turn, skew):
    chance = random.Random(turn)
    way = prepared(turn, skew)
    for _ in range(50):
        left, top = 0.1 + chance.random() * 0.6, 0.1 + chance.random() * 0.6
        box = BBox(left, top, chance.random() * 0.2, chance.random() * 0.2)
        back = way.to_page(way.from_page(box))
        assert back.left <= box.left + 5e-5
        assert back.top <= box.top + 5e-5
        assert back.right >= box.right - 5e-5
        assert back.bottom >= box.bottom - 5e-5
        grown = 2 * math.sin(math.radians(abs(skew))) * max(box.width, box.height) * 2339 / 1654 + 2e-4
        assert back.width <= box.width + grown
        assert back.height <= box.height + grown
        assert (back.left + back.right) / 2 == pytest.approx((box.left + box.right) / 2, abs=1e-4)


def test_the_top_left_of_a_page_that_lay_on_its_left_side_was_at_the_bottom_left():
    assert prepared(90, 0.0).to_page(BBox(0.0, 0.0, 0.1, 0.2)) == BBox(0.0, 0.9, 0.2, 0.1)
    assert prepared(180, 0.0).to_page(BBox(0.0, 0.0, 0.1, 0.2)) == BBox(0.9, 0.8, 0.1, 0.2)
    assert prepared(270, 0.0).to_page(BBox(0.0, 0.0, 0.1, 0.2)) == BBox(0.8, 0.0, 0.2, 0.1)


def test_a_box_in_the_corner_that_the_sheet_gained_is_clamped_to_the_page():
    back = prepared(0, 10.0).to_page(BBox(0.0, 0.0, 0.05, 0.02))
    assert back.left >= 0
    assert back.top >= 0
    assert back.right <= 1
    assert back.bottom <= 1


def test_what_was_done_survives_storing():
    kept = prepared(90, 1.25)
    assert Prepared.from_json(kept.to_json()) == kept
