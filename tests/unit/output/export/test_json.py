from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from quire.core.engine import Attempt
from quire.core.types import AnswerSource, BBox, Cell, PageInfo, Part, Table
from quire.output.export import from_json, json_, text

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
    "tier",
    "source",
    "marker",
    "spans",
    "words",
    "table",
]


def test_the_schema_has_its_keys_in_order():
    tree = json.loads(json_(report(), words=True))
    assert list(tree) == ["schema", "document", "blocks"] and tree["schema"] == "quire/1"
    assert list(tree["document"]) == ["id", "name", "media_type", "pages"]
    assert list(tree["document"]["pages"][0]) == [
        "number",
        "width",
        "height",
        "rotation",
        "status",
        "reason",
        "characters",
        "confidence",
    ]
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


EXACT = AnswerSource("numbers", "1", "p" * 64, "k" * 64)
ALIKE = replace(EXACT, key="o" * 64, similarity=0.9937)


@dataclass(frozen=True)
class TracedResult(Result):
    trace: dict[int, tuple[Attempt, ...]] | None = None


def read_by_an_engine(*, trace: bool) -> TracedResult:
    box = BBox(0.1, 0.2, 0.3, 0.04)
    cells = (
        Cell(0, 0, "7", 1, box, confidence=0.75, source=EXACT),
        Cell(0, 1, "8", 1, box, confidence=0.5, source=ALIKE),
        Cell(0, 2, "9", 1, box),
    )
    blocks = (
        block("heading", "Native"),
        block("paragraph", "Read", engine="numbers", source=EXACT),
        block("paragraph", "Over", parts=(Part(1, box), Part(2, box, EXACT))),
        block("table", "7 8 9", engine="numbers", source=EXACT, table=Table(1, 3, cells)),
    )
    return TracedResult(blocks, trace={} if trace else None)


def test_with_a_trace_every_recognised_block_has_its_source():
    source = read_by_an_engine(trace=True)
    told = {"engine": "numbers", "version": "1", "profile": "p" * 64, "key": "k" * 64}
    native, read, over, grid = json.loads(json_(source))["blocks"]
    assert "source" not in native
    assert read["source"] == told | {"tier": "exact", "similarity": None}
    assert (over["source"], [part.get("source") for part in over["parts"]]) == (None, [None, read["source"]])
    cells = grid["table"]["cells"]
    assert cells[1]["source"] == told | {"key": "o" * 64, "tier": "semantic", "similarity": 0.9937}
    assert "source" not in cells[0]  # that of the block
    assert [cell.get("confidence") for cell in cells] == [0.75, 0.5, None]
    assert from_json(json_(source))[1] == list(source.blocks)


def test_without_a_trace_only_what_a_similar_picture_said_is_marked():
    blocks = json.loads(json_(read_by_an_engine(trace=False)))["blocks"]
    assert [block.get("tier") for block in blocks] == [None, None, None, "semantic"]
    assert "source" not in json.dumps(blocks)
    assert [block.text for block in from_json(json_(read_by_an_engine(trace=False)))[1]][:2] == ["Native", "Read"]


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
