"""Whatever an engine recognises on a scan, each word ends in exactly one block, or in the account."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.core.engine import Recognition
from quire.core.types import BBox
from quire.pages.layout import page_blocks
from quire.pages.prepare.prepared import Redaction
from quire.pages.recognize.recognised_text import placed
from quire.pages.recognize.seen import Seen
from tests.unit.pages.recognize.seen import line, native, prepared

WIDTH, HEIGHT = 500, 700  # points of the page, at half of the pixels of its picture

places = st.tuples(st.integers(10, 420), st.integers(10, 670))
lines = st.tuples(
    places, st.integers(1, 7), st.sampled_from([7.0, 9.0, 9.0, 12.0, 30.0]), st.sampled_from([0, 0, 0, 90])
)
columns = st.tuples(st.integers(2, 4), st.integers(5, 30))
rules = st.tuples(places, st.integers(40, 480), st.booleans())
boxes = st.tuples(places, st.integers(30, 300), st.integers(30, 300))


def rule(place, length, level):
    left, top = place
    right, bottom = (left + length, top) if level else (left, top + length)
    return 2.0 * left, 2.0 * top, 2.0 * min(right, WIDTH), 2.0 * min(bottom, HEIGHT), 2.0


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(lines, max_size=25), columns, st.lists(rules, max_size=6), st.lists(boxes, max_size=2), st.booleans())
def test_each_recognised_word_is_in_one_block_or_in_the_account(stray, grid, drawn, shown, ordered):
    names = (f"w{number}x" for number in count(100))
    read = []
    for (left, top), words, size, angle in stray:
        read.append(line(" ".join(next(names) for _ in range(words)), left, top, size=size, angle=angle))
    for column in range(grid[0]):
        for row in range(grid[1]):
            read.append(line(" ".join(next(names) for _ in range(3)), 20 + 115 * column, 60 + 18 * row, size=10))
    pictures = tuple((2.0 * x, 2.0 * y, 2.0 * min(x + w, WIDTH), 2.0 * min(y + h, HEIGHT)) for (x, y), w, h in shown)
    redaction = Redaction(BBox(0.1, 0.3, 0.2, 0.05), 0.9)
    seen = Seen(prepared(redactions=[redaction]), tuple(rule(*one) for one in drawn), pictures)
    text = placed(native(), seen, [Recognition("fake", tuple(read))], engine="fake", whole=True, ordered=ordered)
    page = page_blocks(text)
    counted = page.info.characters
    assert counted is not None and counted.unaccounted == 0
    written = " ".join(block.text for block in page.blocks)
    every = [word.text for one in read for word in one.words]
    found = [written.count(word) for word in every]
    assert set(found) <= {0, 1}
    gone = sum(len(word) for word, times in zip(every, found, strict=True) if not times)
    assert gone == sum(n for reason, n in counted.left_out.items() if reason != "hyphen")
