"""Pages of running text: articles, reports, letters, contracts, manuals, slides and others."""

from __future__ import annotations

from html import escape

from tests.quality.making.phrases import (
    COMPANIES,
    ENGLISH,
    LANGUAGES,
    MONTHS,
    NAMES,
    PLACES,
    STREETS,
    TITLES,
    TOWNS,
    amount,
    day,
    prose,
)
from tests.quality.making.sheet import Sheet
from tests.quality.truth import Part

ROMAN = ("I", "II", "III", "IV", "V", "VI")


def article(sheet: Sheet) -> None:
    """A title, authors, an abstract and sections, in one column."""
    chance = sheet.chance
    centred = chance.choice(("text-align: center; text-indent: 0", "text-indent: 0"))
    titles = chance.sample(TITLES, 5)
    sheet.title(titles[0], centred)
    sheet.address([", ".join(chance.sample(NAMES, 3))], centred)
    sheet.heading("Abstract", 2)
    sheet.paragraph(prose(chance, 3, 4))
    for title in titles[1:4]:
        sheet.heading(title, 2)
        for _ in range(sheet.many(2)):
            sheet.paragraph(prose(chance, 3, 5))
    if chance.random() < 0.6:
        sheet.figure(f"Figure {sheet.number}. {chance.choice(ENGLISH)}")
        sheet.paragraph(prose(chance, 2, 3))
    if chance.random() < 0.7:
        sheet.running(number=str(chance.randint(2, 400)))


def columns(sheet: Sheet, number: int) -> None:
    """A title over the width, and sections in columns."""
    chance = sheet.chance
    titles = chance.sample(TITLES, 5)
    sheet.title(titles[0], "text-align: center")
    if number == 2:
        sheet.paragraph(prose(chance, 3, 4), "margin-bottom: 1.5em")
    sheet.put(f'<div style="columns: {number}; column-gap: 7mm">')
    for title in titles[1:]:
        sheet.heading(title, 2)
        for _ in range(sheet.many(3 if number == 2 else 4)):
            sheet.paragraph(prose(chance, 3, 5))
    sheet.put("</div>")
    if chance.random() < 0.5:
        sheet.running(number=str(chance.randint(2, 400)))


def two_columns(sheet: Sheet) -> None:
    columns(sheet, 2)


def newspaper(sheet: Sheet) -> None:
    """Three stories of several columns below each other, under the name of the paper."""
    chance = sheet.chance
    sheet.look.size = 9
    sheet.title("The Harbour Gazette", "text-align: center; font-size: 34pt; margin: 0 0 4mm")
    for wide in chance.sample((2, 3, 4), 2):
        sheet.heading(chance.choice(ENGLISH).rstrip("."), 2, "font-size: 17pt; line-height: 1.15; margin: 5mm 0 2mm")
        sheet.put(f'<div style="columns: {wide}; column-gap: 5mm">')
        for _ in range(sheet.many(3 + wide)):
            sheet.paragraph(prose(chance, 3, 5))
        sheet.put("</div>")


def report(sheet: Sheet) -> None:
    """Numbered headings of three levels with lists and a table, between running lines."""
    chance = sheet.chance
    number = chance.randint(1, 9)
    sheet.heading(f"{number} {chance.choice(TITLES)}", 1)
    sheet.paragraph(prose(chance, 2, 4))
    for second in range(1, sheet.many(2) + 2):
        sheet.heading(f"{number}.{second} {chance.choice(TITLES)}", 2)
        sheet.paragraph(prose(chance, 2, 4))
        if second == 1:
            sheet.items(prose(chance, 1, 1) for _ in range(4))
        for third in range(1, chance.randint(1, 3)):
            sheet.heading(f"{number}.{second}.{third} {chance.choice(TITLES)}", 3)
            sheet.paragraph(prose(chance, 2, 3))
    sheet.caption(f"Table {number}. Calls at the ports, by quarter")
    sheet.table(
        [["Port", "Q1", "Q2", "Q3", "Q4"]]
        + [[place, *(amount(chance, 5000) for _ in range(4))] for place in chance.sample(PLACES, 4)],
        look=chance.choice(("ruled", "booktabs", "shaded")) + " numbers",
    )
    sheet.running(
        header=f"{chance.choice(COMPANIES)} | Annual report {chance.randint(2018, 2026)}",
        number=f"Page {chance.randint(3, 80)}",
        place=chance.choice(("left", "center", "right")),
    )


def letter(sheet: Sheet) -> None:
    """Letterhead, address, date, subject, text and signature."""
    chance = sheet.chance
    sender, clerk = chance.choice(COMPANIES), chance.choice(NAMES)
    sheet.address([sender, chance.choice(STREETS), chance.choice(TOWNS)], "text-align: right; margin-bottom: 8mm")
    sheet.address([chance.choice(NAMES), chance.choice(STREETS), chance.choice(TOWNS)], "margin-bottom: 8mm")
    sheet.address([f"{chance.choice(PLACES)}, {day(chance)}"], "text-align: right; margin-bottom: 6mm")
    sheet.heading(f"Your request about {chance.choice(TITLES).lower()}", 2, f"font-size: {sheet.look.size}pt")
    sheet.address([f"Dear {chance.choice(NAMES)},"], "margin-bottom: 3mm")
    for _ in range(sheet.many(4)):
        sheet.paragraph(prose(chance, 2, 4))
    sheet.address(["Yours sincerely,"], "margin: 5mm 0 10mm")
    sheet.address([clerk])


def contract(sheet: Sheet) -> None:
    """Sections with numbered clauses."""
    chance = sheet.chance
    sheet.title("Charter Agreement", "text-align: center; text-transform: uppercase")
    sheet.paragraph(
        f'This agreement is made on {day(chance)} between {COMPANIES[0]} (the "Owner") and {COMPANIES[1]} '
        '(the "Charterer").'
    )
    for first, title in enumerate(
        chance.sample(("Vessel", "Term", "Payment", "Insurance", "Governing law"), 4), start=1
    ):
        sheet.heading(f"{first}. {title}", 2)
        for second in range(1, sheet.many(3) + 1):
            sheet.paragraph(f"{first}.{second} {prose(chance, 1, 3)}", "text-indent: 0")
    sheet.running(number=f"{sheet.number} / 12")


def manual(sheet: Sheet) -> None:
    """Steps, warnings and a table of faults."""
    chance = sheet.chance
    sheet.title(f"Chapter {sheet.number}: {chance.choice(TITLES)}")
    sheet.paragraph(prose(chance, 2, 3))
    sheet.heading("Before you begin", 2)
    sheet.items([prose(chance, 1, 1) for _ in range(3)])
    sheet.heading("Steps", 2)
    sheet.items([prose(chance, 1, 2) for _ in range(sheet.many(5))], tag="ol")
    sheet.paragraph(f"Warning: {prose(chance, 1, 2)}", "border: 1pt solid #000; padding: 4pt 8pt; text-indent: 0")
    sheet.heading("Faults", 2)
    rows = [[f"E{chance.randint(10, 99)}", chance.choice(TITLES), prose(chance, 1, 1)] for _ in range(sheet.many(4))]
    sheet.table([["Code", "Meaning", "What to do"], *rows], look=chance.choice(("ruled", "shaded")))
    sheet.running(
        header=f"{chance.choice(COMPANIES)} pump PX-{chance.randint(100, 999)}", number=str(sheet.number + 10)
    )


def slide(sheet: Sheet) -> None:
    """Large type in landscape: a title and points, or two columns of points."""
    chance = sheet.chance
    sheet.look.paper, sheet.look.size = "A4 landscape", chance.choice((18, 20, 22))
    sheet.title(chance.choice(TITLES), "font-size: 32pt; margin: 0 0 10mm")
    if sheet.number % 2:
        sheet.items([chance.choice(ENGLISH) for _ in range(sheet.many(4))])
    else:
        sheet.put('<div style="columns: 2; column-gap: 15mm">')
        for title in chance.sample(TITLES, 2):
            sheet.put('<div style="break-inside: avoid">')
            sheet.heading(title, 2, "font-size: 24pt")
            sheet.items([chance.choice(TITLES) for _ in range(sheet.many(4))])
            sheet.put("</div>")
        sheet.put("</div>")
    sheet.running(footer=chance.choice(COMPANIES), number=str(sheet.number), place="right")


def resume(sheet: Sheet) -> None:
    """The life of a person: dates at the left, texts beside them."""
    chance = sheet.chance
    sheet.title(chance.choice(NAMES), "margin-top: 0")
    sheet.address([f"{chance.choice(STREETS)}, {chance.choice(TOWNS)}", "+44 20 7946 0000, post@example.org"])
    for title in ("Experience", "Education"):
        sheet.heading(title, 2)
        for _ in range(sheet.many(3)):
            year = chance.randint(1995, 2020)
            sheet.heading(f"{chance.choice(TITLES)}, {chance.choice(COMPANIES)}", 3)
            sheet.address(
                [f"{chance.choice(MONTHS)} {year} to {chance.choice(MONTHS)} {year + 3}"], "font-style: italic"
            )
            sheet.items([prose(chance, 1, 1) for _ in range(2)])
    sheet.heading("Languages", 2)
    sheet.paragraph("English, Norwegian and a little German", "text-indent: 0")


def contents(sheet: Sheet) -> None:
    """A table of contents with dotted lines or tabs."""
    chance = sheet.chance
    sheet.title("Contents")
    page, dots = chance.randint(1, 5), sheet.number % 2
    for first in range(1, sheet.many(7) + 1):
        for second in range(0, 4):
            page += chance.randint(1, 4)
            text = f"{first}.{second} {chance.choice(TITLES)}" if second else f"{first} {chance.choice(TITLES)}"
            line = "border-bottom: 1pt dotted #000;" if dots else ""
            filled = f'<span style="flex: 1; margin: 0 3pt 3pt; {line}"></span>'
            sheet.put(
                f'<div style="display: flex; margin-left: {6 if second else 0}mm"><span>{escape(text)}</span>'
                f"{filled}<span>{page}</span></div>"
            )
            sheet.parts.append(Part("paragraph", f"{text} {page}"))
    sheet.running(number=ROMAN[sheet.number % 6].lower())


def bibliography(sheet: Sheet) -> None:
    """References with numbers in brackets, or hanging."""
    chance = sheet.chance
    sheet.heading("References", 2)
    for number in range(1, sheet.many(16) + 1):
        text = (
            f"{chance.choice(NAMES)} and {chance.choice(NAMES)}. {chance.choice(TITLES)}. "
            f"Journal of {chance.choice(PLACES)} Studies, {chance.randint(1, 40)}({chance.randint(1, 6)}):"
            f"{chance.randint(1, 90)}–{chance.randint(100, 400)}, {chance.randint(1970, 2024)}."
        )
        marked = f"[{number}] {text}" if sheet.number % 2 else text
        sheet.put(f'<p style="padding-left: 8mm; text-indent: -8mm; margin: 0 0 4pt">{escape(marked)}</p>')
        sheet.parts.append(Part("list_item" if sheet.number % 2 else "paragraph", text))


def lists(sheet: Sheet) -> None:
    """Lists of one to three levels between paragraphs, with several signs."""
    chance = sheet.chance
    sheet.heading(chance.choice(TITLES), 2)
    sheet.paragraph(prose(chance, 2, 3))
    sheet.items(
        [prose(chance, 1, 2) for _ in range(4)], style=f"list-style: {chance.choice(('disc', 'square', 'circle'))}"
    )
    sheet.paragraph(prose(chance, 2, 2))
    first, second, third = (prose(chance, 1, 1) for _ in range(3))
    sheet.items([first, [prose(chance, 1, 1), [chance.choice(TITLES), chance.choice(TITLES)]], second, third])
    sheet.paragraph(prose(chance, 2, 2))
    kind = chance.choice(("decimal", "lower-alpha", "upper-roman", "decimal-leading-zero"))
    sheet.items([prose(chance, 1, 2) for _ in range(sheet.many(5))], tag="ol", style=f"list-style: {kind}")
    sheet.paragraph(prose(chance, 1, 2))


HEADING_STYLES = (
    "font-weight: bold",
    "font-weight: normal; font-variant: small-caps",
    "font-weight: normal; text-transform: uppercase; letter-spacing: 0.1em",
    "font-weight: normal; font-style: italic",
    "font-weight: bold; color: #a31",
    "font-weight: bold; border-bottom: 0.6pt solid #000",
    "font-weight: bold; text-align: center",
)


def headings(sheet: Sheet) -> None:
    """Headings of three levels in one of many styles, with and without numbers."""
    chance = sheet.chance
    style, kind = HEADING_STYLES[sheet.number % len(HEADING_STYLES)], sheet.number % 4
    numbers = {0: ("", ""), 1: ("{}. ", "{}.{} "), 2: ("{} ", "({}) "), 3: ("Section {}: ", "")}[kind]
    upper = "uppercase" in style
    for first in range(1, sheet.many(4) + 1):
        mark = ROMAN[first] if kind == 2 else str(first)
        title = numbers[0].format(mark) + chance.choice(TITLES)
        sheet.heading(title.upper() if upper else title, 2, style)
        sheet.paragraph(prose(chance, 2, 4))
        for second in range(1, 3):
            title = numbers[1].format(first, second) + chance.choice(TITLES)
            sheet.heading(title.upper() if upper else title, 3, style)
            sheet.paragraph(prose(chance, 2, 3))


def notes(sheet: Sheet) -> None:
    """Footnotes, captions of figures and tables."""
    chance = sheet.chance
    sheet.heading(chance.choice(TITLES), 2)
    sheet.paragraph(prose(chance, 2, 3))
    text = prose(chance, 2, 3)
    sheet.paragraph(f"{text}1", shown=f"{escape(text)}<sup>1</sup>")
    sheet.figure(f"Figure {chance.randint(1, 9)}: {chance.choice(ENGLISH)}")
    text = prose(chance, 2, 3)
    sheet.paragraph(f"{text}2", shown=f"{escape(text)}<sup>2</sup>")
    sheet.caption(f"Table {chance.randint(1, 9)}. {chance.choice(TITLES)} by place")
    sheet.table(
        [["Place", "Calls", "Share"]]
        + [[place, amount(chance, 900), f"{chance.randint(1, 99)} %"] for place in chance.sample(PLACES, 3)],
        look="booktabs",
    )
    for _ in range(sheet.many(3)):
        sheet.paragraph(prose(chance, 2, 3))
    sheet.notes([prose(chance, 1, 1), prose(chance, 1, 2)])
    sheet.running(number=str(chance.randint(2, 99)))


LISTING = (
    *("def tide(level: float, hours: int) -> float:", '    """The level after some hours."""'),
    *("    for hour in range(hours):", "        if hour % 6 == 0:", "            level = -level", "    return level"),
    *("", "class Gauge:", "    def __init__(self, place: str) -> None:", "        self.place = place"),
    *("        self.levels: list[float] = []", "", "    def add(self, level: float) -> None:"),
    "        self.levels.append(level)",
)


def code(sheet: Sheet) -> None:
    """Listings between paragraphs."""
    chance = sheet.chance
    sheet.heading(chance.choice(TITLES), 2)
    for _ in range(sheet.many(3)):
        sheet.paragraph(prose(chance, 2, 3))
        begin = chance.choice((0, 7))
        sheet.code(LISTING[begin : begin + chance.randint(5, 6)])
    sheet.paragraph(prose(chance, 1, 2))


FORMULAS = (
    (
        "<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup><mo>+</mo><mi>k</mi>",
        "E=mc^{2}+k",
    ),
    (
        "<mi>x</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>c</mi></mrow></mfrac>",
        r"x=\frac{a+b}{2c}",
    ),
    (
        "<mi>S</mi><mo>=</mo><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
        "<msub><mi>w</mi><mi>i</mi></msub><msub><mi>x</mi><mi>i</mi></msub>",
        r"S=\sum_{i=1}^{n}w_{i}x_{i}",
    ),
    (
        "<msub><mi>v</mi><mn>0</mn></msub><mo>=</mo><msqrt><mrow><mn>2</mn><mi>g</mi><mi>h</mi></mrow></msqrt>",
        r"v_{0}=\sqrt{2gh}",
    ),
)


def formulas(sheet: Sheet) -> None:
    """Formulas that stand apart between paragraphs."""
    chance = sheet.chance
    sheet.heading(chance.choice(TITLES), 2)
    for mathml, latex in chance.sample(FORMULAS, 3):
        for _ in range(sheet.many(2)):
            sheet.paragraph(prose(chance, 2, 3))
        sheet.formula(mathml, latex)
    sheet.paragraph(prose(chance, 2, 3))


def margins(sheet: Sheet) -> None:
    """Running lines of every kind around plain text."""
    chance = sheet.chance
    kind = sheet.number % 7
    sheet.heading(chance.choice(TITLES), 2, "margin-top: 0")
    for _ in range(sheet.many(6)):
        sheet.paragraph(prose(chance, 3, 5))
    title = chance.choice(TITLES)
    if kind == 0:
        sheet.running(header=title, number=str(chance.randint(1, 300)))
    elif kind == 1:
        sheet.running(header=title.upper(), footer=f"© 2024 {chance.choice(COMPANIES)}", number="17", place="right")
    elif kind == 2:
        sheet.running(footer="Confidential: for the crew alone", number="Page 3 of 12", place="right")
    elif kind == 3:
        sheet.running(number=f"– {chance.randint(2, 90)} –")
    elif kind == 4:
        sheet.running(header=f"{title} {chance.randint(100, 200)}", place="left")
    elif kind == 5:
        sheet.running(header=f"Version 1.{sheet.number}, {day(chance)}", footer="Printed in Easthaven", place="right")
    else:
        sheet.running(number=ROMAN[chance.randint(1, 5)].lower())


def in_language(sheet: Sheet, language: str) -> None:
    """Headings, paragraphs, a list and a table in another language."""
    chance = sheet.chance
    titles, sentences = LANGUAGES[language]
    right = language in ("ar", "he")
    fonts = {"ar": "Scheherazade", "he": "DejaVu Sans", "hi": "Lohit Devanagari"}
    sheet.look.font = sheet.look.head = fonts.get(language, sheet.look.font)
    sheet.put(f'<div lang="{language}" dir="{"rtl" if right else "ltr"}">')
    sheet.title(titles[0])
    for _ in range(sheet.many(2)):
        sheet.paragraph(prose(chance, 3, 4, sentences), "text-align: start")
    sheet.heading(titles[1], 2)
    sheet.items(sentences[:3])
    sheet.paragraph(prose(chance, 3, 4, sentences), "text-align: start")
    sheet.heading(titles[2], 2)
    sheet.paragraph(prose(chance, 3, 4, sentences), "text-align: start")
    sheet.put("</div>")
    sheet.running(number=str(chance.randint(2, 99)))
