from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace

import pytest
from openpyxl import load_workbook

from quire.core.errors import ConfigurationError
from quire.core.types import BBox, Cell, Part, Table
from quire.output.export import csv_tables, excel

from .results import BOX, block, report, result, table


def workbook(*blocks):
    return load_workbook(io.BytesIO(excel(result(*blocks))))


def test_csv_has_one_text_per_table_with_spans_in_the_first_cell():
    first = table([["wide", None], ['say "x"', "a,b\nc"]], spans={(0, 0): (1, 2)})
    written = csv_tables(result(first, block("paragraph", "x"), table([["y"]], id="t2")))
    assert list(csv.reader(io.StringIO(written[0]))) == [["wide", ""], ['say "x"', "a,b c"]]
    assert written[1] == "y\n"


def test_a_table_over_two_pages_is_one_csv():
    assert csv_tables(result(table([["a"], ["b"], ["c"]], pages=[1, 1, 2]))) == ["a\nb\nc\n"]


@pytest.mark.parametrize(
    "text", ["=1+1", '=HYPERLINK("http://a")', "+1+1", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "  =1+1", "- item", "＝A1"]
)
def test_no_cell_of_a_csv_begins_a_formula(text):
    assert next(csv.reader(io.StringIO(csv_tables(result(table([[text, "x"]])))[0]))) == ["'" + text.strip(), "x"]


@pytest.mark.parametrize(
    "text", ["-5", "+3.2", "-1,234.50", "- 7 %", "-1.5e-3", "-€ 12", "-", "--", "5-3", "a=b", "'x"]
)
def test_numbers_and_dashes_of_a_csv_stay_as_they_are(text):
    assert next(csv.reader(io.StringIO(csv_tables(result(table([[text, "x"]])))[0]))) == [text, "x"]


def test_a_document_without_tables_has_no_csv():
    assert csv_tables(result(block("paragraph", "x"))) == []


def test_the_workbook_has_a_sheet_per_table_and_says_where_it_stands():
    book = workbook(*report().blocks, table([["a"]], id="t2", parts=(Part(1, BOX), Part(2, BOX))))
    assert book.sheetnames == ["Tables", "Table 1", "Table 2"]
    rows = list(book["Tables"].iter_rows(values_only=True))
    assert rows[0] == ("Table", "Page", "Left", "Top", "Width", "Height", "Rows", "Columns", "Caption")
    assert rows[1] == ("Table 1", 1, 0.1, 0.2, 0.8, 0.3, 3, 2, "Table 1: Sales")
    assert [row[:2] for row in rows[2:]] == [("Table 2", 1), ("Table 2", 2)]


def test_headers_are_bold_and_spans_merged():
    sheet = workbook(table([["wide", None], ["a", "b"]], spans={(0, 0): (1, 2)}))["Table 1"]
    assert sheet["A1"].font.bold and not sheet["A2"].font.bold
    assert [str(merged) for merged in sheet.merged_cells.ranges] == ["A1:B1"]


def test_numbers_are_numbers_and_look_as_printed():
    sheet = workbook(table([["12.50"], ["-3"], ["0"]], header=0))["Table 1"]
    assert [cell.value for cell in sheet["A"]] == [12.5, -3, 0]
    assert sheet["A1"].number_format == "0.00"


@pytest.mark.parametrize(
    "text", ["007", "1,234", "1.234.5", "12 %", "1e5", "+49 30", "1234567890123456789", "٣", "-", "1."]
)
def test_what_is_not_plainly_a_number_stays_text(text):
    assert workbook(table([[text]]))["Table 1"]["A1"].value == text


@pytest.mark.parametrize("text", ["=1+1", '=HYPERLINK("http://a")', "+1+1", "@SUM(A1)", "https://a.org", "{=1}"])
def test_nothing_becomes_a_formula_or_a_link(text):
    cell = workbook(table([[text]]))["Table 1"]["A1"]
    assert (cell.value, cell.data_type, cell.hyperlink) == (text, "s", None)


def test_cells_that_overlap_lose_no_text():
    box = BBox(0, 0, 1, 1)
    cells = (
        Cell(0, 0, "a", 1, box, row_span=2, column_span=2),
        Cell(1, 1, "b", 1, box),
        Cell(0, 1, "c", 1, box, row_span=5),
    )
    source = block("table", "a", table=Table(2, 2, cells))
    values = [cell.value for row in workbook(source)["Table 1"].iter_rows() for cell in row]
    assert [value for value in values if value] == ["a", "c", "b"]


def test_text_longer_than_a_cell_holds_is_cut():
    assert len(workbook(table([["x" * 40_000]]))["Table 1"]["A1"].value) == 32_767


def test_the_same_tables_give_the_same_bytes():
    assert excel(report()) == excel(report())


def test_without_the_package_the_message_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'quire-documents\[excel\]'"):
        excel(report())


def test_a_table_names_its_columns_and_writes_itself_as_html():
    named = table([["a", "b"], ["1", "2"]]).table
    assert named is not None
    headed = Table(2, 2, tuple(replace(cell, header=cell.row == 0) for cell in named.cells))
    plain = Table(2, 2, tuple(replace(cell, header=False) for cell in named.cells))
    assert (headed.header, plain.header) == (["a", "b"], [])
    assert "<th>a</th>" in headed.to_html() and "<td>a</td>" in plain.to_html()
