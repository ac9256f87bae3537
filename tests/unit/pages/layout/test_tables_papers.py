"""Tables as papers set them: titles over titles, sections between rules, labels of several lines, marks of notes."""

from __future__ import annotations

from tests.unit.pages.layout.tables_sheet import Sheet


def ruled(sheet: Sheet, ys: list[float], left: float = 60.0, right: float = 400.0) -> Sheet:
    for y in ys:
        sheet.rule(left, y, right, y)
    return sheet


def test_titles_of_a_section_between_two_rules_do_not_hide_the_columns():
    sheet = Sheet()
    xs = [60.0, 120.0, 240.0, 300.0]
    pairs = [["depth", "7.2", "tide", "3.1"], ["width", "9.8", "wind", "4.0"], ["draft", "6.6", "swell", "1.2"]]
    for y, left, right in ((110, "Harbour and quays", "Weather at sea"), (172, "Quays in winter", "Weather in ice")):
        sheet.centred(100, y, left)
        sheet.centred(280, y, right)
        sheet.rows(xs, y + 16, pairs)
    ruled(sheet, [98, 114, 160, 176, 222], right=325)
    table = sheet.table()
    assert [row for row in table if len(list(filter(None, row))) == 4] == [*pairs, *pairs]


def test_the_words_of_a_title_over_several_columns_stay_together():
    sheet = Sheet()
    sheet.text(180, 110, "Number of features")
    sheet.rows([60, 180, 212, 240, 272], 126, [["Houses", "2", "3", "4", "5"]])
    sheet.rows([60, 180, 212, 240, 272], 142, [[f"{n}", "9.1", "8.4", "7.3", "6.2"] for n in range(2, 6)])
    ruled(sheet, [98, 130, 190], right=330)
    assert "Number of features" in sheet.table()[0]


def test_texts_of_all_columns_that_end_on_one_line_are_a_row():
    rows = [
        ["asin", "identity of it", "a ribbed shirt of white cotton"],
        ["shipping weight", "weight when shipped", "13.6 ounces"],
        ["color", "color", "white"],
        ["package size", "size of the package", "ten inches wide"],
        ["size", "size", "large"],
    ]
    sheet = Sheet()
    sheet.rows([60, 180, 320], 110, [["Name", "Description", "Sample"]])
    sheet.rows([60, 180, 320], 126, rows, pitch=13)
    ruled(sheet, [98, 114, 184])
    assert sheet.table()[1:] == rows


def test_figures_beside_the_middle_of_a_label_are_in_its_row():
    sheet = Sheet()
    sheet.rows([60, 200, 260, 320], 110, [["", "PBB", "BPB", "BHB"]])
    sheet.rows([60, 200, 260, 320], 126, [["master integrals", "316", "367", "431"]])
    for n, y in enumerate((144, 180)):
        sheet.text(60, y, "genuine")
        sheet.rows([200, 260, 320], y + 8.5, [[f"12{n}", f"16{n}", f"17{n}"]])
        sheet.text(60, y + 17, "five-point graphs")
    ruled(sheet, [98, 114, 132, 168, 202])
    assert sheet.table()[1:] == [
        ["master integrals", "316", "367", "431"],
        ["genuine five-point graphs", "120", "160", "170"],
        ["genuine five-point graphs", "121", "161", "171"],
    ]


def test_a_label_of_two_lines_in_the_middle_of_a_band_spans_it():
    sheet = Sheet()
    sheet.rows([60, 160, 300], 110, [["Method", "Parameter", "Value"]])
    for n, y in enumerate((128, 208)):
        names = ["Batch size", "Epochs", "Rate", "Decay", "Masks"]
        sheet.rows([160, 300], y, [[name, f"{n}.{len(name)}"] for name in names])
        sheet.text(60, y + 19, "Masked")
        sheet.text(60, y + 37, f"training {'ab'[n]}")
    ruled(sheet, [98, 114, 194, 274])
    assert sheet.spans() == {"Masked training a": (5, 1), "Masked training b": (5, 1)}


def test_marks_of_notes_behind_a_comma_are_in_the_cell_of_their_figure():
    sheet = Sheet()
    rows = [
        ["Control", "8.28 a", "0.79 a"],
        ["Low dose", "7.56 a, b", "0.56 a, b"],
        ["High dose", "6.28 a, b, c", "0.25 a, b, c"],
    ]
    sheet.rows([60, 180, 280], 110, [["Group", "Protein", "Calcium"]])
    sheet.rows([60, 180, 280], 126, [*rows, *rows, *rows])
    ruled(sheet, [98, 114, 250])
    assert sheet.table() == [["Group", "Protein", "Calcium"], *rows, *rows, *rows]


def test_lines_without_a_label_belong_to_the_row_above_where_rows_are_set_apart():
    sheet = Sheet()
    xs = [60.0, 140.0, 230.0, 320.0, 380.0]
    sheet.rows(xs, 110, [["Measure", "Pilots", "Sailors", "Test", "Error"]])
    for n in range(4):
        label = "(years)" if n == 2 else ""
        lines = [["Age", "74.25 (6.46)", "68.50", "2.35", "0.1"], [label, "[62-89]", "[42-87]", "", ""]]
        sheet.rows(xs, 130 + 32 * n, lines, pitch=11)
    ruled(sheet, [98, 114, 250])
    row = ["Age", "74.25 (6.46) [62-89]", "68.50 [42-87]", "2.35", "0.1"]
    assert sheet.table()[1:] == [row, row, ["Age (years)", *row[1:]], row]


def test_a_title_over_titles_in_a_ruled_cell_has_a_row_of_its_own():
    sheet = Sheet()
    for x, name in ((150, "Harbour"), (270, "Open sea")):
        sheet.centred(x + 45, 110, name)
        sheet.rows([x, x + 60], 122, [["Mean", "Worst"]])
    sheet.text(60, 116, "Model")
    rows = [[f"Model {n}", f"{n}.10", f"{n}.42", f"{n}.87", f"{n}.55"] for n in range(1, 6)]
    sheet.rows([60, 150, 210, 270, 330], 142, rows)
    ruled(sheet, [98, 128, 205], left=55, right=375)
    for x in (140, 262):
        sheet.rule(x, 98, x, 205)
    table = sheet.table()
    assert table[:2] == [["Model", "Harbour", "", "Open sea", ""], ["", "Mean", "Worst", "Mean", "Worst"]]
    assert table[2:] == rows
    assert sheet.spans() == {"Model": (2, 1), "Harbour": (1, 2), "Open sea": (1, 2)}


def test_lines_with_labels_between_two_rules_are_rows():
    sheet = Sheet()
    rows = [
        ["Prediction head", "Linear layer"],
        ["Optimizer", "Adam"],
        ["Learning rate", "one of ten"],
        ["Epochs", "Many"],
    ]
    sheet.rows([60, 160], 110, [["Parameter", "Value"]])
    sheet.rows([60, 160], 126, rows, pitch=12)
    ruled(sheet, [98, 114, 168], left=55, right=250)
    sheet.rule(145, 98, 145, 168)
    assert sheet.table() == [["Parameter", "Value"], *rows]
