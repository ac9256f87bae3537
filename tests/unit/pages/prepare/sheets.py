"""Pages drawn for the tests of preparation."""

from __future__ import annotations

import random
from functools import lru_cache

import cv2
import numpy as np

from quire.core.picture import Picture
from quire.pages.prepare.pixels import Pixels, picture_of

A4 = (1654, 2339)
DPI = 200.0
WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "seven",
    "wizards",
    "brew",
    "ale",
]


def blank(size: tuple[int, int] = A4, level: int = 255) -> Pixels:
    return np.full((size[1], size[0]), level, np.uint8)


def line(page: Pixels, text: str, at: tuple[int, int], *, scale: float = 0.8, level: int = 0) -> None:
    """Write a line whose baseline begins at `at`; scale 0.8 gives letters of about 10 point type at 200 dpi."""
    cv2.putText(page, text, at, cv2.FONT_HERSHEY_DUPLEX, scale, level, 2 if scale > 0.6 else 1, cv2.LINE_AA)


def text_page(size: tuple[int, int] = A4, *, level: int = 0, paper: int = 255, seed: int = 1) -> Pixels:
    """A page of paragraphs with ragged right edges."""
    return _text_page(size, level, paper, seed).copy()


@lru_cache(maxsize=8)
def _text_page(size: tuple[int, int], level: int, paper: int, seed: int) -> Pixels:
    chance = random.Random(seed)
    page = blank(size, paper)
    for top in range(160, size[1] - 140, 40):
        if chance.random() < 0.12:
            continue
        words = [chance.choice(WORDS) for _ in range(chance.randint(5, max(6, size[0] // 90)))]
        line(page, " ".join(words)[: (size[0] - 260) // 16], (130, top), level=level)
    return page


def specks(page: Pixels, count: int, *, seed: int = 1, most: int = 4) -> Pixels:
    chance = random.Random(seed)
    for _ in range(count):
        x, y, side = chance.randrange(page.shape[1]), chance.randrange(page.shape[0]), chance.randint(1, most)
        page[y : y + side, x : x + side] = 0
    return page


def picture(page: Pixels, dpi: float = DPI) -> Picture:
    return picture_of(page, dpi)
