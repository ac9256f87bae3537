"""Tables with lines: all of them drawn, some of them, or only backgrounds."""

from __future__ import annotations

from tests.unit.pages.layout.tables_sheet import Sheet

XS = [50.0, 200.0, 300.0, 400.0]
YS = [100.0, 120.0, 140.0, 160.0]
ROWS = [["Country", "Births", "Deaths"], ["Austria", "12", "14"], ["Belgium", "31", "27"]]


def ruled() -> Sheet:
    sheet = Sheet()
    sheet.grid(XS, YS)
    sheet.rows([54, 204, 304], 114, ROWS, pitch=20)
    return sheet


def test_a_ruled_grid_gives_its_cells():
    assert ruled().table() == ROWS


def test_every_place_belongs_to_one_cell_with_a_box_and_the_first_row_is_header():
    (table,) = ruled().tables()
    assert (table.rows, table.columns, len(table.cells)) == (3, 3, 9)
    assert [cell.header for cell in table.cells] == [True] * 3 + [False] * 6
    assert table.cells[4].box == (200, 120, 300, 140)


def test_missing_lines_make_spans():
    sheet = Sheet()
    sheet.grid(XS, [100, 120, 140, 160])
    sheet.rulings = []
    for y in (100, 140, 160):
        sheet.rule(50, y, 400, y)
    sheet.rule(200, 120, 400, 120)
    for x in (50, 200, 400):
        sheet.rule(x, 100, x, 160)
    sheet.rule(300, 120, 300, 160)
    sheet.text(54, 124, "Country")
    sheet.text(260, 114, "Persons")
    sheet.rows([54, 204, 304], 134, [["", "Births", "Deaths"], ["Austria", "12", "14"]], pitch=20)
    assert sheet.spans() == {"Country": (2, 1), "Persons": (1, 2)}


def test_lines_of_a_cell_stay_together():
    sheet = Sheet()
    sheet.grid([50, 150, 400], [100, 120, 160, 200])
    sheet.rows([54, 154], 114, [["Term", "Meaning"]])
    sheet.rows(
        [54, 154], 134, [["Edge", "a line of text that fills the whole cell and goes"], ["", "on in a second one"]]
    )
    sheet.rows([54, 154], 174, [["Node", "short"]])
    assert sheet.table()[1] == ["Edge", "a line of text that fills the whole cell and goes on in a second one"]


def test_rows_that_only_white_space_separates_are_split():
    sheet = Sheet()
    sheet.grid(XS, [100, 120, 200])
    sheet.rows([54, 204, 304], 114, ROWS[:1])
    sheet.rows([54, 204, 304], 134, [["Austria", "12", "14"], ["Belgium", "31", "27"], ["Cyprus", "5", "6"]])
    assert sheet.table()[1:] == [["Austria", "12", "14"], ["Belgium", "31", "27"], ["Cyprus", "5", "6"]]


def test_columns_that_only_white_space_separates_are_split():
    sheet = Sheet()
    sheet.grid([50, 200, 400], [100, 120, 140, 160, 180])
    sheet.rows([54, 204, 304], 114, [*ROWS, ["Cyprus", "5", "6"]], pitch=20)
    assert sheet.table() == [*ROWS, ["Cyprus", "5", "6"]]


def test_open_sides_are_closed():
    sheet = Sheet()
    for y in YS:
        sheet.rule(50, y, 400, y)
    for x in (200, 300):
        sheet.rule(x, 100, x, 160)
    sheet.rows([54, 204, 304], 114, ROWS, pitch=20)
    assert sheet.table() == ROWS


def test_double_lines_and_dashes_are_one_line():
    sheet = Sheet()
    for y in YS:
        for x in range(50, 400, 5):
            sheet.rule(x, y, x + 3, y)
    for x in XS:
        sheet.rule(x, 100, x, 160)
        sheet.rule(x + 2, 100, x + 2, 160)
    sheet.rows([56, 206, 306], 114, ROWS, pitch=20)
    assert sheet.table() == ROWS


def test_backgrounds_of_cells_make_a_table():
    sheet = Sheet()
    for top in (100, 120, 140):
        for left, right in ((50, 198), (200, 298), (300, 400)):
            sheet.rect(left, top, right, top + 18)
    sheet.rows([54, 204, 304], 114, ROWS, pitch=20)
    assert sheet.table() == ROWS


def test_stripes_make_rows():
    sheet = Sheet()
    sheet.rect(50, 120, 400, 140)
    sheet.rect(50, 160, 400, 180)
    rows = [*ROWS, ["Cyprus", "5", "6"]]
    sheet.rows([54, 204, 304], 114, rows, pitch=20)
    assert sheet.table() == rows


def test_shading_inside_ruled_cells_adds_no_lines():
    sheet = ruled()
    for left, right in ((55, 195), (205, 295), (305, 395)):
        sheet.rect(left, 104, right, 110)
        sheet.rect(left, 110, right, 116)
    assert sheet.table() == ROWS


def test_a_caption_and_notes_inside_the_frame_stay_outside():
    sheet = Sheet()
    sheet.grid(XS, YS)
    for y in (80, 180):
        sheet.rule(50, y, 400, y)
    for x in (50, 400):
        sheet.rule(x, 80, x, 180)
    sheet.text(54, 94, "Table 3: Births and deaths")
    sheet.rows([54, 204, 304], 114, ROWS, pitch=20)
    sheet.text(54, 174, "Source: own count")
    assert sheet.table() == ROWS


def test_tables_side_by_side_are_two():
    sheet = Sheet()
    for left in (40, 320):
        sheet.grid([left, left + 120, left + 220], YS)
        sheet.rows([left + 4, left + 124], 114, [["Name", "Count"], ["One", "1"], ["Two", "2"]], pitch=20)
    assert [table.columns for table in sheet.tables()] == [2, 2]


def test_a_box_around_a_paragraph_is_no_table():
    sheet = Sheet()
    sheet.grid([50, 500], [100, 200])
    sheet.prose(60, 115, 6)
    assert not sheet.tables()


def test_a_frame_around_the_page_is_no_table():
    sheet = Sheet()
    sheet.grid([20, 580], [20, 60, 780])
    sheet.text(30, 45, "Report of the year")
    sheet.prose(40, 90, 50)
    assert not sheet.tables()


def test_lines_of_a_drawing_with_labels_are_no_table():
    sheet = Sheet()
    sheet.grid([100, 200, 300], [100, 200, 300])
    for x, y, label in ((110, 120, "a"), (250, 180, "b"), (120, 280, "c"), (280, 220, "d")):
        sheet.text(x, y, label)
    sheet.drawings += [110, 110, 290, 290]
    assert not sheet.tables()


def test_thousands_of_lines_are_left_alone():
    sheet = Sheet()
    for i in range(8_000):
        x = 50 + (i % 400) * 1.2
        sheet.rule(x, 100 + i // 400 * 30, x, 120 + i // 400 * 30)
    sheet.prose(40, 90, 10)
    assert not sheet.tables()


def test_titles_that_read_upwards_are_in_their_cells():
    sheet = Sheet()
    sheet.grid(XS, [60, 120, 140, 160])
    sheet.text(54, 114, "Country")
    sheet.upwards(250, 116, "Births")
    sheet.upwards(350, 116, "Deaths")
    sheet.rows([54, 204, 304], 134, ROWS[1:], pitch=20)
    assert sheet.table() == ROWS


def test_titles_above_the_lines_belong_to_the_table():
    sheet = Sheet()
    sheet.grid(XS, YS)
    sheet.rows([54, 204, 304], 114, [["Austria", "12", "14"], ["Belgium", "31", "27"], ["Chile", "8", "9"]], pitch=20)
    sheet.text(204, 94, "2030")
    sheet.text(304, 94, "2031")
    assert sheet.table()[0] == ["", "2030", "2031"]


def test_a_paragraph_above_the_lines_is_no_title():
    sheet = ruled()
    sheet.text(50, 92, "The quick brown fox jumps over the lazy dog and runs away.")
    assert sheet.table() == ROWS
