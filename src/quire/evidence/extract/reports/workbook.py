"""An extraction as a workbook: the values with colours by status, each linked to the picture of its place."""

from __future__ import annotations

import io
from typing import Any

from quire.core.page_ranges import selection
from quire.evidence.extract.reports.report_pictures import place_picture
from quire.evidence.extract.reports.value_rows import STATUS_WORDS, ValueRow, placed, shown, value_rows
from quire.evidence.extract.values import SURE, EvidenceStatus, Extraction
from quire.output.export.crops import Crop
from quire.output.export.workbooks import ReportSheets, fitting, open_workbook

_COLUMNS = (
    *("Field", "Value", "Text", "Match", "Sure", "Page", "Quote", "Place", "Reason"),
    *("Picture reads the same", "Confidence of extractor"),
)
_WIDTHS = (24, 34, 15, 10, 8, 7, 44, 10, 44, 22, 22)
_COLOURS: dict[EvidenceStatus, str] = {
    "found": "#C6EFCE",
    "confirmed": "#C6EFCE",
    "corrected": "#C6EFCE",
    "repaired": "#E2EFC6",
    "unverified": "#FFEB9C",
    "conflict": "#FFC7CE",
    "not_found": "#E7E6E6",
}
_MOST_PICTURES = 500
_HEIGHT, _WIDTH = 300, 800
"""Pixels; a larger picture is shown smaller."""


def workbook_report(extraction: Extraction, crop: Crop | None) -> bytes:
    """Sheets for values, places, conflicts and what was not found. Raises ConfigurationError without xlsxwriter."""
    with open_workbook(title=extraction.name) as (book, target):
        _Sheets(book, extraction, crop).write()
    return target.getvalue()


class _Sheets(ReportSheets):
    def __init__(self, book: Any, extraction: Extraction, crop: Crop | None) -> None:
        super().__init__(book)
        self._extraction, self._crop = extraction, crop
        self._link = book.add_format({"valign": "top", "font_color": "#0563C1", "underline": 1})
        self._sure, self._unsure = (
            book.add_format({"valign": "top", "num_format": "0 %", "bg_color": _COLOURS[status]})
            for status in ("found", "unverified")
        )
        self._coloured = {
            status: book.add_format({"valign": "top", "bg_color": colour}) for status, colour in _COLOURS.items()
        }

    def write(self) -> None:
        values = self._sheet("Values", _COLUMNS, _WIDTHS)
        places = self._sheet("Places", ("Field", "Value", "Page", "Picture"), (24, 34, 7, 80))
        rows = value_rows(self._extraction)
        pictures = self._pictures(rows)
        below = 1
        for number, row in enumerate(rows, start=1):
            self._value(values, number, row)
            if (png := pictures.get(number)) is None:
                continue
            values.write_url(number, 7, f"internal:'Places'!A{below + 1}", self._link, string="show")
            places.write_url(below, 0, f"internal:'Values'!B{number + 1}", self._link, string=fitting(row.path))
            self._text(places, below, 1, row.text)
            places.write_number(below, 2, row.evidence.page or 0, self._plain)
            self._picture(places, below, 3, png)
            below += 1
        self._conflicts()
        self._missing()
        self._about()

    def _pictures(self, rows: list[ValueRow]) -> dict[int, bytes]:
        """The pictures of the places by row, cut page after page: each page is drawn once."""
        listed = [(row.evidence.page or 0, number, row) for number, row in enumerate(rows, start=1)][:_MOST_PICTURES]
        cut = {at: place_picture(self._crop, page or None, row.boxes) for page, at, row in sorted(listed, key=_order)}
        return {at: png for at, png in cut.items() if png is not None}

    def _value(self, sheet: Any, at: int, row: ValueRow) -> None:
        evidence = row.evidence
        self._text(sheet, at, 0, row.path)
        if isinstance(row.value, (int, float)) and not isinstance(row.value, bool):
            sheet.write_number(at, 1, row.value, self._plain)
        else:
            self._text(sheet, at, 1, row.text)
        sheet.write_string(at, 2, STATUS_WORDS[evidence.status], self._coloured[evidence.status])
        self._text(sheet, at, 3, evidence.match or "")
        if evidence.probability is not None:
            sheet.write_number(at, 4, round(evidence.probability, 3), self._sure if evidence.is_sure else self._unsure)
        if evidence.page is not None:
            sheet.write_number(at, 5, evidence.page, self._plain)
        self._text(sheet, at, 6, evidence.quote)
        self._text(sheet, at, 8, evidence.reason)
        self._text(sheet, at, 9, "yes" if evidence.crop_verified else "")
        if row.confidence is not None:
            sheet.write_number(at, 10, round(row.confidence, 3), self._plain)

    def _picture(self, sheet: Any, row: int, column: int, png: bytes) -> None:
        from PIL.Image import open as open_image

        width, height = open_image(io.BytesIO(png)).size
        scale = min(1.0, _HEIGHT / height, _WIDTH / width)
        sheet.set_row_pixels(row, max(20, int(height * scale) + 8))
        options = {"image_data": io.BytesIO(png), "x_scale": scale, "y_scale": scale, "x_offset": 4, "y_offset": 4}
        sheet.insert_image(row, column, "place.png", options)

    def _conflicts(self) -> None:
        sheet = self._sheet("Conflicts", ("Field", "Value", "Page", "Quote", "Extractor", "Picture"), (24, 34, 7, 44))
        below = 1
        for conflict in self._extraction.conflicts:
            for one in conflict.values:
                for column, text in enumerate((conflict.path, shown(one.value), str(one.page), one.quote)):
                    self._text(sheet, below, column, text)
                self._text(sheet, below, 4, one.extractor)
                png = place_picture(self._crop, one.page, placed(one.bboxes)) if below <= _MOST_PICTURES else None
                if png is not None:
                    self._picture(sheet, below, 5, png)
                below += 1

    def _missing(self) -> None:
        sheet = self._sheet("Not found", ("Field", "Pages searched", "Why"), (24, 20, 80))
        for at, one in enumerate(self._extraction.not_found, start=1):
            for column, text in enumerate((one.path, selection(one.pages), one.reason)):
                self._text(sheet, at, column, text)

    def _about(self) -> None:
        sheet = self._sheet("About", ("What", "Value"), (24, 80))
        extraction, coverage = self._extraction, self._extraction.coverage
        rows = [
            ("document", extraction.name),
            ("sha256", extraction.document),
            ("schema", extraction.schema),
            ("catalog", extraction.catalog),
            ("extractors", ", ".join(extraction.extractors)),
            ("values asked for", str(coverage.leaves)),
            ("returned", str(coverage.returned)),
            ("at their place", str(coverage.found)),
            (f"at least {100 * SURE:.0f} % sure", str(coverage.sure)),
            ("whose picture reads the same", str(coverage.crop_verified)),
            *([("read again by", extraction.reread)] if extraction.reread else []),
            ("not found", str(coverage.not_found)),
            *((f"failed: {one.extractor}", one.reason) for one in extraction.failures),
        ]
        for at, row in enumerate(rows, start=1):
            for column, text in enumerate(row):
                self._text(sheet, at, column, text)


def _order(one: tuple[int, int, ValueRow]) -> tuple[int, int]:
    return one[0], one[1]
