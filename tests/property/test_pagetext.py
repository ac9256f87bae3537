"""Any page survives the way through bytes."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.core.pagetext import ARRAYS, PageText

f32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
numbers = {
    "f": f32,
    "I": st.integers(0, 2**32 - 1),
    "H": st.integers(0, 2**16 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
}


@st.composite
def pages(draw: st.DrawFn) -> PageText:
    texts = draw(st.lists(words, max_size=5))
    counts = {"rulings": 1, "rects": 2, "rect_colors": 2, "images": 1, "drawings": draw(st.integers(0, 3))}
    arrays = {}
    for name, code, width in ARRAYS:
        length = counts.get(name, len(texts)) * width
        arrays[name] = draw(st.lists(numbers[code], min_size=length, max_size=length))
    return PageText(
        number=draw(st.integers(1, 10_000)),
        width=draw(st.floats(1, 20_000)),
        height=draw(st.floats(1, 20_000)),
        rotation=draw(st.sampled_from([0, 90, 180, 270])),
        chars=sum(map(len, texts)),
        unmapped=0,
        invisible=0,
        font_table=[],
        links=[{"box": [0.0, 0.0, 1.0, 1.0], "uri": draw(words), "page": None}],
        fields=[],
        tags=[],
        texts=texts,
        **arrays,
    )


@given(pages())
@pytest.mark.slow
def test_a_page_survives_the_way_through_bytes(page):
    data = page.to_bytes()
    again = PageText.from_bytes(data)
    for field in fields(PageText):
        before, after = getattr(page, field.name), getattr(again, field.name)
        assert (list(after) if isinstance(after, memoryview) else after) == before, field.name
    assert again.to_bytes() == data
