"""Documents whose catalogs are tested: read from files that are made here, once."""

from __future__ import annotations

from functools import cache

from reportlab.pdfgen.canvas import Canvas

import quire
from quire.core.document import Document
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.catalog.records import SourceCatalog
from tests.documents import Pen, drawn

GRID = [("GRID", (0, 0), (-1, -1), 0.5, "black"), ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10)]
ITEMS = (
    ("Article", "Quantity", "Price", "Amount"),
    ("Hemp rope, 20 m", "3", "41.50", "124.50"),
    ("Brass lantern", "2", "89.00", "178.00"),
    ("Oak oar, pair", "1", "260.40", "260.40"),
)


def invoice_pdf() -> bytes:
    """Two pages: an invoice with its items, and the terms in running text."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.heading("Easthaven Chandlery Ltd")
        pen.text("14 Long Stone Pier, Easthaven")
        pen.text("Invoice number: EC-2031/0417")
        pen.text("Invoice date: 12 March 2031")
        pen.table(ITEMS, GRID, [160, 80, 80, 80])
        pen.text("Net amount 562.90")
        pen.text("VAT 20 % 112.58")
        pen.text("Total due 675.48 EUR")
        canvas.showPage()
        pen = Pen(canvas)
        pen.heading("Terms of sale")
        pen.text(
            "This agreement is made as of the 5th day of May, 2031, by and between Easthaven Chandlery Ltd and the "
            "Old Basin Rowing Club. It is governed by the laws of the State of Delaware and remains in force for a "
            "period of three (3) years. The goods are not insured during carriage. Claims of up to $1.5 million are "
            "settled by arbitration."
        )
        pen.text("Payment is due within thirty (30) days. Late payments bear interest of 4.5 % per year.")

    return drawn(draw)


@cache
def invoice_document() -> Document:
    return Document(invoice_pdf(), name="invoice.pdf")


@cache
def invoice_result() -> quire.DocumentResult:
    return quire.read(invoice_document())


@cache
def invoice_catalog() -> SourceCatalog:
    return catalog_of(invoice_result()._export)


def record_with(text: str, *, level: str = "block") -> str:
    """The id of the first record of a level with a text."""
    return next(one.id for one in invoice_catalog().records if one.level == level and text in one.text)
