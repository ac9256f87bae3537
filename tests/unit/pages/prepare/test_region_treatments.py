"""Regions: black and white, slices that cut no line, margins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from quire.core.errors import UsageError
from quire.pages.prepare.pixels import pixels_of
from quire.pages.prepare.region_treatments import binarize, pad, slice_horizontal
from tests.unit.pages.prepare.sheets import DPI, blank, line, picture, text_page

SMALL = (800, 1000)


def test_binarized_letters_are_black_on_white_also_in_a_shadow():
    shadow = np.tile(np.linspace(0.35, 1.0, SMALL[0]), (SMALL[1], 1))
    result = pixels_of(binarize(picture((text_page(SMALL) * shadow).astype(np.uint8))))
    assert set(np.unique(result)) == {0, 255}
    clean = text_page(SMALL) < 128
    assert np.mean((result == 0) == clean) > 0.97


def test_a_colour_picture_is_binarized_to_grey():
    colour = np.dstack([text_page(SMALL)] * 3)
    assert binarize(picture(colour)).mode == "L"


def test_slices_put_together_are_the_picture_again():
    page = text_page(SMALL)
    slices = slice_horizontal(picture(page), height=300)
    assert np.array_equal(np.vstack([pixels_of(part.picture) for part in slices]), page)
    assert [part.top for part in slices] == sorted(part.top for part in slices)
    assert all(part.picture.height <= 300 for part in slices)
    assert all(part.picture.dpi == DPI for part in slices)


def test_slices_do_not_cut_through_a_line():
    page = blank(SMALL)
    for row in range(40, 1000, 40):
        line(page, "a line that nobody should cut", (30, row))
    for part in slice_horizontal(picture(page), height=210)[1:]:
        assert page[part.top].min() == 255


def test_slices_overlap_as_asked_and_say_where_they_begin():
    page = text_page(SMALL)
    slices = slice_horizontal(picture(page), height=300, overlap=60)
    for above, below in pairwise(slices):
        assert below.top == above.top + above.picture.height - 60
    for part in slices:
        assert np.array_equal(pixels_of(part.picture), page[part.top : part.top + part.picture.height])
    assert slices[-1].top + slices[-1].picture.height == SMALL[1]


def test_a_low_picture_is_one_slice():
    (only,) = slice_horizontal(picture(blank((50, 20))), height=300)
    assert (only.top, only.picture.size) == (0, (50, 20))


@pytest.mark.parametrize("height, overlap", [(0, 0), (10, 10), (10, -1)])
def test_slices_that_would_never_end_are_refused(height, overlap):
    with pytest.raises(UsageError):
        slice_horizontal(picture(blank((50, 20))), height=height, overlap=overlap)


@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 3)])
def test_padding_surrounds_the_picture(shape):
    padded = pad(picture(np.zeros(shape, np.uint8)), margin=7)
    pixels = pixels_of(padded)
    assert padded.size == (44, 34)
    assert pixels[7:-7, 7:-7].max() == 0
    assert pixels[:7].min() == 255
    assert pixels[:, -7:].min() == 255
