"""An extraction as a notebook displays it: a table of the values, each with the picture of its place."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from html import escape
from typing import TYPE_CHECKING

from quire.core.errors import QuireError
from quire.evidence.extract.reports.report_pictures import place_picture
from quire.evidence.extract.reports.value_rows import ValueRow, value_rows
from quire.output.export.crops import Crop, PageCrops, rendered_by

if TYPE_CHECKING:
    from quire.evidence.extract.values import Extraction

MOST_VALUES = 100
_WIDTH = "max-width: 26em; max-height: 6em"


def notebook_html(extraction: Extraction) -> str:
    """The values of an extraction as an HTML table, with pictures where the document is still there."""
    rows = value_rows(extraction)
    with _crops(extraction) as crop:
        body = "".join(_row(row, crop) for row in rows[:MOST_VALUES])
    names = _cells("th", "Field", "Value", "Status", "Page", "Place")
    more = f"<p>and {len(rows) - MOST_VALUES} more values</p>" if len(rows) > MOST_VALUES else ""
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>{more}"


def _row(row: ValueRow, crop: Crop | None) -> str:
    evidence = row.evidence
    picture = place_picture(crop, evidence.page, row.boxes)
    quote = escape(evidence.quote)
    place = quote
    if picture is not None:
        source = f"data:image/png;base64,{b64encode(picture).decode()}"
        place = f'<img src="{source}" alt="{quote}" title="{quote}" style="{_WIDTH}">'
    if row.value is None or evidence.picture_differs:
        place = escape(evidence.reason)
    cells = (escape(row.path), escape(row.text) or "–", row.status, str(evidence.page or ""), place)
    return f"<tr>{_cells('td', *cells)}</tr>"


def _cells(tag: str, *cells: str) -> str:
    return "".join(f'<{tag} style="text-align: left">{cell}</{tag}>' for cell in cells)


def _crops(extraction: Extraction) -> AbstractContextManager[Crop | None]:
    return nullcontext() if extraction.reopen is None else _reopened(extraction)


@contextmanager
def _reopened(extraction: Extraction) -> Iterator[Crop | None]:
    """Cuts pictures out of the document; None if it is gone or has changed."""
    assert extraction.reopen is not None
    try:
        document = extraction.reopen()
    except QuireError:
        yield None
        return
    with document:
        yield PageCrops(rendered_by(document.reader))
