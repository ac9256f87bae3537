"""Pages with tables: ruled, partly ruled and unruled, with heads over several columns, of numbers and of texts."""

from __future__ import annotations

from tests.quality.making.phrases import COMPANIES, ENGLISH, NAMES, PLACES, TITLES, amount, day, prose
from tests.quality.making.sheet import Sheet


def _rows(sheet: Sheet, number: int) -> list[list[str]]:
    """Rows of places: counts, a share and a date or a name."""
    chance = sheet.chance
    names = chance.random() < 0.5
    head = ["Port", "Ships", "Tonnes", "Share", "Pilot" if names else "Surveyed"]
    rows = [
        [
            place,
            str(chance.randint(3, 99)),
            amount(chance),
            f"{chance.randint(10, 990) / 10:.1f} %",
            chance.choice(NAMES) if names else day(chance),
        ]
        for place in chance.sample(PLACES, number)
    ]
    return [head, *rows]


def _between(sheet: Sheet, look: str) -> None:
    chance = sheet.chance
    sheet.heading(chance.choice(TITLES), 2)
    sheet.paragraph(prose(chance, 2, 3))
    sheet.table(_rows(sheet, chance.randint(4, 7)), look=look)
    sheet.paragraph(prose(chance, 2, 3))
    if chance.random() < 0.5:
        sheet.caption(f"Table {chance.randint(1, 9)}: {chance.choice(TITLES)}")
        sheet.table(_rows(sheet, 4)[:], look=look)
        sheet.paragraph(prose(chance, 2, 3))


def ruled(sheet: Sheet) -> None:
    _between(sheet, sheet.chance.choice(("ruled", "ruled numbers")))


def partly_ruled(sheet: Sheet) -> None:
    _between(sheet, sheet.chance.choice(("booktabs", "shaded", "booktabs numbers", "striped", "shaded numbers")))


def unruled(sheet: Sheet) -> None:
    _between(sheet, sheet.chance.choice(("plain", "plain numbers", "light", "light numbers")))


def spanning(sheet: Sheet) -> None:
    """A head of two rows: years over quarters."""
    chance = sheet.chance
    sheet.paragraph(prose(chance, 2, 3))
    sheet.table(
        [
            ["Port", "2023", "<", "2024", "<"],
            ["", "Ships", "Tonnes", "Ships", "Tonnes"],
            *([place, *(amount(chance, 9000) for _ in range(4))] for place in chance.sample(PLACES, 6)),
            ["Total", *(amount(chance, 90000) for _ in range(4))],
        ],
        look=("ruled", "booktabs", "ruled numbers", "booktabs numbers")[sheet.number % 4],
        heads=2,
        style="text-align: center" if chance.random() < 0.5 else "",
    )
    sheet.paragraph(prose(chance, 3, 4))


def of_texts(sheet: Sheet) -> None:
    """Cells of several lines."""
    chance = sheet.chance
    sheet.heading(chance.choice(TITLES), 2)
    sheet.table(
        [
            ["Item", "Description", "Remarks"],
            *(
                [f"{n}. {chance.choice(TITLES)}", prose(chance, 1, 2), chance.choice(ENGLISH)]
                for n in range(1, sheet.many(6) + 1)
            ),
        ],
        look=("ruled", "shaded", "booktabs")[sheet.number % 3],
    )
    sheet.paragraph(prose(chance, 2, 3))


def statement(sheet: Sheet) -> None:
    """A balance sheet: groups, amounts of two years, totals with rules."""
    chance = sheet.chance
    sheet.title(chance.choice(COMPANIES), "text-align: center; font-size: 14pt; margin: 0")
    sheet.heading("Consolidated balance sheets", 2, "text-align: center; font-size: 11pt; margin: 0 0 8mm")
    year = chance.randint(2019, 2026)
    groups = {
        "Current assets": ("Cash and cash equivalents", "Trade receivables", "Inventories"),
        "Non-current assets": ("Vessels and equipment", "Goodwill", "Deferred tax"),
        "Liabilities": ("Trade payables", "Borrowings", "Provisions"),
    }
    rows = [["", str(year), str(year - 1)]]
    for name, labels in groups.items():
        rows.append([f"{name}:", "", ""])
        rows += [
            [label, amount(chance), f"({amount(chance)})" if chance.random() < 0.2 else amount(chance)]
            for label in labels
        ]
        rows.append([f"Total {name.lower()}", amount(chance), amount(chance)])
    look = ("plain numbers", "light numbers", "booktabs numbers")[sheet.number % 3]
    sheet.table(rows, look=look, style="width: 100%; margin: 0 auto")
    sheet.paragraph("The notes are part of these statements.", "margin-top: 8mm; text-indent: 0")
    if chance.random() < 0.5:
        sheet.running(number=str(chance.randint(30, 120)))
