"""Pages and documents as bytes, and back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from quire.core.encoding import decode_document, decode_page, encode_document, encode_page
from quire.core.lazy_words import JoinedWords, PageWords
from quire.core.types import AnswerSource, BBox, Block, Cell, PageInfo, PageResult, Part, Span, Style, Table, Word
from tests.unit.core.test_lazy_words import page_text

BOX = BBox(0.1, 0.2, 0.3, 0.04)
EXACT = AnswerSource("numbers", "1", "p" * 64, "k" * 64)
ALIKE = replace(EXACT, key="o" * 64, similarity=0.9937)
TABLE = Table(1, 2, (Cell(0, 0, "a", 1, BOX, header=True), Cell(0, 1, "b\nc", 1, BOX, row_span=2, column_span=3)))
BLOCKS = (
    Block(
        "p1-b1",
        1,
        "heading",
        "Fish",
        BOX,
        level=2,
        style=Style(12.5, bold=True, font="Times", centered=True, artifact=True),
    ),
    Block("p1-b2", 1, "list_item", "• daily", BOX, level=1, marker="•", spans=(Span(0, 1, bold=True, link="#x"),)),
    Block("p1-b3", 1, "table", TABLE.text, BOX, table=TABLE, confidence=0.75, engine="other"),
    Block("p1-b4", 1, "paragraph", "über – 魚 \ud800", BOX, parts=(Part(1, BOX), Part(2, BOX))),
)


RECOGNISED = (
    Block("p1-b1", 1, "paragraph", "read", BOX, engine="numbers", source=EXACT),
    Block("p1-b2", 1, "paragraph", "over", BOX, parts=(Part(1, BOX), Part(2, BOX, ALIKE), Part(3, BOX, EXACT))),
    Block(
        "p1-b3",
        1,
        "table",
        "a b",
        BOX,
        source=EXACT,
        table=Table(
            1,
            3,
            (
                Cell(0, 0, "a", 1, BOX, confidence=0.5, source=EXACT),
                Cell(0, 1, "b", 1, BOX, source=ALIKE),
                Cell(0, 2, "c", 1, BOX),
            ),
        ),
    ),
)


def test_a_page_comes_back_as_it_was():
    page = PageResult(PageInfo(1, 595.0, 842.0, 90, "ok", None), BLOCKS)
    again = decode_page(encode_page(page), lambda number: page_text())
    assert again == page
    assert [block.style for block in again] == [block.style for block in page]


def test_a_document_comes_back_as_it_was():
    infos = (PageInfo(1, 595.0, 842.0), PageInfo(2, 10.5, 20.5, 0, "skipped", "needs-recognition"))
    assert decode_document(encode_document(infos, BLOCKS), lambda number: page_text()) == (infos, BLOCKS)


def test_equal_values_have_equal_bytes():
    page = PageResult(PageInfo(1, 595.0, 842.0), BLOCKS)
    assert encode_page(page) == encode_page(decode_page(encode_page(page), lambda number: page_text()))


@pytest.mark.parametrize(
    "words",
    [
        PageWords(page_text, [(0, 2), (3, 4)], page=1),
        JoinedWords([PageWords(page_text, [(0, 2)], page=1), PageWords(page_text, [(3, 4)], page=2)]),
        (Word("seen", BOX), Word("elsewhere", BOX)),
    ],
)
def test_words_are_named_by_their_runs_and_made_from_the_text_of_their_page(words):
    asked = []

    def texts(number: int):
        asked.append(number)
        return page_text()

    data = encode_page(PageResult(PageInfo(1, 595.0, 842.0), (replace(BLOCKS[0], words=words),)))
    assert b"Fresh" not in data
    (block,) = decode_page(data, texts).blocks
    assert asked == []
    assert tuple(block.words) == tuple(words)
    assert set(asked) <= {1, 2}


def test_blocks_parts_and_cells_keep_their_sources_which_are_written_once():
    page = PageResult(PageInfo(1, 595.0, 842.0), RECOGNISED)
    data = encode_page(page)
    assert decode_page(data, lambda number: page_text()) == page
    assert data.count(EXACT.key.encode()) == data.count(ALIKE.key.encode()) == 1
    assert encode_page(decode_page(data, lambda number: page_text())) == data
    assert decode_document(encode_document((page.info,), RECOGNISED), lambda number: page_text())[1] == RECOGNISED


def test_a_page_of_native_text_has_no_sources():
    assert b"source" not in encode_page(PageResult(PageInfo(1, 595.0, 842.0), BLOCKS))


def test_a_page_that_was_written_before_there_were_sources_is_read():
    data = json.loads(encode_page(PageResult(PageInfo(1, 595.0, 842.0), RECOGNISED)))
    del data["sources"]
    for block in data["blocks"]:
        block.pop("source", None)
        block["parts"] = [part[:5] for part in block.get("parts", ())]
        if "table" in block:
            block["table"]["cells"] = [cell[:8] for cell in block["table"]["cells"]]
    old = decode_page(json.dumps(data).encode(), lambda number: page_text())
    assert [block.text for block in old] == [block.text for block in RECOGNISED]
    assert {block.sources for block in old} == {()}
