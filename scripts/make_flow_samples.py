"""Make the documents that the shipped flows are tested with: `python scripts/make_flow_samples.py [FOLDER]`.

Small, and the same bytes every time: fixed dates, standard fonts, no compression.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

FOLDER = Path(__file__).parent.parent / "src" / "quire" / "flow" / "samples"
SIZE = (300, 200)

LETTER = ("The ferry leaves the harbour at seven every", "morning and comes back before the lamps are lit.")
ROWS = (("Month", "Passengers"), ("May", "1204"), ("June", "1871"), ("July", "2360"))
INVOICE = (
    ("Invoice number", "INV-2041"),
    ("Invoice date", "12 March 2024"),
    ("Due date", "11 April 2024"),
    ("Bill to", "Northlight Ferries"),
)
SUMS = (("Net amount", "EUR 1,050.42"), ("VAT 19%", "EUR 199.58"), ("Total", "EUR 1,250.00"))
SCAN = ("Harbour office", "Open from nine to five")


def letter() -> bytes:
    """A page with a heading and a paragraph."""
    file, canvas = _canvas()
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(30, 160, "Timetable")
    canvas.setFont("Times-Roman", 11)
    for number, line in enumerate(LETTER):
        canvas.drawString(30, 130 - 14 * number, line)
    canvas.save()
    return file.getvalue()


def table() -> bytes:
    """A page with a ruled table."""
    file, canvas = _canvas()
    canvas.setFont("Helvetica", 10)
    top, height, edges = 160, 20, (40, 140, 240)
    for row, cells in enumerate(ROWS):
        for edge, cell in zip(edges, cells, strict=False):
            canvas.drawString(edge + 6, top - height * row - 14, cell)
    for row in range(len(ROWS) + 1):
        canvas.line(edges[0], top - height * row, edges[-1], top - height * row)
    for edge in edges:
        canvas.line(edge, top, edge, top - height * len(ROWS))
    canvas.save()
    return file.getvalue()


def invoice() -> bytes:
    """A page with a letterhead, labels with their values, and sums."""
    file, canvas = _canvas()
    canvas.setFont("Helvetica-Bold", 13)
    canvas.drawString(20, 175, "Harbour Supplies Ltd")
    canvas.setFont("Helvetica", 8)
    canvas.drawString(20, 163, "North Quay 4, 20457 Hamburg")
    for rows, top in ((INVOICE, 140), (SUMS, 65)):
        for number, (label, value) in enumerate(rows):
            canvas.drawString(20, top - 14 * number, f"{label}:")
            canvas.drawString(130, top - 14 * number, value)
    canvas.save()
    return file.getvalue()


def scan() -> bytes:
    """A picture of some words: a page without text of its own."""
    page = Image.new("1", (1000, 360), 1)
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(SCAN):
        pen.text((80, 70 + 120 * number), line, fill=0, font=ImageFont.load_default(64))
    file = BytesIO()
    page.save(file, "PNG", dpi=(200, 200), optimize=True)
    return file.getvalue()


def _canvas() -> tuple[BytesIO, Canvas]:
    file = BytesIO()
    return file, Canvas(file, pagesize=SIZE, invariant=1, pageCompression=0)


SAMPLES = {"letter.pdf": letter, "table.pdf": table, "invoice.pdf": invoice, "scan.png": scan}


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SAMPLES.items():
        (folder / name).write_bytes(make())
