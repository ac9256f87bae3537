"""Answers: each below the number of tokens that was asked for, and nothing is lost between two of them."""

from __future__ import annotations

import io
import json

import pytest
from PIL import Image

from quire.core.errors import UsageError
from quire.core.types import BBox, Block, Cell, PageInfo, PageResult, Table, Word
from quire.mcp.answers.answer import cursor_numbers
from quire.mcp.answers.crop_pictures import LONGEST_EDGE, around, dpi_for, fitted
from quire.mcp.answers.document_map import map_answer, map_of
from quire.mcp.answers.page_texts import page_texts
from quire.mcp.answers.quote_check import check_quote
from quire.mcp.answers.table_rows import table_answer
from quire.mcp.served_documents import DocumentContent, ListedTable
from quire.mcp.token_budget import fitting, tokens_in

BOX = BBox(0.1, 0.1, 0.8, 0.1)


def block(number: int, text: str, *, page: int = 1, kind: str = "paragraph", engine: str = "native") -> Block:
    words = tuple(
        Word(word, BBox(0.1 + 0.05 * at, 0.1 * number, 0.04, 0.02)) for at, word in enumerate(text.split()[:15])
    )
    place = BBox(0.1, 0.1 * number, 0.8, 0.02)
    return Block(
        id=f"p{page}-b{number}", page=page, kind=kind, text=text, bbox=place, engine=engine, words=words, level=None
    )


def page(number: int, *blocks: Block) -> PageResult:
    return PageResult(PageInfo(number, 595, 842, 0, "ok", None), blocks)


def size(answer) -> int:
    return tokens_in(json.dumps([one.model_dump() for one in answer], ensure_ascii=False))


def test_tokens_of_other_scripts_count_each():
    assert tokens_in("harbour") == 3
    assert tokens_in("港湾局") == 4
    assert fitting("港" * 100, 11) == 10
    assert fitting("short", 100) == 5


def test_pages_are_read_to_the_end_in_answers_that_fit():
    texts = {number: f"Page {number} begins. " + "word " * 400 + f"Page {number} ends." for number in range(1, 21)}
    pages = {number: page(number, block(1, text, page=number)) for number, text in texts.items()}
    read, cursor, answers = dict.fromkeys(texts, ""), None, 0
    while answers == 0 or cursor is not None:
        shown, cursor = page_texts(sorted(pages), pages.__getitem__, cursor, 1500)
        assert size(shown) <= 1500
        for one in shown:
            read[one.page] += "".join(part.text for part in one.blocks)
        answers += 1
    assert read == texts
    assert answers > 5


def test_a_block_larger_than_an_answer_is_cut_and_continued():
    long = "".join(f"{number:06d} " for number in range(5000))
    read, cursor = "", None
    while not read or cursor is not None:
        shown, cursor = page_texts([1], {1: page(1, block(1, long))}.__getitem__, cursor, 1000)
        read += "".join(part.text for one in shown for part in one.blocks)
    assert read == long


def test_a_table_over_pages_shows_the_rows_of_each_page():
    cells = tuple(Cell(row, column, f"{row}.{column}", 1 + row // 2, BOX) for row in range(4) for column in range(2))
    over = Block(id="p1-b1", page=1, kind="table", text="", bbox=BOX, level=None, table=Table(4, 2, cells))
    shown, _ = page_texts([1, 2], {1: page(1, over), 2: page(2, over)}.__getitem__, None, 2000)
    assert [one.blocks[0].text for one in shown] == ["0.0 | 0.1\n1.0 | 1.1", "2.0 | 2.1\n3.0 | 3.1"]
    assert [one.blocks[0].began_on for one in shown] == [None, 1]


@pytest.mark.parametrize("cursor", ["", "x", "1:2", "1:2:3:4", "-1:0:0", "9999999999:0:0", "١:0:0"])
def test_a_cursor_that_is_none_is_refused(cursor):
    with pytest.raises(UsageError, match="leave it out"):
        cursor_numbers(cursor, 3)


def test_all_rows_of_a_table_come_in_answers_that_fit():
    cells = tuple(Cell(row, column, f"cell {row}/{column}", 1, BOX) for row in range(500) for column in range(5))
    listed = ListedTable("p1-b1", 1, 500, 5, "Prices")
    rows, cursor = [], None
    while not rows or cursor is not None:
        answer = table_answer("d.1", listed, Table(500, 5, cells), cursor, 1500)
        assert tokens_in(answer.model_dump_json()) <= 1500
        assert (answer.first_row, answer.total_rows) == (len(rows), 500)
        rows += answer.rows
        cursor = answer.next
    assert rows == [[f"cell {row}/{column}" for column in range(5)] for row in range(500)]


def test_a_row_larger_than_an_answer_has_its_cells_cut():
    table = Table(1, 2, (Cell(0, 0, "x" * 50_000, 1, BOX), Cell(0, 1, "y", 1, BOX)))
    answer = table_answer("d.1", ListedTable("p1-b1", 1, 1, 2, ""), table, None, 1500)
    assert tokens_in(answer.model_dump_json()) <= 1500
    assert answer.rows[0][0].startswith("xxx")
    assert answer.rows[0][1] == "y"


def test_the_map_of_a_long_document_comes_in_parts():
    infos = [PageInfo(number, 595, 842, 0, "ok", None) for number in range(1, 301)]
    headings = [block(1, f"Chapter {number}", page=number, kind="heading") for number in range(1, 301)]
    outline = map_of(DocumentContent(infos, headings), [ListedTable("p7-b2", 7, 3, 4, "Prices of rope")])
    seen, cursor = [], None
    while not seen or cursor is not None:
        answer = map_answer(("d.1", "book.pdf"), outline, None, cursor, 3000)
        assert tokens_in(answer.model_dump_json(exclude_none=True)) <= 3000
        assert answer.pages == 300
        seen += [(one.page, [heading.text for heading in one.headings]) for one in answer.outline]
        cursor = answer.next
    assert seen == [(number, [f"Chapter {number}"]) for number in range(1, 301)]
    (seventh,) = map_answer(("d.1", "book.pdf"), outline, "7", None, 3000).outline
    assert [(one.id, one.rows, one.columns, one.caption) for one in seventh.tables] == [
        ("p7-b2", 3, 4, "Prices of rope")
    ]


SENTENCE = "The harbour office keeps a ledger of every vessel."
PAGES = {
    1: page(1, block(1, "Rules", kind="heading"), block(2, SENTENCE)),
    2: page(2, block(1, "港湾局は全ての船舶の台帳を保管する。", page=2), block(2, "Fees are due in May,", page=2)),
    3: page(3, block(1, "and never in June.", page=3)),
    4: page(4, block(1, "Nobody rernembers who painted it yellow", page=4, engine="rapidocr")),
}
BLOCKS = [one for number in sorted(PAGES) for one in PAGES[number].blocks]


def checked(quote: str, page: int | None = None):
    return check_quote("d.1", quote, BLOCKS, page, PAGES.__getitem__)


def test_a_quote_is_verified_with_its_place():
    answer = checked("keeps a ledger", 1)
    assert (answer.result, answer.page, answer.block, answer.text) == ("verified", 1, "p1-b2", "keeps a ledger")
    left, top, width, _ = answer.box
    assert (left, top) == (0.25, 0.2)
    assert 0.13 < width < 0.15


def test_a_quote_with_other_letters_is_repaired_to_what_is_printed():
    answer = checked("the HARBOUR office keeps a ledger")
    assert (answer.result, answer.text) == ("repaired", "The harbour office keeps a ledger")


def test_a_quote_on_another_page_is_repaired_to_that_page():
    answer = checked("keeps a ledger", 3)
    assert (answer.result, answer.page) == ("repaired", 1)
    assert answer.note == "it is not on page 3 but on page 1"


def test_a_quote_in_japanese_is_verified():
    answer = checked("船舶の台帳を保管")
    assert (answer.result, answer.page, answer.block) == ("verified", 2, "p2-b1")


def test_a_quote_over_two_blocks_and_pages_has_both_places():
    answer = checked("due in May, and never in June")
    assert answer.result == "verified"
    assert [(one.page, one.block) for one in answer.places] == [(2, "p2-b2"), (3, "p3-b1")]


def test_a_letter_misread_on_a_scan_is_repaired():
    answer = checked("Nobody remembers who painted it yellow")
    assert (answer.result, answer.page) == ("repaired", 4)
    assert answer.text == "Nobody rernembers who painted it yellow"


def test_another_number_is_not_found_and_the_nearest_text_is_shown():
    answer = checked("The harbour office keeps a register of every ship since 1820.")
    assert (answer.result, answer.page, answer.box) == ("not_found", None, None)
    assert [one.block for one in answer.near] == ["p1-b2"]
    assert "nowhere else" in checked("the moon is made of cheese", 2).note


def test_pictures_have_no_edge_longer_than_models_take():
    info = PageInfo(1, 595, 842, 0, "ok", None)
    assert dpi_for(info, BBox(0, 0, 1, 1)) * 842 / 72 <= LONGEST_EDGE
    assert dpi_for(info, BBox(0, 0, 0.1, 0.1)) == 200
    buffer = io.BytesIO()
    Image.effect_noise((4000, 900), 90).save(buffer, "PNG")
    data, media_type, (width, height) = fitted(buffer.getvalue())
    assert (width, media_type) == (LONGEST_EDGE, "image/jpeg")
    assert Image.open(io.BytesIO(data)).size == (width, height)
    assert len(data) < 700_000
    corner = around(BBox(0.0, 0.995, 0.5, 0.005))
    assert corner.left == 0
    assert corner.bottom == pytest.approx(1)
