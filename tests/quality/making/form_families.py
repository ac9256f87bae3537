"""Pages of labels with values: invoices, receipts, forms with and without rules."""

from __future__ import annotations

from html import escape

from tests.quality.making.phrases import COMPANIES, GOODS, NAMES, PLACES, STREETS, TITLES, TOWNS, day, money, prose
from tests.quality.making.sheet import Sheet


def _values(sheet: Sheet) -> list[tuple[str, str]]:
    chance = sheet.chance
    return [
        ("Name", chance.choice(NAMES)),
        ("Date of birth", day(chance)),
        ("Vessel", chance.choice(COMPANIES)),
        ("Port of registry", chance.choice(PLACES)),
        ("Telephone", f"+44 20 7946 {chance.randint(1000, 9999)}"),
        ("Licence number", f"PA-{chance.randint(10000, 99999)}"),
        ("Address", chance.choice(STREETS)),
        ("Town", chance.choice(TOWNS)),
    ]


def invoice(sheet: Sheet) -> None:
    chance = sheet.chance
    sheet.address([chance.choice(COMPANIES), chance.choice(STREETS), chance.choice(TOWNS)], "margin-bottom: 6mm")
    sheet.title("Invoice", "font-size: 20pt")
    for label, value in (
        ("Invoice number", f"{chance.choice('RFK')}-{chance.randint(2020, 2026)}-{chance.randint(100, 999)}"),
        ("Invoice date", day(chance)),
        ("Customer", chance.choice(NAMES)),
        ("Due date", day(chance)),
    ):
        sheet.field(label, value)
    rows = [
        [good, str(chance.randint(1, 9)), money(chance), money(chance)] for good in chance.sample(GOODS, sheet.many(5))
    ]
    look = chance.choice(("ruled", "booktabs", "shaded", "plain")) + " numbers"
    sheet.table(
        [["Description", "Quantity", "Price", "Amount"], *rows], look=look, style="width: 100%; margin-top: 8mm"
    )
    sheet.put('<div style="margin-left: 50%">')
    for label in ("Subtotal", "VAT 20 %", "Total"):
        sheet.field(label, f"GBP {money(chance)}", colon=chance.choice(("", ":")))
    sheet.put("</div>")
    sheet.paragraph("Please pay within 30 days. " + prose(chance, 1, 1), "margin-top: 10mm")


def receipt(sheet: Sheet) -> None:
    """A narrow slip in type of one width."""
    chance = sheet.chance
    look = sheet.look
    look.paper, look.margin, look.size, look.font = "80mm 160mm", 6, 8, "DejaVu Sans Mono"
    sheet.title(chance.choice(COMPANIES), "font-size: 10pt; text-align: center; margin: 0")
    sheet.address([chance.choice(STREETS), chance.choice(TOWNS)], "text-align: center")
    rows = [[good, money(chance)] for good in chance.sample(GOODS, sheet.many(5))]
    sheet.table(rows, look="plain numbers", style="width: 100%", heads=0)
    for label in ("Total", "Cash", "Change"):
        sheet.field(label, money(chance), style="justify-content: space-between")
    sheet.address([f"{day(chance)} {chance.randint(8, 20)}:15", f"Served by {chance.choice(NAMES)}"])


def unruled_form(sheet: Sheet) -> None:
    """Labels with a colon and their values beside them."""
    chance = sheet.chance
    bold = chance.random() < 0.5
    sheet.title(f"Application: {chance.choice(TITLES)}")
    sheet.paragraph(prose(chance, 1, 2))
    sheet.put(f'<div class="{"bold" if bold else ""}">')
    for label, value in _values(sheet):
        sheet.field(label, value)
    sheet.put("</div>")
    sheet.heading("Declaration", 2)
    sheet.paragraph(prose(chance, 2, 3))
    for label, value in (("Place", chance.choice(PLACES)), ("Date", day(chance))):
        sheet.field(label, value)


def boxed_form(sheet: Sheet) -> None:
    """Boxes with a label in small type at the top of each."""
    chance = sheet.chance
    sheet.title(f"Form {chance.randint(10, 99)}: {chance.choice(TITLES)}")
    across = 2 + sheet.number % 2
    sheet.put(f'<div class="boxes" style="grid-template-columns: repeat({across}, 1fr)">')
    for label, value in _values(sheet)[: 6 if across == 3 else 8]:
        sheet.put(f"<div><small>{escape(label)}</small>{escape(value)}</div>")
        sheet.truth_of_field(label, value, "")
    sheet.put("</div>")
    sheet.paragraph(prose(chance, 2, 3), "margin-top: 6mm")


def ruled_form(sheet: Sheet) -> None:
    """A grid of two columns: labels at the left, values at the right."""
    chance = sheet.chance
    sheet.title(chance.choice(TITLES))
    rows = _values(sheet)
    body = "".join(f"<tr><td>{escape(label)}:</td><td>{escape(value)}</td></tr>" for label, value in rows)
    sheet.put(f'<table class="ruled" style="width: 80%">{body}</table>')
    for label, value in rows:
        sheet.truth_of_field(label, value)
    sheet.paragraph(prose(chance, 2, 3))
