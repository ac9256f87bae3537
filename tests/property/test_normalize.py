"""Whatever an engine says: an EngineError, or boxes inside the page and clean text."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.core.engine import Question, ReadBlock, ReadLine, Recognition
from quire.core.errors import EngineError
from quire.core.types import BLOCK_KINDS, BBox, Cell, Region, Table, Word
from quire.pages.recognize.normalize import normalize

numbers = st.one_of(st.floats(0, 1), st.floats(-0.1, 1.2), st.floats(), st.integers(), st.none(), st.text(max_size=2))
sides = st.one_of(st.floats(0, 0.5), st.floats(0, 0.5), numbers)
boxes = st.builds(BBox, sides, sides, sides, sides)
characters = st.one_of(st.characters(categories=["Ll", "Nd", "Zs"]), st.characters(codec=None))
texts = st.text(characters, max_size=20)
whole = st.one_of(st.integers(0, 4), st.integers(), numbers)
words = st.builds(Word, texts, boxes, numbers)
lines = st.builds(ReadLine, texts, boxes, numbers, st.lists(words, max_size=3).map(tuple), whole)
cells = st.builds(Cell, whole, whole, texts, whole, boxes, whole, whole, st.booleans())
tables = st.builds(Table, whole, whole, st.lists(cells, max_size=6).map(tuple))
kinds = st.one_of(st.sampled_from(BLOCK_KINDS), st.just("sidebar"))
blocks = st.builds(ReadBlock, kinds, texts, st.one_of(st.none(), boxes), numbers, whole, st.one_of(st.none(), tables))
names = st.one_of(st.none(), st.sampled_from(["r1", "r2", "r3"]))
recognitions = st.builds(
    Recognition,
    st.just("wild"),
    st.lists(lines, max_size=5).map(tuple),
    st.lists(blocks, max_size=3).map(tuple),
    names,
    st.one_of(st.none(), texts),
)
regions = st.lists(st.sampled_from(["r1", "r2", "r3"]), unique=True).map(
    lambda ids: tuple(Region(name, BBox(0.1, 0.1, 0.5, 0.5)) for name in ids)
)
questions = st.builds(Question, st.just((100, 100)), st.just(72.0), st.just(()), regions)


def parts_of(one: Recognition) -> Iterator[tuple[str, BBox | None, object]]:
    for line in one.lines:
        yield line.text, line.bbox, line.confidence
        yield from ((word.text, word.bbox, word.confidence) for word in line.words)
    for block in one.blocks:
        yield block.text, block.bbox, block.confidence
        yield from ((cell.text, cell.bbox, None) for cell in (block.table.cells if block.table else ()))


def inside(box: BBox) -> bool:
    sides = (box.left, box.top, box.width, box.height)
    numeric = all(isinstance(side, float) and math.isfinite(side) and side >= 0 for side in sides)
    return numeric and box.right <= 1 + 1e-6 and box.bottom <= 1 + 1e-6


@settings(max_examples=40)
@given(st.lists(recognitions, max_size=4), questions)
@pytest.mark.slow
def test_whatever_goes_in_only_clean_things_come_out(given, question):
    try:
        answers = normalize(given, question)
    except EngineError:
        return
    assert [one.region for one in answers] == ([r.id for r in question.regions] or [None])
    for text, box, confidence in (part for one in answers for part in parts_of(one)):
        assert box is None or inside(box)
        assert confidence is None or 0 <= confidence <= 1
        assert text == unicodedata.normalize("NFC", text)
        assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in text.replace("\n", ""))
    for line in (line for one in answers for line in one.lines):
        assert line.text
        assert "".join(word.text for word in line.words) == "".join(line.text.split())
        assert line.angle in (0, 90, 180, 270)


@settings(max_examples=40)
@given(st.lists(recognitions, max_size=4), questions)
@pytest.mark.slow
def test_what_passed_once_passes_unchanged(given, question):
    try:
        once = normalize(given, question)
    except EngineError:
        return
    assert normalize(once, question) == once
