"""Jobs of workers for the ready-made pipelines: find the fields of a form, and read a drawing.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire.core.opened import Opened, WorkerWork
from quire.durable.reads.read_jobs import Export, loaded_result

if TYPE_CHECKING:
    from quire.pipelines.domains.forms import Form


@dataclass(frozen=True, slots=True)
class DrawingRequest:
    """A drawing to read: the file, and which of its pages."""

    source: Opened
    pages: str | None


def form(document: Export, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The form of a document that was read, as JSON."""
    return {}, json.dumps(_form_of(document, work).to_json()).encode()


def form_workbook(document: Export, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The same as a workbook."""
    return {}, _form_of(document, work).to_workbook()


def drawing(request: DrawingRequest, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """A drawing as JSON."""
    from quire.pipelines.domains import drawings

    read = drawings.read(request.source.document(work), pages=request.pages)
    return {}, json.dumps(read.to_json()).encode()


def _form_of(document: Export, work: WorkerWork) -> Form:
    from quire.pipelines.domains.forms import drawn_boxes, form_of

    result = loaded_result(document, work)
    return form_of(result, check_boxes=drawn_boxes(document.source.document(work), result))
