"""Roles of regions."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from quire.core.errors import ConfigurationError
from quire.core.types import BBox, GridCell, Layout, Region
from quire.pipelines.classify import embedding, hybrid, rule_based
from quire.pipelines.detect import morphological_grid
from quire.pipelines.roles import Classified, with_merged
from tests.unit.pipelines.detect.sheets import XS, YS, Sheet


def cells(sheet):
    return morphological_grid().detect(sheet.picture())


def uniform():
    """The regions of the grid as annotated by hand, without merged cells."""
    return Layout(
        tuple(
            Region(
                f"{row}{column}",
                BBox.of_points((XS[column] + 3, YS[row] + 3, XS[column + 1] - 3, YS[row + 1] - 3), (1000, 1400)),
                "cell",
                GridCell(row, column),
                parent="t1",
            )
            for row in range(4)
            for column in range(3)
        )
    )


def filled(sheet, *, first="Name"):
    for row, y in enumerate(YS[:-1]):
        for column, x in enumerate(XS[:-1]):
            sheet.text(first if not row else f"{row}{column}", (x + 12, y + 40))
    return sheet


def roles(classified):
    return {region.id: region.role for region in classified.layout.regions}


@pytest.mark.parametrize("sheet", [Sheet().grid(), Sheet().grid().noise(), Sheet().grid(thickness=5).turned(1.5)])
def test_cells_without_ink_are_blank(sheet):
    found = rule_based().classify(cells(sheet), sheet.picture())
    assert set(roles(found).values()) == {"blank"}
    assert not found.ambiguous


@pytest.mark.parametrize("text", ["7", "I", "total", "x"])
def test_a_cell_with_one_word_is_not_blank(text):
    sheet = Sheet().grid().text(text, (XS[1] + 20, YS[1] + 40), 0.6)
    found = roles(rule_based().classify(cells(sheet), sheet.picture()))
    assert [name for name, role in found.items() if role != "blank"] == ["t1-r1-c1"]


def test_a_small_mark_is_ambiguous_and_will_be_read():
    sheet = Sheet().grid()
    sheet.pixels[YS[1] + 30 : YS[1] + 32, XS[1] + 50 : XS[1] + 53] = 0
    found = rule_based().classify(cells(sheet), sheet.picture())
    assert (found.ambiguous, roles(found)["t1-r1-c1"]) == ({"t1-r1-c1"}, "cell")


def test_a_shaded_first_row_is_a_header():
    sheet = Sheet()
    sheet.pixels[YS[0] : YS[1], XS[0] : XS[-1]] = 200
    filled(sheet.grid())
    found = roles(rule_based().classify(cells(sheet), sheet.picture()))
    assert [found[f"t1-r{row}-c1"] for row in range(4)] == ["header", "cell", "cell", "cell"]


def test_a_bold_first_row_is_a_header():
    sheet = filled(Sheet().grid())
    first = sheet.pixels[YS[0] + 5 : YS[1] - 5]
    first[:] = cv2.erode(first, np.ones((4, 4), np.uint8))
    found = roles(rule_based().classify(cells(sheet), sheet.picture()))
    assert [found[f"t1-r{row}-c1"] for row in range(4)] == ["header", "cell", "cell", "cell"]


def test_a_first_row_like_the_others_is_no_header():
    sheet = filled(Sheet().grid())
    assert "header" not in roles(rule_based().classify(cells(sheet), sheet.picture())).values()


def test_marked_cells_without_an_edge_between_them_are_merged():
    sheet = filled(Sheet().grid())
    sheet.erase(XS[1] - 4, YS[3] + 4, XS[1] + 5, YS[4] - 4)
    merged = with_merged(rule_based().classify(uniform(), sheet.picture()).layout)
    assert [r.grid for r in merged.regions if r.grid.column_span > 1] == [GridCell(3, 0, 1, 2)]
    assert len(merged.regions) == 11


def test_nothing_is_merged_where_no_grid_is_drawn():
    sheet = filled(Sheet())
    found = rule_based().classify(uniform(), sheet.picture())
    assert not any(region.merge_group for region in found.layout.regions)


def crops(seed):
    """Pictures of regions: words, big headings and dirt."""
    random = np.random.default_rng(seed)
    for number in range(12):
        word = "".join(chr(97 + int(letter)) for letter in random.integers(0, 26, 6))
        text = Sheet().text(word, (100 + int(random.integers(-20, 20)), 140), 0.8).picture()
        head = Sheet().text(word[:4].upper(), (90, 150), 1.9).picture()
        dirt = Sheet().noise(seed * 100 + number).picture()
        box = BBox.of_points((80, 100, 300, 160), (1000, 1400))
        yield from ((text.crop(box), "text"), (head.crop(box), "header"), (dirt.crop(box), "blank"))


@pytest.mark.slow
def test_a_classifier_learns_from_samples_and_can_be_kept(tmp_path):
    learned = embedding.train(crops(1))
    right = [learned.judge(picture)[0] == role for picture, role in crops(2)]
    assert sum(right) >= 0.9 * len(right)
    learned.save(tmp_path / "roles.npz")
    again = embedding.load(tmp_path / "roles.npz")
    picture, _ = next(crops(3))
    assert again.judge(picture) == learned.judge(picture)


def test_samples_of_one_role_teach_nothing(tmp_path):
    with pytest.raises(ConfigurationError, match="at least two roles"):
        embedding.train([pair for pair in crops(1) if pair[1] == "text"])
    with pytest.raises(ConfigurationError, match="cannot load"):
        embedding.load(tmp_path / "none.npz")


def test_the_second_classifier_decides_what_the_first_is_not_sure_of():
    class First:
        name = "first"

        def classify(self, layout, picture):
            return Classified(layout, frozenset({"01"}))

    class Second:
        name = "second"

        def classify(self, layout, picture):
            assert [region.id for region in layout.regions] == ["01"]
            return Layout(tuple(Region(r.id, r.bbox, "blank", r.grid) for r in layout.regions))

    found = hybrid(First(), Second()).classify(uniform(), Sheet().picture())
    assert [name for name, role in roles(found).items() if role == "blank"] == ["01"]
    assert not found.ambiguous


def test_a_merged_region_keeps_the_attributes_of_its_parts_and_no_outline_of_one():
    first = Region("a", BBox(0.0, 0.0, 0.5, 0.5), merge_group="m", polygon=((0.0, 0.0), (0.5, 0.5)), attrs={"tag": 1})
    second = Region("b", BBox(0.5, 0.0, 0.5, 0.5), merge_group="m", attrs={"tag": 2, "side": "right"})
    (merged,) = with_merged(Layout((first, second))).regions
    assert (merged.polygon, merged.attrs) == ((), {"tag": 1, "side": "right"})
