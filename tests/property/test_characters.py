"""Whatever a page draws, each of its words ends in exactly one block, or in the account of what was left out."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

import quire
from tests import documents

SHOWN = "shown"
Words = dict[str, str]  # each word of the page, and why it is in no block
Draws = Callable[[Canvas, float, Iterator[str]], Words]


def set_line(canvas: Canvas, x: float, y: float, words: list[str], size: float = 10.5) -> list[str]:
    canvas.setFont("Times-Roman", size)
    canvas.drawString(x, y, " ".join(words))
    return words


def all_of(words: list[str], fate: str = SHOWN) -> Words:
    return dict.fromkeys(words, fate)


def taken(names: Iterator[str], number: int) -> list[str]:
    return [next(names) for _ in range(number)]


def paragraph(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    lines = [set_line(canvas, 72, y - 13 * n, taken(names, 8)) for n in range(4)]
    return all_of([word for line in lines for word in line])


def chart(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    """Bars with a label below each, one of them rotated."""
    words = []
    canvas.line(80, y - 60, 400, y - 60)
    for bar, height in enumerate((20, 45, 30, 52, 38)):
        canvas.setFillColorRGB(0.2, 0.4, 0.7)
        canvas.rect(100 + 55 * bar, y - 60, 35, height, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
        words += set_line(canvas, 100 + 55 * bar, y - 69, taken(names, 1), 7)
    return all_of(words) | turned(canvas, 84, y - 58, names)


def turned(canvas: Canvas, x: float, y: float, names: Iterator[str], angle: float = 90) -> Words:
    canvas.saveState()
    canvas.translate(x, y)
    canvas.rotate(angle)
    words = set_line(canvas, 0, 0, taken(names, 1), 7)
    canvas.restoreState()
    return all_of(words)


def aslant(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    return turned(canvas, 300, y - 50, names, angle=30)


def tinted_box(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    canvas.setFillColorRGB(0.9, 0.9, 0.9)
    canvas.roundRect(300, y - 40, 220, 30, 6, stroke=0, fill=1)
    canvas.setFillColorRGB(0, 0, 0)
    return all_of(set_line(canvas, 310, y - 30, taken(names, 3)))


def table(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    rows = [taken(names, 3) for _ in range(4)]
    for edge in range(5):
        canvas.line(72, y - 18 * edge, 372, y - 18 * edge)
    for edge in range(4):
        canvas.line(72 + 100 * edge, y, 72 + 100 * edge, y - 72)
    for down, row in enumerate(rows):
        for across, word in enumerate(row):
            set_line(canvas, 78 + 100 * across, y - 13 - 18 * down, [word])
    return all_of([word for row in rows for word in row])


def hidden(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    text = canvas.beginText(72, y - 20)
    text.setFont("Times-Roman", 10.5)
    text.setTextRenderMode(3)
    words = taken(names, 4)
    text.textLine(" ".join(words))
    text.setTextRenderMode(0)
    canvas.drawText(text)
    return all_of(words, "hidden")


def white_on_white(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    canvas.setFillColorRGB(1, 1, 1)
    words = set_line(canvas, 72, y - 20, taken(names, 4))
    canvas.setFillColorRGB(0, 0, 0)
    return all_of(words, "hidden")


def off_the_page(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    return all_of(set_line(canvas, documents.WIDTH + 40, y - 20, taken(names, 3)), "off_page")


def clipped(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    """PDFium has text outside the clipping path: it is text of the page."""
    canvas.saveState()
    path = canvas.beginPath()
    path.rect(72, y - 30, 40, 20)
    canvas.clipPath(path, stroke=0, fill=0)
    words = set_line(canvas, 72, y - 20, taken(names, 6))
    canvas.restoreState()
    return all_of(words)


def overprinted(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    """Bold by drawing the line again, a little to the right."""
    words = taken(names, 3)
    set_line(canvas, 72, y - 20, words)
    set_line(canvas, 72.4, y - 20, words)
    return all_of(words)


def under_a_picture(canvas: Canvas, y: float, names: Iterator[str]) -> Words:
    words = set_line(canvas, 80, y - 40, taken(names, 3))
    canvas.drawImage(picture(), 72, y - 70, 200, 60)
    return all_of(words)


def picture() -> ImageReader:
    buffer = io.BytesIO()
    Image.linear_gradient("L").save(buffer, "PNG")
    buffer.seek(0)
    return ImageReader(buffer)


DRAWS: tuple[Draws, ...] = (
    *(paragraph, chart, tinted_box, table, hidden, white_on_white),
    *(off_the_page, clipped, overprinted, under_a_picture, aslant),
)


def drawn_page(draws: list[Draws]) -> tuple[bytes, Words]:
    words: Words = {}
    names = (f"w{number}x" for number in count(100))

    def draw(canvas: Canvas) -> None:
        words.update(paragraph(canvas, documents.HEIGHT - 72, names))
        for number, one in enumerate(draws, 1):
            words.update(one(canvas, documents.HEIGHT - 72 - 100 * number, names))

    return documents.drawn(draw), words


def check(draws: list[Draws]) -> None:
    data, words = drawn_page(draws)
    (page,) = quire.read(data, ocr="never").pages
    counted = page.info.characters
    assert counted is not None and counted.unaccounted == 0
    written = " ".join(block.text for block in page.blocks)
    found = {word: written.count(word) for word in words}
    assert found == {word: int(fate == SHOWN) for word, fate in words.items()}
    for reason in ("hidden", "off_page"):
        gone = sum(len(word) for word, fate in words.items() if fate == reason)
        assert counted.left_out.get(reason, 0) == gone


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_each_word_is_in_one_block_or_in_the_account(draw):
    check([draw])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(DRAWS), min_size=1, max_size=6))
def test_each_word_is_in_one_block_or_in_the_account_whatever_else_the_page_shows(draws):
    check(draws)
