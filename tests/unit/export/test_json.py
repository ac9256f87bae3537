from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quire.export import from_json, json_, text
from quire.types import BBox, PageInfo

from .results import Result, block, item, report, result, table

KEYS = [
    "id",
    "page",
    "kind",
    "level",
    "text",
    "bbox",
    "parts",
    "confidence",
    "engine",
    "marker",
    "spans",
    "words",
    "table",
]


def test_the_schema_has_its_keys_in_order():
    tree = json.loads(json_(report(), words=True))
    assert list(tree) == ["schema", "document", "blocks"] and tree["schema"] == "quire/1"
    assert list(tree["document"]) == ["id", "name", "media_type", "pages"]
    assert list(tree["document"]["pages"][0]) == ["number", "width", "height", "rotation", "status", "reason"]
    for written in tree["blocks"]:
        assert list(written) == [key for key in KEYS if key in written]
    cell = next(b for b in tree["blocks"] if "table" in b)["table"]["cells"][0]
    assert list(cell) == ["row", "column", "row_span", "column_span", "header", "text", "page", "bbox"]


def test_every_block_is_kept_also_headers_and_footers():
    assert len(json.loads(json_(report()))["blocks"]) == len(report().blocks)


def test_words_appear_only_when_asked_for():
    assert '"words"' not in json_(report())
    assert json.loads(json_(report(), words=True))["blocks"][3]["words"][0]["text"] == "Sales"


def test_parts_appear_when_there_are_several():
    blocks = json.loads(json_(report()))["blocks"]
    assert [b["id"] for b in blocks if "parts" in b] == ["p1-b4"]


def test_numbers_are_rounded():
    source = Result((block("paragraph", "x", bbox=BBox(0.1234567, -0.0, 1 / 3, 0.5)),), (PageInfo(1, 595.2756, 842),))
    tree = json.loads(json_(source))
    assert tree["blocks"][0]["bbox"] == {"left": 0.12346, "top": 0.0, "width": 0.33333, "height": 0.5}
    assert "-0.0" not in json_(source)
    assert tree["document"]["pages"][0]["width"] == 595.28


def test_what_was_written_can_be_read_back():
    source = report()
    pages, blocks = from_json(json_(source, words=True))
    expected = [replace(b, confidence=round(b.confidence, 5) if b.confidence else None) for b in source.blocks]
    assert tuple(pages) == source.pages
    assert blocks == expected


def test_another_schema_is_refused():
    with pytest.raises(ValueError, match="quire/1"):
        from_json('{"schema": "other/2"}')


def test_an_empty_document_is_valid():
    assert json.loads(json_(result()))["blocks"] == []


def test_text_stays_readable_and_lines_stay():
    written = json_(result(block("paragraph", "שלום\nעולם")))
    assert "שלום\\nעולם" in written and written.endswith("]}\n")


def test_plain_text_keeps_lines_and_indents_lists():
    source = result(
        block("header", "no"), block("paragraph", "a\nb"), item("c"), item("d\ne", "-", 2), table([["x", "y"]])
    )
    assert text(source) == "a\nb\n\n• c\n  - d\n    e\n\nx\ty\n"
