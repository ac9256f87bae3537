"""The sheet of evidence: a row for each value, with the picture of its place, linked to its cell and back."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.core.context import Json
from quire.core.types import BBox
from quire.evidence.extract.reports.value_rows import STATUS_WORDS, placed
from quire.evidence.extract.values import EvidenceStatus, LeafEvidence
from quire.solving.workbook.added_sheets import FONT, write_head
from quire.solving.workbook.cell_values import write_text, write_value

Cropper = Callable[[str, LeafEvidence], bytes | None]
_TITLE = "Evidence"
_COLUMNS = (*("Path", "Value", "Status", "Sure", "Document", "Page", "Box", "Quote", "Records", "Reason", "Place"),)
_WIDTHS = (24, 30, 16, 8, 20, 7, 30, 44, 18, 40, 60)
_PICTURE = len(_COLUMNS)
COLOURS: Mapping[EvidenceStatus, str] = {"unverified": "FFEB9C", "conflict": "FFC7CE", "not_found": "D9D9D9"}
"""Fills of cells whose value is not supported. Those that are keep the look of the template."""
_MOST_PICTURES = 500
_MOST_LINKS = 60_000
"""Excel repairs a sheet that has more than 65,530."""
_HEIGHT, _WIDTH = 120, 420
"""Pixels; a larger picture is shown smaller."""


@dataclass(frozen=True, slots=True)
class FilledPlace:
    """A value with its evidence, and the cell that holds it; None where the template has no cell for it."""

    path: str
    value: Json
    evidence: LeafEvidence
    cell: Any = None

    @property
    def status(self) -> str:
        return STATUS_WORDS[self.evidence.status]


def add_evidence(book: Any, places: Sequence[FilledPlace], crop: Cropper | None, names: Mapping[str, str]) -> None:
    """Add the sheet at the end of a workbook, and link every cell of a value with its row."""
    from openpyxl.styles import Alignment, Font

    sheet = book.create_sheet(_free_title(book))
    write_head(sheet, dict(zip(_COLUMNS, _WIDTHS, strict=True)))
    sheet.freeze_panes = "B2"
    linked = Font(name=FONT, color="0563C1", underline="single")
    top = Alignment(horizontal="left", vertical="top", wrap_text=True)
    pictures = _pictures(places, crop)
    for row, place in enumerate(places, start=2):
        _write_row(sheet, row, place, names)
        for number in range(1, _PICTURE):
            sheet.cell(row, number).alignment = top
        if (png := pictures.get(row - 2)) is not None:
            _add_picture(sheet, row, png)
        if place.cell is not None and row <= _MOST_LINKS:
            if place.cell.value is not None:  # some programs show the link of an empty cell as its value
                _link(place.cell, sheet.title, f"A{row}", "Where this value is from")
            _link(sheet.cell(row, 1), place.cell.parent.title, place.cell.coordinate, "To the cell of this value")
            sheet.cell(row, 1).font = linked
    sheet.auto_filter.ref = f"A1:{sheet.cell(max(len(places) + 1, 1), _PICTURE).coordinate}"


def fill_colour(cell: Any, status: EvidenceStatus) -> None:
    """Colour a cell whose value is not supported."""
    from openpyxl.styles import PatternFill

    if status in COLOURS:
        cell.fill = PatternFill("solid", start_color=COLOURS[status], end_color=COLOURS[status])


def document_name(evidence: LeafEvidence, names: Mapping[str, str]) -> str:
    """The name of the file of a value; its short name where the file has none."""
    return names.get(evidence.document, evidence.document)


def _write_row(sheet: Any, row: int, place: FilledPlace, names: Mapping[str, str]) -> None:
    evidence = place.evidence
    write_text(sheet.cell(row, 1), place.path)
    write_value(sheet.cell(row, 2), place.value)
    write_text(sheet.cell(row, 3), place.status)
    fill_colour(sheet.cell(row, 3), evidence.status)
    if evidence.probability is not None:
        sheet.cell(row, 4).value = int(100 * evidence.probability) / 100  # rounded down: never surer than it is
        sheet.cell(row, 4).number_format = "0%"
    write_text(sheet.cell(row, 5), document_name(evidence, names))
    sheet.cell(row, 6).value = evidence.page
    write_text(sheet.cell(row, 7), "\n".join(map(_box, placed(evidence.bboxes))))
    write_text(sheet.cell(row, 8), evidence.quote)
    write_text(sheet.cell(row, 9), "\n".join(evidence.records))
    write_text(sheet.cell(row, 10), evidence.reason)


def _box(box: BBox) -> str:
    """Left, top, width and height as shares of the page."""
    return ", ".join(f"{number:.4f}" for number in (box.left, box.top, box.width, box.height))


def _pictures(places: Sequence[FilledPlace], crop: Cropper | None) -> dict[int, bytes]:
    """The pictures by row, asked for page after page, so that each page is drawn once."""
    if crop is None:
        return {}
    listed = [(one.evidence.document, one.evidence.page, at) for at, one in enumerate(places) if one.evidence.page]
    cut = {at: crop(places[at].path, places[at].evidence) for _, _, at in sorted(listed[:_MOST_PICTURES])}
    return {at: png for at, png in cut.items() if png}


def _add_picture(sheet: Any, row: int, png: bytes) -> None:
    from openpyxl.drawing.image import Image
    from openpyxl.utils.units import pixels_to_points

    picture = Image(io.BytesIO(png))
    scale = min(1.0, _HEIGHT / picture.height, _WIDTH / picture.width)
    picture.width, picture.height = max(1, int(picture.width * scale)), max(1, int(picture.height * scale))
    sheet.add_image(picture, sheet.cell(row, _PICTURE).coordinate)
    sheet.row_dimensions[row].height = pixels_to_points(max(20, picture.height + 4))


def _link(cell: Any, sheet: str, coordinate: str, tip: str) -> None:
    from openpyxl.utils import quote_sheetname
    from openpyxl.worksheet.hyperlink import Hyperlink

    place = f"{quote_sheetname(sheet)}!{coordinate}"
    cell._hyperlink = Hyperlink(ref=cell.coordinate, location=place, tooltip=tip)  # the setter fills empty cells


def _free_title(book: Any) -> str:
    taken = {title.casefold() for title in book.sheetnames}
    titles = (_TITLE, *(f"{_TITLE} {number}" for number in range(2, len(taken) + 3)))
    return next(title for title in titles if title.casefold() not in taken)
