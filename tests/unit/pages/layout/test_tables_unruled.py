"""Tables whose columns only white space separates, with rules across or without any."""

from __future__ import annotations

from tests.unit.pages.layout.tables_sheet import Sheet

XS = [60.0, 200.0, 280.0, 360.0]
HEAD = ["Method", "Recall", "Precision", "Score"]
BODY = [["Alpha", "71.0", "43.9", "66.8"], ["Beta", "69.5", "42.9", "65.8"], ["Gamma", "70.1", "43.2", "66.2"]]


def booktabs() -> Sheet:
    sheet = Sheet()
    sheet.text(60, 86, "Table 2: Results of three methods")
    sheet.rows(XS, 110, [HEAD])
    sheet.rows(XS, 126, BODY)
    for y in (98, 114, 158):
        sheet.rule(60, y, 400, y)
    return sheet


def test_rules_above_and_below_bound_a_table():
    assert booktabs().table() == [HEAD, *BODY]


def test_the_caption_stays_outside():
    (table,) = booktabs().tables()
    assert table.box.top > 90


def test_the_rule_under_the_header_marks_it():
    (table,) = booktabs().tables()
    assert [cell.header for cell in table.cells if cell.column == 0] == [True, False, False, False]


def test_words_aligned_in_columns_are_a_table_without_any_rule():
    sheet = Sheet()
    sheet.prose(60, 60, 4)
    sheet.rows(XS, 140, [HEAD, *BODY])
    sheet.prose(60, 240, 4)
    assert sheet.table() == [HEAD, *BODY]


def test_a_partial_rule_makes_a_title_over_its_columns():
    sheet = Sheet()
    sheet.centred(310, 110, "Test")
    sheet.rule(195, 114, 400, 114)
    sheet.rows(XS, 126, [HEAD])
    sheet.rows(XS, 142, BODY)
    for y in (98, 130, 174):
        sheet.rule(60, y, 400, y)
    assert sheet.spans() == {"Method": (2, 1), "Test": (1, 3)}
    assert sheet.table()[0] == ["Method", "Test", "", ""]


def test_lines_of_a_header_are_one_row():
    sheet = Sheet()
    sheet.rows(XS, 110, [["", "Mean", "Mean", ""], ["Method", "recall", "precision", "Score"]], pitch=11)
    sheet.rows(XS, 138, BODY)
    for y in (98, 126, 172):
        sheet.rule(60, y, 400, y)
    assert sheet.table()[0] == ["Method", "Mean recall", "Mean precision", "Score"]


def test_a_label_that_goes_on_in_a_second_line_is_one_row():
    sheet = Sheet()
    sheet.rows(
        XS,
        110,
        [HEAD, BODY[0], ["Method with a very long", "1.0", "2.0", "3.0"], ["name of its own", "", "", ""], BODY[1]],
    )
    for y in (98, 114, 170):
        sheet.rule(60, y, 400, y)
    assert sheet.table()[2] == ["Method with a very long name of its own", "1.0", "2.0", "3.0"]


def test_a_heading_of_rows_is_a_row_of_its_own():
    sheet = Sheet()
    sheet.rows(XS, 110, [HEAD, ["Supervised", "", "", ""], *BODY, ["Unsupervised", "", "", ""], *BODY])
    for y in (98, 114, 214):
        sheet.rule(60, y, 400, y)
    rows = sheet.table()
    assert [row[0] for row in rows] == [
        "Method",
        "Supervised",
        "Alpha",
        "Beta",
        "Gamma",
        "Unsupervised",
        "Alpha",
        "Beta",
        "Gamma",
    ]


def test_a_label_between_two_lines_spans_both():
    sheet = Sheet()
    sheet.rows([60, 160, 260], 110, [["Station", "Date", "Hours"]])
    for y, label in ((126, "13"), (154, "23")):
        sheet.rows([160], y, [["2022-07-25"], ["2022-10-01"]], pitch=12)
        sheet.rows([60, 260], y + 6, [[label, "1410"]])
    for y in (98, 114, 180):
        sheet.rule(60, y, 320, y)
    assert sheet.table()[1:3] == [["13", "2022-07-25", "1410"], ["", "2022-10-01", ""]]
    assert sheet.spans() == {"13": (2, 1), "23": (2, 1), "1410": (2, 1)}


def test_columns_of_figures_a_space_apart_are_kept_apart():
    sheet = Sheet()
    xs = [60.0, 160.0, 195.0, 230.0]
    rows = [
        ["North", "12345", "1", "54321"],
        ["South", "1", "12345", "1"],
        ["East", "12", "123", "12345"],
        ["West", "123", "12", "123"],
    ]
    sheet.rows(xs, 120, [["Region", "2001", "2002", "2003"], *rows])
    for y in (108, 124, 180):
        sheet.rule(60, y, 260, y)
    assert sheet.table()[1:] == rows


def test_a_sign_of_currency_belongs_to_its_figure():
    sheet = Sheet()
    for i, (name, value) in enumerate([("Sales", "630"), ("Costs", "512"), ("Taxes", "20"), ("Profit", "98")]):
        sheet.text(60, 120 + 14 * i, name)
        sheet.text(200, 120 + 14 * i, "$")
        sheet.text(240, 120 + 14 * i, value)
        sheet.text(320, 120 + 14 * i, "5.0")
    assert sheet.table()[0] == ["Sales", "$ 630", "5.0"]


def test_leaders_in_a_table_are_left_out_of_the_text():
    sheet = Sheet()
    for i in range(5):
        sheet.text(60, 120 + 14 * i, f"0.{i}5 ..............")
        sheet.rows([200, 260, 320, 380], 120 + 14 * i, [["800", "880", "960", "1,040"]])
    assert sheet.table()[0] == ["0.05", "800", "880", "960", "1,040"]


def test_tables_in_two_columns_of_text_are_two():
    sheet = Sheet()
    for left in (40, 320):
        y = sheet.prose(left, 60, 12, letters=44)
        sheet.rows(
            [left, left + 90, left + 160],
            y + 12,
            [["Name", "One", "Two"], ["a", "1.5", "2.5"], ["b", "3.5", "4.5"], ["c", "5.5", "6.5"]],
        )
        sheet.prose(left, y + 90, 12, letters=44)
    assert [(table.rows, table.columns) for table in sheet.tables()] == [(4, 3), (4, 3)]


def test_a_running_title_above_a_rule_stays_outside():
    sheet = Sheet()
    sheet.text(60, 40, "page 4")
    sheet.text(300, 40, "2.3 Terminal Responses")
    sheet.rule(60, 46, 400, 46)
    sheet.rows(XS, 110, [HEAD, *BODY, *BODY])
    sheet.rule(60, 760, 400, 760)
    assert sheet.table()[0] == HEAD


def test_a_header_that_comes_again_begins_a_new_table():
    sheet = Sheet()
    for top in (100, 180):
        sheet.rows(XS, top, [HEAD])
        sheet.rule(60, top + 4, 400, top + 4)
        sheet.rows(XS, top + 16, BODY)
    assert [sheet.cells(table) for table in sheet.tables()] == [[HEAD, *BODY]] * 2


def standard(*, pitch: float = 12.0) -> Sheet:
    """Two requirements with a key, a text of some lines and marks, under a header without rules."""
    sheet = Sheet()
    sheet.rows([60, 100, 400, 440, 480], 100, [["#", "Description", "L1", "L2", "CWE"]])
    y = 120.0
    for key, lines in (("2.1.1", 3), ("2.1.2", 5)):
        sheet.rows([60, 400, 440, 480], y, [[key, "x", "x", "320"]])
        y = sheet.prose(100, y, lines, letters=50, pitch=pitch) + 8
    sheet.prose(60, y + 30, 4)
    return sheet


def test_a_text_of_many_lines_between_short_cells_is_one_cell():
    table = standard().table()
    assert [row[0] for row in table] == ["#", "2.1.1", "2.1.2"]
    assert [row[2:] for row in table[1:]] == [["x", "x", "320"]] * 2
    assert [len(row[1].split()) > 20 for row in table] == [False, True, True]


def test_a_heading_in_larger_type_parts_two_tables():
    sheet = standard()
    sheet.text(60, 262, "Further requirements", size=14)
    sheet.rows([60, 100, 400, 440, 480], 280, [["#", "Description", "L1", "L2", "CWE"]])
    sheet.rows([60, 100, 400, 440, 480], 300, [["3.1.1", "Verify the token", "x", "x", "12"]])
    sheet.rows([60, 100, 400, 440, 480], 320, [["3.1.2", "Verify the cookie", "x", "x", "14"]])
    assert [table.rows for table in sheet.tables()][-1] == 3


def test_a_title_without_any_cell_below_it_has_its_column():
    sheet = Sheet()
    sheet.rows([60, 150, 250, 350], 100, [["Item", "Discount", "Price", "Amount"]])
    sheet.rows([60, 250, 350], 116, [["Pen", "2.10", "4.20"], ["Ink", "3.00", "3.00"], ["Cap", "1.00", "2.00"]])
    assert sheet.table()[:2] == [["Item", "Discount", "Price", "Amount"], ["Pen", "", "2.10", "4.20"]]


def test_texts_below_counted_items_belong_to_them():
    sheet = Sheet()
    sheet.rows([60, 100, 300, 400], 100, [["Pos.", "Item", "Price", "Amount"]])
    sheet.rule(60, 104, 440, 104)
    for number in range(3):
        y = 120 + 45 * number
        sheet.rows([60, 100, 300, 400], y, [[str(number + 1), "Mailbox for one", "5,39", "5,39"]])
        sheet.rows([100], y + 15, [["Fee for each unit"], ["Service of May"]], pitch=15)
    sheet.rule(60, 250, 440, 250)
    assert sheet.table()[1] == ["1", "Mailbox for one Fee for each unit Service of May", "5,39", "5,39"]


def test_titles_with_rising_page_numbers_are_contents_and_no_table():
    sheet = Sheet()
    titles = ["Measuring your pulse", "Sleep monitoring at night", "Starting a workout", "Viewing your records"]
    sheet.rows([60, 300], 100, [[title, str(17 + n)] for n, title in enumerate(titles)])
    assert sheet.tables() == []


def test_figures_that_reach_over_a_gutter_stay_in_their_columns():
    sheet = Sheet()
    sheet.rows([60, 200, 240, 300], 100, [["Share", "1.7", "1.8", "1.9"]])
    for number in range(8):
        sheet.rows([60, 205, 245, 305], 116 + 14 * number, [[f"0.{number}", "27", "28", "30"]])
    sheet.rows([60, 200, 229, 300], 116 + 14 * 8, [["0.9", "1,360", "1,440", "1,520"]])
    assert sheet.table()[-1] == ["0.9", "1,360", "1,440", "1,520"]


def test_a_title_alone_in_its_line_is_over_all_columns_of_figures():
    sheet = Sheet()
    sheet.text(247, 100, "Design effects of all")
    sheet.rows([60, 160, 210, 260, 310, 360, 410], 116, [["Share", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]])
    sheet.rule(60, 120, 440, 120)
    for number in range(5):
        sheet.rows(
            [60, 160, 210, 260, 310, 360, 410],
            134 + 14 * number,
            [[f"0.{number}", "880", "960", "1,040", "112", "120", "128"]],
        )
    assert sheet.spans()["Design effects of all"] == (1, 6)


def test_a_phrase_over_two_titles_is_the_title_of_both():
    sheet = Sheet()
    sheet.text(243, 100, "Fused aluminum oxide")
    sheet.rows([60, 252, 333], 116, [["Country", "2009", "2010"]])
    for number in range(5):
        sheet.rows([60, 232, 313], 132 + 14 * number, [["Canada", "60,400,00", "60,400,00"]])
    assert sheet.spans()["Fused aluminum oxide"] == (1, 2)


def test_rows_beside_a_column_of_text_on_other_baselines_stay_whole():
    sheet = Sheet()
    sheet.prose(40, 98.2, 20, letters=46, pitch=12)
    for number in range(6):
        y = 100.0 + 12 * number
        sheet.text(320, y + 1.6, "base", size=7)
        sheet.text(380, y, f"{number}08 V")
        sheet.text(450, y, "0.075")
        sheet.text(520, y, "pu")
    assert ["base", "008 V", "0.075", "pu"] in sheet.table()


def test_rows_of_prose_on_shaded_bands_are_one_table_beside_no_columns_of_text():
    sheet = Sheet()
    xs = [60.0, 150, 190, 330, 370]
    sheet.text(323.5, 76, "Year of")
    sheet.rows(xs, 88, [["Name", "Age", "Present position", "Term", "Other positions"]])
    y = 104.0
    for name in ("Jon Lind", "Kris Lud", "Moj Poul"):
        sheet.rect(55, y - 10, 560, y + 52)
        sheet.rows(xs, y, [[name, "54", "Vice president of the works", "2018", "President of all supplies and chains"]])
        sheet.text(195, y + 12, "and of supplies")
        for line in range(1, 5):
            sheet.text(370, y + 12 * line, "Officer of compliance and of business")
        y += 68
    sheet.prose(60, y + 20, 14, letters=95)
    (table,) = sheet.tables()
    grid = sheet.cells(table)
    assert grid[0] == ["Name", "Age", "Present position", "Year of Term", "Other positions"]
    assert [row[0] for row in grid[1:]] == ["Jon Lind", "Kris Lud", "Moj Poul"]
    assert grid[1][2] == "Vice president of the works and of supplies"


def test_titles_that_begin_with_exhibit_are_no_caption():
    sheet = Sheet()
    sheet.rows([60, 200, 330, 430], 100, [["Exhibit No.", "Form", "Page", "Date"]])
    sheet.rule(60, 104, 480, 104)
    for number in range(4):
        sheet.rows([60, 200, 330, 430], 120 + 14 * number, [[f"10.{number}", "8-K", str(30 + number), "6/12/2020"]])
    assert sheet.table()[0] == ["Exhibit No.", "Form", "Page", "Date"]
