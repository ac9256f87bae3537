"""Two versions of a catalog: added, removed, moved, and what became of cited records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

import quire
from quire.core.errors import UsageError
from quire.core.types import BBox, Block
from quire.evidence.catalog.catalog_rows import CatalogRow, catalog_rows, load_catalog_rows
from quire.evidence.catalog.comparison import compare_catalogs
from quire.retrieval.chunk.rows import jsonl
from tests.unit.evidence.catalog.documents import invoice_document, invoice_result


def rows(blocks: Sequence[Block] | None = None) -> list[CatalogRow]:
    """The records of the invoice, or of one with other blocks; without those of chunks, which repeat the blocks."""
    read = invoice_result()
    infos = [page.info for page in read.pages]
    result = quire.DocumentResult(invoice_document(), infos, read.blocks if blocks is None else blocks)
    return [row for row in catalog_rows(result.catalog()) if row["level"] != "chunk"]


def test_the_same_catalog_has_no_changes():
    found = rows()
    changes = compare_catalogs(found, found)
    assert (changes.added, changes.removed, changes.moved) == ([], [], [])
    assert changes.same == len(found)


def test_a_block_that_is_lower_on_the_page_has_moved_and_its_citation_is_found():
    first, *others = invoice_result().blocks
    lower = replace(first, bbox=BBox(first.bbox.left, first.bbox.top + 0.1, first.bbox.width, first.bbox.height))
    changes = compare_catalogs(rows(), rows([lower, *others]))
    assert [(one.before["chunk_id"], one.after["chunk_id"]) for one in changes.moved] == [(first.id, first.id)]
    assert [one.after["text"] for one in changes.about([first.id]).moved] == [first.text]
    assert changes.about([others[0].id]).same == 1


def test_a_block_with_a_new_id_has_moved_and_one_with_a_new_text_is_another():
    first, second, *others = invoice_result().blocks
    renamed, edited = replace(first, id="p1-b99"), replace(second, text="Another text")
    changes = compare_catalogs(rows(), rows([edited, renamed, *others]))
    assert [(one.before["chunk_id"], one.after["chunk_id"]) for one in changes.moved] == [(first.id, "p1-b99")]
    assert [row["text"] for row in changes.added] == ["Another text"]
    assert [row["text"] for row in changes.removed] == [second.text]
    assert "1 added, 1 removed, 1 moved" in list(changes.lines())[-1]
    json.dumps(changes.to_json())


def test_equal_texts_are_paired_by_id_then_page_then_order():
    (one,) = (row for row in rows()[:1])
    old = [{**one, "chunk_id": f"old{n}", "page_number": n} for n in (1, 2, 3)]
    new = [{**one, "chunk_id": "new", "page_number": 3}, {**one, "chunk_id": "old2", "page_number": 9}]
    changes = compare_catalogs(old, new)
    assert [(a["chunk_id"], b["chunk_id"]) for a, b in changes.moved] == [("old3", "new")]
    assert changes.same == 1
    assert [row["chunk_id"] for row in changes.removed] == ["old1"]


def test_ten_thousand_equal_cells_are_compared_at_once():
    (one,) = (row for row in rows()[:1])
    many = [{**one, "chunk_id": f"p1-b1:r{n}c0"} for n in range(10_000)]
    shifted = [{**one, "chunk_id": f"p1-b2:r{n}c0"} for n in range(10_000)]
    assert len(compare_catalogs(many, shifted).moved) == 10_000


def test_a_file_that_is_no_catalog_is_refused(tmp_path):
    file = tmp_path / "catalog.jsonl"
    file.write_bytes(jsonl(rows()))
    assert load_catalog_rows(file) == rows()
    for content, reason in ((b"{}\n", "is not a catalog"), (b"[1\n", "is not lines of JSON")):
        file.write_bytes(content)
        with pytest.raises(UsageError, match=reason):
            load_catalog_rows(file)
