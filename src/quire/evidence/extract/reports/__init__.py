"""An extraction as files: JSON, a table, a workbook with the pictures of its places, and a page to look at."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from quire.core.errors import UsageError
from quire.evidence.extract.values import Extraction
from quire.output.export.crops import Crop

ReportFormat: TypeAlias = Literal["json", "csv", "xlsx", "html"]
REPORT_FORMATS: tuple[ReportFormat, ...] = get_args(ReportFormat)
MEDIA_TYPES: dict[ReportFormat, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
}
PICTURED: frozenset[ReportFormat] = frozenset({"xlsx", "html"})
"""Formats that show pictures of pages."""


def check_report_format(name: str) -> ReportFormat:
    """Raises UsageError for a format that does not exist."""
    for known in REPORT_FORMATS:
        if known == name:
            return known
    raise UsageError(f"there is no report {name[:50]!r}; choose from {', '.join(REPORT_FORMATS)}")


def report(extraction: Extraction, format: ReportFormat, crop: Crop | None = None) -> bytes:
    """The bytes of a report. `crop` draws the places; without it, or for a page that cannot be drawn, there is no
    picture. Raises ConfigurationError for a workbook without xlsxwriter."""
    match format:
        case "json":
            from quire.evidence.extract.extraction_json import encode_extraction

            return encode_extraction(extraction)
        case "csv":
            from quire.evidence.extract.reports.table import csv_report

            return csv_report(extraction)
        case "xlsx":
            from quire.evidence.extract.reports.workbook import workbook_report

            return workbook_report(extraction, crop)
    from quire.evidence.extract.reports.html_page import html_report

    return html_report(extraction, crop)
