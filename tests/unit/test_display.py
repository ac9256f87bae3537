"""What people see of results: short reprs, and what a notebook displays."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from dataclasses import replace

import pytest

import quire
from quire.core.types import BBox, Block, Cell, PageInfo, PageResult, Table
from tests import bills, documents

pytestmark = pytest.mark.both_readers

PLACE = BBox(0.1, 0.1, 0.5, 0.1)
LONG = "word " * 300


def cell(row: int, column: int, text: str, *, header: bool = False, rows: int = 1, columns: int = 1) -> Cell:
    return Cell(row, column, text, 1, PLACE, rows, columns, header=header)


@pytest.fixture
def table() -> Table:
    """Two header rows, one cell of them over both years; a group over two rows; text that looks like a formula."""
    cells = (
        cell(0, 0, "Route", header=True, rows=2),
        cell(0, 1, "Tickets", header=True, columns=2),
        cell(1, 1, "2030", header=True),
        cell(1, 2, "2031", header=True),
        cell(2, 0, "North\nline", rows=2),
        cell(2, 1, "1"),
        cell(2, 2, "=2+3"),
        cell(3, 1, "<b>"),
    )
    return Table(4, 3, cells)


def test_reprs_are_short_and_begin_with_what_matters(table):
    block = Block("p3-b12", 3, "paragraph", LONG, PLACE)
    page = PageResult(PageInfo(3, 595, 842), (block,) * 9)
    document = quire.Document.from_bytes(documents.simple(), name="n" * 300 + ".pdf")
    result = quire.read(document)
    beginnings = {
        block: "<Block p3-b12 paragraph, page 3: 'word word",
        table: "<Table 4 rows × 3 columns: 'Route Tickets",
        table.cells[1]: "<Cell row 0, column 1: 'Tickets'>",
        page: "<PageResult 3: ok, 9 blocks: 'word word",
        document: "Document('nnn",
        document.page(1): "<Page 1 of nnn",
        result: "<DocumentResult nnn",
    }
    for value, beginning in beginnings.items():
        assert repr(value).startswith(beginning)
        assert len(repr(value)) <= 120


def test_a_notebook_displays_an_extraction_with_the_pictures_of_its_places(tmp_path):
    path = tmp_path / "bill.pdf"
    path.write_bytes(bills.bill())
    found = quire.read(path).extract(fields="invoice number, <b>colour</b>")
    shown = found._repr_html_()
    assert "<td" in shown and "not found" in shown and "<b>" not in shown
    assert shown.count('<img src="data:image/png;base64,') == 1
    assert found["invoice_number"].quote in shown
    path.unlink()
    assert "<img" not in found._repr_html_(), "the document is gone"
    assert "<img" not in replace(found, reopen=None)._repr_html_()


def test_a_grid_has_the_text_of_a_span_once_or_everywhere(table):
    assert table.grid() == [
        ["Route", "Tickets", ""],
        ["", "2030", "2031"],
        ["North line", "1", "=2+3"],
        ["", "<b>", ""],
    ]
    assert table.grid(fill_spans=True)[:3] == [
        ["Route", "Tickets", "Tickets"],
        ["Route", "2030", "2031"],
        ["North line", "1", "=2+3"],
    ]


def test_csv_of_a_table_is_that_of_the_export(table):
    rows = list(csv.reader(io.StringIO(table.to_csv())))
    assert rows[2] == ["North line", "1", "'=2+3"]
    read = quire.read(documents.ruled_table())
    assert read.tables[0].table.to_csv().encode() == read.files("csv")["document.table-1.csv"]


def test_a_dataframe_has_its_header_as_names_and_spans_filled_in(table):
    frame = table.to_dataframe()
    assert list(frame.columns) == ["Route", "Tickets.2030", "Tickets.2031"]
    assert frame.values.tolist() == [["North line", "1", "=2+3"], ["North line", "<b>", ""]]


def test_a_dataframe_without_a_header_has_numbered_columns():
    frame = Table(1, 2, (cell(0, 0, "a"), cell(0, 1, "b"))).to_dataframe()
    assert list(frame.columns) == [0, 1]
    assert frame.values.tolist() == [["a", "b"]]


def test_a_dataframe_of_polars_has_distinct_column_names():
    head = tuple(cell(0, column, text, header=True) for column, text in enumerate(("Port", "", "Port")))
    frame = Table(2, 3, (*head, cell(1, 0, "Easthaven"), cell(1, 2, "412"))).to_dataframe("polars")
    assert frame.columns == ["Port", "column_2", "Port_2"]
    assert frame.rows() == [("Easthaven", "", "412")]
    assert Table(1, 2, (cell(0, 0, "a"),)).to_dataframe("polars").columns == ["column_1", "column_2"]
    with pytest.raises(quire.UsageError, match="choose from pandas, polars"):
        Table(0, 0, ()).to_dataframe("arrow")  # type: ignore[call-overload]


@pytest.mark.processes
def test_without_pandas_the_error_says_what_to_install():
    code = """
import sys
sys.modules["pandas"] = None
import quire
try:
    quire.Table(0, 0, ()).to_dataframe()
except quire.ConfigurationError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "this DataFrame needs pandas: pip install pandas\n"


def test_a_notebook_displays_a_table_with_its_spans_and_nothing_of_its_texts_as_html(table):
    shown = table._repr_html_()
    assert '<th colspan="2">Tickets</th>' in shown
    assert "&lt;b&gt;" in shown


def test_a_notebook_displays_a_block_of_any_kind():
    assert Block("p1-b1", 1, "header", "Annual *report*", PLACE)._repr_markdown_() == "Annual \\*report\\*\n"


def test_a_notebook_displays_a_page_with_its_reason():
    page = PageResult(PageInfo(2, 595, 842, status="failed", reason="the page is damaged"))
    assert page._repr_markdown_().split("\n\n")[:2] == [
        "**Page 2** · 0 blocks · failed",
        "page 2 failed: the page is damaged",
    ]


def test_a_notebook_displays_the_beginning_of_a_result():
    result = quire.read(documents.simple(2))
    shown = result._repr_markdown_()
    assert shown.startswith("**document** · 2 pages · ")
    assert shown.endswith(result.to_markdown())


def test_a_notebook_displays_no_more_of_a_long_result_than_it_can(monkeypatch):
    result = quire.read(documents.simple(3))
    monkeypatch.setattr("quire.output.export._notebook.MOST_CHARACTERS", 10)
    shown = result._repr_markdown_()
    assert "`to_markdown()` gives the whole text" in shown
    assert len(shown) < len(result.to_markdown())


def test_a_notebook_displays_the_picture_of_a_page_of_a_document():
    with quire.Document(documents.simple()) as document:
        assert document.page(1)._repr_png_().startswith(b"\x89PNG")
