"""What holds for the blocks of every page, whatever it shows."""

from __future__ import annotations

import json
import math

import pytest

import quire
from quire.pages.layout.account import characters_in
from tests import documents

pytestmark = pytest.mark.slow

BUILDERS = [
    documents.simple,
    documents.two_columns,
    documents.mixed_bands,
    documents.ruled_table,
    documents.unruled_table,
    documents.spanning_table,
    documents.table_over_pages,
    documents.headings_and_lists,
    documents.running_headers,
    documents.footnotes,
    documents.rotated_page,
    documents.turned_text,
    documents.rotated_text,
    documents.margin_stamp,
    documents.cropped_page,
    documents.form_fields,
    documents.links_and_outline,
    documents.tagged,
    documents.invisible_text_layer,
    documents.right_to_left,
    documents.lam_alef,
    documents.right_to_left_columns,
    documents.ligatures_and_soft_hyphens,
    documents.drop_cap,
    documents.superscripts,
    documents.code_listing,
    documents.formula,
    documents.stacked_formula,
    documents.figure_with_caption,
    documents.picture,
    documents.word_over_figure,
    documents.colored_text,
    documents.zero_sizes,
]

every_document = pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)


def boxes(result: quire.DocumentResult) -> list[quire.BBox]:
    """Every box in a result."""
    found = [part.bbox for block in result.blocks for part in block.places]
    found += [word.bbox for block in result.blocks for word in block.words]
    return found + [cell.bbox for block in result.tables if block.table for cell in block.table.cells]


@every_document
def test_every_box_stands_in_its_page(build):
    for box in boxes(quire.read(build())):
        assert all(map(math.isfinite, (box.left, box.top, box.width, box.height)))
        assert box.left >= 0 and box.top >= 0
        assert box.right <= 1.00002 and box.bottom <= 1.00002


@every_document
def test_every_block_of_text_has_an_area(build):
    for block in quire.read(build()).blocks:
        assert block.bbox.width > 0 and block.bbox.height > 0, block


@every_document
def test_words_stand_in_one_of_the_places_of_their_block(build):
    for block in quire.read(build()).blocks:
        for word in block.words:
            x, y = word.bbox.left + word.bbox.width / 2, word.bbox.top + word.bbox.height / 2
            assert any(
                part.bbox.left - 0.002 <= x <= part.bbox.right + 0.002
                and part.bbox.top - 0.002 <= y <= part.bbox.bottom + 0.002
                for part in block.places
            ), (block.id, word)


@every_document
def test_ids_are_unique_and_name_the_page(build):
    blocks = quire.read(build()).blocks
    assert len({block.id for block in blocks}) == len(blocks)
    assert all(block.id.startswith(f"p{block.page}-b") for block in blocks)


@every_document
def test_two_reads_give_the_same_bytes(build):
    data = build()
    assert quire.read(data).to_json(words=True) == quire.read(data).to_json(words=True)


@every_document
def test_the_words_of_a_paragraph_are_those_of_its_text(build):
    """But for hyphens at line ends, which the text joins."""
    for block in quire.read(build()).blocks:
        if block.kind in ("paragraph", "heading", "title", "list_item", "footnote", "caption"):
            words = "".join(word.text for word in block.words).replace("-", "").replace("\u00ad", "")
            assert "".join(block.text.split()).replace("-", "") == words


@every_document
def test_the_pure_reader_gives_the_same_document(build, monkeypatch):
    data = build()
    ours = quire.read(data)
    monkeypatch.setenv("QUIRE_NATIVE", "0")
    pure = quire.read(data)
    assert [(b.id, b.kind, b.level, b.marker, b.text, b.spans) for b in pure.blocks] == [
        (b.id, b.kind, b.level, b.marker, b.text, b.spans) for b in ours.blocks
    ]
    for one, other in zip(boxes(ours), boxes(pure), strict=True):
        assert one.points((1000, 1000)) == pytest.approx(other.points((1000, 1000)), abs=0.5)


@every_document
def test_every_character_is_in_a_block_or_in_the_account(build):
    """Values of form fields and alternative texts are in blocks, too, but not drawn as text of the page."""
    result = quire.read(build())
    counts = [page.info.characters for page in result.pages]
    assert all(counted is not None and counted.unaccounted == 0 for counted in counts)
    texts = [block.text for block in result.blocks if block.kind not in ("field", "figure")]
    texts += [word.text for block in result.blocks if block.kind == "figure" for word in block.words]
    assert characters_in(" ".join(texts)) == sum(counted.in_blocks for counted in counts if counted)


@every_document
def test_no_enrichment_fails(build):
    assert not [page.info.reason for page in quire.read(build()).pages if "without" in (page.info.reason or "")]


def test_ids_do_not_change_when_other_pages_are_left_out():
    data = documents.running_headers(4)
    alone = quire.read(data, pages="3").blocks
    among = [block for block in quire.read(data).blocks if block.page == 3]
    assert [(block.id, block.text) for block in alone] == [(block.id, block.text) for block in among]


def test_runs_glued_together_are_one_word():
    words = [word.text for word in quire.read(documents.superscripts()).blocks[0].words]
    assert words == ["x2", "grows,", "H2O", "flows", "on", "the", "4th", "day."]


def test_a_result_holds_no_numbers_that_json_does_not_know():
    text = quire.read(documents.zero_sizes()).to_json(words=True)
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
