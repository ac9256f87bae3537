"""Ruled grids on pictures of pages."""

from __future__ import annotations

import pytest

from quire.core.document import Document
from quire.core.errors import ConfigurationError
from quire.core.types import GridCell
from quire.pages.prepare import PrepareProfile, page_picture
from quire.pipelines.detect import hough_grid, morphological_grid
from tests import documents
from tests.unit.pipelines.detect.sheets import XS, YS, Sheet

METHODS = [morphological_grid, hough_grid]
FULL = [(row, column, 1, 1) for row in range(4) for column in range(3)]


def places(layout):
    return [(r.grid.row, r.grid.column, r.grid.row_span, r.grid.column_span) for r in layout.regions]


def pixels(region):
    return tuple(round(value) for value in region.bbox.points((1000, 1400)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "sheet",
    [
        Sheet().grid(),
        Sheet().grid(thickness=1),
        Sheet().grid(thickness=5),
        Sheet().grid().prose(),
        Sheet().grid().noise(),
        Sheet().grid(double=5),
        Sheet().grid(gap=6),
        Sheet().grid().turned(1.0),
        Sheet().grid().turned(-2.5).noise(),
    ],
    ids=["plain", "hairlines", "thick", "above prose", "noisy", "double lines", "broken", "askew", "far askew"],
)
def test_every_cell_is_found(method, sheet):
    assert places(method().detect(sheet.picture())) == FULL


@pytest.mark.parametrize("method", METHODS)
def test_cells_lie_inside_their_lines(method):
    regions = method(padding_px=4).detect(Sheet().grid().picture()).regions
    left, top, right, bottom = pixels(regions[4])
    assert abs(left - XS[1] - 4) <= 2 and abs(right - XS[2] + 4) <= 2
    assert abs(top - YS[1] - 4) <= 2 and abs(bottom - YS[2] + 4) <= 2


def test_cells_of_a_page_askew_lie_where_they_are_on_the_page():
    straight = morphological_grid().detect(Sheet().grid().picture()).regions[0]
    askew = morphological_grid().detect(Sheet().grid().turned(2.0).picture()).regions[0]
    x, y = (pixels(straight)[n] - (500, 700)[n] for n in range(2))
    expected = 500 + 0.99939 * x - 0.0349 * y, 700 + 0.0349 * x + 0.99939 * y
    assert all(abs(pixels(askew)[n] - expected[n]) < 8 for n in range(2))


def test_hough_finds_a_dashed_grid():
    sheet = Sheet().grid(gap=14)
    assert places(hough_grid().detect(sheet.picture())) == FULL


@pytest.mark.parametrize("method", METHODS)
def test_cells_without_a_line_between_them_are_one(method):
    sheet = Sheet().grid()
    sheet.erase(XS[0] + 3, YS[1] - 3, XS[1] - 3, YS[1] + 4)  # the first two rows of column 0
    sheet.erase(XS[1] - 3, YS[3] + 3, XS[1] + 4, YS[4] - 3)  # the last row, columns 0 and 1
    grid = [region.grid for region in method().detect(sheet.picture()).regions]
    assert GridCell(0, 0, 2, 1) in grid
    assert GridCell(3, 0, 1, 2) in grid
    assert len(grid) == 10


def test_a_table_open_at_its_sides_has_its_outer_cells():
    sheet = Sheet()
    for y in YS:
        sheet.line((XS[0], y), (XS[3], y))
    for x in XS[1:3]:
        sheet.line((x, YS[0]), (x, YS[-1]))
    assert places(morphological_grid().detect(sheet.picture())) == FULL


def test_two_tables_are_two_grids():
    sheet = Sheet().grid().grid(xs=(100, 400, 700), ys=(700, 800, 900))
    layout = morphological_grid().detect(sheet.picture())
    assert [region.parent for region in layout.regions] == ["t1"] * 12 + ["t2"] * 4
    assert layout.regions[12].id == "t2-r0-c0"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sheet", [Sheet(), Sheet().prose(), Sheet().line((100, 100), (900, 100))])
def test_a_page_without_a_grid_has_no_cells(method, sheet):
    assert method().detect(sheet.picture()).regions == ()


@pytest.mark.both_readers
def test_the_grid_of_a_drawn_document_is_found(saved):
    with Document(saved(documents.ruled_table())) as document:
        picture = page_picture(document.reader, 1, PrepareProfile())
    layout = morphological_grid().detect(picture)
    assert layout.rows > 1 and layout.columns > 1
    assert all(region.bbox.width > 0 and region.bbox.height > 0 for region in layout.regions)


@pytest.mark.parametrize(
    "wrong", [{"min_line_length_ratio": 0}, {"merge_threshold_px": 0}, {"padding_px": -1}], ids=str
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        morphological_grid(**wrong)
