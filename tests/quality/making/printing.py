"""Sheets printed by Chromium: a sheet that is too full is filled again with less."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from io import BytesIO
from zlib import crc32

import pikepdf
from playwright.sync_api import Page

from tests.quality.making.sheet import SIZES, STYLE, Look, Sheet
from tests.quality.truth import PAGES, GoldenDocument, write_truth

Fill = Callable[[Sheet], None]
AMOUNTS = (1.0, 0.8, 0.65, 0.5, 0.35, 0.25, 0.15)
FITS = """() => [...document.querySelectorAll("section")].map(one => {
  const notes = one.querySelector(".notes");
  const flow = [...one.children].filter(part => getComputedStyle(part).position !== "absolute");
  const end = Math.max(...flow.map(part => part.getBoundingClientRect().bottom - one.getBoundingClientRect().top));
  const room = notes ? notes.offsetTop - 8 : one.clientHeight - 60;
  return end <= room && one.scrollWidth <= one.clientWidth;
})"""


def print_family(page: Page, family: str, fills: Sequence[Fill]) -> list[GoldenDocument]:
    """Write the file of a family and the truth about it: one page for each of `fills`."""
    sheets = [_fitting(page, family, number, fill) for number, fill in enumerate(fills, start=1)]
    page.set_content(_html(sheets))
    data = page.pdf(prefer_css_page_size=True, print_background=True, tagged=False, outline=False)
    documents = [GoldenDocument(family, sheet.number, sheet.number, sheet.truth()) for sheet in sheets]
    save(family, data, documents)
    return documents


def save(family: str, data: bytes, documents: Sequence[GoldenDocument]) -> None:
    PAGES.mkdir(exist_ok=True)
    with pikepdf.open(BytesIO(data)) as pdf:
        if len(pdf.pages) != documents[-1].last:
            raise ValueError(f"{family}: {len(pdf.pages)} pages instead of {documents[-1].last}")
        for key in ("/StructTreeRoot", "/MarkInfo", "/Outlines", "/Metadata"):
            if key in pdf.Root:
                del pdf.Root[key]
        del pdf.docinfo
        pdf.save(
            PAGES / f"{family}.pdf",
            deterministic_id=True,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            recompress_flate=True,
        )
    write_truth(family, documents)


def _fitting(page: Page, family: str, number: int, fill: Fill) -> Sheet:
    for amount in AMOUNTS:
        chance = random.Random(crc32(f"{family} {number}".encode()))
        sheet = Sheet(chance, number, Look.drawn(chance), amount)
        fill(sheet)
        page.set_content(_html([sheet]))
        if all(page.evaluate(FITS)):
            return sheet
    raise ValueError(f"page {number} of {family} does not fit")


def _html(sheets: Sequence[Sheet]) -> str:
    styles, sections = [STYLE], []
    for sheet in sheets:
        name, (width, height) = f"s{sheet.number}", SIZES[sheet.look.paper]
        styles.append(f"{sheet.look.style(name)} #{name} {{width: {width}mm; height: {height - 0.2}mm}}")
        sections.append(f'<section id="{name}">{"".join(sheet.html)}</section>')
    return f"<!doctype html><meta charset=utf-8><style>{''.join(styles)}</style>{''.join(sections)}"
