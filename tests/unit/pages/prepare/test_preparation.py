"""Preparation of whole pages: what it does, what it leaves alone, and that boxes map back to the page."""

from __future__ import annotations

from textwrap import wrap

import cv2
import numpy as np
import pytest

from quire.core.types import BBox
from quire.pages.prepare import PrepareProfile, prepare
from quire.pages.prepare.pixels import grey_of, pixels_of
from quire.pages.prepare.rotation import straightened
from tests import documents
from tests.unit.pages.prepare.sheets import A4, DPI, blank, line, picture, specks, text_page

pytestmark = pytest.mark.slow

PROFILE = PrepareProfile()


def stamped(page: np.ndarray, box: BBox) -> np.ndarray:
    """The page with a solid mark in a box of it."""
    left, top, right, bottom = (round(value) for value in box.points((page.shape[1], page.shape[0])))
    page = page.copy()
    page[top:bottom, left:right] = 0
    return page


def darkness(page: np.ndarray, box: BBox) -> float:
    """How much of a box is ink."""
    left, top, right, bottom = (round(value) for value in box.points((page.shape[1], page.shape[0])))
    return float(np.mean(page[top:bottom, left:right] < 128))


def test_a_straight_clean_page_comes_back_untouched():
    sheet = picture(text_page())
    result, prepared = prepare(sheet, PROFILE)
    assert result.pixels == sheet.pixels
    assert (prepared.turn, prepared.skew, prepared.blank, prepared.treatments) == (0, 0.0, False, ())
    assert prepared.digest == result.digest
    assert prepared.to_page(BBox(0.1, 0.2, 0.3, 0.4)) == BBox(0.1, 0.2, 0.3, 0.4)


def test_the_same_page_gives_the_same_bytes():
    sheet = picture(straightened(text_page(level=150), 2.0))
    first, second = prepare(sheet, PROFILE), prepare(sheet, PROFILE)
    assert first[0].pixels == second[0].pixels
    assert first[1] == second[1]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_on_its_side_or_head_is_made_upright_and_its_boxes_find_back(turn):
    mark = BBox(0.2, 0.1, 0.2, 0.004)
    upright = stamped(text_page(), mark)
    laid = np.ascontiguousarray(np.rot90(upright, turn // 90))  # counterclockwise, so that `turn` undoes it
    result, prepared = prepare(picture(laid), PROFILE)
    assert prepared.turn == turn
    assert np.array_equal(pixels_of(result), upright)
    assert darkness(laid, prepared.to_page(mark)) > 0.95
    back = prepared.from_page(prepared.to_page(mark))
    assert (back.left, back.top, back.width, back.height) == pytest.approx(
        (mark.left, mark.top, mark.width, mark.height), abs=5e-5
    )


@pytest.mark.parametrize("degrees", [-9.0, -2.5, -0.7, 0.6, 1.3, 6.0, 12.0])
def test_a_skewed_page_is_straightened_to_a_tenth_of_a_degree(degrees):
    askew = straightened(text_page(), -degrees)
    result, prepared = prepare(picture(askew), PROFILE)
    assert prepared.skew == pytest.approx(degrees, abs=0.1)
    assert result.width >= A4[0]
    assert any("deskewed" in note for note in prepared.treatments)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("lines", [1, 6])
def test_a_page_that_is_mostly_white_is_made_upright(turn, lines):
    """A short letter: the model calls white paper upright, and must look at what is written."""
    upright = blank(A4, 255)
    for row, text in enumerate(wrap(documents.prose(4), 60)[:lines]):
        line(upright, text, (130, 160 + 40 * row), level=0)
    laid = np.ascontiguousarray(np.rot90(upright, turn // 90))
    _, prepared = prepare(picture(laid), PROFILE)
    assert prepared.turn == turn


@pytest.mark.parametrize("turn", [0, 180])
def test_what_is_found_on_a_turned_and_straightened_page_lies_under_its_box_on_the_displayed_one(turn):
    mark = BBox(0.55, 0.3, 0.02, 0.014)
    displayed = straightened(np.ascontiguousarray(np.rot90(stamped(text_page(), mark), turn // 90)), -3.0)
    result, prepared = prepare(picture(displayed), PROFILE)
    assert (prepared.turn, prepared.skew) == (turn, pytest.approx(3.0, abs=0.1))
    solid = cv2.morphologyEx(255 - pixels_of(result), cv2.MORPH_OPEN, np.ones((20, 20), np.uint8))
    left, top, width, height = cv2.boundingRect((solid > 128).astype(np.uint8))
    box = prepared.to_page(BBox.of_points((left, top, left + width, top + height), result.size))
    assert darkness(displayed, box) > 0.8
    assert box.width < 2 * mark.width


def test_a_skew_below_the_least_of_the_profile_stays():
    page = picture(straightened(text_page(), -0.4))
    assert prepare(page, PROFILE)[1].skew == 0.0
    assert prepare(page, PrepareProfile(min_skew=0.2))[1].skew == pytest.approx(0.4, abs=0.1)


def test_level_pages_of_any_kind_are_not_straightened():
    ruled = blank()
    for row in range(200, 2200, 60):
        ruled[row : row + 2, 100:1550] = 0
    columns = np.hstack([text_page((827, 2339), seed=2), text_page((827, 2339), seed=3)])
    for page in (ruled, columns, text_page((2339, 1654)), specks(blank(), 3000)):
        assert prepare(picture(page), PROFILE)[1].skew == 0.0


def test_rules_of_a_table_tell_the_skew_of_a_page_with_hardly_any_text():
    page = blank()
    for row in range(300, 2000, 120):
        page[row : row + 3, 150:1500] = 0
    assert prepare(picture(straightened(page, -1.0)), PROFILE)[1].skew == pytest.approx(1.0, abs=0.1)


def test_a_page_with_a_few_words_is_not_turned():
    page = blank()
    line(page, "upside down", (700, 1100))
    assert prepare(picture(np.ascontiguousarray(page[::-1, ::-1])), PROFILE)[1].turn == 0


def test_what_is_switched_off_is_not_done():
    page = straightened(np.ascontiguousarray(text_page(level=215)[::-1, ::-1]), 3.0)
    off = PrepareProfile(orientation=False, deskew=False, treat=False, blank_gate=False)
    result, prepared = prepare(picture(page), off)
    assert np.array_equal(pixels_of(result), page)
    assert prepared.treatments == ()
    assert not prepare(picture(blank()), off)[1].blank


def test_only_what_is_kept_remains():
    page = text_page()
    keep = BBox(0.0, 0.5, 1.0, 0.25)
    result, _ = prepare(picture(page), PROFILE, keep=[keep])
    kept = pixels_of(result)
    top, bottom = round(A4[1] * 0.5), round(A4[1] * 0.75)
    assert np.array_equal(kept[top:bottom], page[top:bottom])
    assert kept[:top].min() == 255
    assert kept[bottom:].min() == 255


@pytest.mark.slow
def test_colour_stays():
    page = cv2.cvtColor(text_page(), cv2.COLOR_GRAY2RGB)
    page[100:140, 200:400] = (200, 20, 20)
    result, _ = prepare(picture(straightened(page, -2.0)), PROFILE)
    assert result.mode == "RGB"


@pytest.mark.slow
def test_a_page_of_300_dpi_is_lowered_to_200_and_one_of_250_is_not():
    fine = cv2.resize(text_page(), (2481, 3509), interpolation=cv2.INTER_CUBIC)
    result, prepared = prepare(picture(fine, 300.0), PROFILE)
    assert result.size == (1654, 2339)
    assert (result.dpi, prepared.dpi) == (200.0, 200.0)
    assert prepared.treatments == ("lowered 300 to 200 dpi",)
    assert prepare(picture(fine, 250.0), PROFILE)[0].size == (2481, 3509)


def test_a_page_of_small_print_is_lowered_less():
    page = blank((1600, 1200))
    for row in range(60, 1150, 22):
        line(page, "a contract in the smallest print that a lawyer could find in the drawer", (60, row), scale=0.4)
    assert prepare(picture(page, 300.0), PROFILE)[0].width > 1300


@pytest.mark.slow
def test_a_photo_that_cannot_be_a_page_at_its_stated_dpi_is_lowered_by_the_height_of_its_type():
    photo = cv2.resize(text_page(), (3308, 4678), interpolation=cv2.INTER_CUBIC)
    result, prepared = prepare(picture(photo, 150.0), PROFILE)
    assert 1300 < result.width < 2200
    assert "by the height of its type" in prepared.treatments[0]


def test_a_large_picture_of_nothing_known_is_left_as_it_is():
    assert prepare(picture(blank((5000, 1500)), 150.0), PROFILE)[0].size == (5000, 1500)


def test_white_writing_on_black_is_inverted():
    result, prepared = prepare(picture(255 - text_page()), PROFILE)
    assert prepared.measures.inverted
    assert np.array_equal(pixels_of(result), text_page())


def test_a_dark_photograph_is_not_inverted():
    chance = np.random.default_rng(1)
    dark = cv2.GaussianBlur(chance.integers(0, 120, (1000, 800), dtype=np.uint8), (0, 0), 6)
    assert not prepare(picture(dark), PROFILE)[1].measures.inverted


def test_a_faint_fax_gets_contrast():
    faint = text_page(level=205, paper=235)
    result, prepared = prepare(picture(faint), PROFILE)
    assert not prepared.blank
    assert any(note.startswith("contrast") for note in prepared.treatments)
    assert np.percentile(pixels_of(result), 1) < 80


def test_black_text_on_a_light_fill_is_not_taken_for_faint_ink():
    page = text_page()
    page[400:1800] = np.minimum(page[400:1800], 215)
    for top in range(100, 2200, 100):
        page[top : top + 50] = np.minimum(page[top : top + 50], 225)
    _, prepared = prepare(picture(page), PROFILE)
    assert not any(note.startswith("contrast") for note in prepared.treatments)


def test_a_photo_with_a_shadow_gets_even_paper():
    shadow = np.tile(np.linspace(0.3, 1.0, A4[0]), (A4[1], 1))
    page = (text_page() * shadow).astype(np.uint8)
    result, prepared = prepare(picture(page), PROFILE)
    assert any(note.startswith("shadow") for note in prepared.treatments)
    assert np.percentile(grey_of(pixels_of(result))[:, :300], 60) > 230


def test_a_noisy_page_gets_smoother_and_keeps_its_letters():
    chance = np.random.default_rng(1)
    page = np.clip(text_page() + chance.normal(0, 30, (A4[1], A4[0])), 0, 255).astype(np.uint8)
    result, prepared = prepare(picture(page), PROFILE)
    assert any(note.startswith("noise") for note in prepared.treatments)
    assert pixels_of(result).std() < page.std()


def test_pictures_of_any_shape_pass():
    for size in ((1, 1), (2, 900), (900, 3), (17, 17)):
        result, prepared = prepare(picture(blank(size, 0)), PROFILE)
        assert result.size == size
        assert prepared.page == size


def test_dpi_of_a_picture_is_kept():
    assert prepare(picture(text_page(), DPI), PROFILE)[0].dpi == DPI
