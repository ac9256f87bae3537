"""Whatever a file or an engine claims, a box lies on the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.core.types import BBox

sides = st.floats(0.01, 1e6)
numbers = st.floats(-1e9, 1e9) | st.sampled_from([float("inf"), float("-inf")])
ROUNDING = 1.00001  # left and width are rounded apart from each other


@given(st.tuples(numbers, numbers, numbers, numbers), st.tuples(sides, sides))
@pytest.mark.slow
def test_a_box_never_leaves_the_page(points, size):
    box = BBox.of_points(points, size)
    assert 0 <= box.left <= 1
    assert 0 <= box.top <= 1
    assert box.width >= 0
    assert box.height >= 0
    assert box.right <= ROUNDING
    assert box.bottom <= ROUNDING


fractions = st.floats(0, 1)
boxes = st.builds(
    lambda left, top, right, bottom: BBox.of_points(
        (min(left, right), min(top, bottom), max(left, right), max(top, bottom)), (1, 1)
    ),
    fractions,
    fractions,
    fractions,
    fractions,
)


@given(boxes, st.tuples(st.floats(10, 20_000), st.floats(10, 20_000)))
def test_a_box_survives_the_way_through_points(box, size):
    again = BBox.of_points(box.points(size), size)
    for name in ("left", "top", "width", "height"):
        assert abs(getattr(again, name) - getattr(box, name)) <= 2.1e-5


@given(st.lists(boxes, min_size=1, max_size=6))
def test_a_union_holds_all_of_its_boxes(several):
    union = BBox.union(several)
    for box in several:
        assert union.left <= box.left
        assert union.top <= box.top
        assert union.right >= box.right - 1.1e-5
        assert union.bottom >= box.bottom - 1.1e-5
