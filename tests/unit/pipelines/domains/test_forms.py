"""Forms: labels with values, check boxes, grids, and the workbook."""

from __future__ import annotations

import io
from pathlib import Path

from openpyxl import load_workbook
from reportlab.pdfgen.canvas import Canvas

from quire import recognizer
from quire.core.engine import ReadLine
from quire.core.types import BBox
from quire.pipelines import correct
from quire.pipelines.domains import forms
from quire.pipelines.domains.forms.found_form import Form, FormField
from tests.documents import drawn, form_fields
from tests.scans import grid_sheet

BOX = BBox(0.1, 0.1, 0.1, 0.02)


def paper(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 11)
    for x, y, label, mark in ((80, 740, "Resident", True), (80, 700, "Berth", False), (300, 740, "Night", False)):
        canvas.rect(x, y - 2, 11, 11)
        canvas.drawString(x + 18, y, label)
        if mark:
            canvas.line(x - 1, y - 3, x + 13, y + 11)
            canvas.line(x - 1, y + 10, x + 12, y - 3)
    canvas.drawString(80, 640, "Name: Ada Marlow")
    canvas.drawString(80, 620, "Vessel: Grey Heron")


def test_labels_have_their_values_and_check_boxes_what_stands_beside_them():
    form = forms.fields(drawn(paper))
    assert form.values == {"Name": "Ada Marlow", "Vessel": "Grey Heron"}
    assert [(box.label, box.is_checked) for box in form.boxes] == [
        ("Resident", True),
        ("Night", False),
        ("Berth", False),
    ]


def test_fields_of_a_pdf_form_are_read_with_labels_on_their_left():
    form = forms.fields(form_fields())
    assert form.values["Vessel"] == "Grey Heron"
    assert [(box.label, box.is_checked) for box in form.boxes] == [("Pilot wanted", True), ("Night passage", False)]


def test_the_workbook_has_the_colour_of_the_confidence():
    fields = tuple(FormField(f"L{c}", "=1+1", 1, BOX, BOX, c) for c in (None, 0.95, 0.8, 0.3))
    book = load_workbook(io.BytesIO(Form("form.pdf", fields, (), ()).to_workbook()))
    cells = [book["Fields"].cell(row, 2) for row in range(2, 6)]
    assert [cell.fill.fgColor.rgb for cell in cells] == ["00000000", "FFC6EFCE", "FFFFEB9C", "FFFFC7CE"]
    assert {cell.data_type for cell in cells} == {"s"}  # never a formula


@recognizer
def misread(picture, question):
    return [ReadLine("harb0ur", BBox(0.1, 0.1, 0.8, 0.8), 0.5)]


def test_a_grid_is_found_its_cells_are_read_corrected_and_written_to_a_workbook(tmp_path: Path):
    words = correct.vocabulary(["harbour"])
    pipeline = forms.tabular(engine=misread, corrections=[words], excel_out=tmp_path, json_out=tmp_path)
    result = pipeline(grid_sheet(3, 2).png())
    assert result.tables[0].table.grid() == [["harbour", "harbour"]] * 3
    sheet = load_workbook(tmp_path / "document.form.xlsx")["Table 1"]
    assert sheet.cell(2, 2).value == "harbour"
    assert sheet.cell(2, 2).fill.fgColor.rgb == "FFFFC7CE"
    assert (tmp_path / "document.json").exists()


def test_two_pictures_of_one_stem_are_two_workbooks(tmp_path: Path):
    sheet = grid_sheet(3, 2).picture
    pipeline = forms.tabular(engine=misread, excel_out=tmp_path / "out")
    for name in ("grid.png", "grid.jpg"):
        sheet.save(tmp_path / name)
        pipeline(tmp_path / name)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["grid.jpg.form.xlsx", "grid.png.form.xlsx"]


def test_a_stage_of_the_tabular_pipeline_can_be_added():
    built = forms.tabular_builder(engine=misread).post_process(correct.blank_suppress()).build()
    assert "blank_suppress" in [stage.name for stage in built.stages]
