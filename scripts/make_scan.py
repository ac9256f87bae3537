"""Make the scanned page that the demo, an example and the tests read: `python scripts/make_scan.py [FILE]`.

A delivery note of the invented ferry company of the sample, as a scanner of an office gives it: grey paper with a
shadow along one edge, laid slightly askew, dusty, and one name blacked out. The same picture every time.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from random import Random

import pypdfium2
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

SCAN = Path(__file__).parent.parent / "examples" / "scan.png"

WIDTH, HEIGHT = A5
MARGIN = 45.0
DPI = 150
SKEW = 0.8  # degrees
LEVELS = 52

LETTER = (
    "The goods listed below came aboard the Aurora at the inner harbour.",
    "Please count them at once and tell the freight office of any damage",
    "within three days. Empty crates go back with the next boat.",
)
ROWS = (
    ("Goods", "Pieces", "Weight"),
    ("Rope, coiled", "12", "84 kg"),
    ("Lamp oil, tins", "40", "212 kg"),
    ("Engine parts", "3", "155 kg"),
    ("Mail bags", "7", "96 kg"),
)
COLUMNS = (MARGIN, 215.0, 290.0, WIDTH - MARGIN)
ROW_HEIGHT = 20.0


def page() -> bytes:
    """The note as a PDF, before it was printed and scanned."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A5, invariant=1)
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(MARGIN, HEIGHT - 70, "Delivery note 4711")
    canvas.setFont("Times-Roman", 12)
    canvas.drawString(MARGIN, HEIGHT - 100, "Northlight Ferries, 14 September 2031")
    for at, line in enumerate(LETTER):
        canvas.drawString(MARGIN, HEIGHT - 140 - 16 * at, line)
    _table(canvas, HEIGHT - 205)
    canvas.setFont("Times-Roman", 12)
    canvas.drawString(MARGIN, HEIGHT - 350, "Received in good order by")
    canvas.rect(MARGIN + 140, HEIGHT - 354, 110, 15, stroke=0, fill=1)
    canvas.drawString(MARGIN, HEIGHT - 390, "Total weight: 547 kg")
    canvas.save()
    return buffer.getvalue()


def _table(canvas: Canvas, top: float) -> None:
    bottom = top - ROW_HEIGHT * len(ROWS)
    canvas.setLineWidth(0.8)
    canvas.grid(list(COLUMNS), [top - ROW_HEIGHT * at for at in range(len(ROWS) + 1)])
    for at, row in enumerate(ROWS):
        canvas.setFont("Times-Roman" if at else "Times-Bold", 12)
        base = top - ROW_HEIGHT * at - 14
        canvas.drawString(COLUMNS[0] + 6, base, row[0])
        for column in (1, 2):
            canvas.drawRightString(COLUMNS[column + 1] - 8, base, row[column])
    assert bottom > MARGIN


def scan() -> Image.Image:
    """The page as it comes from the scanner."""
    with pypdfium2.PdfDocument(page()) as document:
        drawn = document[0].render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
    width, height = drawn.size
    turned = drawn.rotate(SKEW, Image.Resampling.BICUBIC, fillcolor=255)
    soft = turned.filter(ImageFilter.GaussianBlur(0.6))
    shadow = Image.linear_gradient("L").rotate(90).resize((width, height)).point(lambda level: 216 + level // 8)
    scanned = ImageChops.multiply(soft, shadow)
    chance, brush = Random(4711), ImageDraw.Draw(scanned)
    for _ in range(150):
        x, y = chance.randrange(width), chance.randrange(height)
        brush.point((x, y), fill=chance.randrange(60, 180))
    return scanned.point(lambda level: round(level * (LEVELS - 1) / 255) * 255 // (LEVELS - 1))


def png() -> bytes:
    buffer = BytesIO()
    palette = scan().quantize(LEVELS, dither=Image.Dither.NONE)
    palette.save(buffer, "PNG", optimize=True, dpi=(DPI, DPI))
    return buffer.getvalue()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else SCAN
    target.write_bytes(png())
    print(f"{target}: {target.stat().st_size:,} bytes")
