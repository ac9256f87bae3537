"""Chunks as JSON lines, Parquet, and as docling-serve returns them."""

from __future__ import annotations

import io
import json

import pytest
from pyarrow import parquet as files

from quire.core.errors import UsageError
from quire.core.keys import digest_of
from quire.core.types import Span
from quire.output import export
from quire.retrieval.chunk import ChunkOptions, chunks, find_tokenizer, settings_of
from quire.retrieval.chunk.docling_chunks import docling_chunks, docling_options
from quire.retrieval.chunk.parquet import parquet
from quire.retrieval.chunk.rows import SCHEMA, jsonl, rows
from tests.unit.output.export.results import block, report, result, table

DIGEST = digest_of(settings_of(ChunkOptions(), find_tokenizer("bert-base-uncased")))


def test_rows_are_lines_of_json():
    document = report()
    listed = rows(document, chunks(document), raw_text=True)
    lines = [json.loads(line) for line in jsonl(listed).decode().splitlines()]
    assert lines == listed
    assert {line["schema_version"] for line in lines} == {SCHEMA}
    assert lines[0]["section"] == ["The year in numbers", "1. Results"]
    assert lines[0]["boxes"][0].keys() == {"page", "left", "top", "width", "height"}
    assert rows(document, chunks(document))[0]["raw_text"] is None


@pytest.mark.slow
def test_parquet_has_the_same_rows_and_says_how_they_were_made():
    document = report()
    listed = rows(document, chunks(document))
    written = parquet(listed, settings=DIGEST, created_by="quire 1")
    assert written == parquet(listed, settings=DIGEST, created_by="quire 1")
    file = files.ParquetFile(io.BytesIO(written))
    assert file.read().to_pylist() == listed
    footer = file.schema_arrow.metadata
    assert footer[b"quire.schema_version"] == SCHEMA.encode()
    assert footer[b"quire.cfg_hash"] == DIGEST.encode()
    assert footer[b"quire.created_by"] == b"quire 1"
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_text_that_utf8_cannot_encode_is_written_all_the_same():
    document = result(block("paragraph", "broken \ud800 text", id="p"))
    listed = rows(document, chunks(document))
    assert b"broken ? text" in jsonl(listed)
    assert files.read_table(io.BytesIO(parquet(listed, settings=DIGEST, created_by="q")))["text"][0].as_py()


def test_an_empty_document_is_an_empty_file_with_columns():
    written = parquet([], settings=DIGEST, created_by="q")
    assert files.read_table(io.BytesIO(written)).column_names[:3] == ["schema_version", "doc_id", "chunk_id"]


def test_docling_clients_get_the_items_of_the_document():
    document = report()
    found = chunks(document, ChunkOptions(chunker="hierarchical"))
    references = export.docling_references(document)
    answer = docling_chunks(document, found, references=references)
    docling = export.docling(document)
    assert answer[0]["headings"] == ["The year in numbers", "1. Results"]
    assert answer[0]["metadata"] == {"origin": docling["origin"], "has_image": False}
    assert (answer[0]["raw_text"], answer[0]["num_tokens"], answer[0]["captions"]) == (None, None, None)
    assert answer[0]["page_numbers"] == [1, 2]
    assert answer[3]["metadata"]["has_image"] is True
    for one in answer:
        for reference in one["doc_items"]:
            _, collection, number = reference.split("/")
            assert docling[collection][int(number)]["self_ref"] == reference
    assert answer[2]["doc_items"] == [references["p1-b9"], "#/tables/0"]
    texts = [docling["texts"][int(r.split("/")[2])]["text"] for r in answer[1]["doc_items"]]
    assert texts == ["first", "inner", "second"]


def test_the_answer_is_the_one_that_docling_serve_gave():
    """Recorded from docling-serve for a Markdown file with a title, a text, a section, a list and a table."""
    text = "Some bold text and a link ."
    spans = (Span(5, 9, bold=True), Span(21, 25, link="https://example.com/"))
    document = result(
        block("title", "Title One", id="t"),
        block("paragraph", text, id="p", spans=spans),
        block("heading", "Section A", id="h", level=1),
        block("list_item", "item 1", id="i", marker="-"),
        block("list_item", "item 2", id="j", marker="-"),
        table([["a", "b"], ["1", "2"]], id="g"),
    )
    items = {"p": [f"#/texts/{n}" for n in range(1, 6)], "i": "#/texts/7", "j": "#/texts/8", "g": "#/tables/0"}
    given = {"chunker": "hierarchical", "include_raw_text": True}
    found = chunks(document, docling_options(given, use_markdown_text=True))
    answer = docling_chunks(document, found, references=items, include_raw_text=True, paged=False)
    assert [(one["text"], one["raw_text"], one["doc_items"], one["page_numbers"]) for one in answer] == [
        (
            "Title One\nSome **bold** text and a [link](https://example.com/) .",
            "Some **bold** text and a [link](https://example.com/) .",
            ["#/texts/1", "#/texts/2", "#/texts/3", "#/texts/4", "#/texts/5"],
            [],
        ),
        ("Title One\nSection A\n- item 1\n- item 2", "- item 1\n- item 2", ["#/texts/7", "#/texts/8"], []),
        ("Title One\nSection A\n1, b = 2", "1, b = 2", ["#/tables/0"], []),
    ]
    assert [one["headings"] for one in answer] == [
        ["Title One"],
        ["Title One", "Section A"],
        ["Title One", "Section A"],
    ]


def test_a_block_may_be_several_items_of_docling_or_none():
    document = report()
    found = chunks(document, ChunkOptions(chunker="hierarchical"))
    answer = docling_chunks(document, found, references={"p1-b4": ["#/texts/1", "#/texts/2"]}, include_raw_text=True)
    assert answer[0]["doc_items"] == ["#/texts/1", "#/texts/2"]
    assert answer[1]["doc_items"] == []
    assert answer[0]["raw_text"] == "Sales rose by a fifth, see below."
    assert answer[0]["page_numbers"] == [1, 2]
    assert docling_chunks(document, found, references={}, paged=False)[0]["page_numbers"] == []


def test_options_of_a_request_become_ours():
    given = {"chunker": "hybrid", "use_markdown_tables": True, "include_raw_text": True, "max_tokens": None}
    assert docling_options(given) == ChunkOptions(use_markdown_tables=True)
    with pytest.raises(UsageError, match="no option 'overlap'"):
        docling_options({"overlap": 3})
