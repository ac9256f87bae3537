"""Make the sample document that the demo and the tests read: `python scripts/make_sample.py [FILE]`.

Four pages of an invented ferry company's quarterly report, with one of everything that Quire should get right.
The same bytes every time: fixed dates, standard fonts, and no compression, whose output differs between machines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from reportlab.lib.colors import Color, HexColor, white
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

SAMPLE = Path(__file__).parent.parent / "examples" / "sample.pdf"

WIDTH, HEIGHT = A4
MARGIN = 62.0
MEASURE = WIDTH - 2 * MARGIN
GUTTER = 22.0
COLUMN = (MEASURE - GUTTER) / 2
FOOT = 74.0

INK, NAVY, TEAL, SAND = HexColor("#1d2329"), HexColor("#14365c"), HexColor("#2a8c8c"), HexColor("#d9a441")
TINT, HAIR, GREY = HexColor("#e9f0f4"), HexColor("#aebdc8"), HexColor("#5c6b77")

COMPANY = "Northlight Ferries"
TITLE = "Quarterly Report"
SOFT_HYPHEN = "\u00ad"
FOOTNOTE = "Passengers are counted at the gate. Children under four and crew on duty are left out."


def _style(name: str, **settings: object) -> ParagraphStyle:
    plain = {"fontName": "Times-Roman", "fontSize": 10, "leading": 13.2, "textColor": INK}
    return ParagraphStyle(name, **(plain | settings))


def _heading(name: str, size: float, before: float, color: Color = NAVY) -> ParagraphStyle:
    font = {"fontName": "Helvetica-Bold", "fontSize": size, "leading": size * 1.2, "textColor": color}
    return _style(name, **font, spaceBefore=before, spaceAfter=size * 0.4, keepWithNext=1)


BODY = _style("body", alignment=TA_JUSTIFY, spaceAfter=6.5, embeddedHyphenation=1, allowWidows=0, allowOrphans=0)
LEAD = _style("lead", fontName="Times-Italic", fontSize=12.5, leading=17, textColor=GREY)
ITEM = _style("item", spaceAfter=2.5)
CAPTION = _style(
    "caption", fontName="Helvetica", fontSize=8.2, leading=11, textColor=GREY, spaceBefore=5, spaceAfter=14
)
TABLE_CAPTION = _style("table-caption", fontName="Helvetica", fontSize=8.2, leading=11, textColor=GREY, spaceBefore=10)
TABLE_CAPTION.spaceAfter = 5
HEADINGS = (_heading("h1", 15, 14), _heading("h2", 11.5, 9, TEAL), _heading("h3", 10, 6, INK))


class Heading(Paragraph):
    """A heading that is also a bookmark."""

    def __init__(self, text: str, level: int) -> None:
        super().__init__(text, HEADINGS[level - 1])
        self.title, self.level = text, level

    def draw(self) -> None:
        key = self.title.replace(" ", "-")
        self.canv.bookmarkHorizontal(key, 0, self.height)
        self.canv.addOutlineEntry(self.title, key, level=self.level - 1)
        super().draw()


class Chart(Flowable):  # type: ignore[misc]  # reportlab has no types
    """Passengers by month, this year beside the last."""

    MONTHS = ("April", "May", "June", "July", "August", "September")
    LAST, THIS = (61, 74, 92, 128, 133, 88), (66, 79, 101, 141, 139, 97)

    def wrap(self, width: float, _height: float) -> tuple[float, float]:
        self.width, self.height = width, 176.0
        return self.width, self.height

    def draw(self) -> None:
        c: Canvas = self.canv
        left, bottom, top = 30.0, 22.0, 150.0
        unit = (top - bottom) / 150
        c.setFont("Helvetica", 7.5)
        for value in range(0, 151, 50):
            y = bottom + value * unit
            c.setStrokeColor(HAIR if value else GREY)
            c.setLineWidth(0.4 if value else 0.8)
            c.line(left, y, self.width, y)
            c.setFillColor(GREY)
            c.drawRightString(left - 5, y - 2.5, str(value))
        step = (self.width - left) / len(self.MONTHS)
        for i, month in enumerate(self.MONTHS):
            middle = left + step * (i + 0.5)
            for x, value, color in ((middle - 23, self.LAST[i], HAIR), (middle + 1, self.THIS[i], TEAL)):
                c.setFillColor(color)
                c.rect(x, bottom, 22, value * unit, stroke=0, fill=1)
            c.setFillColor(INK)
            c.drawCentredString(middle, bottom - 12, month)
        for x, label, color in ((left, "2030", HAIR), (left + 52, "2031", TEAL)):
            c.setFillColor(color)
            c.rect(x, top + 14, 9, 9, stroke=0, fill=1)
            c.setFillColor(INK)
            c.drawString(x + 13, top + 15.5, label)


def _page_number(canvas: Canvas) -> None:
    canvas.setFillColor(GREY)
    canvas.setFont("Helvetica", 8)
    canvas.drawCentredString(WIDTH / 2, 36, str(canvas.getPageNumber()))


def _first_page(canvas: Canvas, _: BaseDocTemplate) -> None:
    canvas.saveState()
    canvas.setFillColor(NAVY)
    canvas.rect(0, HEIGHT - 14, WIDTH, 14, stroke=0, fill=1)
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(0.6)
    canvas.line(MARGIN, FOOT + 10, MARGIN + 110, FOOT + 10)
    note = Paragraph(f'<super size="5.5" rise="3">1</super> {FOOTNOTE}', _style("note", fontSize=8, leading=10))
    note.wrapOn(canvas, MEASURE, 30)
    note.drawOn(canvas, MARGIN, FOOT - 6)
    _page_number(canvas)
    canvas.restoreState()


def _later_page(canvas: Canvas, _: BaseDocTemplate) -> None:
    canvas.saveState()
    canvas.setFillColor(GREY)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, HEIGHT - 42, COMPANY)
    canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 42, "Third quarter 2031")
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(0.5)
    canvas.line(MARGIN, HEIGHT - 49, WIDTH - MARGIN, HEIGHT - 49)
    _page_number(canvas)
    canvas.restoreState()


def _frame(left: float, bottom: float, width: float, top: float) -> Frame:
    return Frame(left, bottom, width, top - bottom, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


def _bullets(items: Sequence[str | tuple[str, Sequence[str]]]) -> ListFlowable:
    """A bullet list; an item with a list of its own is a pair."""
    made = []
    for item in items:
        text, inner = (item, ()) if isinstance(item, str) else item
        content: list[Flowable] = [Paragraph(text, ITEM)]
        if inner:
            dashes = [ListItem(Paragraph(line, ITEM)) for line in inner]
            content.append(ListFlowable(dashes, bulletType="bullet", start="\u2013", leftIndent=12, bulletFontSize=10))
        made.append(ListItem(content))
    return ListFlowable(made, bulletType="bullet", start="\u2022", leftIndent=13, bulletColor=TEAL, bulletFontSize=10)


def _numbers(items: Sequence[str]) -> ListFlowable:
    made = [ListItem(Paragraph(item, ITEM)) for item in items]
    return ListFlowable(made, leftIndent=18, bulletFormat="%s.", bulletFontName="Times-Roman", bulletFontSize=10)


def _text(*paragraphs: str) -> list[Flowable]:
    """Justified paragraphs; `~` marks where a word may be divided."""
    return [Paragraph(paragraph.replace("~", SOFT_HYPHEN), BODY) for paragraph in paragraphs]


def _opening() -> list[Flowable]:
    kicker = _style("kicker", fontName="Helvetica-Bold", fontSize=9, leading=12, textColor=TEAL)
    title = _style("title", fontName="Helvetica-Bold", fontSize=30, leading=36, textColor=NAVY, spaceAfter=8)
    return [
        Paragraph(f"{COMPANY.upper()} \u00b7 THIRD QUARTER 2031", kicker),
        Paragraph(TITLE, title),
        Paragraph(
            "More people crossed the sound this summer than in any before. Fuel cost less, a pier cost more, and "
            "the two new boats earned their keep.",
            LEAD,
        ),
        FrameBreak(),
    ]


def _first_columns() -> list[Flowable]:
    return [
        Heading("1 The quarter at a glance", 1),
        *_text(
            'Between July and September our boats carried <b>377,000 passengers</b><super size="6" rise="3.5">1'
            "</super> on eleven routes, eight per cent more than in the year before. Revenue rose to "
            "<b>14.2 million crowns</b>, and for the first time since the harbour strike every route earned more "
            "than it cost.",
            "The growth did not come from new timetables. It came from the weather, which was kind, and from "
            "<i>punc~tu~al~i~ty</i>, which was not an accident: ninety-four of a hundred sail~ings "
            "left within three min~utes of the time printed on the board. Two years ago it was eighty-one.",
        ),
        Heading("1.1 What went well", 2),
        *_text(
            "Both hybrid boats, <i>Plover</i> and <i>Sanderling</i>, ran through the season with~out a day in "
            "dock. They cross the inner har~bour on bat~ter~ies alone, and the quay is quiet enough that the "
            "fish market has moved its tables back to the water. Com~plaints about noise fell from "
            "for~ty-one to six.",
            "Sales at the gate shrank to a fifth of all tickets. The rest were bought by tele~phone, which has "
            "short~ened the queues and made the mor~ning board~ing four min~utes faster. The two gate~keepers "
            "who were no longer needed for selling now help with prams, bi~cy~cles and wheel~chairs.",
            "The night boat to the outer islands, begun as a trial in May, is here to stay. It was meant for "
            "the musicians of the summer fes~ti~val; it is used by bakers, nurses and a sur~pris~ing number of "
            "people who like to watch the sun come up. On an average night it car~ries sixty-four of them.",
        ),
        Heading("1.2 What did not", 2),
        *_text(
            "The new pier at Stone Point opened six weeks late. Divers found that the old foun~da~tions had "
            "been under~cut by the cur~rent, and the repair cost 610,000 crowns that were not in the bud~get. "
            "We expect to re~cov~er a third of it from the insur~ers.",
            "Freight was weak. The quarry on Long Island closed in August, and with it went a tenth of our "
            "goods. The freight boat will sail on three days of the week in~stead of five until a "
            "new cus~tom~er is found.",
        ),
        Heading("1.3 People", 2),
        *_text(
            "At the end of September 212 people worked for us, four more than a year before. Eleven ap~pren~tices "
            "began in August, the largest class since the school of nav~i~ga~tion closed its doors. Cap~tain Ida "
            "Strand retired after forty-three years, of which she spent, by her own reck~on~ing, nine on the "
            "water between Stone Point and Long Island.",
            "No one was seri~ously hurt. There were seven minor in~ju~ries, most of them fingers and most of them "
            "on the old moor~ing lines, which will be re~placed by lighter ones before the win~ter.",
        ),
        Heading("1.4 Weather", 2),
        *_text(
            "Of the ninety-two days of the quarter only nine brought winds above force six. Fog closed the outer "
            "routes for two days in August and for one morn~ing in Sep~tem~ber. We count such days care~ful~ly, "
            "because they decide more about a sum~mer than any plan does: a day with~out boats costs about "
            "90,000 crowns, and the pas~sen~gers it turns away sel~dom come back in the same week.",
            "The tide gauges at Stone Point were re~newed in July. They now report every ten min~utes, and the "
            "pilots have stopped tele~phoning the light~house.",
        ),
        Heading("1.5 In short", 2),
        *_text("Readers in a hurry may stop after these lines; the fig~ures are ex~plained on the next pages."),
        _bullets(
            (
                "Passengers: up by 8 per cent",
                ("Punctual sailings: 94 of 100", ("inner harbour: 97", "outer islands: 90")),
                "Freight: down by 11 per cent",
                "Result: 3.9 million crowns",
            )
        ),
        NextPageTemplate("later"),
        PageBreak(),
    ]


def _ruled(rows: Sequence[Sequence[str]], widths: Sequence[float], extra: Sequence[tuple[object, ...]]) -> Table:
    style = [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 8.5),
        ("TEXTCOLOR", (0, 0), (-1, -1), INK),
        ("GRID", (0, 0), (-1, -1), 0.5, HAIR),
        ("TOPPADDING", (0, 0), (-1, -1), 3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        *extra,
    ]
    return Table([list(row) for row in rows], colWidths=list(widths), repeatRows=1, style=TableStyle(style))


def _operations() -> list[Flowable]:
    heads = ("FONT", (0, 0), (-1, 1), "Helvetica-Bold", 8.5), ("TEXTCOLOR", (0, 0), (-1, 1), white)
    routes = _ruled(
        (
            ("Route", "Passengers (thousands)", "", "Punctual (%)", ""),
            ("", "2030", "2031", "2030", "2031"),
            ("Inner harbour", "148", "163", "95", "97"),
            ("Stone Point", "71", "69", "88", "93"),
            ("Long Island", "64", "72", "85", "91"),
            ("Outer islands", "66", "73", "82", "90"),
            ("All routes", "349", "377", "88", "94"),
        ),
        [MEASURE - 4 * 82, 82, 82, 82, 82],
        (
            *heads,
            ("BACKGROUND", (0, 0), (-1, 1), NAVY),
            ("SPAN", (0, 0), (0, 1)),
            ("SPAN", (1, 0), (2, 0)),
            ("SPAN", (3, 0), (4, 0)),
            ("ALIGN", (1, 0), (-1, 0), "CENTER"),
            ("VALIGN", (0, 0), (0, 1), "MIDDLE"),
            ("FONT", (0, -1), (-1, -1), "Helvetica-Bold", 8.5),
            ("BACKGROUND", (0, -1), (-1, -1), TINT),
        ),
    )
    return [
        Heading("2 Operations", 1),
        Heading("2.1 Passengers", 2),
        *_text(
            "July was the busiest month in the history of the company: 141,000 people, or one every thirteen "
            "seconds of the sailing day. August fell just short of it because of two days of fog. September, "
            "usually quiet, gained most, since the schools of the mainland now begin a week later.",
        ),
        KeepTogether(
            [
                Chart(),
                Paragraph(
                    "<b>Figure 1.</b> Passengers by month, in thousands, compared with the year before.", CAPTION
                ),
            ]
        ),
        Heading("2.1.1 By route", 3),
        *_text(
            "Table 1 shows the four groups of routes. Stone Point lost passengers while its pier was closed and "
            "won most of them back in September; the outer islands grew fastest.",
        ),
        Paragraph("<b>Table 1.</b> Passengers and punctual sailings in the third quarter.", TABLE_CAPTION),
        routes,
        Spacer(0, 8),
        Heading("2.1.2 Complaints", 3),
        *_text(
            "We received 318 complaints, a fifth fewer than last year. Most concern the waiting room at Stone "
            "Point, which will have a roof again by November. All letters were answered within "
            "<b>five working days</b>; how we count is described in our "
            '<link href="https://example.org/northlight/service" color="#2a8c8c"><u>service charter</u></link>.',
        ),
        Heading("2.2 Freight", 2),
        *_text(
            "The freight boat made 61 trips and carried 8,940 tonnes, mostly building material and food. Without "
            "the quarry she sails half empty on her way back, and each tonne costs a quarter more than last "
            "year. Three companies have asked about the free days; one of them would ship drinking water to the "
            "outer islands all year round.",
            "Parcels, on the other hand, grew by a third. They travel in the passenger boats, take no space that "
            "a traveller would miss, and are handed out on the quay by the crew.",
        ),
        PageBreak(),
    ]


def _unruled(rows: Sequence[Sequence[str]]) -> Table:
    style = [
        ("FONT", (0, 0), (-1, -1), "Times-Roman", 10),
        ("FONT", (0, 0), (-1, 0), "Times-Italic", 10),
        ("FONT", (0, -1), (-1, -1), "Times-Bold", 10),
        ("TEXTCOLOR", (0, 0), (-1, -1), INK),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
    ]
    return Table([list(row) for row in rows], colWidths=[190, 80, 80, 80], style=TableStyle(style), hAlign="LEFT")


def _finance() -> list[Flowable]:
    return [
        Heading("3 Finance", 1),
        *_text(
            "Revenue grew by 1.1 million crowns, costs by 0.4 million. Fuel was the relief of the quarter: the "
            "hybrid boats burn less of it, and each litre was cheaper. Amounts in Table 2 are in thousands of "
            "crowns.",
            "The repair of the pier explains almost all of the rise in upkeep. Wages grew with the number of "
            "employees and with the agreement of March, which is valid until the end of next year. No new loans "
            "were taken; the two hybrid boats will be paid off in 2039.",
        ),
        Paragraph("<b>Table 2.</b> Result of the third quarter.", TABLE_CAPTION),
        _unruled(
            (
                ("", "2030", "2031", "Change"),
                ("Tickets", "10,870", "12,115", "1,245"),
                ("Freight", "1,480", "1,317", "\u2212163"),
                ("Leases and other", "755", "768", "13"),
                ("Wages", "\u22126,204", "\u22126,391", "\u2212187"),
                ("Fuel and power", "\u22122,318", "\u22121,986", "332"),
                ("Piers and upkeep", "\u22121,402", "\u22121,951", "\u2212549"),
                ("Result", "3,181", "3,872", "691"),
            )
        ),
        Heading("3.1 Decisions for the winter", 2),
        *_text("The board met on the fourth of October and decided, in this order:"),
        _numbers(
            (
                "to dock <i>Curlew</i> in November and replace both of her engines;",
                "to raise no fares before the summer of 2032;",
                "to offer the freight boat for charter on the days she does not sail.",
            )
        ),
        Spacer(0, 5),
        *_text(
            "A fourth proposal, to paint all boats in the same colour, was put off once more. The captains are "
            "against it, and so, to judge by their letters, are the passengers.",
        ),
        Heading("4 The fleet", 1),
        *_text(
            "Table 3 lists every boat in service on the last day of September, with the year in which she was built."
        ),
        Paragraph("<b>Table 3.</b> Boats in service.", TABLE_CAPTION),
        _fleet(),
    ]


def _fleet() -> Table:
    boats = (
        ("Avocet", "Inner harbour", "2012", "180", "diesel"),
        ("Brent", "Inner harbour", "2014", "180", "diesel"),
        ("Curlew", "Long Island", "1998", "240", "diesel"),
        ("Dunlin", "Outer islands", "2003", "150", "diesel"),
        ("Eider", "Freight", "1991", "12", "diesel"),
        ("Fulmar", "Outer islands", "2008", "220", "diesel"),
        ("Gannet", "Outer islands", "2008", "220", "diesel"),
        ("Heron", "Stone Point", "2016", "200", "diesel"),
        ("Ibis", "Stone Point", "2017", "200", "diesel"),
        ("Kittiwake", "Long Island", "2001", "240", "diesel"),
        ("Lapwing", "Inner harbour", "2019", "190", "diesel"),
        ("Merlin", "Reserve", "1987", "120", "diesel"),
        ("Osprey", "Long Island", "2021", "260", "hybrid"),
        ("Plover", "Inner harbour", "2030", "250", "hybrid"),
        ("Redshank", "Reserve", "1989", "120", "diesel"),
        ("Sanderling", "Inner harbour", "2030", "250", "hybrid"),
        ("Shearwater", "Outer islands", "2026", "230", "hybrid"),
        ("Skua", "Long Island", "2027", "260", "hybrid"),
        ("Stilt", "Stone Point", "2022", "210", "hybrid"),
        ("Tern", "Stone Point", "2022", "210", "hybrid"),
        ("Turnstone", "Stone Point", "2023", "210", "hybrid"),
        ("Whimbrel", "Outer islands", "2024", "230", "hybrid"),
        ("Yellowlegs", "Reserve", "1994", "140", "diesel"),
    )
    return _ruled(
        (("Boat", "Route", "Built", "Seats", "Drive"), *boats),
        [MEASURE - 360, 130, 70, 70, 90],
        (
            ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 8.5),
            ("BACKGROUND", (0, 0), (-1, 0), TINT),
            ("ALIGN", (1, 0), (1, -1), "LEFT"),
            ("ALIGN", (4, 0), (4, -1), "LEFT"),
        ),
    )


def _outlook() -> list[Flowable]:
    return [
        Spacer(0, 8),
        Heading("5 Outlook", 1),
        *_text(
            "We plan for a quiet winter. With one boat in dock and the freight boat at half her week, the fourth "
            "quarter will carry about 190,000 passengers and close with a small loss, as it does every year. For "
            "the whole of 2031 we expect a result of <b>6.4 to 6.8 million crowns</b>.",
            "Two things could change this. If the pier needs more work than the divers think, up to 400,000 "
            "crowns will move from next year into this one. If the mainland railway opens its new platform in "
            "November as promised, the inner harbour will gain <i>some three hundred passengers a day</i>.",
        ),
        Heading("5.1 Dates", 2),
        _bullets(
            (
                "The winter timetable begins on 26 October.",
                ("The owners meet in the Customs House:", ("doors open at five,", "the meeting begins at six.")),
                "The next report appears on 30 January 2032.",
            )
        ),
        Spacer(0, 10),
        *_text(
            "Questions are welcome: write to the harbour office or to "
            '<link href="mailto:report@example.org" color="#2a8c8c">report@example.org</link>. Northlight Ferries '
            "and all of its boats are invented.",
        ),
    ]


def sample() -> bytes:
    """The document as bytes."""
    buffer = BytesIO()
    top, columns_top = HEIGHT - 70, HEIGHT - 176
    template = BaseDocTemplate(
        buffer,
        pagesize=A4,
        title=f"{COMPANY}: {TITLE}",
        author=COMPANY,
        subject="A sample document made by Quire",
        invariant=1,
        pageCompression=0,
        pageTemplates=[
            PageTemplate(
                "first",
                [
                    _frame(MARGIN, columns_top, MEASURE, HEIGHT - 54),
                    _frame(MARGIN, FOOT + 22, COLUMN, columns_top),
                    _frame(MARGIN + COLUMN + GUTTER, FOOT + 22, COLUMN, columns_top),
                ],
                onPage=_first_page,
            ),
            PageTemplate("later", [_frame(MARGIN, FOOT, MEASURE, top)], onPage=_later_page),
        ],
    )
    parts: tuple[Callable[[], list[Flowable]], ...] = (_opening, _first_columns, _operations, _finance, _outlook)
    template.build([flowable for part in parts for flowable in part()])
    return buffer.getvalue()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    target.write_bytes(sample())
    print(f"{target}: {target.stat().st_size:,} bytes")
