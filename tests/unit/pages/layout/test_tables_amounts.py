"""Financial statements: labels, and amounts that end below each other."""

from __future__ import annotations

from tests.unit.pages.layout.tables_sheet import LETTER, Sheet

ENDS = (400.0, 500.0)
ROWS = [
    ("Assets", ()),
    ("Cash and cash equivalents", ("2,853", "3,053")),
    ("Accounts receivable", ("5,020", "4,911")),
    ("Accumulated depreciation", ("(16,135)", "(16,048)")),
    ("Total current assets", ("13,709", "14,277")),
    ("Goodwill", ("10,051", "10,513")),
]


def flush_right(sheet: Sheet, x: float, y: float, text: str) -> None:
    digits = text.rstrip(")")
    sheet.text(x - LETTER * 10 * len(digits), y, text)


def statement(*, bands: bool = False, gap: float = 0.0) -> Sheet:
    """A balance sheet with titles above it and a currency sign far before the first amounts."""
    sheet = Sheet()
    sheet.text(60, 100, "(in millions)")
    for end, year in zip(ENDS, ("2022", "2021"), strict=True):
        flush_right(sheet, end, 100, year)
    y = 116.0
    for number, (label, amounts) in enumerate(ROWS):
        if bands and number % 2:
            sheet.rect(60, y - 10, 510, y + 4)
        sheet.text(60 + 10 * (number % 2), y, label)
        for end, amount in zip(ENDS, amounts, strict=False):
            if number == 1:
                sheet.text(end - 70, y, "$")
            flush_right(sheet, end, y, amount)
        y += 14 + (gap if number == 3 else 0.0)
    return sheet


EXPECTED = [
    ["(in millions)", "2022", "2021"],
    ["Assets", "", ""],
    ["Cash and cash equivalents", "$ 2,853", "$ 3,053"],
    ["Accounts receivable", "5,020", "4,911"],
    ["Accumulated depreciation", "(16,135)", "(16,048)"],
    ["Total current assets", "13,709", "14,277"],
    ["Goodwill", "10,051", "10,513"],
]


def test_amounts_stand_in_the_row_of_their_label_with_their_sign_and_under_their_year():
    sheet = statement()
    assert sheet.table() == EXPECTED
    (table,) = sheet.tables()
    assert {cell.row for cell in table.cells if cell.header} == {0}


def test_shaded_bands_do_not_make_a_header_of_the_rows_above_them():
    assert statement(bands=True).table() == EXPECTED


def test_one_statement_is_one_table_over_a_gap():
    assert statement(gap=16).table() == EXPECTED


def test_rules_above_totals_do_not_split_a_statement():
    sheet = statement()
    for y in (162, 176):
        sheet.rule(60, y, 510, y)
    for x in (350, 450):
        sheet.rule(x, 162, x, 176)
    assert sheet.table() == EXPECTED


def test_a_label_of_two_lines_is_one_cell():
    sheet = statement()
    sheet.text(60, 200, "Net cash provided by continuing")
    sheet.text(60, 212, "operations")
    for end, amount in zip(ENDS, ("8,100", "7,900"), strict=True):
        flush_right(sheet, end, 212, amount)
    assert sheet.table()[-1] == ["Net cash provided by continuing operations", "8,100", "7,900"]


def test_amounts_without_titles_have_no_header():
    sheet = Sheet()
    for number, (label, amounts) in enumerate(ROWS[1:]):
        sheet.text(60, 100 + 14 * number, label)
        for end, amount in zip(ENDS, amounts, strict=True):
            flush_right(sheet, end, 100 + 14 * number, amount)
    (table,) = sheet.tables()
    assert not any(cell.header for cell in table.cells)


def test_a_repeated_header_begins_another_statement():
    sheet = statement()
    for end, year in zip(ENDS, ("2020", "2019"), strict=True):
        flush_right(sheet, end, 204, year)
    for number, (label, amounts) in enumerate(ROWS[1:]):
        sheet.text(60, 220 + 14 * number, label)
        for end, amount in zip(ENDS, amounts, strict=True):
            flush_right(sheet, end, 220 + 14 * number, amount)
    first, second = sheet.tables()
    assert sheet.cells(first) == EXPECTED
    assert sheet.cells(second)[0] == ["", "2020", "2019"]


def test_sums_below_an_invoice_stand_beside_their_labels():
    sheet = Sheet()
    sheet.prose(60, 60, 3)
    sums = [("Subtotal", "$262.90"), ("Tax", "$16.94"), ("Total", "$279.84")]
    for number, (label, amount) in enumerate(sums):
        sheet.text(300, 120 + 14 * number, label)
        flush_right(sheet, 500, 120 + 14 * number, amount)
    assert sheet.table() == [list(row) for row in sums]


def dues(x: float, text: str) -> Sheet:
    """A table of dues in three years between two rules, with a line above it."""
    sheet = Sheet()
    sheet.text(x, 84, text)
    for y in (88, 104, 178):
        sheet.rule(60, y, 445, y)
    rows = [
        ["Dues in salt", "2030", "2029", "2028"],
        *([f"Quay {n}", f"{n}37", f"{n}31", f"{n}29"] for n in range(1, 6)),
    ]
    sheet.rows([60, 300, 360, 420], 100, rows)
    return sheet


def test_a_period_above_the_years_is_over_all_of_them():
    sheet = dues(315, "Years ended December 31,")
    assert sheet.table()[:2] == [["", "Years ended December 31,", "", ""], ["Dues in salt", "2030", "2029", "2028"]]
    assert sheet.spans() == {"Years ended December 31,": (1, 3)}
    assert {cell.row for cell in sheet.tables()[0].cells if cell.header} == {0, 1}


def test_units_above_the_labels_are_in_the_header():
    sheet = dues(60, "(in millions, except per share data)")
    assert sheet.table()[0] == ["(in millions, except per share data) Dues in salt", "2030", "2029", "2028"]


def test_other_text_above_a_table_stays_there():
    for text in ("Dues of all quays of the old harbour", "See the notes for December", "Quay 7"):
        assert dues(60, text).table()[0] == ["Dues in salt", "2030", "2029", "2028"]


def test_one_row_of_amounts_below_years_is_a_table():
    sheet = Sheet()
    sheet.rule(60, 106, 510, 106)
    sheet.text(60, 100, "(Percent of income)")
    sheet.text(60, 118, "Effective tax rate")
    for end, year, rate in zip(ENDS, ("2022", "2021"), ("23.4%", "35.5%"), strict=True):
        flush_right(sheet, end, 100, year)
        flush_right(sheet, end, 118, rate)
    sheet.prose(60, 150, 4)
    assert sheet.table() == [["(Percent of income)", "2022", "2021"], ["Effective tax rate", "23.4%", "35.5%"]]


def test_years_of_a_sentence_above_other_figures_make_no_table():
    sheet = Sheet()
    sheet.text(60, 100, "Compared with the years")
    flush_right(sheet, 400, 100, "2021")
    flush_right(sheet, 500, 100, "2022")
    sheet.text(60, 118, "the rate of tax was")
    flush_right(sheet, 330, 118, "23.4%")
    sheet.prose(60, 130, 4)
    assert sheet.tables() == []


def test_a_raised_mark_of_a_note_is_in_the_row_of_its_label():
    sheet = statement()
    end = sheet.text(60, 200, "Securities")
    sheet.text(end, 196.4, "(2)", size=6)
    for x in ENDS:
        flush_right(sheet, x, 200, "0.3")
    assert sheet.table() == [*EXPECTED, ["Securities (2)", "0.3", "0.3"]]


def test_percents_whose_signs_hang_over_are_below_the_digits_of_the_amounts():
    sheet = statement()
    sheet.text(60, 200, "As a percentage of assets")
    for x in ENDS:
        sheet.text(x - 5, 200, "2%")
    assert sheet.table() == [*EXPECTED, ["As a percentage of assets", "2%", "2%"]]


def test_a_row_of_amounts_below_titles_of_two_levels_is_a_table():
    sheet = Sheet()
    sheet.text(385, 100, "Year ended December 31,")
    sheet.rule(340, 104, 510, 104)
    sheet.text(370, 116, "Streaming")
    sheet.text(480, 116, "DVD")
    sheet.text(60, 132, "Amortization")
    for x, amount in zip(ENDS, ("2,756", "60"), strict=True):
        flush_right(sheet, x, 132, amount)
    assert sheet.table() == [
        ["", "Year ended December 31,", ""],
        ["", "Streaming", "DVD"],
        ["Amortization", "2,756", "60"],
    ]


def test_a_statement_ends_above_the_titles_of_the_next():
    sheet = statement()
    sheet.text(60, 215, "The following shows the parts of the assets:")
    for x, title in ((300, "Domestic"), (380, "Foreign"), (460, "Other")):
        sheet.text(x, 232, title)
    assert EXPECTED in [sheet.cells(table) for table in sheet.tables()]


def test_boxes_of_currency_signs_are_no_columns():
    sheet = statement()
    xs = [55.0, 320, 345, 410, 425, 445, 510]
    sheet.grid(xs, [90.0, 106, 120, 134, 148, 162, 176, 190])
    assert sheet.table() == EXPECTED


def test_words_that_begin_like_months_are_no_dates():
    sheet = Sheet()
    sheet.text(60, 100, "Brands")
    sheet.text(340, 100, "Market share")
    sheet.text(440, 100, "Decreased by")
    sheet.prose(60, 160, 4)
    for x, share in zip(ENDS, ("14.9%", "16.5%"), strict=True):
        flush_right(sheet, x, 120, share)
    sheet.text(60, 120, "Coffee")
    assert sheet.tables() == []


def test_ranges_of_percents_are_a_column_of_a_statement():
    sheet = statement()
    sheet.text(290, 100, "Target")
    for y, share in ((130.0, "0-10%"), (144.0, "20-40%"), (172.0, "5-20%")):
        flush_right(sheet, 320, y, share)
    assert [row[1] for row in sheet.table()] == ["Target", "", "0-10%", "20-40%", "", "5-20%", ""]
