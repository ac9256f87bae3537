"""Pages set by reportlab in fonts that are not in the file: Times, Helvetica, Courier, and those of Chinese, Japanese
and Korean."""

from __future__ import annotations

import random
from collections.abc import Sequence
from zlib import crc32

from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import stringWidth

from tests.documents import Piece, listed, placed, wrapped
from tests.quality.making.phrases import CJK, COMPANIES, NAMES, STREETS, TITLES, TOWNS, amount, day, prose
from tests.quality.making.printing import save
from tests.quality.truth import GoldenDocument, Part, TruthCell

WIDTH = 595.0


def place_statements() -> list[GoldenDocument]:
    """Balance sheets that begin further and further below the edge, with amounts at the right of their columns."""
    pages = [_statement(random.Random(number), 55.0 + 5 * number, 16 + number % 3) for number in range(8)]
    return _saved("statements-times", pages)


def _statement(chance: random.Random, top: float, step: float) -> tuple[list[Piece], list[Part]]:
    year, bold = chance.randint(2019, 2026), "Times-Bold"
    title = f"{chance.choice(COMPANIES)}: balance sheet"
    pieces = [Piece(72, top, title, 13, bold)]
    labels = ["Cash", "Receivables", "Inventories", "Total current assets", "Vessels", "Goodwill", "Total assets"]
    rows = [["", str(year), str(year - 1)], *([label, amount(chance), amount(chance)] for label in labels)]
    cells = []
    for number, row in enumerate(rows):
        y = top + 26 + step * number
        for column, text in enumerate(row):
            if text:
                x = 72.0 if column == 0 else 320 + 110 * column - stringWidth(text, "Times-Roman", 10.5)
                pieces.append(Piece(x, y, text))
                cells.append(TruthCell(number, column, text))
    text = prose(chance, 4, 6)
    pieces += wrapped(text, 72, top + 60 + step * len(rows), 450)
    table = Part("table", " ".join(cell.text for cell in cells), cells=tuple(cells))
    return pieces, [Part("heading", title, 1), table, Part("paragraph", text)]


def place_standard() -> list[GoldenDocument]:
    """Articles and letters in Times and Helvetica, typescripts in Courier."""
    pages = []
    for number in range(12):
        chance = random.Random(crc32(b"standard") + number)
        font, bold = (("Times-Roman", "Times-Bold"), ("Helvetica", "Helvetica-Bold"), ("Courier", "Courier-Bold"))[
            number % 3
        ]
        pages.append(_letter(chance, font) if number % 4 == 0 else _article(chance, font, bold, 1 + number % 2))
    return _saved("standard", pages)


def _article(chance: random.Random, font: str, bold: str, columns: int) -> tuple[list[Piece], list[Part]]:
    title = chance.choice(TITLES)
    pieces, parts = [Piece(60, 90, title, 18, bold)], [Part("heading", title, 1)]
    wide = (475 - 20 * (columns - 1)) / columns
    for column in range(columns):
        x, y = 60 + (wide + 20) * column, 130.0
        while y < 620:
            head, text = chance.choice(TITLES), prose(chance, 3, 5)
            for said, kind, face in ((head, "heading", bold), (text, "paragraph", font)):
                lines = wrapped(said, x, y, wide, size=10.5, font=face)
                pieces += lines
                parts.append(Part("heading" if kind == "heading" else "paragraph", said, 2 * (kind == "heading")))
                y = lines[-1].y + (16 if kind == "heading" else 26)
    number = str(chance.randint(2, 300))
    pieces.append(Piece(WIDTH / 2 - stringWidth(number, font, 9) / 2, 800, number, 9, font))
    return pieces, [*parts, Part("page_number", number)]


def _letter(chance: random.Random, font: str) -> tuple[list[Piece], list[Part]]:
    pieces: list[Piece] = []
    parts: list[Part] = []
    y = 80.0
    for lines in (
        [chance.choice(COMPANIES), chance.choice(STREETS), chance.choice(TOWNS)],
        [day(chance)],
        [f"Dear {chance.choice(NAMES)},"],
        *([prose(chance, 3, 5)] for _ in range(4)),
        ["Yours faithfully,"],
        [chance.choice(NAMES)],
    ):
        set_lines = [line for text in lines for line in simpleSplit(text, font, 10.5, 450)]
        pieces += listed(set_lines, 72, y, font=font)
        parts.append(Part("paragraph", " ".join(lines)))
        y += 13.125 * len(set_lines) + 16
    return pieces, parts


def place_cjk() -> list[GoldenDocument]:
    """Chinese, Japanese and Korean, which break lines anywhere or between words."""
    pages = []
    for number, font in enumerate((*CJK, *CJK)):
        language, titles, sentences = CJK[font]
        pdfmetrics.registerFont(UnicodeCIDFont(font))
        chance, between = random.Random(number), " " if language == "ko" else ""
        pieces, parts, y = [Piece(72, 90, titles[0], 20, font)], [Part("heading", titles[0], 1)], 130.0
        for title in titles[1:]:
            pieces.append(Piece(72, y, title, 14, font))
            parts.append(Part("heading", title, 2))
            for _ in range(2):
                text = between.join(chance.choice(sentences) for _ in range(6))
                lines = simpleSplit(text, font, 10.5, 440) if between else _broken(text, 40)
                pieces += [Piece(72, y + 24 + 16 * at, line, 10.5, font) for at, line in enumerate(lines)]
                parts.append(Part("paragraph", text))
                y += 16 * len(lines) + 16
            y += 36
        pages.append((pieces, parts))
    return _saved("cjk", pages)


def _broken(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


def _saved(family: str, pages: Sequence[tuple[list[Piece], list[Part]]]) -> list[GoldenDocument]:
    documents = [GoldenDocument(family, number, number, parts) for number, (_, parts) in enumerate(pages, start=1)]
    save(family, placed(*(pieces for pieces, _ in pages)), documents)
    return documents
