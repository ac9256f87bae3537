"""What workers do for extractions: extract from a document that was read, and write reports.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.catalog.files import catalog_rows
from quire.chunk.rows import jsonl
from quire.cite.model import LanguageModel
from quire.context import Json
from quire.durable.extracts.request import ExtractRequest
from quire.durable.reads.jobs import Export, loaded_result
from quire.export.crops import PageCrops, rendered_by
from quire.extract.encoding import encode_extraction, extraction_of
from quire.extract.language_model.answering import answered_by
from quire.extract.registry import find_extractors
from quire.extract.reports import ReportFormat, report
from quire.extract.running import extract
from quire.opened import WorkerWork
from quire.reading.model_answers import answers_of_parent


@dataclass(frozen=True, slots=True)
class Extracting:
    """A document that was read, and what is extracted from it."""

    document: Export
    asked: ExtractRequest
    model: LanguageModel | None = None
    """By its name alone: the parent asks it."""


@dataclass(frozen=True, slots=True)
class Reporting:
    """An extraction as JSON, and the reports to write about it."""

    document: Export
    extraction: Mapping[str, Json]
    formats: Sequence[ReportFormat]


def extracted(request: Extracting, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The extraction as JSON; the header says whether an extractor failed."""
    asked = request.asked
    catalog = loaded_result(request.document, work).catalog()
    with answered_by(answers_of_parent(work), request.model):
        made = extract(catalog, asked.asked(), find_extractors(asked.extractors), min_confidence=asked.min_confidence)
    return {"failures": len(made.failures)}, encode_extraction(made)


def reported(request: Reporting, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The reports. The header has their sizes, the data their bytes."""
    extraction = extraction_of(request.extraction)
    crop = PageCrops(rendered_by(request.document.source.document(work).reader))
    files = [report(extraction, format, crop) for format in request.formats]
    return {"sizes": [len(one) for one in files]}, b"".join(files)


def cataloged(document: Export, work: WorkerWork) -> bytes:
    """The source catalog of a document, as lines of JSON."""
    return jsonl(catalog_rows(loaded_result(document, work).catalog()))
