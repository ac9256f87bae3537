"""Detectors that do not look for grids."""

from __future__ import annotations

import json

import pytest

from quire.core.errors import ConfigurationError
from quire.core.types import BBox, GridCell, Layout, Region
from quire.pipelines.detect import box_annotations, fallback, morphological_grid, whole_page, with_surroundings
from tests.unit.pipelines.detect.sheets import Sheet

BLANK = Sheet().picture()


def test_the_whole_page_is_one_region():
    assert whole_page().detect(BLANK) == Layout((Region("page", BBox(0, 0, 1, 1), "page"),))


def test_annotations_are_read_from_a_file(tmp_path):
    path = tmp_path / "boxes.json"
    boxes = [
        {"id": "total", "bbox": [0.5, 0.8, 0.2, 0.1]},
        {"bbox": [0, 0, 0.5, 0.1], "grid": {"row": 0, "column": 1, "column_span": 2}, "parent": "t1"},
    ]
    path.write_text(json.dumps({"pages": {"2": boxes}}))
    detector = box_annotations(path)
    assert detector.detect(BLANK, 1) == Layout()
    assert detector.detect(BLANK, 2).regions == (
        Region("total", BBox(0.5, 0.8, 0.2, 0.1)),
        Region("b2", BBox(0, 0, 0.5, 0.1), "cell", GridCell(0, 1, 1, 2), parent="t1"),
    )


def test_annotations_in_pixels_name_the_size_of_their_picture():
    detector = box_annotations({"size": [200, 100], "pages": {"1": [{"bbox": [100, 50, 20, 10], "role": "figure"}]}})
    assert detector.detect(BLANK).regions == (Region("b1", BBox(0.5, 0.5, 0.1, 0.1), "figure"),)


def test_regions_by_page_are_taken_as_they_are():
    region = Region("a", BBox(0, 0, 1, 0.5))
    assert box_annotations({1: [region]}).detect(BLANK).regions == (region,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"pages": {"1": [{"bbox": [100, 50, 20, 10]}]}}, "is outside the page"),
        ({"pages": {"1": [{"bbox": [0, 0, 1]}]}}, "annotations are invalid"),
        ({"pages": {"1": [{"bbox": [0, 0, 1, 1], "role": "nothing"}]}}, "no role 'nothing'"),
        ({"boxes": []}, "pages"),
        ({"pages": {"one": []}}, "one"),
    ],
)
def test_annotations_that_make_no_sense_are_refused(content, message):
    with pytest.raises(ConfigurationError, match=message):
        box_annotations(content)


def test_a_missing_file_of_annotations_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"none\.json"):
        box_annotations(tmp_path / "none.json")


def test_fallback_takes_the_first_that_finds_anything():
    detector = fallback(morphological_grid(), whole_page())
    assert [region.id for region in detector.detect(BLANK).regions] == ["page"]
    assert len(detector.detect(Sheet().grid().picture()).regions) == 12
    assert fallback(morphological_grid()).detect(BLANK) == Layout()
    with pytest.raises(ConfigurationError, match="at least one"):
        fallback()


def test_the_strips_around_regions_are_read_like_pages():
    beside = [Region("a", BBox(0.1, 0.2, 0.3, 0.2)), Region("b", BBox(0.6, 0.25, 0.3, 0.3))]
    found = with_surroundings(box_annotations({1: [*beside, Region("c", BBox(0, 0.8, 1, 0.2))]})).detect(BLANK)
    assert [(r.id, r.role, r.bbox.top, r.bbox.bottom) for r in found.regions if r.role == "page"] == [
        ("rest-0", "page", 0.0, 0.2),
        ("rest-550", "page", pytest.approx(0.55), pytest.approx(0.8)),
    ]
    assert [region.id for region in found.regions] == ["rest-0", "a", "b", "rest-550", "c"]


def test_a_page_without_regions_is_surroundings_alone():
    found = with_surroundings(morphological_grid()).detect(BLANK)
    assert [(r.bbox, r.role) for r in found.regions] == [(BBox(0, 0, 1, 1), "page")]


def test_annotations_have_polygons_and_attributes():
    box = {"bbox": [10, 10, 20, 20], "polygon": [[10, 10], [30, 10], [20, 30]], "attrs": {"tag": "V1"}}
    (region,) = box_annotations({"size": [100, 200], "pages": {"1": [box]}}).pages[1]
    assert region.polygon == ((0.1, 0.05), (0.3, 0.05), (0.2, 0.15))
    assert region.attrs == {"tag": "V1"}
