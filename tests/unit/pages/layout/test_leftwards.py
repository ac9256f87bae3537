"""Arabic and Hebrew lines come out in the order in which they are read, whatever PDFium guesses."""

from __future__ import annotations

from dataclasses import replace

import pytest

import quire
from quire.core.pagetext import PageText
from quire.core.types import Box, PageInfo
from quire.pages.layout.leftwards import mirrored, with_whole_words
from quire.pages.layout.tables.table_values import FoundCell, FoundTable
from tests import documents


def read(*seen: str) -> str:
    """The text of a line of which the words are given from left to right, as they are seen."""
    glyphs = " ".join(word if word.isascii() else word[::-1] for word in seen)
    return quire.read(documents.drawn_as_seen(*glyphs)).blocks[0].text


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (("العام", "2017", "خلال"), "خلال 2017 العام"),
        (("فقط", "%3.9", "نسبته", "بما"), "بما نسبته 3.9% فقط"),
        (("شركة", "/2"), "2/ شركة"),
        (("عام", "منظمة", "(GATT)", "اتفاقية"), "اتفاقية (GATT) منظمة عام"),
        (("نظام", "Windows", "10", "Pro", "تشغيل"), "تشغيل Windows 10 Pro نظام"),
    ],
)
def test_numbers_signs_and_latin_words_stand_where_they_are_read(seen, text):
    assert read(*seen) == text


def test_brackets_open_before_and_close_behind_what_they_enclose():
    glyphs = ("نحو"[::-1], " ", "(", "الشركات"[::-1], ")", " ", "وظائف"[::-1])  # as the shapes are seen
    assert quire.read(documents.drawn_as_seen(*"".join(glyphs))).blocks[0].text == "وظائف (الشركات) نحو"


@pytest.mark.parametrize("backwards", [False, True])
def test_letters_of_one_glyph_come_in_order_however_the_file_has_them(backwards):
    assert quire.read(documents.lam_alef(backwards=backwards)).blocks[0].text == "الاسم إسلايمي"


def test_letters_that_pdfium_leaves_as_they_are_seen_come_in_order():
    assert quire.read(documents.letters_each_said("حقوق العالمي كان")).blocks[0].text == "حقوق العالمي كان"


def test_a_table_in_arabic_counts_its_columns_from_the_right():
    page = replace(PageText.empty(PageInfo(1, 595, 842)), texts=("القيمة", "السنة", "12", "2017"))
    box = Box(0, 0, 10, 10)
    cells = [FoundCell(n // 2, n % 2, 1, 1, n < 2, box, [n]) for n in range(4)]
    table = mirrored(page, FoundTable(box, 2, 2, cells))
    assert [(cell.row, cell.column) for cell in table.cells] == [(0, 1), (0, 0), (1, 1), (1, 0)]


def arabic(*words: tuple[str, float, float]) -> PageText:
    """A page with one line of words, each with its left and right edge."""
    count = len(words)
    return replace(
        PageText.empty(PageInfo(1, 595, 842)),
        texts=tuple(text for text, _, _ in words),
        boxes=[value for _, left, right in words for value in (left, 100.0, right, 112.0)],
        sizes=[12.0] * count,
        baselines=[110.0] * count,
        fonts=[0] * count,
        flags=[3] * count,
    )


def test_a_part_of_a_letter_that_the_file_does_not_name_leaves_no_gap():
    page = with_whole_words(arabic(("يو", 203, 214), ("\ufffd", 197, 204), ("ضح", 188, 198)))
    assert page.texts == ["يو", "", "ضح"]
    assert page.boxes[10] == 204  # the right edge of the last word


def test_a_letter_in_the_place_of_the_last_one_is_read_before_it():
    assert with_whole_words(arabic(("كأكر", 286, 311), ("ث", 286, 297))).texts == ["كأكثر", ""]


def test_a_percent_sign_in_a_cell_of_an_arabic_table_follows_its_number():
    page = with_whole_words(arabic(("القيمة", 100, 130), ("السنة", 200, 230), ("%10.2", 100, 130), ("2017", 200, 230)))
    cells = [FoundCell(n // 2, n % 2, 1, 1, n < 2, Box(0, 0, 10, 10), [n]) for n in range(4)]
    mirrored(page, FoundTable(Box(0, 0, 10, 10), 2, 2, cells))
    assert page.texts[2] == "10.2%"
