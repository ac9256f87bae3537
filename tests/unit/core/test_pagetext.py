"""The native text of a page as bytes."""

from __future__ import annotations

import struct
from dataclasses import fields

import pytest

from quire.core.fonts import Font
from quire.core.pagetext import ARRAYS, LINE, MAGIC, SPACE, PageText

FILLED = PageText(
    number=3,
    width=595.276,
    height=841.89,
    rotation=90,
    chars=9,
    unmapped=1,
    invisible=2,
    font_table=[Font("Times", 2, 400)],
    links=[{"box": [1.0, 2.0, 3.0, 4.0], "uri": "https://example.org", "page": None}],
    fields=[{"box": [1.0, 2.0, 3.0, 4.0], "kind": "text", "name": "a", "value": "Ä\n"}],
    tags=[{"type": "P", "parent": -1, "mcids": [0], "alt": "", "row_span": 1, "column_span": 1}],
    texts=["Größe", "日本", "שלום"],
    boxes=[float(n) for n in range(12)],
    baselines=[1.0, 2.0, 3.0],
    sizes=[10.0, 10.5, 8.0],
    colors=[0, 0xFF0000, 0xFFFFFF],
    fonts=[0, 0, 0],
    angles=[0, 90, 359],
    mcids=[-1, 0, 7],
    flags=[LINE, SPACE, 31],
    rulings=[0.0, 1.0, 2.0, 1.0, 0.5],
    rects=[1.0, 2.0, 3.0, 4.0],
    rect_colors=[0xEEEEEE],
    images=[],
    drawings=[5.0, 6.0, 7.0, 8.0],
)


def test_it_survives_the_way_through_bytes():
    again = PageText.from_bytes(FILLED.to_bytes())
    for field in fields(PageText):
        assert list_of(getattr(again, field.name)) == list_of(getattr(FILLED, field.name)), field.name


def test_the_same_page_gives_the_same_bytes():
    data = FILLED.to_bytes()
    assert PageText.from_bytes(data).to_bytes() == data


def test_every_array_has_its_values_per_item():
    again = PageText.from_bytes(FILLED.to_bytes())
    assert all(len(getattr(again, name)) % width == 0 for name, _, width in ARRAYS)
    assert again.box(1) == (4.0, 5.0, 6.0, 7.0)


@pytest.mark.parametrize("data", [b"", b"QPT", b"%PDF-1.7 and more", b"\0" * 64])
def test_other_bytes_are_refused(data):
    with pytest.raises(ValueError, match="not the native text of a page"):
        PageText.from_bytes(data)


def test_a_header_that_is_no_json_is_refused():
    with pytest.raises(ValueError):
        PageText.from_bytes(MAGIC + struct.pack("<I", 4) + b"{no}")


def list_of(value: object) -> object:
    return list(value) if isinstance(value, (memoryview, list)) else value
