"""Content that looks like a table but is not one."""

from __future__ import annotations

from tests.unit.pages.layout.tables_sheet import Sheet


def test_prose_is_no_table():
    sheet = Sheet()
    sheet.prose(60, 60, 50)
    assert not sheet.tables()


def test_two_columns_of_prose_are_no_table():
    sheet = Sheet()
    sheet.prose(40, 60, 50, letters=46)
    sheet.prose(320, 60, 50, letters=46)
    assert not sheet.tables()


def test_lists_with_bullets_or_numbers_are_no_table():
    for mark in ("•", "{}.", "({})", "[{}]"):
        sheet = Sheet()
        for i in range(8):
            sheet.text(60, 100 + 14 * i, mark.format(i + 1))
            sheet.text(90, 100 + 14 * i, "an item of the list with some words")
        assert not sheet.tables(), mark


def test_contents_with_leaders_are_no_table():
    sheet = Sheet()
    for i in range(10):
        end = sheet.text(60, 100 + 14 * i, f"{i + 1} Chapter about things")
        sheet.text(end + 5, 100 + 14 * i, "." * 50)
        sheet.text(480, 100 + 14 * i, str(7 * i + 3))
    assert not sheet.tables()


def test_contents_with_single_dots_are_no_table():
    sheet = Sheet()
    for i in range(10):
        sheet.text(60, 100 + 14 * i, f"{i + 1} Chapter about things " + ". " * 30 + str(7 * i + 3))
    assert not sheet.tables()


def test_formulas_are_no_table():
    sheet = Sheet()
    for i in range(4):
        sheet.rows([120, 160, 180, 260, 500], 100 + 16 * i, [["x", "=", "a + b", "- c", f"({i})"]])
    assert not sheet.tables()


def test_references_are_no_table():
    sheet = Sheet()
    for i in range(10):
        sheet.text(60, 100 + 24 * i, f"[{i + 1}]")
        sheet.text(85, 100 + 24 * i, "A. Author and B. Other. A paper on things and others, 2019.")
        sheet.text(85, 112 + 24 * i, "Journal of things 12, pages 4 to 9.")
    assert not sheet.tables()


def test_the_scale_of_a_chart_is_no_table():
    sheet = Sheet()
    sheet.rule(100, 300, 500, 300)
    sheet.rule(100, 100, 100, 300)
    sheet.rows([100, 200, 300, 400, 500], 312, [["0", "10", "20", "30", "40"]])
    sheet.text(290, 326, "Years")
    for i in range(5):
        sheet.text(80, 300 - 40 * i, str(i))
    sheet.drawings += [110, 110, 490, 290]
    assert not sheet.tables()


def test_code_is_no_table():
    sheet = Sheet()
    lines = [
        "SELECT function_id,",
        "user_name,",
        "usage",
        "FROM function_usage",
        "WHERE function_id = 1",
        "ORDER BY user_name",
    ]
    for i, line in enumerate(lines):
        sheet.text(80, 100 + 12 * i, line)
    assert not sheet.tables()


def test_an_index_in_two_columns_is_no_table():
    sheet = Sheet()
    for i in range(30):
        sheet.text(60, 100 + 14 * i, f"Entry, {i + 3}")
        sheet.text(320, 100 + 14 * i, f"Other entry, {2 * i + 5}")
    assert not sheet.tables()


def test_a_header_and_a_footer_with_rules_are_no_table():
    sheet = Sheet()
    sheet.text(60, 40, "Annual report")
    sheet.text(480, 40, "2019")
    sheet.rule(60, 46, 520, 46)
    sheet.prose(60, 80, 50)
    sheet.rule(60, 740, 520, 740)
    sheet.text(60, 752, "Company")
    sheet.text(480, 752, "12")
    assert not sheet.tables()


def test_a_page_without_text_has_none():
    assert not Sheet().tables()


def test_lines_to_sign_on_are_no_table():
    sheet = Sheet()
    for i, (label, value) in enumerate(
        [("By:", "Doug Barre"), ("Name:", "Doug Barre"), ("Title:", "COO"), ("Date:", "Sept 1")]
    ):
        sheet.text(300, 100 + 28 * i, label)
        sheet.text(360, 100 + 28 * i, value)
        sheet.rule(350, 103 + 28 * i, 460, 103 + 28 * i)
    assert not sheet.tables()


def test_items_of_a_report_with_their_page_numbers_are_contents_and_no_table():
    sheet = Sheet()
    items = [
        ["Item 1.", "Controls and procedures", "40"],
        ["Item 1A.", "Risk factors", "42"],
        ["Item 2.", "Exhibits", "42"],
    ]
    sheet.rows([60, 120, 400], 110, items)
    assert sheet.tables() == []
