"""Tiles of large sheets."""

from __future__ import annotations

import itertools

import pytest

from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.pipelines.detect import tiles


def sheet(width: int, height: int, *, ink: tuple[int, int] | None = None) -> Picture:
    pixels = bytearray(b"\xff" * (width * height))
    if ink is not None:
        pixels[ink[1] * width + ink[0]] = 0
    return Picture(width, height, "L", bytes(pixels), 300)


def test_tiles_cover_the_sheet_and_overlap_by_at_least_what_was_asked_for():
    layout = tiles(side_px=100, overlap_px=30).detect(sheet(330, 100))
    spans = [(round(r.bbox.left * 330), round(r.bbox.right * 330)) for r in layout.regions]
    assert spans[0][0] == 0
    assert spans[-1][1] == 330
    assert all(before[1] - after[0] >= 30 for before, after in itertools.pairwise(spans))
    assert {right - left for left, right in spans} == {100}


def test_a_small_sheet_is_one_tile():
    (region,) = tiles().detect(sheet(40, 30)).regions
    assert (region.id, region.bbox.width, region.bbox.height) == ("tile-1-1", 1.0, 1.0)


def test_a_tile_without_ink_is_not_read():
    regions = tiles(side_px=100, overlap_px=0).detect(sheet(200, 200, ink=(150, 50))).regions
    assert [region.role for region in regions] == ["blank", "text", "blank", "blank"]


@pytest.mark.parametrize(("side", "overlap"), [(0, 0), (100, 100), (100, -1)])
def test_tiles_that_cannot_be_cut_are_refused(side, overlap):
    with pytest.raises(ConfigurationError, match="cannot overlap"):
        tiles(side_px=side, overlap_px=overlap)
