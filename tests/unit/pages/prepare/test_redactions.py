"""Redaction boxes: found where they are, and not where something else is dark."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from quire.pages.prepare import PrepareProfile, Redaction, prepare
from quire.pages.prepare.rotation import straightened
from tests.unit.pages.prepare.sheets import blank, line, picture, specks, text_page

PROFILE = PrepareProfile(redactions=True)


def found(page: np.ndarray, dpi: float = 200.0) -> tuple[Redaction, ...]:
    return prepare(picture(page, dpi), PROFILE)[1].redactions


def redacted(page: np.ndarray, *boxes: tuple[int, int, int, int], level: int = 5) -> np.ndarray:
    for left, top, right, bottom in boxes:
        page[top:bottom, left:right] = level
    return page


def test_boxes_over_words_are_found_where_they_are():
    page = redacted(text_page(), (300, 612, 620, 650), (500, 972, 800, 1010))
    first, second = found(page)
    assert first.bbox.points((1654, 2339)) == pytest.approx((300, 612, 620, 650), abs=6)
    assert second.bbox.points((1654, 2339)) == pytest.approx((500, 972, 800, 1010), abs=6)
    assert min(first.score, second.score) >= 0.65


def test_a_block_over_several_lines_is_found():
    assert len(found(redacted(text_page(), (200, 700, 1100, 1200)))) == 1


@pytest.mark.slow
def test_boxes_of_a_page_that_lay_upside_down_and_askew_are_reported_on_the_displayed_page():
    upright = redacted(text_page(), (300, 612, 700, 650))
    displayed = straightened(np.ascontiguousarray(upright[::-1, ::-1]), 1.5)
    (only,) = found(displayed)
    height, width = displayed.shape
    left, top, right, bottom = (round(value) for value in only.bbox.points((width, height)))
    assert np.mean(displayed[top:bottom, left:right] < 60) > 0.75
    assert right - left == pytest.approx(400, abs=12)


def test_boxes_of_a_coarse_scan_are_found():
    small = cv2.resize(redacted(text_page(), (300, 612, 620, 650)), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    assert len(found(small, 100.0)) == 1


def test_nothing_is_looked_for_unless_asked():
    page = redacted(text_page(), (300, 612, 620, 650))
    assert prepare(picture(page), PrepareProfile())[1].redactions == ()


def test_a_header_row_with_white_text_is_no_redaction():
    page = redacted(text_page(), (130, 600, 1500, 660), level=20)
    line(page, "Item    Quantity    Price", (160, 640), level=255)
    assert found(page) == ()


def test_thick_rules_are_no_redactions():
    assert found(redacted(text_page(), (130, 600, 1500, 612), (130, 900, 140, 1500))) == ()


def test_a_black_scan_border_is_no_redaction():
    page = text_page()
    page[:40] = 0
    page[:, :60] = 0
    page[-60:, 900:] = 0
    assert found(page) == ()


def test_a_barcode_is_no_redaction():
    page = text_page()
    chance = np.random.default_rng(1)
    at = 300
    while at < 800:
        wide = int(chance.integers(3, 10))
        page[500:600, at : at + wide] = 0
        at += wide + int(chance.integers(3, 10))
    assert found(page) == ()


def test_a_dark_photograph_is_no_redaction():
    page = text_page()
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, (400, 700)), (0, 0), 9)
    page[800:1200, 300:1000] = np.clip(45 + 25 * grain / grain.std(), 0, 255)
    assert found(page) == ()


def test_a_dark_blue_logo_is_no_redaction():
    page = np.dstack([text_page()] * 3)
    page[612:650, 300:620] = (0, 0, 130)
    assert found(page) == ()


@pytest.mark.slow
def test_pages_without_boxes_have_none():
    assert found(text_page()) == ()
    assert found(specks(blank(), 2000, most=9)) == ()
    assert found(blank(level=0)) == ()
