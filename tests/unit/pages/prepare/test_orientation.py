from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.pages.prepare.orientation import page_turn


def page() -> np.ndarray:
    image = Image.new("RGB", (600, 800), "white")
    font = ImageFont.load_default(22)
    for row in range(20):
        text = "The quick brown fox jumps over lazy dogs" if row % 3 else "and a page has many lines"
        ImageDraw.Draw(image).text((50, 60 + row * 34), text, font=font, fill="black")
    return np.asarray(image)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
@pytest.mark.parametrize("colour", [True, False])
def test_the_turn_that_sets_a_page_upright_is_found(degrees, colour):
    lying = np.ascontiguousarray(np.rot90(page(), degrees // 90))  # anticlockwise
    turn, sure = page_turn(lying if colour else lying[:, :, 0])
    assert turn == degrees
    assert 0.5 < sure <= 1


@pytest.mark.parametrize("shape", [(1, 1), (5, 900, 3)])
def test_pictures_of_any_shape_get_an_answer(shape):
    turn, sure = page_turn(np.full(shape, 255, np.uint8))
    assert turn in (0, 90, 180, 270)
    assert 0 <= sure <= 1
