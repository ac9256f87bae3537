"""Rows and boxes: what every part of the layout and of the extraction means by beside, above and near."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from quire.core.types import BBox, Box
from quire.pages.geometry.extents import are_level, box_of, has_middle, overlap, shared_area, touch, touching
from quire.pages.geometry.rows import TIGHT_ROW, baseline_rows, connected, from_left, level_rows, near_values


class Piece(NamedTuple):
    """A word of a page, as a table or a line has it."""

    left: float
    baseline: float
    size: float = 10.0


def test_a_raised_mark_and_a_large_initial_stand_in_the_row_of_their_line():
    initial, word, mark = Piece(10, 104, size=24), Piece(40, 100), Piece(90, 96, size=6)
    assert [from_left(row) for row in baseline_rows([word, mark, initial])] == [[initial, word, mark]]


def test_a_row_does_not_creep_down_a_page_that_slants():
    slanting = [Piece(20 * n, 100 + 2 * n) for n in range(10)]
    assert max(map(len, baseline_rows(slanting))) == 3


def test_the_lines_of_a_tight_list_are_rows_of_their_own():
    label, total = Piece(10, 100), Piece(10, 104.8)
    assert len(baseline_rows([label, total])) == 1
    assert len(baseline_rows([label, total], TIGHT_ROW)) == 2


def test_a_tall_thing_beside_two_rows_joins_only_one():
    tall, upper, lower = Box(0, 0, 10, 40), Box(20, 0, 30, 12), Box(20, 25, 30, 37)
    assert all(len(row) < 3 for row in level_rows([tall, upper, lower]))


def test_points_and_fractions_are_compared_alike():
    points, fractions = (Box(10, 20, 30, 40), Box(20, 20, 40, 40)), (BBox(0.1, 0.2, 0.2, 0.2), BBox(0.2, 0.2, 0.2, 0.2))
    assert overlap(*points) == pytest.approx(overlap(*fractions)) == pytest.approx(1 / 3)
    assert are_level(*points) and are_level(*fractions)


def test_boxes_that_only_meet_share_nothing_but_touch():
    left, right = Box(0, 0, 10, 10), Box(10, 0, 20, 10)
    assert shared_area(left, right) == 0 and touch(left, right) and not touch(left, Box(12, 0, 20, 10))
    assert has_middle(left, Box(11, 0, 11, 10), near=1)


def test_strokes_of_a_drawing_grow_into_one_box_whatever_their_order():
    strokes = [Box(0, 0, 5, 5), Box(40, 0, 45, 5), Box(4, 3, 41, 8), Box(90, 90, 95, 95)]
    assert sorted(touching(strokes, 1.0)) == [box_of(strokes[:3]), strokes[3]]


def test_edges_near_the_one_before_are_one_edge():
    assert near_values([30.0, 10.0, 11.5, 13.0], 2.0) == [[10.0, 11.5, 13.0], [30.0]]


def test_things_that_touch_through_others_are_one_group():
    assert connected(6, [(4, 1), (1, 3), (5, 0)]) == [[0, 5], [1, 3, 4], [2]]
