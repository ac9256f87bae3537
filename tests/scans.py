"""Scanned documents for tests, made here as bytes, with what is printed on them and where.

The same call gives the same bytes. Places are fractions of the page as it is displayed.
"""

from __future__ import annotations

import struct
import zlib
from functools import cache
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.documents import HEIGHT, WIDTH, Pen, drawn, prose
from tests.fakes.engines import NUMBER_BITS, PLACE, said_of


class Printed(NamedTuple):
    """A line on a sheet and where it stands: left, top, right and bottom as fractions of the displayed page."""

    text: str
    box: tuple[float, float, float, float]


class Sheet(NamedTuple):
    """A sheet of paper as a scanner sees it, and what is printed on it."""

    picture: Image.Image
    lines: tuple[Printed, ...]

    def turned(self, degrees: int) -> Sheet:
        """The sheet laid on the scanner turned clockwise by 90, 180 or 270 degrees."""
        return Sheet(
            self.picture.rotate(-degrees, expand=True),
            tuple(Printed(text, _turned_box(box, degrees)) for text, box in self.lines),
        )

    def png(self, dpi: int = 150) -> bytes:
        buffer = BytesIO()
        self.picture.save(buffer, "PNG", dpi=(dpi, dpi))
        return buffer.getvalue()


def _turned_box(box: tuple[float, float, float, float], degrees: int) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    for _ in range(degrees // 90):
        left, top, right, bottom = 1 - bottom, left, 1 - top, right
    return left, top, right, bottom


SLIP = (360.0, 260.0)
"""Size in points of the small sheets that scans show: little to look at, so that reading them is quick."""
SLIP_LINES = (
    "The harbour office keeps a ledger of vessels",
    "Each entry names the captain and the cargo",
    "When the tide turns the pilots walk down",
    "Nobody remembers who painted it yellow",
    "Repairs were finished before the storms",
)


@cache
def slip(lines: tuple[str, ...] = SLIP_LINES, *, dpi: int = 150, size: float = 13.0) -> Sheet:
    """A small sheet with lines of print, as a grey picture."""
    width, height = (round(side / 72 * dpi) for side in SLIP)
    picture = Image.new("L", (width, height), 244)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size * dpi / 72)
    printed = []
    for number, text in enumerate(lines):
        place = dpi * 0.4, dpi * (0.4 + number * size * 2.2 / 72)
        pen.text(place, text, font=font, fill=30)
        left, top, right, bottom = pen.textbbox(place, text, font=font)
        printed.append(Printed(text, (left / width, top / height, right / width, bottom / height)))
    return Sheet(picture, tuple(printed))


def scanned(*sheets: Sheet) -> bytes:
    """Pages that are the picture of a sheet each, without any text."""

    def draw(canvas: Canvas) -> None:
        for sheet in sheets:
            scan_page(canvas, sheet)

    return drawn(draw)


def scan_page(canvas: Canvas, sheet: Sheet) -> None:
    wide = sheet.picture.width >= sheet.picture.height
    size = SLIP if wide else SLIP[::-1]
    canvas.setPageSize(size)
    canvas.drawImage(ImageReader(sheet.picture), 0, 0, *size)
    canvas.showPage()


@cache
def numbered_sheet(number: int) -> Sheet:
    """A sheet that shows its number as a row of squares, high for a one and low for a nought.

    What an engine of the tests reads by itself, without any model.
    """
    width, height = 480, 360
    picture = Image.new("L", (width, height), 244)
    pen = ImageDraw.Draw(picture)
    cell = width / (NUMBER_BITS + 2)
    for bit in range(NUMBER_BITS):
        left = cell * (bit + 1)
        top = height * (0.3 if number >> bit & 1 else 0.6)
        pen.rectangle((left + 6, top, left + cell - 6, top + cell - 12), fill=20)
    return Sheet(picture, (Printed(said_of(number), PLACE.points((1, 1))),))


def numbered_scans(pages: int) -> bytes:
    """Scans of sheets with the numbers from 1."""
    return scanned(*(numbered_sheet(number) for number in range(1, pages + 1)))


INSERT = (0.1, 0.45, 0.9, 0.9)
"""Where the scanned insert of a mixed document lies on its page."""


class Mixed(NamedTuple):
    """A document in which every page is of another kind, and the lines of its scans by page."""

    data: bytes
    lines: dict[int, tuple[Printed, ...]]


@cache
def mixed() -> Mixed:
    """Digital text, a scan, scans turned by 90 and 180 degrees, a blank scan, text with a scanned insert, and a
    scan that the file turns back (`/Rotate 90`)."""
    sheet = slip()
    sideways, upside_down = sheet.turned(90), sheet.turned(180)
    blank_sheet = Sheet(Image.new("L", sheet.picture.size, 246), ())

    def draw(canvas: Canvas) -> None:
        Pen(canvas).text(prose(6))
        canvas.showPage()
        for one in (sheet, sideways, upside_down, blank_sheet):
            scan_page(canvas, one)
        canvas.setPageSize(A4)
        Pen(canvas).text(prose(8))
        left, top, right, bottom = INSERT
        size = (right - left) * WIDTH, (bottom - top) * HEIGHT
        canvas.drawImage(ImageReader(sheet.picture), left * WIDTH, (1 - bottom) * HEIGHT, *size)
        canvas.showPage()
        canvas.setPageRotation(90)
        canvas.setPageSize(SLIP)  # as displayed: the canvas exchanges the sides
        canvas.drawImage(ImageReader(sheet.turned(270).picture), 0, 0, *SLIP[::-1])
        canvas.showPage()

    inserted = tuple(Printed(text, _within(INSERT, box)) for text, box in sheet.lines)
    lines = {2: sheet.lines, 3: sideways.lines, 4: upside_down.lines, 5: (), 6: inserted, 7: sheet.lines}
    return Mixed(drawn(draw), lines)


def _within(
    place: tuple[float, float, float, float], box: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    left, top, right, bottom = place
    wide, high = right - left, bottom - top
    return left + box[0] * wide, top + box[1] * high, left + box[2] * wide, top + box[3] * high


def header_bomb(side: int = 60_000) -> bytes:
    """A PNG of a few bytes that says it is so many pixels wide and high."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def scan_with_redaction() -> tuple[bytes, tuple[float, float, float, float]]:
    """A scan on which one line is blacked out, and where, as fractions of the page."""
    sheet = slip()
    picture = sheet.picture.copy()
    box = sheet.lines[2].box
    place = (box[0] - 0.005, box[1] - 0.01, box[2] + 0.005, box[3] + 0.01)
    width, height = picture.size
    ImageDraw.Draw(picture).rectangle(
        (place[0] * width, place[1] * height, place[2] * width, place[3] * height), fill=8
    )
    return scanned(Sheet(picture, ())), place


def tiff_bomb(side: int = 60_000) -> bytes:
    """A TIFF of a few bytes that says it is so many pixels wide and high."""
    entries = [(256, 4, side), (257, 4, side), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1)]
    entries += [(278, 4, side), (279, 4, side * side)]
    fields = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
    return b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + fields + bytes(4)


def bomb_between(before: Sheet, after: Sheet, side: float = 14_400) -> bytes:
    """A page of 200 inches by 200 between two scans."""

    def draw(canvas: Canvas) -> None:
        scan_page(canvas, before)
        canvas.setPageSize((side, side))
        canvas.drawImage(ImageReader(before.picture), 0, 0, side, side)
        canvas.showPage()
        scan_page(canvas, after)

    return drawn(draw)


@cache
def grid_sheet(rows: int = 9, columns: int = 4) -> Sheet:
    """A sheet that is mostly a ruled table."""
    width, height = 750, 540
    picture = Image.new("L", (width, height), 244)
    pen = ImageDraw.Draw(picture)
    left, top, right, bottom = 60, 60, 690, 480
    font = ImageFont.load_default(22)
    for row in range(rows + 1):
        y = top + row * (bottom - top) / rows
        pen.line((left, y, right, y), fill=20, width=2)
        for column in range(columns if row < rows else 0):
            x = left + column * (right - left) / columns
            pen.text((x + 10, y + 10), f"{row * 7 + column * 31}.{column}", font=font, fill=30)
    for column in range(columns + 1):
        x = left + column * (right - left) / columns
        pen.line((x, top, x, bottom), fill=20, width=2)
    return Sheet(picture, ())
