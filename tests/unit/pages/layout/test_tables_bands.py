"""Tables whose titles are light text on a dark band."""

from __future__ import annotations

from itertools import pairwise

from tests.unit.pages.layout.tables_sheet import Sheet

WHITE = 0xFFFFFF
TITLES = ((60, "Item"), (330, "Quantity"), (420, "Rate"), (490, "Amount"))


def banded(*, color: int = WHITE, parts: bool = False) -> Sheet:
    """Titles on a band, or on backgrounds side by side."""
    sheet = Sheet()
    edges = [50, 320, 410, 480, 550] if parts else [50, 550]
    for left, right in pairwise(edges):
        sheet.rect(left, 100, right, 120)
    for x, title in TITLES:
        sheet.text(x, 113, title, color=color)
    return sheet


def items(sheet: Sheet) -> None:
    """Two items, each with four lines of description."""
    for number, (name, count, rate, amount) in enumerate(
        (("Service A", "12", "$10.00", "$120.00"), ("Service B", "5", "$1.50", "$7.50"))
    ):
        y = 140.0 + 90 * number
        sheet.rows([60, 330, 420, 490], y, [[name, count, rate, amount]])
        for line, text in enumerate(("Description: Repair", "Notes: New part", "Parts: 1 x cap", "Tax: 0.2%")):
            sheet.text(60, y + 16 + 15 * line, text)
    sheet.text(420, 390, "Subtotal:")
    sheet.text(490, 390, "$127.50")


def test_items_with_lines_of_description_below_a_dark_band_are_rows_of_its_table():
    for parts in (False, True):
        sheet = banded(parts=parts)
        items(sheet)
        grid = sheet.table()
        assert grid[0] == ["Item", "Quantity", "Rate", "Amount"]
        assert grid[1] == ["Service A", "12", "$10.00", "$120.00"]
        assert grid[2] == ["Description: Repair", "", "", ""]
        assert grid[6] == ["Service B", "5", "$1.50", "$7.50"]
        assert len(grid) == 11
        (table,) = sheet.tables()
        assert {cell.row for cell in table.cells if cell.header} == {0}


def test_texts_below_two_titles_on_a_band_are_cells_of_one_row():
    sheet = Sheet()
    sheet.rect(50, 100, 550, 122)
    sheet.text(60, 115, "Activity", color=WHITE)
    sheet.text(310, 115, "Regulation", color=WHITE)
    sheet.text(60, 138, "Accommodation for persons who need")
    sheet.text(60, 150, "personal care")
    sheet.text(310, 138, "The provider did not make sure that many")
    sheet.text(310, 150, "people were available to meet all needs")
    assert sheet.table() == [
        ["Activity", "Regulation"],
        [
            "Accommodation for persons who need personal care",
            "The provider did not make sure that many people were available to meet all needs",
        ],
    ]


def test_prose_below_a_bar_of_links_is_no_table():
    sheet = banded()
    sheet.prose(60, 140, 8, letters=90)
    assert sheet.tables() == []


def test_figures_on_the_bars_of_a_chart_are_no_titles():
    sheet = Sheet()
    sheet.rect(50, 100, 550, 120)
    for x, share in ((60, "29%"), (300, "60%"), (500, "11%")):
        sheet.text(x, 113, share, color=WHITE)
        sheet.text(x, 135, "yes")
    assert sheet.tables() == []


def test_two_columns_of_prose_below_a_running_head_are_no_table():
    sheet = Sheet()
    sheet.rect(40, 40, 560, 60)
    sheet.text(50, 53, "HIGHLIGHTS", color=WHITE)
    sheet.text(310, 53, "APPENDIX", color=WHITE)
    sheet.prose(50, 80, 14, letters=46)
    sheet.prose(310, 80, 14, letters=46)
    assert sheet.tables() == []
