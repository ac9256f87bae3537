"""Photographs, drawings and charts on the picture of a page; type, rules, frames and tints are none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from quire.pages.detect.pictures import find_pictures
from tests.unit.pages.prepare.sheets import A4, blank, text_page

DPI = 200.0
LETTER = 18.0
PLACE = (500, 900, 1100, 1400)


def found(page: np.ndarray) -> list[list[int]]:
    return [[round(value) for value in box] for box in find_pictures(page, DPI, LETTER)]


def photograph() -> np.ndarray:
    chance = np.random.default_rng(3)
    rough = chance.normal(110, 60, (25, 30)).clip(0, 255).astype(np.uint8)
    return cv2.resize(rough, (PLACE[2] - PLACE[0], PLACE[3] - PLACE[1]), interpolation=cv2.INTER_CUBIC)


def test_a_photograph_is_found_where_it_is():
    page = blank()
    page[PLACE[1] : PLACE[3], PLACE[0] : PLACE[2]] = photograph()
    [box] = found(page)
    assert box == pytest.approx(PLACE, abs=12)


def test_a_curve_is_found():
    page = blank()
    xs = np.linspace(PLACE[0], PLACE[2], 200)
    ys = 1150 + 200 * np.sin(xs / 60)
    cv2.polylines(page, [np.stack([xs, ys], axis=1).astype(np.int32)], isClosed=False, color=20, thickness=5)
    [box] = found(page)
    assert box == pytest.approx((500, 950, 1100, 1350), abs=12)


def test_a_page_of_type_has_none():
    assert found(text_page()) == []


def test_frames_rules_tints_and_the_border_of_a_scan_are_none():
    page = blank()
    cv2.rectangle(page, (300, 300), (1300, 800), 0, 8)
    page[1000:1010, 200:1400] = 0
    page[1200:1500, 300:1300] = 150
    page[:, : A4[0] // 30] = 5
    assert found(page) == []
