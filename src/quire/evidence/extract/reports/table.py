"""An extraction as CSV: a line for each value."""

from __future__ import annotations

import csv
import io

from quire.core.types import BBox
from quire.evidence.extract.reports.value_rows import ValueRow, value_rows
from quire.evidence.extract.values import Extraction
from quire.output.export._csv import inert

COLUMNS = (
    *("path", "value", "status", "match", "confidence", "probability", "page", "quote"),
    *("left", "top", "width", "height", "label", "reason", "extractor", "crop_verified"),
)


def csv_report(extraction: Extraction) -> bytes:
    """Every value with its evidence; the box is the one around all of its places, in fractions of the page."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in value_rows(extraction):
        writer.writerow([inert(text) for text in _cells(row)])
    return target.getvalue().encode("utf-8", "replace")


def _cells(row: ValueRow) -> tuple[str, ...]:
    evidence, box = row.evidence, BBox.union(row.boxes) if row.boxes else None
    place = ("",) * 4 if box is None else tuple(f"{side:.5f}" for side in (box.left, box.top, box.width, box.height))
    figures = ("" if one is None else f"{one:.3f}" for one in (row.confidence, evidence.probability))
    page = "" if evidence.page is None else str(evidence.page)
    where = (row.path, row.text, evidence.status, evidence.match or "", *figures, page, evidence.quote)
    crop_verified = "yes" if evidence.crop_verified else ""
    return (*where, *place, evidence.label, evidence.reason, evidence.extractor, crop_verified)
