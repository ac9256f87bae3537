"""Japanese in columns from top to bottom, the first at the right."""

from __future__ import annotations

from dataclasses import replace

from quire.core.fonts import Font
from quire.core.pagetext import LINE, SPACE, PageText
from quire.pages.layout import page_blocks

COLUMNS = ["港の役所は船の台帳をつけている", "船長と積荷と時刻を記すのである", "潮が変わると水先人が来る"]


def vertical(*, lost: int = 0) -> PageText:
    texts = [character for column in COLUMNS for character in column]
    places = [(500.0 - 20 * x, 60.0 + 13 * y) for x, column in enumerate(COLUMNS) for y in range(len(column))]
    count = len(texts)
    return PageText(
        number=1,
        width=600,
        height=800,
        rotation=0,
        chars=count,
        unmapped=0,
        invisible=0,
        font_table=[Font("HeiseiMin-W3")],
        links=[],
        fields=[],
        tags=[],
        texts=texts,
        boxes=[value for x, y in places for value in (x, y, x + 12, y + 12)],
        baselines=[y + 10 for _, y in places],
        sizes=[12.0] * count,
        colors=[0] * count,
        fonts=[0] * count,
        angles=[0] * count,
        mcids=[-1] * count,
        flags=[SPACE | LINE] * count,
        rulings=[],
        rects=[],
        rect_colors=[],
        images=[],
        drawings=[],
        lost=lost,
    )


def test_columns_are_read_from_top_to_bottom_and_from_the_right():
    assert "".join(block.text for block in page_blocks(vertical()).blocks).replace("\n", "") == "".join(COLUMNS)


def test_boxes_are_those_of_the_page_as_it_is_shown():
    first = page_blocks(vertical()).blocks[0].bbox
    assert first.right > 0.8 and first.top < 0.1 and first.height > 0.2


def test_characters_below_each_other_in_another_script_are_no_vertical_text():
    page = vertical()
    letters = replace(page, texts=["x" if i % 2 else "y" for i in range(len(page.texts))])
    assert page_blocks(letters).info.status in ("ok", "skipped")


def test_a_page_of_which_pdfium_gives_nothing_is_left_out_not_empty():
    blank = replace(vertical(lost=38), chars=0, texts=[], boxes=[], baselines=[], sizes=[], colors=[], fonts=[])
    nothing = replace(blank, angles=[], mcids=[], flags=[])
    info = page_blocks(nothing).info
    assert (info.status, info.reason) == ("skipped", "needs-recognition: text that PDFium cannot read")
