"""The tools of a solve: what a model sees of documents, and what becomes of what it proposes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quire.core.errors import InputError
from quire.core.runner import ToolAnswer
from quire.core.types import BBox, Characters
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema
from quire.pages.prepare.pixels import decoded, picture_of
from quire.solving.answers import ClaimedAnswer, verified_answer
from quire.solving.findings import decode_findings
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.tools.catalog_views import ROOM
from quire.solving.tools.pictures import LONGEST_EDGE
from quire.solving.tools.toolbox import SolveTools
from tests import bills, documents
from tests.fakes.runner_work import catalog_of

JAPANESE = "請求書番号東京二〇四一合計金額"
SCHEMA = ExtractSchema.of(
    {
        "type": "object",
        "properties": {
            "number": {"type": "string"},
            "date": {"type": "string", "format": "date"},
            "total": {"type": "number"},
            "paid": {"type": "boolean"},
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"article": {"type": "string"}, "price": {"type": "number"}},
                },
            },
        },
    }
)


@pytest.fixture(scope="module")
def bill() -> SourceCatalog:
    return catalog_of(bills.bill(), "bill.pdf")


@pytest.fixture(scope="module")
def ports() -> SourceCatalog:
    return catalog_of(documents.ruled_table(), "ports.pdf")


@pytest.fixture
def tools(bill: SourceCatalog) -> SolveTools:
    return SolveTools(JoinedCatalog([bill]), SCHEMA)


def said(answer: ToolAnswer) -> Mapping[str, Any]:
    """The content of an answer that is no error, and not too long."""
    assert not answer.error, answer.content
    assert len(json.dumps(answer.content, ensure_ascii=False)) < ROOM + 2000
    return answer.content


def wrong(answer: ToolAnswer) -> str:
    assert answer.error
    return str(answer.content["error"])


def test_without_a_page_there_is_a_map_with_headings_and_tables(tools):
    first, second = said(tools.call("read_page", {}))["pages"]
    assert first == {
        "page": 1,
        "headings": ["HARBOUR SUPPLY"],
        "tables": [{"id": "p1-b4", "rows": 4, "heads": ["Article", "Price"]}],
    }
    assert second == {"page": 2, "begins": "Amount due 145.00"}


def test_a_page_has_its_blocks_and_the_cells_of_its_tables_by_id(tools):
    page = said(tools.call("read_page", {"page": "1"}))
    assert {"id": "p1-b2", "kind": "field", "text": "Invoice number: INV-2041"} in page["blocks"]
    assert {"table": "p1-b4", "cells": {"r1c0": "Rope", "r1c1": "10.00"}} in page["blocks"]
    table = said(tools.call("read_table", {"record": "p1-b4:r1c1"}))
    assert table["cells"][1] == {"r1c0": "Rope", "r1c1": "10.00"}


def test_long_documents_are_shown_piece_by_piece_without_a_gap():
    tools = SolveTools(JoinedCatalog([catalog_of(documents.many_pages(60))]), SCHEMA)
    numbers, start = [], 0
    while start is not None:
        part = said(tools.call("read_page", {"from": start}))
        numbers += [page["page"] for page in part["pages"]]
        start = part.get("more")
    assert numbers == list(range(1, 61))


def test_a_long_block_comes_in_pieces():
    printed = documents.prose(60)
    page = documents.placed(documents.wrapped(printed, 72, 60, 450, size=6))
    tools = SolveTools(JoinedCatalog([catalog_of(page)]), SCHEMA)
    text, start = "", 0
    while start is not None:
        part = said(tools.call("read_page", {"page": 1, "from": start}))
        text += "".join(block["text"] for block in part["blocks"])
        start = part.get("more")
    assert "".join(text.split()) == "".join(printed.split())


def test_search_finds_blocks_by_words_and_has_no_operators(tools):
    (hit,) = said(tools.call("search", {"query": 'page:7 -amount "due"'}))["hits"]
    assert hit["blocks"][0] == {"id": "p2-b1", "text": "Amount due 145.00"}
    assert said(tools.call("search", {"query": "zebra"}))["hits"] == []
    assert said(tools.call("search", {"query": '::: --- ""'}))["hits"] == []


def test_a_quote_is_checked_when_it_is_cited(tools):
    found = said(tools.call("cite", {"record": "p1-b5", "quote": "total:  144.00"}))
    assert (found["printed"], found["page"], found["record"]) == ("Total: 144.00", 1, "p1-b5")
    assert found["boxes"]


def test_a_wrong_citation_says_where_the_quote_stands_or_what_stands_there(tools):
    assert "it stands in p2-b1" in wrong(tools.call("cite", {"record": "p1-b5", "quote": "Amount due 145.00"}))
    assert "p1-b5 says 'Total: 144.00'" in wrong(tools.call("cite", {"record": "p1-b5", "quote": "Total: 146.00"}))
    assert "there is no record 'p9-b9'" in wrong(tools.call("cite", {"record": "p9-b9", "quote": "Nonsense 1234567"}))


def test_a_value_is_checked_and_fitted_when_it_is_proposed(tools, bill):
    made = said(
        tools.call("propose", {"path": "total", "value": "144.00", "record": "p1-b5", "quote": "Total: 144.00"})
    )
    assert (made["value"], made["page"], made["record"]) == (144, 1, "p1-b5")
    assert made["open"] == ["number", "date", "paid", "items[].article", "items[].price"]
    cell = said(tools.call("propose", {"path": "items.0.price", "value": 10, "record": "p1-b4", "quote": "10.00"}))
    assert (cell["path"], cell["record"]) == ("items[0].price", "p1-b4:r1c1")
    answer = verified(tools, JoinedCatalog([bill]))
    assert answer.values["total"] == 144
    assert answer["items[0].price"].status == "found"


def verified(tools: SolveTools, joined: JoinedCatalog):
    return verified_answer(ClaimedAnswer.of(tools.output(), "tools"), SCHEMA, joined, "tools", "1")


def test_an_invented_value_is_kept_and_marked_until_it_is_repaired(tools, bill):
    invented = {"path": "total", "value": 999, "record": "p1-b5", "quote": "Total: 999.00"}
    assert "kept, but not verified" in wrong(tools.call("propose", invented))
    assert verified(tools, JoinedCatalog([bill]))["total"].status == "unverified"
    said(tools.call("propose", {"path": "total", "value": 145, "record": "p2-b1", "quote": "Amount due 145.00"}))
    answer = verified(tools, JoinedCatalog([bill]))
    assert (answer.values["total"], answer["total"].status, answer["total"].page) == (145, "found", 2)


def test_a_sum_names_its_parts(tools):
    parts = [{"text": "10.00", "record": "p1-b4:r1c1"}, {"text": "20.50", "record": "p1-b4:r2c1"}]
    proposed = {"path": "total", "value": 30.5, "derivation": {"rule": "sum", "parts": parts}}
    said(tools.call("propose", proposed))
    assert "is not the sum" in wrong(tools.call("propose", {**proposed, "value": 35}))
    assert "one of sum" in wrong(tools.call("propose", {**proposed, "derivation": {"rule": "vibes", "parts": parts}}))
    assert "1 to 20 parts" in wrong(tools.call("propose", {**proposed, "derivation": {"rule": "sum", "parts": 7}}))


def test_what_was_not_found_replaces_what_was_proposed(tools):
    for row in range(3):
        tools.call("propose", {"path": f"items[{row}].price", "value": row + 1})
    assert "items[].article" not in said(tools.call("not_found", {"path": "items", "reason": "no table"}))["open"]
    assert json.loads(tools.output()["answer.json"]) == {}
    assert json.loads(tools.output()["evidence.jsonl"])["not_found"] is True
    said(tools.call("propose", {"path": "items[0].price", "value": 10, "record": "p1-b4", "quote": "10.00"}))
    assert json.loads(tools.output()["answer.json"]) == {"items": [{"price": 10}]}


WRONG_CALLS: list[tuple[str, Any, str]] = [
    ("shell", {"command": "rm -rf /"}, "there is no tool 'shell'"),
    ("view_crop", {"record": "p1-b1"}, "there is no tool 'view_crop'"),
    ("finding", {"path": "total"}, "there is no tool 'finding'"),
    ("read_page", [1], "should be a JSON object"),
    ("read_page", {"page": 0}, "there is no page 0; the document has pages 1 to 2"),
    ("read_page", {"page": "one"}, "a whole number"),
    ("read_page", {"page": True}, "a whole number"),
    ("read_page", {"page": 1e400}, "a whole number"),
    ("read_table", {"record": "p1-b1"}, "is no table; tables are p1-b4"),
    ("search", {}, "`query` is missing"),
    ("search", {"query": "x" * 501}, "at most 500"),
    ("cite", {"record": 3, "quote": "x"}, "give a text"),
    ("propose", {"path": "totl", "value": 1}, "did you mean total"),
    ("propose", {"path": "items[].price", "value": 1}, "items[0].price"),
    ("propose", {"path": "items[99999999].price", "value": 1}, "beyond row 5000"),
    ("propose", {"path": "items", "value": 1}, "no path 'items'"),
    ("propose", {"path": "total", "value": float("nan")}, "no number"),
    ("propose", {"path": "number", "value": float("inf")}, "no number"),
    ("propose", {"path": "total", "value": 10**400}, "no number"),
    ("propose", {"path": "total", "value": None}, "call not_found"),
    ("propose", {"path": "total", "value": {"amount": 1}}, "at its own path"),
    ("propose", {"path": "total", "value": "a lot"}, "is no number, and total is of the type number"),
    ("propose", {"path": "date", "value": "soon"}, "is no date"),
    ("propose", {"path": "paid", "value": "perhaps"}, "neither yes nor no"),
    ("propose", {"path": "number", "value": "x" * 10_001}, "at most 10,000"),
    ("propose", {"path": "total", "value": 1, "quote": "x" * 1001}, "at most 1,000"),
    ("propose", {"path": "total", "value": 1, "derivation": "sum"}, "give an object"),
    ("not_found", {"path": "secret", "reason": "x"}, "no path 'secret'"),
    ("not_found", {"path": "total", "reason": "x", "pages": ["1"]}, "page numbers"),
    ("note", {"text": "x" * 200_000}, "at most 100,000"),
]


@pytest.mark.parametrize(("name", "arguments", "advice"), WRONG_CALLS, ids=lambda one: str(one)[:30])
def test_a_wrong_call_is_answered_with_advice(tools, name, arguments, advice):
    assert advice in wrong(tools.call(name, arguments))
    assert json.loads(tools.output()["answer.json"]) == {}


def test_arguments_without_end_are_refused(tools):
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    assert "nested too deep" in wrong(tools.call("propose", {"path": "total", "value": deep}))


@pytest.mark.slow
def test_ten_thousand_proposals_are_taken_and_no_more_rows_than_fit(tools):
    for row in range(4000):
        for name, value in (("article", f"Rope {row}"), ("price", row)):
            tools.call("propose", {"path": f"items[{row}].{name}", "value": value})
    for row in range(2000):
        tools.call("propose", {"path": "total", "value": row})
        tools.call("note", {"text": "again and again"})
    values = json.loads(tools.output()["answer.json"])
    assert (len(values["items"]), values["total"]) == (4000, 1999)
    assert len(tools.output()["notes.md"]) <= 22_000


def test_the_same_ids_in_two_documents_are_told_apart(bill):
    other = catalog_of(bills.bill(1, [("Rope", "77.00")]), "second.pdf")
    joined = JoinedCatalog([bill, other])
    tools = SolveTools(joined, SCHEMA)
    assert "choose from document-1, document-2" in wrong(tools.call("read_page", {"page": 1}))
    assert "there is no page 3; document-2" in wrong(tools.call("read_page", {"document": "document-2", "page": 3}))
    page = said(tools.call("read_page", {"document": "second.pdf", "page": 1}))
    assert page["document"] == "document-2"
    proposed = {"path": "items[0].price", "value": 77, "record": "document-1/p1-b4", "quote": "77.00"}
    corrected = said(tools.call("propose", proposed))
    assert (corrected["document"], corrected["page"]) == ("document-2", 1)
    assert "citation corrected" in corrected["remark"]
    assert "not in the catalog" in wrong(tools.call("propose", {"path": "total", "value": 5, "record": "p1-b4"}))
    evidence = verified(tools, joined)["items[0].price"]
    assert (evidence.document, evidence.status) == ("document-2", "repaired")


def test_a_page_that_failed_and_hidden_text_are_named():
    drawn = catalog_of(documents.invisible_text_layer(), ocr="never")
    pages = [replace(drawn.pages[0], characters=Characters(10, 6, {"hidden": 4})), replace(drawn.pages[0], number=2)]
    failed = replace(pages[1], status="failed", reason="the page is damaged")
    tools = SolveTools(JoinedCatalog([replace(drawn, pages=[pages[0], failed])]), SCHEMA)
    first, second = said(tools.call("read_page", {}))["pages"]
    assert first["hidden_characters"] == 4
    assert (second["status"], second["remark"]) == ("failed", "the page is damaged")


@pytest.mark.parametrize(
    ("content", "text"),
    [(documents.right_to_left(documents.ARABIC), documents.ARABIC), (documents.drawn_as_seen(*JAPANESE), JAPANESE)],
    ids=["Arabic", "Japanese"],
)
def test_documents_in_other_scripts_are_found_and_cited(content, text):
    tools = SolveTools(JoinedCatalog([catalog_of(content)]), SCHEMA)
    hits = said(tools.call("search", {"query": text}))["hits"]
    record = hits[0]["blocks"][0]["id"]
    assert said(tools.call("cite", {"record": record, "quote": text}))["printed"] == text
    said(tools.call("propose", {"path": "number", "value": text, "record": record, "quote": text}))


def png(width: int, height: int) -> bytes:
    return picture_of(np.full((height, width), 255, np.uint8), 72).png()


def test_pictures_are_shown_of_records_and_pages_and_never_too_large(bill, ports):
    drawn: list[tuple[int, int, BBox | None]] = []

    def picture(position: int, page: int, box: BBox | None) -> bytes:
        drawn.append((position, page, box))
        return png(4000, 1000)

    tools = SolveTools(JoinedCatalog([ports, bill]), SCHEMA, picture=picture)
    shown = tools.call("view_crop", {"record": "document-2/p2-b1"})
    assert said(shown)["page"] == 2
    assert shown.image is not None
    assert decoded(shown.image).shape[:2] == (392, LONGEST_EDGE)
    said(tools.call("view_crop", {"document": "document-1", "page": 1}))
    assert [(position, page) for position, page, _ in drawn] == [(1, 2), (0, 1)]
    assert (drawn[0][2] is None, drawn[1][2]) == (False, None)
    assert "name a record, or a page" in wrong(tools.call("view_crop", {}))


def test_a_picture_that_cannot_be_drawn_is_an_answer(bill):
    def picture(position: int, page: int, box: BBox | None) -> bytes:
        raise InputError("the page is damaged")

    tools = SolveTools(JoinedCatalog([bill]), SCHEMA, picture=picture)
    assert "the page is damaged" in wrong(tools.call("view_crop", {"page": 1}))
    garbage = SolveTools(JoinedCatalog([bill]), SCHEMA, picture=lambda *_: b"GIF89a")
    assert "it is no PNG" in wrong(garbage.call("view_crop", {"page": 1}))


def test_a_reviewer_reports_and_proposes_nothing(bill):
    tools = SolveTools(JoinedCatalog([bill]), SCHEMA, role="reviewer", by="judge")
    assert {one.name for one in tools.specs} == {"search", "read_page", "read_table", "cite", "finding", "note"}
    assert "there is no tool 'propose'" in wrong(tools.call("propose", {"path": "total", "value": 1}))
    found = {"path": "total", "kind": "contradiction", "reason": "page 2 has another amount"}
    said(tools.call("finding", {**found, "record": "p2-b1", "quote": "Amount due 145.00"}))
    said(tools.call("finding", {"path": "items[2]", "kind": "doubt", "reason": "is this an article?"}))
    assert "there is no kind" in wrong(tools.call("finding", {**found, "kind": "boring"}))
    assert "is not in p2-b1" in wrong(tools.call("finding", {**found, "record": "p2-b1", "quote": "Amount 9999.00"}))
    first, second = decode_findings(tools.output()["findings.jsonl"])
    assert (first.page, first.quote, first.record, first.by) == (2, "Amount due 145.00", "p2-b1", "judge")
    assert first.bboxes
    assert (second.path, second.page) == ("items[2]", None)


def test_descriptions_are_short_and_say_that_documents_are_data(tools):
    size = len(json.dumps([[one.name, one.description, one.parameters] for one in tools.specs]))
    assert size < 5000
    assert sum("data" in one.description for one in tools.specs) >= 2


def test_equal_calls_have_equal_answers_and_files(bill):
    def run() -> tuple[list[ToolAnswer], Mapping[str, bytes]]:
        tools = SolveTools(JoinedCatalog([bill]), SCHEMA)
        made = [
            tools.call("search", {"query": "rope anchor price"}),
            tools.call("propose", {"path": "total", "value": 144, "record": "p1-b5", "quote": "144.00"}),
            tools.call("not_found", {"path": "paid", "reason": "nowhere", "pages": [1, 2]}),
        ]
        return made, tools.output()

    assert run() == run()
