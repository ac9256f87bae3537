"""Test documents, made here as bytes: each builder shows one thing that real documents do.

The same call gives the same bytes. Where a test needs to know what a page says, the text is a constant beside
the builder. Pages are A4 unless a builder says otherwise.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from io import BytesIO
from itertools import zip_longest
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

from tests.rawpdf import assemble, page_with_font, stream, string

WIDTH, HEIGHT = A4
MARGIN = 72.0

SENTENCES = (
    "The harbour office keeps a ledger of every vessel that enters the bay.",
    "Each entry names the captain, the cargo and the hour of arrival.",
    "When the tide turns, the pilots walk down to the long stone pier.",
    "Nobody remembers who first painted the customs house yellow.",
    "A small museum on the second floor shows maps of the old channel.",
    "Repairs to the lighthouse were finished before the autumn storms.",
    "The council voted to widen the road between the market and the station.",
    "Fishing boats return before dawn and sell their catch by the steps.",
)

Rows = Sequence[Sequence[str]]


def prose(sentences: int, *, start: int = 0) -> str:
    """So many sentences of plain English, beginning with the one at `start`."""
    return " ".join(SENTENCES[(start + i) % len(SENTENCES)] for i in range(sentences))


class Pen:
    """A canvas and a position that moves down the page as text is set."""

    def __init__(self, canvas: Canvas, *, left: float = MARGIN, top: float = MARGIN, width: float | None = None):
        self.canvas, self.left = canvas, left
        self.width = width or WIDTH - left - MARGIN
        self.y = HEIGHT - top

    def lines(self, lines: Sequence[str], *, font: str = "Times-Roman", size: float = 10.5, indent: float = 0) -> None:
        for line in lines:
            self.y -= size * 1.25
            self.canvas.setFont(font, size)
            self.canvas.drawString(self.left + indent, self.y, line)

    def text(self, text: str, *, font: str = "Times-Roman", size: float = 10.5, indent: float = 0) -> None:
        """A paragraph, wrapped to the width, with some space after it."""
        self.lines(simpleSplit(text, font, size, self.width - indent), font=font, size=size, indent=indent)
        self.y -= size * 0.7

    def heading(self, text: str, *, size: float = 15) -> None:
        self.y -= size * 0.6
        self.text(text, font="Helvetica-Bold", size=size)

    def table(self, rows: Rows, style: Sequence[tuple[object, ...]], widths: Sequence[float] | None = None) -> None:
        table = Table([list(row) for row in rows], colWidths=widths, style=TableStyle(list(style)), hAlign="LEFT")
        _, height = table.wrapOn(self.canvas, self.width, HEIGHT)
        self.y -= height + 6
        table.drawOn(self.canvas, self.left, self.y)
        self.y -= 12


def drawn(draw: Callable[[Canvas], None], *, size: tuple[float, float] = A4, password: str | None = None) -> bytes:
    """The file that `draw` paints; the last page is finished here."""
    buffer = BytesIO()
    encrypt = StandardEncryption(password, ownerPassword="owner", strength=128) if password else None
    canvas = Canvas(buffer, pagesize=size, invariant=1, encrypt=encrypt)
    canvas.setTitle("A test document")
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def simple(pages: int = 1) -> bytes:
    """Pages with a heading and two paragraphs of one column."""

    def draw(canvas: Canvas) -> None:
        for number in range(1, pages + 1):
            pen = Pen(canvas)
            pen.heading(f"Chapter {number}")
            pen.text(prose(6, start=number))
            pen.text(prose(5, start=number + 3))
            canvas.showPage()

    return drawn(draw)


@cache
def many_pages(pages: int = 400) -> bytes:
    """As `simple`, made once: for what must not grow with the number of pages."""
    return simple(pages)


COLUMNS = (
    "Alpha begins the left column. " + prose(7),
    "Bravo follows in the left column. " + prose(7, start=3),
    "Charlie begins the right column. " + prose(7, start=5),
    "Delta ends the right column. " + prose(7, start=1),
)
COLUMNS_TITLE = "The Harbour at Low Tide"
COLUMNS_CLOSING = "Echo stands below both columns. " + prose(4)


def two_columns() -> bytes:
    """A title across the page, two columns with a narrow gap, a paragraph across the page below them."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawCentredString(WIDTH / 2, HEIGHT - 90, COLUMNS_TITLE)
        column = (WIDTH - 2 * MARGIN - 20) / 2
        pens = [Pen(canvas, left=MARGIN + i * (column + 20), top=120, width=column) for i in range(2)]
        for pen, texts in zip(pens, (COLUMNS[:2], COLUMNS[2:]), strict=True):
            for text in texts:
                pen.text(text)
        below = Pen(canvas)
        below.y = min(pen.y for pen in pens) - 20
        below.text(COLUMNS_CLOSING)

    return drawn(draw)


RULED: Rows = (
    ("Port", "Vessels", "Cargo", "Share"),
    ("Easthaven", "412", "18,204 t", "41.2 %"),
    ("North Quay", "298", "11,876 t", "26.9 %"),
    ("Old Basin", "187", "8,450 t", "19.1 %"),
    ("Stone Pier", "96", "5,660 t", "12.8 %"),
)


def ruled_table() -> bytes:
    """A table with all rules drawn and a bold header row, between two paragraphs."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(3))
        style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10)]
        pen.table(RULED, style, [130, 80, 100, 80])
        pen.text(prose(3, start=4))

    return drawn(draw)


def unruled_table() -> bytes:
    """The same cells without a single rule: names to the left, numbers to the right."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(3))
        style = [("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10), ("ALIGN", (1, 0), (-1, -1), "RIGHT")]
        pen.table(RULED, style, [130, 80, 100, 80])
        pen.text(prose(3, start=4))

    return drawn(draw)


SPANNING: Rows = (
    ("Port", "Last year", "", "This year", ""),
    ("", "Vessels", "Cargo", "Vessels", "Cargo"),
    ("Easthaven", "412", "18,204", "430", "18,911"),
    ("North Quay", "298", "11,876", "305", "12,040"),
    ("Total", "710", "30,080", "735", "30,951"),
)


def spanning_table() -> bytes:
    """Two header rows: `Port` spans both of them, each year spans two columns."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(2))
        style = [
            ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
            ("SPAN", (0, 0), (0, 1)),
            ("SPAN", (1, 0), (2, 0)),
            ("SPAN", (3, 0), (4, 0)),
            ("ALIGN", (1, 0), (-1, -1), "CENTER"),
            ("VALIGN", (0, 0), (0, 1), "MIDDLE"),
            ("FONT", (0, 0), (-1, 1), "Helvetica-Bold", 10),
        ]
        pen.table(SPANNING, style, [110, 70, 70, 70, 70])

    return drawn(draw)


LONG_HEADER = ("No.", "Vessel", "Cargo")
LONG_ROWS: Rows = tuple((str(n), f"Vessel {chr(64 + n % 26 or 90)}{n}", f"{n * 137 % 900} t") for n in range(1, 46))


def table_over_pages() -> bytes:
    """A ruled table of 45 rows that continues on the second page, where its header row is repeated."""

    def draw(canvas: Canvas) -> None:
        style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 10)]
        first = Pen(canvas)
        first.text(prose(8))
        first.table([LONG_HEADER, *LONG_ROWS[:30]], style, [50, 200, 100])
        canvas.showPage()
        second = Pen(canvas)
        second.table([LONG_HEADER, *LONG_ROWS[30:]], style, [50, 200, 100])
        second.text(prose(3, start=2))

    return drawn(draw)


def headings_and_lists() -> bytes:
    """A title, numbered headings of three levels, a nested bullet list and a numbered list."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.heading("A Handbook for Pilots", size=24)
        pen.heading("1 Arrival", size=16)
        pen.text(prose(3))
        pen.heading("1.1 Signals", size=13)
        pen.text(prose(3, start=3))
        pen.text("\u2022  Flags are raised by day:")
        for item in ("blue for a pilot,", "yellow for the doctor."):
            pen.text(f"\u2013  {item}", indent=18)
        pen.text("\u2022  Lamps are lit by night.")
        pen.heading("1.1.1 Lamps", size=11.5)
        pen.text(prose(2, start=5))
        pen.heading("2 Departure", size=16)
        for number, item in enumerate(("Pay the dues.", "Sign the ledger.", "Wait for the tide."), start=1):
            pen.text(f"{number}.  {item}")

    return drawn(draw)


RUNNING_HEADER = "Harbour Office Yearbook"


def running_headers(pages: int = 4) -> bytes:
    """A running header and footer on every page, the page number at the outer edge."""

    def draw(canvas: Canvas) -> None:
        for number in range(1, pages + 1):
            canvas.setFont("Helvetica", 8)
            canvas.drawString(MARGIN, HEIGHT - 40, RUNNING_HEADER)
            canvas.drawString(MARGIN, 36, "Printed at the Stone Pier")
            canvas.drawRightString(WIDTH - MARGIN, 36, f"Page {number} of {pages}")
            pen = Pen(canvas)
            pen.text(prose(9, start=number))
            pen.text(prose(9, start=number + 4))
            canvas.showPage()

    return drawn(draw)


FOOTNOTE = "Counted at the outer buoy, without ferries."


def footnotes() -> bytes:
    """A raised mark in the text and, below a short rule, the note it leads to in smaller type."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(8))
        text = canvas.beginText(MARGIN, pen.y - 12)
        text.setFont("Times-Roman", 10.5)
        text.textOut("In that year 412 vessels")
        text.setFont("Times-Roman", 7)
        text.setRise(4)
        text.textOut("1")
        text.setRise(0)
        text.setFont("Times-Roman", 10.5)
        text.textOut(" entered the bay.")
        canvas.drawText(text)
        canvas.setLineWidth(0.5)
        canvas.line(MARGIN, 110, MARGIN + 120, 110)
        note = canvas.beginText(MARGIN, 97)
        note.setFont("Times-Roman", 6)
        note.setRise(3)
        note.textOut("1")
        note.setRise(0)
        note.setFont("Times-Roman", 8)
        note.textOut(" " + FOOTNOTE)
        canvas.drawText(note)

    return drawn(draw)


def rotated_page(degrees: int = 90) -> bytes:
    """Text along the width of the displayed page: an upright A4 sheet that /Rotate turns."""
    shown = (HEIGHT, WIDTH) if degrees % 180 == 90 else (WIDTH, HEIGHT)

    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(degrees)
        canvas.translate(*{0: (0, 0), 90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, HEIGHT)}[degrees % 360])
        canvas.rotate(degrees)
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(60, shown[1] - 70, "Displayed at the top left")
        canvas.setFont("Times-Roman", 11)
        canvas.drawString(60, shown[1] - 100, "This line reads from left to right when the page is shown.")
        canvas.drawRightString(shown[0] - 60, 50, "bottom right")

    return drawn(draw, size=shown)  # reportlab takes the displayed size


def rotated_text() -> bytes:
    """An upright paragraph, a label turned by 90 degrees beside it and one turned by 270 at the right."""

    def draw(canvas: Canvas) -> None:
        Pen(canvas).text(prose(6))
        canvas.setFont("Helvetica", 12)
        for x, degrees, label in ((50, 90, "Reads upwards"), (WIDTH - 50, 270, "Reads downwards")):
            canvas.saveState()
            canvas.translate(x, HEIGHT / 2)
            canvas.rotate(degrees)
            canvas.drawString(0, 0, label)
            canvas.restoreState()

    return drawn(draw)


RED = (255, 0, 0)


def marked_pages() -> bytes:
    """Five pages: as they are, turned by 90, 180 and 270 degrees, and cropped. Each shows a red picture and a word."""
    picture = ImageReader(Image.new("RGB", (90, 40), RED))
    shown = {0: A4, 90: (HEIGHT, WIDTH), 180: A4, 270: (HEIGHT, WIDTH)}
    origins = {0: (0, 0), 90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, HEIGHT)}

    def draw(canvas: Canvas) -> None:
        for degrees, size in [*shown.items(), (0, A4)]:
            canvas.setPageSize(size)
            canvas.setPageRotation(degrees)
            canvas.translate(*origins[degrees])
            canvas.rotate(degrees)
            canvas.setFont("Helvetica", 12)
            canvas.drawString(150, size[1] - 200, "HHHHHHHH")
            canvas.drawImage(picture, 230, size[1] - 380, 181, 83)
            if canvas.getPageNumber() == 5:
                canvas.setCropBox((100, 300, 500, 750))
            canvas.showPage()

    return drawn(draw)


def cropped_page() -> bytes:
    """A crop box that shows 400 x 500 points of the page from (100, 200); one line lies outside of it."""

    def draw(canvas: Canvas) -> None:
        canvas.setCropBox((100, 200, 500, 700))
        canvas.setFont("Helvetica", 12)
        canvas.drawString(120, 670, "Inside the crop box")
        canvas.drawString(120, 60, "Outside the crop box")

    return drawn(draw)


def encrypted(password: str = "secret") -> bytes:
    """A page that opens with the password alone."""
    return drawn(lambda canvas: Pen(canvas).text("Behind the password. " + prose(3)), password=password)


def form_fields() -> bytes:
    """Labelled fields with values: two texts, a set and an unset check box, a choice, a radio button."""

    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        canvas.setFont("Helvetica", 11)
        for y, label in ((740, "Name"), (700, "Vessel"), (660, "Pilot wanted"), (620, "Night passage"), (580, "Flag")):
            canvas.drawString(MARGIN, y, label)
        form.textfield(name="name", value="Ada Marlow", x=200, y=734, width=200, height=20, borderWidth=1)
        form.textfield(name="vessel", value="Grey Heron", x=200, y=694, width=200, height=20, borderWidth=1)
        form.checkbox(name="pilot", checked=True, x=200, y=656, size=16)
        form.checkbox(name="night", checked=False, x=200, y=616, size=16)
        form.choice(name="flag", value="blue", options=["blue", "yellow"], x=200, y=574, width=120, height=20)
        canvas.drawString(MARGIN, 540, "Berth")
        form.radio(name="berth", value="inner", selected=True, x=200, y=536, size=16)
        form.radio(name="berth", value="outer", selected=False, x=240, y=536, size=16)

    return drawn(draw)


def links_and_outline() -> bytes:
    """Three pages with bookmarks of two levels, a link to the web and one to the last page."""

    def draw(canvas: Canvas) -> None:
        outline = (("Arrival", 0, "a"), ("Signals", 1, "b"), ("Departure", 0, "c"))
        for number, (title, level, key) in enumerate(outline):
            canvas.bookmarkPage(key, fit="XYZ", left=0, top=HEIGHT - 60)
            canvas.addOutlineEntry(title, key, level=level)
            pen = Pen(canvas)
            pen.heading(title)
            pen.text(prose(4, start=number))
            if number == 0:
                canvas.setFont("Times-Roman", 10.5)
                canvas.drawString(MARGIN, 500, "See the tide tables online.")
                canvas.linkURL("https://example.org/tides", (MARGIN, 497, MARGIN + 120, 511), relative=0)
                canvas.drawString(MARGIN, 470, "Go to departure.")
                canvas.linkAbsolute("", "c", (MARGIN, 467, MARGIN + 80, 481))
            canvas.showPage()

    return drawn(draw)


TAGGED_ALT = "A yellow house by the sea"


def tagged() -> bytes:
    """A structure tree: heading, paragraph, list, table with a spanning header, figure with an alternative text."""
    content: list[str] = []
    elements: list[str] = []  # of the structure tree, from object 8 on
    first = 8

    def element(kind: str, parent: int, *, text: tuple[float, float, str] | None = None, extra: str = "") -> int:
        number = first + len(elements)
        kids = ""
        if text is not None:
            x, y, words = text
            mcid = sum("BDC" in part for part in content)
            content.append(f"/{kind} <</MCID {mcid}>> BDC BT /F1 11 Tf {x} {y} Td ({words}) Tj ET EMC")
            kids = f"/K {mcid}/Pg 3 0 R"
        elements.append(f"<</Type/StructElem/S/{kind}/P {parent} 0 R{kids}{extra}>>")
        return number

    def adopt(parent: int, *children: int) -> None:
        kids = "/K[" + " ".join(f"{child} 0 R" for child in children) + "]"
        elements[parent - first] = elements[parent - first][:-2] + kids + ">>"

    root = 7
    document = element("Document", root)
    heading = element("H1", document, text=(72, 760, "Tagged heading in body type"))
    paragraph = element("P", document, text=(72, 730, "A paragraph of the tagged page."))
    listing = element("L", document)
    items = []
    for i, word in enumerate(("First", "Second")):
        item = element("LI", listing)
        label = element("Lbl", item, text=(72, 700 - 20 * i, f"{i + 1}."))
        adopt(item, label, element("LBody", item, text=(92, 700 - 20 * i, f"{word} item")))
        items.append(item)
    adopt(listing, *items)
    table = element("Table", document)
    rows = []
    for r, texts in enumerate((("Both columns",), ("left", "right"))):
        row = element("TR", table)
        span = "/A<</O/Table/ColSpan 2>>"
        kind = "TH" if r == 0 else "TD"
        cells = [
            element(kind, row, text=(72 + 100 * c, 640 - 20 * r, text), extra=span if r == 0 else "")
            for c, text in enumerate(texts)
        ]
        adopt(row, *cells)
        rows.append(row)
    adopt(table, *rows)
    figure = element("Figure", document, extra=f"/Alt({TAGGED_ALT})/K {sum('BDC' in p for p in content)}/Pg 3 0 R")
    content.append(f"/Figure <</MCID {sum('BDC' in p for p in content)}>> BDC 1 .9 .2 rg 72 480 120 90 re f EMC")
    content.append("/Artifact BMC BT /F1 8 Tf 290 30 Td (7) Tj ET EMC")
    adopt(document, heading, paragraph, listing, table, figure)
    owners = [first + i for i, e in enumerate(elements) if "/Pg 3 0 R" in e]
    parents = " ".join(f"{number} 0 R" for number in owners)
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 7 0 R/Lang(en)>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/StructParents 0"
            "/Resources<</Font<</F1 5 0 R>>>>>>",
            stream("\n".join(content)),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
            f"<</Nums[0[{parents}]]>>",
            f"<</Type/StructTreeRoot/K {document} 0 R/ParentTree 6 0 R/ParentTreeNextKey 1>>",
            *elements,
        ]
    )


@cache
def scan(dpi: int = 100) -> Image.Image:
    """A grey picture of a printed A4 page."""
    picture = Image.new("L", (round(WIDTH / 72 * dpi), round(HEIGHT / 72 * dpi)), 245)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(dpi * 11 / 72)
    for i, line in enumerate(textwrap.wrap(prose(16), 70)):
        pen.text((dpi, dpi + i * dpi * 0.2), line, font=font, fill=40)
    return picture


def scan_like(pages: int = 2) -> bytes:
    """Pages that are one picture each, without any text."""

    def draw(canvas: Canvas) -> None:
        for _ in range(pages):
            canvas.drawImage(ImageReader(scan()), 0, 0, WIDTH, HEIGHT)
            canvas.showPage()

    return drawn(draw)


def strips(count: int = 60, *, footer: str = "", across: int = 1) -> bytes:
    """A scan that is stored as strips from top to bottom, as fax servers and some scanners write it.

    `across`: in so many pieces each. The `footer` is text of the file below it.
    """
    whole = scan()
    pieces = [
        (column, row, whole.crop(box))
        for row in range(count)
        for column in range(across)
        if (
            box := (
                column * whole.width // across,
                row * whole.height // count,
                (column + 1) * whole.width // across,
                (row + 1) * whole.height // count,
            )
        )
    ]

    def draw(canvas: Canvas) -> None:
        for column, row, piece in pieces:
            wide, high = WIDTH / across, (HEIGHT - 40) / count
            canvas.drawImage(ImageReader(piece), column * wide, HEIGHT - (row + 1) * high, wide, high)
        canvas.setFont("Helvetica", 9)
        canvas.drawString(MARGIN, 15, footer)

    return drawn(draw)


def invisible_text_layer(*, white: bool = False, stamp: str = "") -> bytes:
    """A scan with the recognised text drawn invisibly (render mode 3) over it, and a visible stamp."""

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(scan()), 0, 0, WIDTH, HEIGHT)
        canvas.setFont("Helvetica", 9)
        canvas.drawString(MARGIN, 15, stamp)
        text = canvas.beginText(MARGIN, HEIGHT - 82)
        text.setFont("Helvetica", 10)
        text.setTextRenderMode(3)
        if white:
            text.setFillGray(1)
        text.setLeading(14.4)
        for line in textwrap.wrap(prose(16), 70):
            text.textLine(line)
        canvas.drawText(text)

    return drawn(draw)


def garbage_mapping(*, shift: int | None = None) -> bytes:
    """A page that looks right and reads as nonsense.

    Its font maps every letter to the private use area or, with `shift`, to the letter so many places further on.
    """
    letters = [ord(c) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,"]
    mapping = {code: chr(0xF000 + code) for code in letters}
    if shift is not None:
        mapping = {code: chr(33 + (code - 33 + shift) % 94) for code in letters}
    lines = textwrap.wrap(prose(12), 80)
    shown = " ".join(f"{string(line.encode())} Tj 0 -14 Td" for line in lines)
    return page_with_font(f"BT /F1 10 Tf 72 760 Td {shown} ET", mapping)


HEBREW = "שלום עולם זה מסמך קצר"
ARABIC = "مرحبا بكم في الميناء"


def right_to_left(text: str = HEBREW) -> bytes:
    """Lines in a right-to-left script, drawn glyph by glyph from left to right and set flush right.

    The shapes are Latin letters; what counts is the text that the font says they stand for.
    """
    letters = sorted(set(text) - {" "})
    code_of = {letter: 65 + i for i, letter in enumerate(letters)} | {" ": 32}
    shown = bytes(code_of[letter] for letter in reversed(text))
    left = 520 - stringWidth(shown.decode("latin-1"), "Helvetica", 14)
    content = " ".join(f"BT /F1 14 Tf {left:.2f} {760 - 20 * i} Td {string(shown)} Tj ET" for i in range(3))
    return page_with_font(content, {code: letter for letter, code in code_of.items()})


def drawn_as_seen(*glyphs: str) -> bytes:
    """One line of glyphs from left to right, as they are seen; a glyph of several letters is a ligature."""
    code_of = {glyph: 65 + i for i, glyph in enumerate(sorted({*glyphs} - {" "}))} | {" ": 32}
    shown = bytes(code_of[glyph] for glyph in glyphs)
    return page_with_font(
        f"BT /F1 14 Tf 72 760 Td {string(shown)} Tj ET", {code: glyph for glyph, code in code_of.items()}
    )


def lam_alef(*, backwards: bool = False) -> bytes:
    """A line of Arabic whose lam and alef are one glyph; many files write the letters of such a glyph backwards."""
    glyph = "ال" if backwards else "لا"
    return drawn_as_seen(*"يمي", glyph, *"سإ", " ", *"مس", glyph, "ا")


TAMIL = (("ம", "னி", "த"), ("உ", "ரி", "மை", "க", "ள்"))
CHAKMA = (("𑄌𑄋𑄴", "𑄟𑄳𑄦"), ("𑄃𑄧", "𑄇𑄴"))
KHMER = (("ស្ដី", "ពី"), ("សិ", "ទ្ធិ"))


def printed_by_a_browser(words: Sequence[Sequence[str]] = TAMIL) -> bytes:
    """A line as Chromium prints it: each glyph is a text object, and where several make a syllable, they are a span
    that says what it is. The glyphs are those of Courier; every syllable but a letter has two."""
    syllables = [syllable for word in words for syllable in (*word, " ")][:-1]
    letters = sorted({syllable for syllable in syllables if len(syllable) == 1} - {" "})
    code_of = {letter: 65 + i for i, letter in enumerate(letters)} | {" ": 32}
    x, shown = 72.0, []
    for syllable in syllables:
        codes = [code_of[syllable]] if syllable in code_of else [33, 34]
        glyphs = " ".join(
            f"1 0 0 1 {x + 8.4 * n:.2f} 760 Tm {string(bytes([code]))} Tj" for n, code in enumerate(codes)
        )
        shown.append(glyphs if len(codes) == 1 else f"/Span<</ActualText<{_said(syllable)}>>>BDC {glyphs} EMC")
        x += 8.4 * len(codes)
    mapping = {code: letter for letter, code in code_of.items()} | {33: "\u25cc", 34: "\u25cc"}
    return page_with_font(f"BT /F1 14 Tf {' '.join(shown)} ET", mapping, base="Courier")


def letters_each_said(text: str = "حقوق العالمي كان") -> bytes:
    """A line from right to left as Chromium prints it: narrow glyphs from left to right, each a span that says which
    letter it is."""
    code_of = dict(zip(sorted({*text} - {" "}), b"iljtfI!/.,:;", strict=False)) | {" ": 32}
    x, shown = 72.0, []
    for letter in reversed(text):
        code = code_of[letter]
        glyph = f"1 0 0 1 {x:.2f} 760 Tm {string(bytes([code]))} Tj"
        shown.append(glyph if code == 32 else f"/Span<</ActualText<{_said(letter)}>>>BDC {glyph} EMC")
        x += stringWidth(chr(code), "Helvetica", 14)
    mapping = {code: letter for letter, code in code_of.items()}
    return page_with_font(f"/ReversedChars BMC BT /F1 14 Tf {' '.join(shown)} ET EMC", mapping)


def _said(text: str) -> str:
    """A text as the hexadecimal string of an `ActualText`."""
    return "FEFF" + text.encode("utf-16-be").hex()


def signs_drawn_apart(words: Sequence[Sequence[str]] = KHMER, *, spans: bool = False) -> bytes:
    """A line as Typst writes it: the sign of a syllable is drawn a little higher after the word, over its letter, and
    stands for the whole syllable again, by its font or, with `spans`, by a span."""
    code_of = {syllable: 65 + i for i, syllable in enumerate(sorted({s for word in words for s in word}))}
    x, shown = 72.0, []
    for word in words:
        for n, syllable in enumerate(word):
            shown.append(f"BT /F1 14 Tf {x + 8.4 * n:.2f} 760 Td {string(bytes([code_of[syllable]]))} Tj ET")
        for n, syllable in enumerate(word):
            sign = f"BT /F1 14 Tf {x + 8.4 * n + 1:.2f} 760.4 Td {string(bytes([code_of[syllable]]))} Tj ET"
            shown.append(f"/Span<</ActualText<{_said(syllable)}>>>BDC {sign} EMC" if spans else sign)
        x += 8.4 * len(word) + 8.4
    return page_with_font(" ".join(shown), {code: text for text, code in code_of.items()}, base="Courier")


def ligatures_and_soft_hyphens() -> bytes:
    """`office` and `flow` set with ligatures, `harbour` broken at a line end by a soft hyphen.

    The first ligature is mapped to U+FB01, the second to the two letters `fl`.
    """
    lines = (b"The of\x80ce opens at nine.", b"Ships \x81ow into the har\xad", b"bour all day long.")
    shown = " ".join(f"{string(line)} Tj 0 -14 Td" for line in lines)
    mapping = {code: chr(code) for line in lines for code in sorted(set(line)) if code < 0x80}
    mapping |= {0x80: "\ufb01", 0x81: "fl", 0xAD: "\u00ad"}
    encoding = "/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[128/fi/fl 173/hyphen]>>"
    return page_with_font(f"BT /F1 12 Tf 72 760 Td {shown} ET", mapping, base="Times-Roman", encoding=encoding)


def drop_cap() -> bytes:
    """A first letter three lines high, beside which the first lines of the paragraph are indented."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 44)
        canvas.drawString(MARGIN, HEIGHT - 112, "T")
        pen = Pen(canvas)
        lines = simpleSplit(prose(8)[1:], "Times-Roman", 10.5, pen.width - 32)
        pen.lines(lines[:3], indent=32)
        pen.lines(simpleSplit(" ".join(lines[3:]), "Times-Roman", 10.5, pen.width))

    return drawn(draw)


def superscripts() -> bytes:
    """One line with x squared, the formula of water and an ordinal, set by raised and lowered small type."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(MARGIN, HEIGHT - 100)
        parts = (("x", 0), ("2", 4), (" grows, H", 0), ("2", -2), ("O flows on the 4", 0), ("th", 4), (" day.", 0))
        for part, rise in parts:
            text.setFont("Times-Roman", 7.5 if rise else 12)
            text.setRise(rise)
            text.textOut(part)
        canvas.drawText(text)

    return drawn(draw)


CODE = ("def tide(hour):", "    if hour % 12 < 6:", '        return "rising"', '    return "falling"')


def code_listing() -> bytes:
    """Four lines in a fixed-width font, indented by spaces, between two paragraphs."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(3))
        pen.lines(CODE, font="Courier", size=9)
        pen.y -= 12
        pen.text(prose(3, start=3))

    return drawn(draw)


def formula() -> bytes:
    """A displayed formula, centred and numbered at the right, between two paragraphs."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(3))
        pen.y -= 20
        text = canvas.beginText(WIDTH / 2 - 40, pen.y)
        for part, font, rise in (
            ("E", "Times-Italic", 0),
            (" = ", "Times-Roman", 0),
            ("mc", "Times-Italic", 0),
            ("2", "Times-Roman", 4),
            (" + ", "Times-Roman", 0),
            ("\u03b1\u03b2", "Symbol", 0),
        ):
            text.setFont(font, 7.5 if rise else 11)
            text.setRise(rise)
            text.textOut(part)
        canvas.drawText(text)
        canvas.setFont("Times-Roman", 11)
        canvas.drawRightString(WIDTH - MARGIN, pen.y, "(1)")
        pen.y -= 20
        pen.text(prose(3, start=3))

    return drawn(draw)


CAPTION = "Figure 1: Vessels by month."


def figure_with_caption() -> bytes:
    """A chart of filled bars with labels inside it, and its caption below."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(4))
        bottom = pen.y - 170
        canvas.line(MARGIN + 60, bottom, MARGIN + 360, bottom)
        for i, height in enumerate((60, 90, 140, 110, 75)):
            canvas.setFillColorRGB(0.2, 0.4, 0.7)
            canvas.rect(MARGIN + 80 + 55 * i, bottom, 35, height, stroke=0, fill=1)
            canvas.setFillColorRGB(0, 0, 0)
            canvas.setFont("Helvetica", 7)
            canvas.drawCentredString(MARGIN + 97 + 55 * i, bottom - 9, ("May", "June", "July", "Aug", "Sept")[i])
        pen.y = bottom - 16
        pen.text(CAPTION, font="Times-Italic", size=9, indent=130)
        pen.text(prose(4, start=4))

    return drawn(draw)


def overpainted(said: str, shown: str) -> bytes:
    """A page whose text layer says one thing, and over it the picture of another: what a reader of the page sees."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(4))
        canvas.setFont("Helvetica", 12)
        canvas.drawString(MARGIN, pen.y - 40, said)
        picture = Image.new("L", (900, 90), 255)
        ImageDraw.Draw(picture).text((6, 12), shown, font=ImageFont.load_default(54), fill=0)
        canvas.drawImage(ImageReader(picture), MARGIN - 2, pen.y - 46, 200, 20)

    return drawn(draw)


def huge_page(side: float = 14_400) -> bytes:
    """A page of 200 inches by 200: 900 million pixels at 150 dpi."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 200)
        canvas.drawString(500, side - 700, "A wall of paper")

    return drawn(draw, size=(side, side))


def zero_pages() -> bytes:
    """A well-formed file that has no page."""
    return assemble(["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"])


def truncated() -> bytes:
    """The first half of a three-page file: no cross-reference table, no last page."""
    data = simple(3)
    return data[: len(data) // 2]


class Piece(NamedTuple):
    """A text on a page: where its baseline begins, from the top left, and how it is set."""

    x: float
    y: float
    text: str
    size: float = 10.5
    font: str = "Times-Roman"
    color: int = 0x000000
    degrees: float = 0


def placed(*pages: Sequence[Piece], size: tuple[float, float] = A4, rules: Sequence[Sequence[float]] = ()) -> bytes:
    """Pages with texts where they are wanted, written in the order given; `rules` (x0, y0, x1, y1) on every page."""

    def draw(canvas: Canvas) -> None:
        for pieces in pages:
            for x0, y0, x1, y1 in rules:
                canvas.line(x0, size[1] - y0, x1, size[1] - y1)
            for piece in pieces:
                canvas.saveState()
                canvas.translate(piece.x, size[1] - piece.y)
                canvas.rotate(piece.degrees)
                canvas.setFillColor(colors.HexColor(piece.color))
                canvas.setFont(piece.font, piece.size)
                canvas.drawString(0, 0, piece.text)
                canvas.restoreState()
            canvas.showPage()

    return drawn(draw, size=size)


def wrapped(
    text: str, x: float, y: float, width: float, *, size: float = 10.5, font: str = "Times-Roman"
) -> list[Piece]:
    """A paragraph as lines, to be `placed`."""
    lines = simpleSplit(text, font, size, width)
    return [Piece(x, y + 1.25 * size * i, line, size, font) for i, line in enumerate(lines)]


def listed(lines: Sequence[str], x: float, y: float, *, size: float = 10.5, font: str = "Times-Roman") -> list[Piece]:
    """Lines below each other, to be `placed`."""
    return [Piece(x, y + 1.25 * size * i, line, size, font) for i, line in enumerate(lines)]


def three_columns() -> bytes:
    """`First`, `Second` and `Third` begin the three columns under a title."""
    pieces = [Piece(150, 80, "News from Three Quays", 22, "Helvetica-Bold")]
    for i, word in enumerate(("First", "Second", "Third")):
        pieces += wrapped(f"{word} column here. {prose(9, start=i)}", 60 + 165 * i, 120, 145)
    return placed(pieces)


def mixed_bands() -> bytes:
    """Two columns, a wide paragraph, three columns: seven paragraphs that begin with their number in words."""
    words = iter(("One", "Two", "Three", "Four", "Five", "Six", "Seven"))
    pieces: list[Piece] = []
    for i in range(2):
        pieces += wrapped(f"{next(words)} begins. {prose(6, start=i)}", 60 + 245 * i, 100, 225)
    pieces += wrapped(f"{next(words)} begins. {prose(6, start=2)}", 60, 260, 470)
    for i in range(3):
        pieces += wrapped(f"{next(words)} begins. {prose(6, start=3 + i)}", 60 + 165 * i, 350, 145)
    pieces += wrapped(f"{next(words)} begins. {prose(5, start=6)}", 60, 560, 470)
    return placed(pieces)


def sidebar() -> bytes:
    """A wide column of three paragraphs and, at the right, a narrow one in smaller type, written first."""
    aside = wrapped("Aside: " + prose(4, start=3), 430, 130, 110, size=8.5, font="Helvetica")
    main: list[Piece] = []
    for i in range(3):
        main += wrapped(f"Main {i + 1}. {prose(6, start=i)}", 60, 100 + 110 * i, 340)
    return placed(aside + main)


PAIRS = (
    ("Vessel", "Grey Heron"),
    ("Captain", "Ada Marlow"),
    ("Cargo", "Salt and timber"),
    ("Port", "Easthaven"),
    ("Arrival", "9 May, 04:30"),
)


def key_values() -> bytes:
    """Labels at the left and their values far to the right of them, row by row, without a rule."""
    pieces = wrapped(prose(3), 72, 90, 450)
    for i, (label, value) in enumerate(PAIRS):
        pieces += [Piece(72, 170 + 22 * i, label + ":", font="Times-Bold"), Piece(200, 170 + 22 * i, value)]
    return placed(pieces + wrapped(prose(3, start=4), 72, 310, 450))


def invoice(pieces: Sequence[Piece]) -> bytes:
    """A page of short lines: a letterhead, and what is given below it."""
    head = [Piece(72, 90, "INVOICE", 18, "Helvetica-Bold"), *listed(["Grey Heron Ltd", "North Quay 4"], 400, 90)]
    return placed([*head, *pieces])


def boxed_form() -> bytes:
    """Four boxes in two rows, each with a label in small type at its top; the second one was not filled in."""
    texts = (("Contract", "2015382"), ("Order", ""), ("Advertiser", "Grey Heron"), ("Dates", "05/25/20 - 06/01/20"))
    pieces = []
    for i, (label, value) in enumerate(texts):
        x, y = 100 + 150 * (i % 2), 200 + 30 * (i // 2)
        pieces.append(Piece(x + 3, y + 9, label, 7, "Helvetica"))
        pieces += [Piece(x + 3, y + 22, value, 10, "Helvetica-Bold")] if value else []
    across = [(100, y, 400, y) for y in (200, 230, 260)]
    down = [(x, 200, x, 260) for x in (100, 250, 400)]
    return placed([Piece(100, 150, "CONTRACT", 16, "Helvetica-Bold"), *pieces], rules=[*across, *down])


def two_line_cells(rows: Sequence[tuple[str, str]]) -> bytes:
    """A ruled table of two columns whose cells may have two lines."""
    pieces = [
        Piece(103 + 150 * column, 212 + 30 * number + 12 * at, line, 10)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row)
        for at, line in enumerate(cell.split("\n"))
    ]
    across = [(100, 200 + 30 * i, 400, 200 + 30 * i) for i in range(len(rows) + 1)]
    down = [(x, 200, x, 200 + 30 * len(rows)) for x in (100, 250, 400)]
    return placed(pieces, rules=[*across, *down])


def columns_written(order: str) -> bytes:
    """Two columns whose lines the file writes in another order than they are read.

    `across`: line by line over both columns; `backwards`: from the last line to the first; `shuffled`: in no order.
    """
    left = wrapped("Left begins. " + prose(12), 60, 100, 225)
    right = wrapped("Right begins. " + prose(12, start=5), 305, 100, 225)
    if order == "across":
        pieces = [piece for pair in zip_longest(left, right) for piece in pair if piece]
    elif order == "backwards":
        pieces = [*left, *right][::-1]
    else:
        pieces = sorted([*left, *right], key=lambda piece: sha256(repr(piece).encode()).digest())
    return placed(pieces)


def note_written_first() -> bytes:
    """A footnote that the file writes before the text of its page."""
    note = [Piece(72, 770, "1 " + FOOTNOTE, 8)]
    return placed(
        [*note, *wrapped(prose(12), 72, 90, 450), *wrapped(prose(12, start=3), 72, 210, 450)],
        rules=[(72, 758, 190, 758)],
    )


FORMULA_PARTS = ("ψ =", "α+β", "γ", "+", "ι=1", "ν", "Σ", "ξ")


def stacked_formula() -> bytes:
    """A fraction and a sum with its limits between paragraphs, written as it is read: `FORMULA_PARTS`."""
    places = ((220, 0), (250, -8), (258, 8), (280, 0), (300, 12), (303, -14), (300, 0), (316, 0))
    sizes = (11, 11, 11, 11, 7, 7, 14, 11)
    signs = [
        Piece(x, 250 + y, text, size, "Symbol") for text, (x, y), size in zip(FORMULA_PARTS, places, sizes, strict=True)
    ]
    above, below = wrapped("Above. " + prose(8), 72, 90, 450), wrapped("Below. " + prose(8, start=2), 72, 300, 450)
    return placed([*above, *signs, *below], rules=[(248, 247, 272, 247)])


def turned_text(degrees: int = 90) -> bytes:
    """A heading and two paragraphs, all turned by so many degrees on an upright page."""

    def draw(canvas: Canvas) -> None:
        canvas.translate(*{0: (0, 0), 90: (WIDTH, 0), 180: (WIDTH, HEIGHT), 270: (0, HEIGHT)}[degrees])
        canvas.rotate(degrees)
        shown = WIDTH if degrees % 180 else HEIGHT
        pen = Pen(canvas, width=400)
        pen.y = shown - 72
        pen.heading("Turned Heading")
        pen.text("First turned. " + prose(6))
        pen.text("Second turned. " + prose(6, start=3))

    return drawn(draw)


def margin_stamp() -> bytes:
    """A column of text and, turned by 90 degrees in the left margin, the stamp of an archive."""
    stamp = [Piece(34, 560, "archive:1234.5678v2 9 May 2024", 18, degrees=90)]
    return placed([*stamp, *wrapped("Body begins. " + prose(14), 72, 100, 450), *wrapped(prose(14), 72, 300, 450)])


BROKEN_LINES = (
    "The captain was remem-",
    "bered by all who saw the left-",
    "and right-hand quays, in the years 1998-",
    "2004, by the Anglo-",
    "Saxon crew of seventy-",
    "five men who sailed a well-known ship, well-",
    "known in every port along the coast.",
)


def broken_words() -> bytes:
    """Lines that end with hyphens: a broken word, a suspended hyphen, years, a name, a number, a compound."""
    return placed(listed(BROKEN_LINES, 72, 100))


def paragraph_over_columns() -> bytes:
    """A paragraph broken within the word `harbour` from the left column to the right, with a heading before it."""
    sentence = "The pilots of the old town came down to the"
    left = [Piece(60, 90, "Pilots", 15, "Helvetica-Bold"), *wrapped(f"{prose(26)} {sentence}", 60, 115, 225)]
    left = left[: len(left) - 1] if len(left[-1].text) < 15 else left
    last = left[-1]
    left.append(Piece(60, last.y + 13.125, "stone pier and looked out over the har-"))
    right = wrapped("bour until the last lamp was lit. " + prose(20, start=2), 305, 115, 225)
    return placed([*left, *right])


def paragraph_over_pages(*, between: str = "") -> bytes:
    """A paragraph that breaks off on the first page and goes on at the second; `between` may be figure or header.

    `figure` puts a picture and its caption at the top of page 2; `header` running lines on both.
    """
    first = wrapped(f"{prose(8)} At the end of the day nobody in the whole town could tell which of the", 72, 90, 450)
    second_top = 100.0
    second: list[Piece] = []
    if between == "figure":
        second.append(Piece(200, 250, "Figure 2: The yellow house.", 9, "Times-Italic"))
        second_top = 290
    second += wrapped("ships had been the first to leave. " + prose(4, start=2), 72, second_top, 450)
    pages = [first, second]
    if between == "header":
        pages = [
            [Piece(72, 40, "Harbour Notes", 8, "Helvetica"), *page, Piece(290, 810, str(n), 8)]
            for n, page in enumerate(pages, start=4)
        ]

    def draw(canvas: Canvas) -> None:
        for number, page in enumerate(pages):
            for piece in page:
                canvas.setFont(piece.font, piece.size)
                canvas.drawString(piece.x, HEIGHT - piece.y, piece.text)
            if number and between == "figure":
                canvas.drawImage(ImageReader(scan()), 180, HEIGHT - 235, 200, 150)
            canvas.showPage()

    return drawn(draw)


def word_over_figure() -> bytes:
    """A word broken at the foot of page 1 that goes on below the picture at the top of page 2."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.lines([*simpleSplit(prose(6), "Times-Roman", 10.5, 450), "and all the while they watched the light-"])
        canvas.showPage()
        canvas.drawImage(ImageReader(scan()), 180, HEIGHT - 235, 200, 150)
        pen = Pen(canvas, top=260)
        pen.lines(["house turn above the bay, as it had done", *simpleSplit(prose(4), "Times-Roman", 10.5, 450)])

    return drawn(draw)


def odd_and_even_headers(pages: int = 6) -> bytes:
    """The book's name on even pages, the chapter's on odd ones, page numbers at the outer edges."""
    made = []
    for number in range(1, pages + 1):
        odd = number % 2
        name = "The Tides of Easthaven" if odd else "A Short History"
        head = Piece(400 if odd else 72, 45, name, 9, "Times-Italic")
        page_number = Piece(515 if odd else 72, 800, str(number + 11), 9)
        made.append(
            [head, *wrapped(prose(14, start=number), 72, 90, 450), *wrapped(prose(14), 72, 250, 450), page_number]
        )
    return placed(*made)


def chapters(pages: int = 4, *, size: float = 15.0) -> bytes:
    """Every page begins a chapter: `Chapter 1`, `Chapter 2`, … at the same place, in larger type than the text."""
    return placed(
        *(
            [
                Piece(72, 90, f"Chapter {n}", size, "Helvetica-Bold"),
                *wrapped(prose(12, start=n), 72, 120, 450),
                *wrapped(prose(12, start=n + 3), 72, 250, 450),
                Piece(290, 800, str(n), 9),
            ]
            for n in range(1, pages + 1)
        )
    )


def emphasis() -> bytes:
    """One sentence with bold, italic, fixed-width and bold italic words in it."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(MARGIN, HEIGHT - 100)
        for part, font in (
            ("The ", "Times-Roman"),
            ("grey heron", "Times-Bold"),
            (" sails ", "Times-Roman"),
            ("at dawn", "Times-Italic"),
            (", says ", "Times-Roman"),
            ("log.txt", "Courier"),
            (", and ", "Times-Roman"),
            ("never late", "Times-BoldItalic"),
            (".", "Times-Roman"),
        ):
            text.setFont(font, 12)
            text.textOut(part)
        canvas.drawText(text)
        Pen(canvas, top=140).text(prose(5))

    return drawn(draw)


def link_after_broken_word() -> bytes:
    """A word broken at a line end, then a bold word and a link to the web on the line that follows."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(72, HEIGHT - 100, "All the pilots of the old town remem-")
        canvas.drawString(72, HEIGHT - 115, "bered the")
        canvas.setFont("Times-Bold", 12)
        canvas.drawString(125, HEIGHT - 115, "storm")
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(160, HEIGHT - 115, "and its tide tables well.")
        start = 160 + stringWidth("and its ", "Times-Roman", 12)
        end = start + stringWidth("tide tables", "Times-Roman", 12)
        canvas.linkURL("https://example.org/tides", (start, HEIGHT - 118, end, HEIGHT - 105), relative=0)

    return drawn(draw)


def nested_numbers() -> bytes:
    """A numbered list with lettered items inside it, the items two lines long."""
    pieces: list[Piece] = [*wrapped("Before sailing, these things are done in this order:", 72, 90, 400)]
    y = 115.0
    for number, letters in (("1.", "ab"), ("2.", "a")):
        item = wrapped(prose(2), 92, y, 330)
        pieces += [Piece(72, y, number), *item]
        y += 13.125 * len(item) + 4
        for letter in letters:
            item = wrapped(prose(2, start=3), 122, y, 300)
            pieces += [Piece(100, y, f"({letter})"), *item]
            y += 13.125 * len(item) + 4
    return placed(pieces)


def colored_text() -> bytes:
    """Red text on paper, white text on paper (not to be seen), white text on a dark bar."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(5))
        canvas.setFont("Helvetica", 11)
        canvas.setFillColorRGB(0.85, 0, 0)
        canvas.drawString(MARGIN, 600, "Danger in red.")
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(MARGIN, 560, "Hidden keywords.")
        canvas.setFillColorRGB(0.1, 0.1, 0.3)
        canvas.rect(MARGIN, 500, 300, 30, stroke=0, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(MARGIN + 10, 510, "White on dark.")

    return drawn(draw)


def outside_the_page() -> bytes:
    """All text but one line stands below and beside the page."""
    return placed([*wrapped(prose(10), 700, 100, 400), *wrapped(prose(6), 72, 1000, 400), Piece(72, 90, "Inside.")])


def blank(pages: int = 1) -> bytes:
    return drawn(lambda canvas: [canvas.showPage() for _ in range(pages)] and None)


def nonsense_layer() -> bytes:
    """A scan with an invisible layer of signs that has nothing to do with its words."""

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(scan()), 0, 0, WIDTH, HEIGHT)
        text = canvas.beginText(MARGIN, HEIGHT - 82)
        text.setFont("Helvetica", 10)
        text.setTextRenderMode(3)
        for i in range(20):
            text.textLine(" ".join("1;:,.-'|/"[(i + j) % 9] for j in range(30)))
        canvas.drawText(text)

    return drawn(draw)


def picture(caption: str = "Figure 7. The customs house, painted yellow.") -> bytes:
    """A photograph with its caption below, between two paragraphs."""

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(prose(4))
        canvas.drawImage(ImageReader(scan()), 180, pen.y - 160, 200, 150)
        pen.y -= 170
        pen.text(caption, font="Times-Italic", size=9, indent=110)
        pen.text(prose(4, start=4))

    return drawn(draw)


def many_rulings(count: int = 20_000) -> bytes:
    def draw(canvas: Canvas) -> None:
        Pen(canvas).text(prose(5))
        path = canvas.beginPath()
        for i in range(count):
            x, y = 20 + i % 140 * 4, 20 + i // 140 * 4
            path.moveTo(x, y)
            path.lineTo(x + 4 * (i % 2), y + 4 * (1 - i % 2))
        canvas.drawPath(path)

    return drawn(draw)


def many_runs(count: int = 30_000, *, rows: int = 200, white: bool = False) -> bytes:
    """So many texts of one letter, each drawn for itself, in so many rows."""
    across = count // rows
    shown = ["1 1 1 rg" if white else "0 g", "BT /F1 2 Tf"]
    for i in range(count):
        x, y = 20 + i % across * 550 / across, 820 - i // across * 780 / rows
        shown.append(f"1 0 0 1 {x:.2f} {y:.2f} Tm ({chr(97 + i % 26)}) Tj")
    return one_page("\n".join([*shown, "ET"]))


def many_images(count: int = 5_000) -> bytes:
    """So many tiny pictures in a grid with gaps, over some text."""
    shown = ["BT /F1 11 Tf 72 800 Td (Stars and stars.) Tj ET"]
    for i in range(count):
        shown.append(
            f"q 5 0 0 5 {20 + i % 70 * 7.5:.1f} {20 + i // 70 * 10} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"
        )
    return one_page("\n".join(shown))


def zero_sizes() -> bytes:
    """Text at size zero and mirrored, rectangles and rules without extent, beside a sentence that can be read."""
    return one_page(
        "BT /F1 0 Tf 72 700 Td (nothing) Tj ET BT /F1 11 Tf 0 0 0 0 72 650 Tm (flat) Tj ET\n"
        "BT /F1 11 Tf -1 0 0 1 300 600 Tm (mirrored) Tj ET 72 500 0 0 re f 72 480 m 72 480 l S 0 0 m S\n"
        "q 0 0 0 0 72 400 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q\n"
        "BT /F1 11 Tf 72 760 Td (A sentence that can be read.) Tj ET BT /F1 11 Tf 1e9 0 0 1e9 0 0 Tm (huge) Tj ET"
    )


def one_page(content: str) -> bytes:
    """An A4 page with this content; the font F1 is Helvetica, F2 Helvetica-Bold."""
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>",
            stream(content),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
        ]
    )


@dataclass
class Tag:
    """An element of a structure tree: with a text of its own at (x, y from the top), or with children."""

    kind: str
    children: Sequence[Tag] = ()
    piece: Piece | None = None
    extra: str = ""
    paint: str = ""


def tagged_tree(*tags: Tag, written: Callable[[list[str]], list[str]] = list, artifacts: str = "") -> bytes:
    """A tagged page. The marked pieces stand in the file as `written` orders them, by default in tree order."""
    elements: list[str] = []
    content: list[str] = []
    owners: list[int] = []
    first = 9

    def add(tag: Tag, parent: int) -> int:
        number = first + len(elements)
        elements.append("")
        kids: list[str] = []
        if tag.piece or tag.paint:
            mcid = len(content)
            p = tag.piece
            font = "F2" if p and "Bold" in p.font else "F1"
            paint = tag.paint
            if p:
                words = p.text.replace("(", "\\(").replace(")", "\\)")
                paint = f"BT /{font} {p.size} Tf {p.x} {842 - p.y} Td ({words}) Tj ET"
            content.append(f"/{tag.kind} <</MCID {mcid}>> BDC {paint} EMC")
            owners.append(number)
            kids.append(str(mcid))
        kids += [f"{add(child, number)} 0 R" for child in tag.children]
        page = "/Pg 3 0 R" if tag.piece or tag.paint else ""
        elements[number - first] = (
            f"<</Type/StructElem/S/{tag.kind}/P {parent} 0 R/K[{' '.join(kids)}]{page}{tag.extra}>>"
        )
        return number

    root = add(Tag("Document", tags), 8)
    parents = " ".join(f"{number} 0 R" for number in owners)
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 8 0 R/Lang(en)>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/StructParents 0"
            "/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>",
            stream("\n".join([*written(content), artifacts])),
            "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Times-Bold/Encoding/WinAnsiEncoding>>",
            f"<</Nums[0[{parents}]]>>",
            f"<</Type/StructTreeRoot/K {root} 0 R/ParentTree 7 0 R/ParentTreeNextKey 1>>",
            *elements,
        ]
    )


def tagged_lines(kind: str, pieces: Sequence[Piece]) -> Tag:
    """One element whose text is several lines."""
    return Tag(kind, [Tag("Span", piece=piece) for piece in pieces])


def right_to_left_columns(*, left_first: bool = False) -> bytes:
    """Two columns of Hebrew set flush right: the one at the right begins with `אחד`, that at the left with `שני`.

    With `left_first` the file writes the left column first, though it is read last.
    """
    words = HEBREW.split()
    letters = sorted(set("".join(words) + "אחדשני"))
    code_of = {letter: 65 + i for i, letter in enumerate(letters)} | {" ": 32}
    content: list[str] = []
    columns = ((530, "אחד"), (270, "שני"))
    for right, first in columns[::-1] if left_first else columns:
        for i in range(14):
            line = " ".join([first if i == 0 else words[i % 5], *(words[(i + j) % 5] for j in range(1, 6))])
            shown = bytes(code_of[letter] for letter in reversed(line))
            left = right - stringWidth(shown.decode("latin-1"), "Helvetica", 10)
            content.append(f"BT /F1 10 Tf {left:.2f} {760 - 13 * i} Td {string(shown)} Tj ET")
    return page_with_font(" ".join(content), {code: letter for letter, code in code_of.items()})
