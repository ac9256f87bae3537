"""Extractions over a store: each is made once, however many ask for it at the same time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import cast

from quire.core.context import Claim, Json
from quire.core.engine import Engine
from quire.core.errors import ConfigurationError
from quire.core.events import Sink
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.core.types import BBox, Part
from quire.durable.extracts import extract_jobs as jobs
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.reads.read_jobs import Export
from quire.durable.reads.read_steps import EXPORT_S, DocumentSteps, lane_of
from quire.durable.steps.archives import parts_of
from quire.durable.steps.once import made_once
from quire.durable.steps.services import TellingService
from quire.evidence.extract.reports import ReportFormat, check_report_format
from quire.flow.components import Files
from quire.net.language_model import LanguageModel
from quire.reading.messages import DocumentReference
from quire.reading.model_answers import REQUEST, RecordedAnswers, answered_here
from quire.reading.second_reading import crop_readings
from quire.system.workers import WorkerReply
from quire.system.workers.pool import Lane

STAGE = "extract"
SUFFIX = ".extracted"
"""Between the stem of a document and the format of a report."""


class ExtractSteps:
    """Steps over one store. Thread-safe; its methods block."""

    def __init__(self, documents: DocumentSteps) -> None:
        self._documents = documents

    def extraction(
        self, document: DocumentReference, request: ExtractRequest, *, on_event: Sink | None = None
    ) -> tuple[Digest, bool]:
        """The extraction of a document as JSON in the store, and whether it was there already. `on_event` gets what
        became of the questions to the engine that reads places again.

        One in which an extractor failed, or places could not be read again, is stored under another key, so that the
        next request tries again; one that was made by a model that was learnt again meanwhile is stored under the key
        of that model.
        """
        steps = self._scoped(document)
        versions = request.versions()
        key = extraction_key(document, request, versions)

        def make(claim: Claim) -> Digest:
            model, engine = _model(), request.engine()
            with steps.requested(document) as read:
                job = jobs.Extracting(read, request, model and model.named, engine.name if engine else "")
                answers = partial(answered_here, RecordedAnswers(steps.store), model, document["source"]["id"])
                lane = Lane.LONG if model else lane_of(document["ledger"]["pages"])
                call = "quire.durable.extracts.extract_jobs:extracted"
                reply = steps.work(call, job, EXPORT_S, lane=lane, more={REQUEST: answers})
                if engine is not None:
                    reply = _reread(steps, read, request, engine, reply, on_event, lane)
            if reply.header["failures"]:
                failed = artifact_key(f"{STAGE}/failed", "1", (key, digest_of(reply.data.decode())), digest_of({}))
                return self._saved(document, failed, reply.data)
            reported = zip(request.extractors, cast("list[str]", reply.header["extractors"]), strict=True)
            used = versions | dict(reported)
            if used != versions:
                return self._saved(document, extraction_key(document, request, used), reply.data)
            return self._saved(document, key, reply.data, claim)

        digest, hit = made_once(steps.store, key, partial(steps.store.find, key), make)
        steps.store.flush()
        return digest, hit

    def load(self, document: DocumentReference, digest: Digest) -> bytes:
        return self._scoped(document).store.load(digest)

    def reports(
        self, document: DocumentReference, extraction: Mapping[str, Json], formats: Sequence[ReportFormat]
    ) -> dict[ReportFormat, bytes]:
        """Reports about an extraction, by format."""
        steps = self._scoped(document)
        with steps.requested(document) as read:
            job = jobs.Reporting(read, extraction, tuple(formats))
            lane = lane_of(document["ledger"]["pages"])
            reply = steps.work("quire.durable.extracts.extract_jobs:reported", job, EXPORT_S, lane=lane)
        parts = parts_of(reply.data, cast("list[int]", reply.header["sizes"]))
        return dict(zip(formats, parts, strict=True))

    def _scoped(self, document: DocumentReference) -> DocumentSteps:
        return self._documents.scoped(document.get("scope", ""))

    def _saved(self, document: DocumentReference, key: ArtifactKey, data: bytes, claim: Claim | None = None) -> Digest:
        source = document["source"]["id"]
        return self._scoped(document).store.save(key, data, stage=STAGE, document=source, claim=claim)


def _reread(
    steps: DocumentSteps,
    read: Export,
    request: ExtractRequest,
    engine: Engine,
    extracted: WorkerReply,
    on_event: Sink | None,
    lane: Lane,
) -> WorkerReply:
    """The extraction with what an engine reads in the pictures of its places. No worker waits for another one."""
    boxes = cast("list[tuple[int, float, float, float, float]]", extracted.header["places"])
    places = [Part(page, BBox(*box)) for page, *box in boxes]
    readings = crop_readings(steps.store, read.source, engine, places, on_event=on_event)
    job = jobs.Rereading(read, request, extracted.data, (engine.name, engine.version), readings)
    return steps.work("quire.durable.extracts.extract_jobs:reread", job, EXPORT_S, lane=lane)


def extraction_key(document: DocumentReference, request: ExtractRequest, versions: Mapping[str, str]) -> ArtifactKey:
    """The key of an extraction: what was read, the schema, and the versions of extractors and engine."""
    source = document["source"]
    inputs = document["document"], document["index"], source["id"], source["name"]
    return artifact_key(STAGE, "1", inputs, request.digest(versions))


def _model() -> LanguageModel | None:
    """The model of this machine. One that is set up badly is none here: a request that needs it was refused."""
    with suppress(ConfigurationError):
        return LanguageModel.of(os.environ)
    return None


def extracting(documents: DocumentSteps) -> TellingService:
    """The service `extract` of flows: the extraction of a document, as JSON."""
    steps = ExtractSteps(documents)

    def service(
        on_event: Sink,
        document: DocumentReference,
        *,
        schema: Mapping[str, Json] | None,
        fields: Sequence[str],
        extractors: Sequence[str],
        min_confidence: float,
        reread: str,
        lang: Sequence[str],
    ) -> Json:
        request = ExtractRequest.of(schema, fields, extractors, min_confidence, reread, lang)
        return json.loads(steps.load(document, steps.extraction(document, request, on_event=on_event)[0]))

    return TellingService(service)


def reporting(documents: DocumentSteps) -> Callable[..., Files]:
    """The service `report` of flows: files about an extraction, named after the document."""
    steps = ExtractSteps(documents)

    def service(document: DocumentReference, extraction: Mapping[str, Json], formats: Sequence[str]) -> Files:
        chosen = [check_report_format(name) for name in dict.fromkeys(formats)]
        made = steps.reports(document, extraction, chosen)
        return Files({f"{SUFFIX}.{format}": data for format, data in made.items()})

    return service
