"""Pages that take a careless program hours: the tests only check that the layout ends, with a result."""

from __future__ import annotations

import time

import pytest

import quire
from quire.pages.layout import page_blocks
from tests import documents
from tests.documents import Piece, placed, prose
from tests.unit.pages.recognize.seen import native


@pytest.mark.slow
def test_white_text_over_many_rectangles_is_read():
    bars = " ".join(f"{20 + i % 50 * 11} {20 + i // 50 * 9} 9 8 re f" for i in range(4_000))
    text = " ".join(f"1 0 0 1 {20 + i % 50 * 11} {22 + i // 50 * 9} Tm (abc) Tj" for i in range(4_000))
    data = documents.one_page(f"0.1 0.1 0.4 rg {bars} 1 1 1 rg BT /F1 4 Tf {text} ET")
    assert quire.read(data).pages[0].status == "ok"


@pytest.mark.slow
def test_many_links_are_read():
    def draw(canvas):
        for i in range(1500):
            x, y = 20 + i % 10 * 55, 30 + i // 10 * 5
            canvas.setFont("Helvetica", 4)
            canvas.drawString(x, y, f"link {i}")
            canvas.linkURL(f"https://example.org/{i}", (x, y, x + 20, y + 4), relative=0)

    assert "link 1499" in quire.read(documents.drawn(draw)).to_text()


def test_many_fields_are_read():
    def draw(canvas):
        for i in range(400):
            x, y = 20 + i % 10 * 55, 30 + i // 10 * 18
            canvas.acroForm.textfield(name=f"f{i}", value=f"value {i}", x=x, y=y, width=50, height=14, fontSize=6)
        canvas.showPage()

    result = quire.read(documents.drawn(draw))
    assert len([block for block in result.blocks if block.kind == "field"]) == 400


def test_text_beside_the_page_does_not_move_boxes_out_of_it():
    pieces = [
        Piece(-40, 100, "Half outside at the left edge of the page"),
        Piece(560, 200, "Half outside at the right"),
    ]
    for block in quire.read(placed([*pieces, *documents.wrapped(prose(6), 72, 300, 450)])).blocks:
        assert 0 <= block.bbox.left <= block.bbox.right <= 1.00002


def test_a_page_of_one_letter_is_read():
    assert [block.text for block in quire.read(placed([Piece(300, 400, "x")])).blocks] == ["x"]


def test_a_word_longer_than_the_page_is_read():
    (block,) = quire.read(placed([Piece(10, 400, "harbour" * 700)])).blocks
    assert block.text == "harbour" * 700
    assert block.bbox.right <= 1.00002


def test_texts_on_top_of_each_other_are_all_read():
    pieces = [Piece(72, 100, f"Layer{i} of paint") for i in range(50)]
    text = quire.read(placed([*pieces, *documents.wrapped(prose(6), 72, 300, 450)])).to_text()
    assert all(f"Layer{i}" in text for i in range(50))


@pytest.mark.parametrize(
    "build",
    [
        documents.many_rulings,
        lambda: documents.many_runs(3_000),
        lambda: documents.many_runs(10_000, rows=1),
        lambda: documents.many_runs(white=True),
        documents.many_images,
        documents.zero_sizes,
    ],
    ids=["rulings", "runs", "one row", "white runs", "pictures", "zero sizes"],
)
@pytest.mark.slow
def test_a_page_of_too_many_things_is_read(build):
    assert quire.read(build()).pages[0].status in ("ok", "empty")


def cost_of(run: str, length: int) -> float:
    """The CPU time of laying out a page with one long line of the same characters above a line of contents."""
    text = (run * length)[:length]
    page = native(texts=[(text, (20.0, 100.0, 480.0, 110.0)), ("Chapter ....... 12", (20.0, 200.0, 300.0, 210.0))])
    began = time.thread_time()
    page_blocks(page)
    return time.thread_time() - began


@pytest.mark.parametrize("run", [".", "…", ". ", "_", "-", "1", "1.", "1,", "A", "a", "A ", "a ", "(", "€", "/"])
def test_a_long_line_of_one_character_costs_in_proportion_to_its_length(run):
    """Dot leaders were searched for at every dot: 8,000 of them took seconds. Four times as long is 16 times then."""
    cost_of(run, 400)
    assert cost_of(run, 16_000) < 8 * cost_of(run, 4_000) + 0.25
