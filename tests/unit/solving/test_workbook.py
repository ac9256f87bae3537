"""Excel templates: what they ask for, and how they come back with values and evidence."""

from __future__ import annotations

import io
import json
import runpy
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table
from PIL import Image as Pixels

import quire
from quire import ConfigurationError, UsageError
from quire.core.types import BBox
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import LeafEvidence
from quire.solving.workbook import fill_workbook, lost_parts, template_schema

EXAMPLES = Path(__file__).parents[3] / "examples"


class Template:
    """A workbook that is made cell by cell, with names and tables."""

    def __init__(self, title: str = "Bill") -> None:
        self.book = Workbook()
        self.sheet = self.book.active
        self.sheet.title = title

    def put(self, cell: str, value: object = None, *, style: str = "General", name: str = "", note: str = "") -> None:
        self.sheet[cell] = value
        self.sheet[cell].number_format = style
        if note:
            self.sheet[cell].comment = Comment(note, "Ada")
        if name:
            self.name(name, cell)

    def name(self, name: str, cells: str, *, sheet: str = "") -> None:
        first, _, last = cells.partition(":")
        corners = [f"${one.rstrip('0123456789')}${one.lstrip('ABCDEFGH')}" for one in (first, last) if one]
        title = (sheet or self.sheet.title).replace("'", "''")
        self.book.defined_names[name] = DefinedName(name, attr_text=f"'{title}'!{':'.join(corners)}")

    def table(self, name: str, corner: str, titles: list[str], rows: int = 1) -> Table:
        column, row = self.sheet[corner].column, self.sheet[corner].row
        for number, title in enumerate(titles):
            self.sheet.cell(row, column + number, title)
        table = Table(
            displayName=name, ref=f"{corner}:{self.sheet.cell(row + rows, column + len(titles) - 1).coordinate}"
        )
        self.sheet.add_table(table)
        return table

    def bytes(self) -> bytes:
        target = io.BytesIO()
        self.book.save(target)
        return target.getvalue()


def bill() -> Template:
    """Fields at the top, a table with one row, and what is calculated from it below."""
    made = Template()
    made.put("A1", "Bill")
    made.sheet.merge_cells("A1:D1")
    made.put("A2", "Supplier:")
    made.put("B2", name="supplier.name", note="Ada:\nThe company that sends the bill.")
    made.put("A3", "Date")
    made.put("B3", style="dd/mm/yyyy", name="bill_date")
    made.put("A4", "Total")
    made.put("B4", style="#,##0.00 [$€-407]", name="total")
    made.put("A5", "Tax rate")
    made.put("B5", style="0.0%", name="tax_rate")
    made.table("items", "A7", ["Item", "Unit price", "Twice"])
    made.put("B8", style="0.00")
    made.put("C8", "=B8*2")
    made.put("A9", "Sum")
    made.put("B9", "=SUM(B8:B8)")
    made.put("A10", "Difference")
    made.put("B10", "=B9-B4", name="difference")
    return made


def found(path: str, **more: object) -> LeafEvidence:
    return LeafEvidence(path, "found", **{"probability": 0.95, "page": 1, "quote": "as printed", **more})


def items(count: int) -> list[dict[str, object]]:
    return [{"item": f"Item {number}", "unit_price": number + 0.5} for number in range(count)]


def filled(template: Template | bytes | None, values: object, evidence: dict[str, LeafEvidence] | None = None, **more):
    data = template.bytes() if isinstance(template, Template) else template
    return load_workbook(io.BytesIO(fill_workbook(data, values, evidence or {}, **more)))


def picture(width: int = 900, height: int = 300) -> bytes:
    target = io.BytesIO()
    Pixels.new("RGB", (width, height), "pink").save(target, "PNG")
    return target.getvalue()


# What a template asks for


def test_a_bill_asks_for_its_named_cells_and_its_table():
    schema = template_schema(bill().bytes())
    assert schema == {
        "type": "object",
        "properties": {
            "supplier": {
                "type": "object",
                "properties": {
                    "name": {
                        "type": "string",
                        "title": "Supplier",
                        "description": "The company that sends the bill.",
                    }
                },
            },
            "bill_date": {"type": "string", "format": "date", "title": "Date"},
            "total": {"type": "number", "title": "Total", "x-quire": {"kind": "amount", "unit": "€"}},
            "tax_rate": {
                "type": "number",
                "title": "Tax rate",
                "description": "In percent: 8 for 8 %.",
                "x-quire": {"kind": "percentage", "unit": "%"},
            },
            "items": {
                "type": "array",
                "title": "items",
                "items": {
                    "type": "object",
                    "properties": {
                        "item": {"type": "string", "title": "Item"},
                        "unit_price": {"type": "number", "title": "Unit price"},
                    },
                },
            },
        },
    }
    leaves = {leaf.path: leaf for leaf in ExtractSchema.of(schema).leaves}
    assert leaves["tax_rate"].kind == "percentage" and leaves["total"].unit == "€"


def test_labels_stand_to_the_left_or_above_in_any_script():
    made = Template("請求書")
    made.put("B1", "合計：")
    made.put("B2", style="0", name="total")
    made.put("A4", "اسم المورد:")
    made.put("B4", name="supplier")
    made.table("明細", "A6", ["品目", "単価 (円)", "単価 円"])
    properties = template_schema(made.bytes())["properties"]
    assert properties["total"]["title"] == "合計"
    assert properties["supplier"]["title"] == "اسم المورد"
    assert list(properties["明細"]["items"]["properties"]) == ["品目", "単価_円", "単価_円_2"]


def test_choices_of_a_cell_are_its_enum():
    made = Template()
    for number, text in enumerate(("draft", "final"), start=1):
        made.put(f"H{number}", text)
    made.put("A1", "Drive")
    made.put("B1", name="drive")
    made.put("A2", "State")
    made.put("B2", name="state")
    for cell, formula in (("B1", '"diesel, hybrid"'), ("B2", "$H$1:$H$2")):
        rule = DataValidation(type="list", formula1=formula)
        rule.add(cell)
        made.sheet.add_data_validation(rule)
    properties = template_schema(made.bytes())["properties"]
    assert properties["drive"]["enum"] == ["diesel", "hybrid"]
    assert properties["state"]["enum"] == ["draft", "final"]


def test_a_named_column_of_cells_is_a_list_and_a_merged_range_a_cell():
    made = Template()
    made.put("A1", "Authors")
    made.name("authors", "B1:B3")
    made.sheet.merge_cells("B5:D5")
    made.put("A5", "Title")
    made.name("title", "B5:D5")
    made.name("square", "B7:C8")
    properties = template_schema(made.bytes())["properties"]
    assert properties["authors"] == {"type": "array", "items": {"type": "string"}, "title": "Authors"}
    assert properties["title"] == {"type": "string", "title": "Title"}
    assert "square" not in properties


def test_two_names_of_one_cell_ask_once():
    made = Template()
    made.put("A1", "Total")
    made.put("B1", style="0", name="total")
    made.name("amount_due", "B1")
    properties = template_schema(made.bytes())["properties"]
    assert list(properties) == ["total"]
    assert properties["total"]["x-quire"]["aliases"] == ["amount due"]
    assert filled(made, {"total": 5}, {"total": found("total")})["Bill"]["B1"].value == 5


def test_values_are_asked_for_in_the_order_of_the_sheet():
    made = Template()
    for row, name in enumerate(("zeta", "alpha", "mid"), start=1):
        made.put(f"B{row}", name=name)
    made.book.defined_names = dict(sorted(made.book.defined_names.items()))
    assert list(template_schema(made.bytes())["properties"]) == ["zeta", "alpha", "mid"]


def test_formulas_and_names_with_an_underscore_are_not_asked_for():
    made = bill()
    made.put("H1", 0.19, name="_rate")
    made.put("H2", None, name="spilled")
    made.sheet["H2"] = ArrayFormula("H2:H2", "=SUM(B4:B5)")
    assert not {"difference", "_rate", "spilled"} & template_schema(made.bytes())["properties"].keys()


def test_names_on_hidden_and_other_sheets_are_filled():
    made = Template()
    other = made.book.create_sheet("It's hidden")
    other.sheet_state = "hidden"
    made.name("code", "C3", sheet="It's hidden")
    book = filled(made, {"code": "A-7"}, {"code": found("code")})
    assert book["It's hidden"]["C3"].value == "A-7"
    assert book["It's hidden"].sheet_state == "hidden"
    assert book["Evidence"]["A2"].hyperlink.location == "'It''s hidden'!C3"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, "names nothing to fill: give cells a name"),
        ({"supplier": "B1", "supplier.name": "B2"}, "the names supplier and supplier.name"),
    ],
)
def test_a_template_that_cannot_be_filled_says_why(names, message):
    made = Template()
    for name, cell in names.items():
        made.put(cell, name=name)
    with pytest.raises(UsageError, match=message):
        template_schema(made.bytes())


def test_files_that_are_no_templates_say_what_to_save():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("word/document.xml", "<w/>")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("xl/workbook.xml", b" " * (40 << 20))
    torn = bill().bytes()[:-200]
    for data, message in (
        (b"total;date\n", "no Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "save it in Excel as .xlsx without a password"),
        (archive.getvalue(), "no Excel workbook; save it in Excel"),
        (bomb.getvalue(), "decompression bomb"),
        (torn, "damaged archive"),
    ):
        for call in (template_schema, lost_parts, lambda one: fill_workbook(one, {}, {})):
            with pytest.raises(UsageError, match=message):
                call(data)


def test_a_workbook_with_broken_parts_is_a_mistake_of_the_user():
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bill().bytes())) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"<broken" if name == "xl/worksheets/sheet1.xml" else old.read(name))
    with pytest.raises(UsageError, match=r"cannot be opened .*save it again as \.xlsx"):
        template_schema(target.getvalue())


def test_a_template_needs_a_library_that_the_message_names(monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    for call in (lambda: template_schema(b""), lambda: fill_workbook(None, {}, {})):
        with pytest.raises(ConfigurationError, match=r"Excel templates need openpyxl: pip install .*\[excel\]"):
            call()


@pytest.mark.parametrize(
    ("style", "kind", "unit"),
    [
        ("General", "string", ""),
        ("@", "string", ""),
        ("0", "number", ""),
        ('#,##0.00 "kg"', "number", "kg"),
        ('#,##0.0,,"M"', "number", ""),
        ("_-* #,##0.00\\ €_-", "number", "€"),
        ("[$USD] #,##0", "number", "USD"),
        ("0.0%", "number", "%"),
        ("h:mm", "string", ""),
    ],
)
def test_the_format_of_a_cell_says_what_is_asked_for(style, kind, unit):
    made = Template()
    made.put("B1", style=style, name="value")
    leaf = template_schema(made.bytes())["properties"]["value"]
    assert (leaf["type"], leaf.get("x-quire", {}).get("unit", "")) == (kind, unit)


def test_a_table_with_merged_cells_is_refused():
    made = Template()
    made.table("items", "A1", ["Item", "Price"], rows=3)
    made.sheet.merge_cells("A2:A4")
    with pytest.raises(UsageError, match="the table items has merged cells"):
        template_schema(made.bytes())


# Values in their cells


def test_values_are_numbers_and_dates_with_the_format_of_their_cells():
    values = {"supplier": {"name": "Ørsted"}, "bill_date": "2031-09-30", "total": "30.50", "tax_rate": 8}
    sheet = filled(bill(), values)["Bill"]
    assert sheet["B2"].value == "Ørsted"
    assert (sheet["B3"].value, sheet["B3"].number_format) == (datetime(2031, 9, 30), "dd/mm/yyyy")
    assert (sheet["B4"].value, sheet["B4"].number_format) == (30.5, "#,##0.00 [$€-407]")
    assert (sheet["B5"].value, sheet["B5"].number_format) == (0.08, "0.0%")


def test_a_percentage_as_a_fraction_stays_what_the_document_says():
    evidence = {"tax_rate": found("tax_rate", quote="8 %")}
    assert filled(bill(), {"tax_rate": 0.08}, evidence)["Bill"]["B5"].value == 0.08
    assert filled(bill(), {"tax_rate": 8}, evidence)["Bill"]["B5"].value == 0.08
    assert filled(bill(), {"tax_rate": 0.08})["Bill"]["B5"].value == 0.0008


@pytest.mark.parametrize("value", ["1899-12-31", "30 September", "2031-09-30T10:00:00+02:00", "0012"])
def test_what_no_date_or_number_cell_can_hold_is_text(value):
    sheet = filled(bill(), {"bill_date": value, "total": value})["Bill"]
    assert (sheet["B3"].value, sheet["B4"].value) == (value, value)


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_a_table_has_as_many_rows_as_there_are_values(count):
    sheet = filled(bill(), {"items": items(count)}, {})["Bill"]
    rows = max(count, 1)
    last = 7 + rows
    assert sheet.tables["items"].ref == f"A7:C{last}"
    assert [sheet.cell(row, 1).value for row in range(8, last + 1)] == ([one["item"] for one in items(count)] or [None])
    assert sheet.cell(last, 3).value == f"=B{last}*2"
    assert sheet.cell(last, 2).number_format == "0.00"
    assert [sheet.cell(last + 1, column).value for column in (1, 2)] == ["Sum", f"=SUM(B8:B{last})"]
    assert sheet.cell(last + 2, 2).value == f"=B{last + 1}-B4"
    assert sheet.parent.defined_names["difference"].attr_text == f"'Bill'!$B${last + 2}"


def test_rows_that_a_template_has_for_examples_are_removed():
    made = Template()
    made.table("items", "A1", ["Item", "Price"], rows=5)
    for row in range(2, 7):
        made.put(f"A{row}", "example")
    made.put("A7", "Sum")
    made.put("B7", "=SUM(B2:B6)")
    made.put("C7", "=B6")
    sheet = filled(made, {"items": [{"item": "one", "price": "1"}, {"item": "two"}]})["Bill"]
    assert sheet.tables["items"].ref == "A1:B3"
    assert [sheet.cell(row, 1).value for row in range(2, 6)] == ["one", "two", "Sum", None]
    assert (sheet["B4"].value, sheet["C4"].value) == ("=SUM(B2:B3)", "=#REF!")


def test_rows_are_kept_empty_where_something_stands_beside_them():
    made = Template()
    made.table("items", "A1", ["Item", "Price"], rows=5)
    for row in range(2, 7):
        made.put(f"A{row}", "example")
    made.put("E5", "Total")
    made.put("F5", name="total")
    sheet = filled(made, {"items": [{"item": "one"}], "total": "9"})["Bill"]
    assert sheet.tables["items"].ref == "A1:B6"
    assert [sheet.cell(row, 1).value for row in range(2, 7)] == ["one", None, None, None, None]
    assert sheet["F5"].value == "9"


def test_everything_below_a_table_moves_with_it():
    made = bill()
    made.sheet.merge_cells("A12:B12")
    made.put("A13", "Signed")
    made.put("B13", name="signed_by")
    made.sheet["A13"].hyperlink = "https://example.org/terms"
    made.sheet.row_dimensions[13].height = 40
    made.sheet.conditional_formatting.add("B8:B8", CellIsRule("greaterThan", ["$B$10"], fill=PatternFill("solid")))
    rule = DataValidation(type="list", formula1='"Ada,Grace"')
    rule.add("B13")
    made.sheet.add_data_validation(rule)
    chart = BarChart()
    chart.add_data(Reference(made.sheet, min_col=2, min_row=7, max_row=8), titles_from_data=True)
    made.sheet.add_chart(chart, "E15")
    made.sheet.add_image(Image(io.BytesIO(picture(20, 20))), "E2")
    made.sheet.print_area = "A1:D14"
    other = made.book.create_sheet("Summary")
    other["A1"] = "=SUM(Bill!B8:B8)+Bill!B10"
    made.table("more", "A16", ["Thing"])
    made.sheet.protection.sheet = True
    values = {"items": items(4), "signed_by": "Ada", "more": [{"thing": "a"}, {"thing": "b"}]}
    book = filled(made, values)
    sheet = book["Bill"]
    assert "A15:B15" in {str(one) for one in sheet.merged_cells.ranges}
    assert (sheet["A16"].value, sheet["B16"].value, sheet.row_dimensions[16].height) == ("Signed", "Ada", 40)
    assert sheet["A16"].hyperlink.target == "https://example.org/terms"
    (formats,) = sheet.conditional_formatting
    assert (str(formats.sqref), formats.rules[0].formula) == ("B8:B11", ["$B$13"])
    assert str(sheet.data_validations.dataValidation[0].sqref) == "B16"
    (chart,) = sheet._charts
    assert (chart.ser[0].val.numRef.f, chart.ser[0].tx.strRef.f) == ("'Bill'!$B$8:$B$11", "'Bill'!B7")
    assert chart.anchor._from.row == 17
    assert sheet._images[0].anchor._from.row == 1
    assert sheet.print_area == "'Bill'!$A$1:$D$17"
    assert book["Summary"]["A1"].value == "=SUM(Bill!B8:B11)+Bill!B13"
    assert (sheet.tables["more"].ref, sheet["A21"].value) == ("A19:A21", "b")
    assert sheet.protection.sheet


def test_sums_of_a_row_and_of_the_rows_so_far_do_not_grow():
    made = Template()
    made.table("items", "A1", ["One", "Two", "Both", "So far", "Share"], rows=2)
    for row in (2, 3):
        made.put(f"C{row}", f"=SUM(A{row}:B{row})")
        made.put(f"D{row}", f"=SUM(A$2:A{row})")
        made.put(f"E{row}", f"=A{row}/SUM(A$2:A$3)")
    sheet = filled(made, {"items": [{"one": 1, "two": 2}] * 4})["Bill"]
    assert [sheet.cell(row, 3).value for row in range(2, 6)] == [f"=SUM(A{row}:B{row})" for row in range(2, 6)]
    assert [sheet.cell(row, 4).value for row in range(2, 6)] == [f"=SUM(A$2:A{row})" for row in range(2, 6)]
    assert [sheet.cell(row, 5).value for row in range(2, 6)] == [f"=A{row}/SUM(A$2:A$5)" for row in range(2, 6)]


def test_the_totals_of_a_table_stay_below_its_rows():
    made = Template()
    table = made.table("items", "A1", ["Item", "Price"], rows=2)
    table.totalsRowCount = 1
    made.put("A3", "Total")
    made.put("B3", "=SUBTOTAL(109,items[Price])")
    sheet = filled(made, {"items": [{"item": str(number), "price": "1"} for number in range(3)]})["Bill"]
    assert sheet.tables["items"].ref == "A1:B5"
    assert [sheet.cell(5, column).value for column in (1, 2)] == ["Total", "=SUBTOTAL(109,items[Price])"]


def test_tables_side_by_side_are_refused_where_rows_are_needed():
    made = Template()
    made.table("left", "A1", ["Item"])
    made.table("right", "C1", ["Thing"])
    values = {"left": [{"item": "a"}, {"item": "b"}], "right": []}
    with pytest.raises(UsageError, match=r"left and right stand side by side .* put one below the other"):
        filled(made, values)
    assert filled(made, {"left": [{"item": "a"}]})["Bill"]["A2"].value == "a"


def test_a_list_grows_and_leaves_cells_that_it_does_not_need():
    made = Template()
    made.name("authors", "B1:B2")
    made.put("B2", "example")
    made.put("A3", "below")
    short = filled(made, {"authors": ["Ada"]})["Bill"]
    assert [short.cell(row, 2).value for row in (1, 2)] == ["Ada", None]
    long = filled(made, {"authors": ["Ada", "Grace", "Hedy"]})
    assert [long["Bill"].cell(row, 2).value for row in (1, 2, 3)] == ["Ada", "Grace", "Hedy"]
    assert long["Bill"]["A4"].value == "below"
    assert long.defined_names["authors"].attr_text == "'Bill'!$B$1:$B$3"


# Evidence


def test_every_cell_with_a_value_leads_to_its_evidence_and_back():
    evidence = {
        "total": found("total", bboxes=(BBox(0.1, 0.2, 0.3, 0.05),), records=("p1-b3",), document="document-2"),
        "items[0].unit_price": found("items[0].unit_price", quote="0,50"),
    }
    book = filled(bill(), {"total": 30.5, "items": items(1)}, evidence, names={"document-2": "Second bill.pdf"})
    cell, row = book["Bill"]["B4"], book["Evidence"][2]
    assert cell.hyperlink.location == "'Evidence'!A2"
    assert row[0].hyperlink.location == "'Bill'!B4"
    assert [one.value for one in row[:10]] == [
        *("total", 30.5, "at its place", 0.95, "Second bill.pdf", 1, "0.1000, 0.2000, 0.3000, 0.0500", "as printed"),
        *("p1-b3", None),
    ]
    assert "The document says this." in cell.comment.text
    assert "Second bill.pdf, page 1" in cell.comment.text and "“as printed”" in cell.comment.text
    assert cell.fill.fill_type is None
    assert book["Bill"]["B8"].hyperlink.location == "'Evidence'!A3"


@pytest.mark.parametrize(
    ("status", "value", "colour", "words"),
    [
        ("found", 5, None, "The document says this."),
        ("repaired", 5, None, "at another place"),
        ("corrected", 5, None, "A person corrected this."),
        ("confirmed", 5, None, "A person confirmed this."),
        ("unverified", 5, "00FFEB9C", "NOT VERIFIED"),
        ("conflict", 5, "00FFC7CE", "CONFLICT"),
        ("not_found", None, "00D9D9D9", "NOT FOUND"),
        ("found", None, "00D9D9D9", "NOT FOUND"),
        ("not_found", 5, "00FFEB9C", "NOT VERIFIED"),
    ],
)
def test_a_value_never_looks_verified_when_it_is_not(status, value, colour, words):
    made = Template()
    made.put("B1", 99, style="0", name="total", note="What is to be paid.")
    book = filled(made, {"total": value}, {"total": LeafEvidence("total", status, reason="as it is")})
    cell = book["Bill"]["B1"]
    assert cell.value == value
    assert (cell.fill.start_color.rgb if cell.fill.fill_type else None) == colour
    assert words in cell.comment.text and "as it is" in cell.comment.text
    assert "What is to be paid." in cell.comment.text


def test_values_without_evidence_and_without_a_cell_are_listed_too():
    made = Template()
    made.put("B1", name="total")
    book = filled(made, {"total": "5", "other": "elsewhere"}, {"other": found("other")})
    assert "no evidence" in book["Bill"]["B1"].comment.text
    rows = {row[0].value: row for row in book["Evidence"].iter_rows(min_row=2)}
    assert rows["other"][1].value == "elsewhere" and rows["other"][0].hyperlink is None
    assert rows["total"][2].value == "not in the text"


def test_several_values_in_one_cell_are_as_sure_as_the_least():
    made = Template()
    made.put("B1", name="names")
    evidence = {"names[0]": found("names[0]"), "names[1]": LeafEvidence("names[1]", "unverified")}
    cell = filled(made, {"names": ["Ada", "Grace"]}, evidence)["Bill"]["B1"]
    assert cell.value == "Ada; Grace" and "NOT VERIFIED" in cell.comment.text


def test_an_empty_table_says_that_nothing_was_found():
    evidence = {"items": LeafEvidence("items", "not_found", reason="no table was found")}
    cell = filled(bill(), {"items": []}, evidence)["Bill"]["A8"]
    assert cell.value is None and "no table was found" in cell.comment.text


def test_pictures_of_places_are_scaled_and_cut_page_after_page():
    asked = []

    def crop(path, evidence):
        asked.append((evidence.document, evidence.page))
        return picture() if evidence.page != 2 else None

    pages = {"total": 3, "bill_date": 1, "tax_rate": 2}
    evidence = {path: found(path, page=page) for path, page in pages.items()}
    sheet = filled(bill(), {"total": 1, "bill_date": "2031-09-30", "tax_rate": 8}, evidence, crop=crop)["Evidence"]
    assert asked == [("", 1), ("", 2), ("", 3)]
    assert [image.anchor._from.row + 1 for image in sheet._images] == [2, 3]
    assert {(image.anchor.ext.width // 9525, image.anchor.ext.height // 9525) for image in sheet._images} == {
        (360, 120)
    }
    assert sheet.row_dimensions[2].height == 93


def test_a_template_with_a_sheet_called_evidence_keeps_it():
    made = bill()
    made.book.create_sheet("EVIDENCE")["A1"] = "mine"
    book = filled(made, {"total": 1})
    assert (book["EVIDENCE"]["A1"].value, book.sheetnames[-1]) == ("mine", "Evidence 2")
    assert book["Bill"]["B4"].hyperlink.location == "'Evidence 2'!A2"


# Hostile values


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("https://example.org")',
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "#REF!",
        "=",
        "https://example.org",
        "12e3",
    ],
)
def test_text_is_never_a_formula(text):
    evidence = {"supplier.name": found("supplier.name", quote=text, reason=text, document="one", records=(text,))}
    data = fill_workbook(bill().bytes(), {"supplier": {"name": text}}, evidence, names={"one": text})
    book = load_workbook(io.BytesIO(data))
    cell = book["Bill"]["B2"]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheet = archive.read("xl/worksheets/sheet2.xml")
        links = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".rels"))
    assert b"<f>" not in sheet and b't="e"' not in sheet
    assert b"example.org" not in links
    assert cell.quotePrefix == text.startswith(("=", "+", "-", "@", "\t"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        own = archive.read("xl/worksheets/sheet1.xml").decode()
    assert 't="inlineStr"' in own[own.index('r="B2"') :].partition(">")[0]


def test_what_xml_and_cells_cannot_hold_is_left_out():
    text = "a\x00\x0b\ufffe\ud800b_x000A_" + "x" * 40_000
    evidence = {"supplier.name": found("supplier.name", quote=text)}
    cell = filled(bill(), {"supplier": {"name": text}}, evidence)["Bill"]["B2"]
    assert cell.value.startswith("a?b_x005F_x000A_x")
    assert len(cell.value) == 32_767


def test_numbers_that_a_cell_would_round_are_text():
    made = Template()
    made.put("B1", name="account")
    assert filled(made, {"account": 12345678901234567890})["Bill"]["B1"].value == "12345678901234567890"


@pytest.mark.parametrize(
    "values",
    [
        *(None, [], "text", 5, {"": 1}, {"total": 10**400, "tax_rate": "8 %", "bill_date": True}),
        {"items": [None, 5, {"item": {"a": [1]}}, [1]], "total": {"a": 1}, "supplier": "flat"},
        {"items": {"not": "a list"}, "History": [{"": 1}], "Fields": [1], "Evidence": [{"A": 1, "a": 2}]},
    ],
)
def test_values_of_another_shape_than_the_template_do_no_harm(values):
    for template in (bill(), None):
        assert filled(template, values, {"items[0].item": found("items[0].item")}).sheetnames[-1] == "Evidence"


# A whole workbook


def test_without_a_template_there_is_a_sheet_of_fields_and_one_for_each_list():
    values = {
        "supplier": {"name": "=Ørsted"},
        "bill_date": "2031-09-30",
        "items": items(3),
        "notes": ["one", "two"],
        "a/b[very long name of a list that no sheet can have]": [],
    }
    evidence = {"supplier.name": found("supplier.name"), "missing": LeafEvidence("missing", "not_found")}
    book = filled(None, values, evidence)
    assert book.sheetnames[0] == "Fields" and book.sheetnames[-1] == "Evidence"
    fields = {row[0].value: row[1] for row in book["Fields"].iter_rows(min_row=2)}
    assert fields["supplier.name"].value == "=Ørsted" and fields["supplier.name"].data_type == "s"
    assert fields["bill_date"].value == datetime(2031, 9, 30)
    assert "NOT FOUND" in fields["missing"].comment.text
    assert [[cell.value for cell in row] for row in book["items"].iter_rows()][:3] == [
        ["item", "unit_price"],
        ["Item 0", 0.5],
        ["Item 1", 1.5],
    ]
    assert [row[0].value for row in book["notes"].iter_rows()] == ["Value", "one", "two"]
    assert book["items"]["B3"].hyperlink.location.startswith("'Evidence'!A")


def test_no_values_at_all_make_a_workbook_too():
    assert filled(None, {}).sheetnames == ["Fields", "Evidence"]


def test_a_template_of_excel_becomes_a_workbook_without_its_macros():
    made = bill()
    made.book.template = True
    data = fill_workbook(made.bytes(), {"total": 1}, {})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"spreadsheetml.sheet.main+xml" in archive.read("[Content_Types].xml")


def test_parts_that_would_be_lost_are_named():
    assert lost_parts(bill().bytes()) == []
    target = io.BytesIO()
    drawing = b"<xdr:wsDr><xdr:twoCellAnchor><xdr:sp macro=''/></xdr:twoCellAnchor></xdr:wsDr>"
    with zipfile.ZipFile(io.BytesIO(bill().bytes())) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("xl/vbaProject.bin", b"")
        new.writestr("xl/slicers/slicer1.xml", b"<s/>")
        new.writestr("xl/drawings/drawing9.xml", drawing)
    assert lost_parts(target.getvalue()) == ["macros", "slicers", "shapes and text boxes"]


def test_the_same_values_are_the_same_bytes():
    values = {"total": 1, "items": items(5)}
    template, evidence = bill().bytes(), {"total": found("total")}
    first, second = (fill_workbook(template, values, evidence, crop=lambda *_: picture()) for _ in range(2))
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b'fullCalcOnLoad="1"' in archive.read("xl/workbook.xml")
        assert b"2000-01-01T00:00:00Z</dcterms:modified>" in archive.read("docProps/core.xml")


@pytest.mark.processes
def test_two_processes_make_the_same_bytes_with_lxml_and_without(tmp_path):
    (tmp_path / "template.xlsx").write_bytes(bill().bytes())
    (tmp_path / "values.json").write_text(json.dumps({"total": 1, "items": items(5)}))
    script = (
        "import hashlib, json, sys; from pathlib import Path; from quire.solving.workbook import fill_workbook\n"
        "folder = Path(sys.argv[1]); values = json.loads((folder / 'values.json').read_text())\n"
        "made = [fill_workbook(t, values, {}) for t in ((folder / 'template.xlsx').read_bytes(), None)]\n"
        "print([hashlib.sha256(one).hexdigest() for one in made])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            check=True,
            capture_output=True,
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed, "OPENPYXL_LXML": lxml},
            timeout=60,
        ).stdout
        for seed, lxml in (("1", "True"), ("2", "False"))
    }
    assert len(outputs) == 1


@pytest.mark.processes
@pytest.mark.usefixtures("libreoffice")
def test_libreoffice_calculates_with_the_filled_values(tmp_path):
    made = bill()
    made.put("A12", "Share")
    made.put("B12", "=SUM(items[Unit price])/B4")
    values = {"total": 25, "bill_date": "2031-09-30", "items": items(10)}
    (tmp_path / "bill.xlsx").write_bytes(fill_workbook(made.bytes(), values, {"total": found("total")}))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "csv", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "bill.xlsx")], check=True, capture_output=True, timeout=120)
    rows = [line.split(",") for line in (tmp_path / "bill.csv").read_text().splitlines()]
    assert "2031" in rows[2][1]
    assert rows[7] == ["Item 0", "0.5", "1"]
    assert (rows[16], rows[17][:2]) == (["Item 9", "9.5", "19"], ["Sum", "50"])
    assert (float(rows[18][1].split()[0]), float(rows[20][1].split()[0])) == (25, 2)


# The example


def test_the_example_is_what_its_script_makes():
    script = EXAMPLES.parent / "scripts" / "make_template.py"
    made, shipped = runpy.run_path(str(script))["template"](), (EXAMPLES / "report-template.xlsx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(made)) as new, zipfile.ZipFile(io.BytesIO(shipped)) as old:
        assert {name: new.read(name) for name in new.namelist()} == {name: old.read(name) for name in old.namelist()}
    assert len(shipped) < 20_000


@pytest.mark.slow
def test_the_example_is_filled_from_the_sample_without_a_model():
    template = (EXAMPLES / "report-template.xlsx").read_bytes()
    found = quire.extract(EXAMPLES / "sample.pdf", schema=template_schema(template))
    book = load_workbook(io.BytesIO(fill_workbook(template, found.values, found.evidence)))
    sheet = book["Quarter"]
    assert [sheet.cell(row, 2).value for row in range(4, 9)] == [94, 97, 90, 3.9, datetime(2032, 1, 30)]
    assert sheet.tables["boats"].ref == "A14:F37"
    assert [sheet.cell(37, column).value for column in range(1, 6)] == ["Yellowlegs", "Reserve", 1994, 140, "diesel"]
    assert sheet["F38"].value == "=AVERAGE(F15:F37)"
    assert all(one.supported for one in found.evidence.values())
