"""The width of strokes on the picture of a page: heavy words stand out, large and uneven ones do not pretend to."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from quire.pages.detect.strokes import find_strokes

LETTER = 16.0
SENTENCE = "The harbour office keeps a ledger of vessels"


def sheet(*, heavy: int = -1, rows: int = 12, blur: bool = False) -> np.ndarray:
    """Lines of print, one of them with strokes that are a pixel wider on both sides."""
    picture = Image.new("L", (1000, 60 + 60 * rows), 244)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(27)
    for row in range(rows):
        pen.text((60, 30 + 60 * row), SENTENCE, font=font, fill=30, stroke_width=1 if row == heavy else 0)
    page = np.asarray(picture)
    return (np.roll(page, 1, 1) // 3 + page // 3 + np.roll(page, -1, 1) // 3) if blur else page


def test_the_words_of_a_bold_line_are_found_sharp_or_blurred():
    for blur in (False, True):
        usual, found = find_strokes(sheet(heavy=4, blur=blur), LETTER)
        bold = [box for box in found if box[4] > 1.25 * usual]
        assert sum(right - left for left, _, right, _, _ in bold) > 450
        assert all(260 < top < bottom < 330 for _, top, _, bottom, _ in bold)


def test_a_page_of_one_weight_has_none():
    usual, found = find_strokes(sheet(), LETTER)
    assert usual > 1
    assert not [box for box in found if box[4] > 1.25 * usual]


def test_a_page_of_few_words_or_of_unknown_letters_says_nothing():
    assert find_strokes(sheet(heavy=1, rows=2), LETTER) == (0.0, [])
    assert find_strokes(sheet(heavy=1), 0.0) == (0.0, [])


def test_a_page_of_faint_words_beside_a_few_dark_ones_says_nothing():
    """A worn receipt: most of its words are so much lighter than its headline that they have no strokes at all."""
    picture = Image.new("L", (1000, 900), 244)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(27)
    for row in range(12):
        fill, width = (190, 0) if row < 10 else (10, 2)
        pen.text((60, 30 + 60 * row), SENTENCE, font=font, fill=fill, stroke_width=width)
    assert find_strokes(np.asarray(picture), LETTER) == (0.0, [])
