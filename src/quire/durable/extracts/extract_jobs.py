"""Jobs of workers for extractions: extract from a document that was read, compare what was read again, write reports.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.core.context import Json
from quire.core.opened import WorkerWork
from quire.core.types import Part
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.reads.read_jobs import Export, loaded_result
from quire.evidence.catalog.catalog_rows import catalog_rows
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction, extraction_of
from quire.evidence.extract.extractor_registry import find_extractors
from quire.evidence.extract.language_model.recorded_calls import answered_by
from quire.evidence.extract.reports import ReportFormat, report
from quire.evidence.extract.second_reading import CropReading, reread_places, with_readings
from quire.evidence.extract.shown_values import seen_values
from quire.evidence.learn.samples import Sample
from quire.net.language_model import LanguageModel
from quire.output.export.crops import PageCrops, rendered_by
from quire.reading.model_answers import answers_of_parent
from quire.retrieval.chunk.rows import jsonl


@dataclass(frozen=True, slots=True)
class Extracting:
    """A document that was read, and what is extracted from it."""

    document: Export
    asked: ExtractRequest
    model: LanguageModel | None = None
    """By its name alone: the parent asks it."""
    engine: str = ""
    """The name of the engine that will read places again."""


@dataclass(frozen=True, slots=True)
class Rereading:
    """An extraction as JSON, and what an engine, by name and version, read in the pictures of its places."""

    document: Export
    asked: ExtractRequest
    extraction: bytes
    engine: tuple[str, str]
    readings: Mapping[Part, CropReading]


@dataclass(frozen=True, slots=True)
class Reporting:
    """An extraction as JSON, and the reports to write about it."""

    document: Export
    extraction: Mapping[str, Json]
    formats: Sequence[ReportFormat]


@dataclass(frozen=True, slots=True)
class Sampling:
    """A document that was read, and what a review exports about it."""

    document: Export
    sample: Mapping[str, Json]


def extracted(request: Extracting, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The extraction as JSON; the header says whether an extractor failed, the versions of the extractors, and which
    places are to be read again."""
    extract_request = request.asked
    catalog, schema = loaded_result(request.document, work).catalog(), extract_request.extract_schema()
    with answered_by(answers_of_parent(work), request.model):
        made = extract(
            catalog, schema, find_extractors(extract_request.extractors), min_confidence=extract_request.min_confidence
        )
    made = seen_values(made, catalog, request.document.source.document(work))
    places = reread_places(made, schema, catalog, request.engine) if request.engine else ()
    boxes = [(one.page, one.bbox.left, one.bbox.top, one.bbox.width, one.bbox.height) for one in places]
    header = {"failures": len(made.failures), "extractors": list(made.extractors), "places": boxes}
    return header, encode_extraction(made)


def reread(request: Rereading, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The extraction with what was read again, as JSON; the header says whether something failed."""
    catalog = loaded_result(request.document, work).catalog()
    extraction = decode_extraction(request.extraction)
    made = with_readings(extraction, request.asked.extract_schema(), catalog, request.engine, request.readings)
    return {"failures": len(made.failures), "extractors": list(made.extractors)}, encode_extraction(made)


def reported(request: Reporting, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The reports. The header has their sizes, the data their bytes."""
    extraction = extraction_of(request.extraction)
    crop = PageCrops(rendered_by(request.document.source.document(work).reader))
    files = [report(extraction, format, crop) for format in request.formats]
    return {"sizes": [len(one) for one in files]}, b"".join(files)


def cataloged(document: Export, work: WorkerWork) -> bytes:
    """The source catalog of a document, as lines of JSON."""
    return jsonl(catalog_rows(loaded_result(document, work).catalog()))


def sampled(request: Sampling, work: WorkerWork) -> bytes:
    """The sample with the content of the document, as a line of JSON."""
    given = request.sample
    made = Sample.from_json(given).completed(loaded_result(request.document, work).catalog()).to_json()
    return jsonl([{**made, "places": {**made["places"], **given["places"]}}])
