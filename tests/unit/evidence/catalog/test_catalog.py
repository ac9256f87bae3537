"""The records of a document, their version, their files and the pictures of their places."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from pyarrow import parquet as files

from quire.core.errors import UsageError
from quire.core.keys import ArtifactKey, Digest
from quire.core.types import AnswerSource, BBox, Part
from quire.evidence.catalog.block_places import record_places
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.catalog.catalog_rows import catalog_parquet, catalog_rows
from quire.output.place_crops import around, crop, crop_id, with_margin
from quire.retrieval.chunk.rows import jsonl
from tests.unit.evidence.catalog.documents import invoice_catalog, invoice_document, invoice_result, record_with
from tests.unit.output.export.results import block, report, result, table

ANSWER = AnswerSource("tesseract", "5.3", Digest("aa"), ArtifactKey("bb"))


def test_chunks_blocks_and_cells_are_records_with_their_places():
    catalog = invoice_catalog()
    assert {record.level for record in catalog.records} == {"chunk", "block", "cell"}
    assert len(catalog.by_id) == len(catalog.records)
    cell = catalog.by_id[record_with("178.00", level="cell")]
    assert cell.text == "178.00"
    assert cell.id == f"{cell.blocks[0]}:r2c3"
    assert cell.page_id == f"{catalog.document}/1"
    assert (cell.provider, cell.tier, cell.answer) == ("native", "native", None)
    assert all(record.places for record in catalog.records)


def test_the_same_document_has_the_same_version_and_another_text_another():
    first = catalog_of(report())
    assert first.version == catalog_of(report()).version
    changed = replace(report(), blocks=(*report().blocks[:-1], replace(report().blocks[-1], text="another text")))
    assert catalog_of(changed).version != first.version


def test_the_answer_of_an_engine_is_named():
    read = block("paragraph", "Total 12.50", id="p1-b1", source=ANSWER, confidence=0.8, engine="tesseract")
    record = catalog_of(result(read)).by_id["p1-b1"]
    assert (record.provider, record.provider_version, record.profile, record.answer) == ("tesseract", "5.3", "aa", "bb")
    assert (record.tier, record.confidence) == ("exact", 0.8)


def test_one_answer_about_a_similar_picture_makes_a_record_semantic():
    similar = replace(ANSWER, similarity=0.97)
    parts = (Part(1, BBox(0.1, 0.1, 0.5, 0.1), ANSWER), Part(2, BBox(0.1, 0.1, 0.5, 0.1), similar))
    read = block("paragraph", "Total 12.50", id="p1-b1", source=ANSWER, parts=parts)
    assert {record.tier for record in catalog_of(result(read)).records} == {"semantic"}


def test_the_catalog_is_lines_of_json_and_the_same_rows_in_parquet():
    listed = catalog_rows(invoice_catalog())
    assert [json.loads(line) for line in jsonl(listed).splitlines()] == listed
    written = catalog_parquet(listed, created_by="quire 1")
    assert written == catalog_parquet(listed, created_by="quire 1")
    assert files.read_table(io.BytesIO(written)).to_pylist() == listed
    grid = next(row for row in listed if row["cells"] and row["level"] == "block")
    assert len(grid["cells"]) == 16


def test_the_place_of_a_value_is_a_box_around_its_words():
    catalog = invoice_catalog()
    record = catalog.by_id[record_with("Total due")]
    (place,) = record_places(catalog, record, (record.text.index("675.48"), record.text.index("675.48") + 6))
    whole = record.places[0].bbox
    assert whole.left < place.bbox.left < place.bbox.right < whole.right
    assert place.bbox.width < whole.width / 2


def test_characters_over_two_lines_have_two_boxes():
    catalog = invoice_catalog()
    record = catalog.by_id[record_with("This agreement", level="block")]
    first, second = record.text.split("\n")[:2]
    end = len(first) + 1 + len(second.split()[0])
    boxes = [part.bbox for part in record_places(catalog, record, (len(first) - 4, end))]
    assert len(boxes) == 2
    assert boxes[0].left > boxes[1].right


def test_a_chunk_is_placed_by_its_blocks_and_a_table_by_its_cells():
    catalog = invoice_catalog()
    chunk = next(one for one in catalog.records if one.level == "chunk" and "675.48" in one.text)
    at = chunk.text.index("675.48")
    assert len(record_places(catalog, chunk, (at, at + 6))) == 1
    grid = catalog_of(result(table([["Port", "Ships"], ["Old Basin", "187"]])))
    whole = grid.by_id["p1-t1"]
    at = whole.text.index("187")
    assert [part.bbox for part in record_places(grid, whole, (at, at + 3))] == [BBox(0.3, 0.25, 0.2, 0.05)]


def test_the_id_of_a_crop_is_known_before_it_is_drawn_and_it_is_drawn_the_same_again():
    document, box = invoice_document(), BBox(0.1, 0.1, 0.3, 0.02)
    named = crop_id(document.id, 1, box)
    assert named == crop_id(document.id, 1, BBox(0.1000001, 0.1, 0.3, 0.02))
    assert named != crop_id(document.id, 1, box, margin=0.02)
    assert named != crop_id(document.id, 2, box)
    first = crop(document, 1, box)
    assert first.startswith(b"\x89PNG")
    assert first == crop(document, 1, box)


def test_the_margin_of_a_crop_ends_at_the_page():
    assert with_margin(BBox(0.0, 0.0, 1.0, 0.5), 0.1) == BBox(0.0, 0.0, 1.0, 0.6)
    assert around([]) is None
    with pytest.raises(UsageError, match="margin is 2"):
        with_margin(BBox(0, 0, 1, 1), 2)


def test_a_catalog_knows_how_its_document_writes_decimals():
    catalog = invoice_catalog()
    record = catalog.by_id[record_with("Net amount")]
    assert catalog.texts.of(record) is catalog.texts.of(record)
    assert catalog.texts.of(record).mark == "."
    assert invoice_result().status == "complete"
