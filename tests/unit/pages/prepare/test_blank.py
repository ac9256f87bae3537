"""The blank-page gate: dust and borders are nothing, one short line of small type is something."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from quire.pages.prepare import PrepareProfile, prepare
from tests.unit.pages.prepare.sheets import A4, blank, line, picture, specks, text_page


def is_blank(page: np.ndarray, dpi: float = 200.0) -> bool:
    return prepare(picture(page, dpi), PrepareProfile())[1].blank


def bordered(page: np.ndarray) -> np.ndarray:
    """The black border that a scanner leaves around skewed paper."""
    page[:30] = 10
    page[:, :45] = 10
    cv2.fillPoly(page, [np.array([(A4[0] - 50, 0), (A4[0], 0), (A4[0], A4[1]), (A4[0] - 8, A4[1])])], 10)
    return page


@pytest.mark.parametrize("level", [255, 230, 180])
def test_plain_paper_is_blank(level):
    assert is_blank(blank(level=level))


def test_grain_of_paper_is_blank():
    chance = np.random.default_rng(1)
    assert is_blank(np.clip(chance.normal(225, 4, (A4[1], A4[0])), 0, 255).astype(np.uint8))


def test_a_page_with_specks_is_blank():
    assert is_blank(specks(blank(), 150))


def test_a_black_scan_border_and_punch_holes_are_blank():
    page = bordered(blank(level=240))
    for row in (800, 1500):
        cv2.circle(page, (30, row), 28, 20, -1)
    assert is_blank(specks(page, 80))


def test_an_empty_page_that_darkens_to_one_side_is_blank():
    assert is_blank(np.tile(np.linspace(140, 250, A4[0]).astype(np.uint8), (A4[1], 1)))


@pytest.mark.parametrize("scale", [0.4, 0.5, 0.8])
def test_one_short_line_of_small_type_is_not_blank(scale):
    page = specks(blank(), 60)
    line(page, "page 7", (800, 1200), scale=scale)
    assert not is_blank(page)


@pytest.mark.parametrize("turns", [1, 3])
def test_one_short_line_on_a_page_that_lies_sideways_is_not_blank(turns):
    page = specks(blank(), 60)
    line(page, "1,939.40", (800, 1200), scale=0.6)
    assert not is_blank(np.ascontiguousarray(np.rot90(page, turns)))


def test_a_page_number_at_the_foot_of_a_page_with_a_border_is_not_blank():
    page = bordered(blank(level=240))
    line(page, "- 112 -", (780, 2200), scale=0.6)
    assert not is_blank(page)


def test_a_faint_fax_is_not_blank():
    assert not is_blank(text_page(level=205, paper=225))


def test_a_low_resolution_line_is_not_blank():
    page = np.full((1000, 760), 255, np.uint8)
    line(page, "see overleaf", (300, 500), scale=0.35)
    assert not is_blank(page, 90.0)


def test_a_signature_a_stamp_and_a_photograph_are_not_blank():
    signed, stamped, photo = blank(), blank(), blank()
    curve = np.array([(500 + 4 * x, 1200 + int(40 * np.sin(x / 6))) for x in range(100)])
    cv2.polylines(signed, [curve], False, 60, 3)
    cv2.circle(stamped, (1200, 1800), 120, 90, 6)
    photo[600:1400, 400:1200] = np.random.default_rng(1).integers(0, 255, (800, 800), dtype=np.uint8)
    assert not is_blank(signed)
    assert not is_blank(stamped)
    assert not is_blank(photo)
