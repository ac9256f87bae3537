"""Extractions over a store: each is made once, whoever asks for it at the same time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate
from typing import cast

from quire.cite.model import LanguageModel
from quire.context import Claim, Json
from quire.durable.extracts import jobs
from quire.durable.extracts.request import ExtractRequest
from quire.durable.flows.once import made_once
from quire.durable.messages import DocumentReference
from quire.durable.reads.steps import EXPORT_S, DocumentSteps
from quire.errors import ConfigurationError
from quire.extract.reports import ReportFormat, check_report_format
from quire.flow.components import Files
from quire.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.reading.model_answers import REQUEST, RecordedAnswers, answered_here

STAGE = "extract"
SUFFIX = ".extracted"
"""Between the stem of a document and the format of a report."""


class ExtractSteps:
    """Steps over one store. Thread-safe; its methods block."""

    def __init__(self, documents: DocumentSteps) -> None:
        self._documents = documents

    def extraction(self, document: DocumentReference, asked: ExtractRequest) -> tuple[Digest, bool]:
        """The extraction of a document as JSON in the store, and whether it was there already.

        One in which an extractor failed is stored under another key, so that the next request tries again.
        """
        steps = self._scoped(document)
        key = extraction_key(document, asked)

        def make(claim: Claim) -> Digest:
            model = _model()
            with steps.requested(document) as read:
                job = jobs.Extracting(read, asked, model and model.named)
                answers = partial(answered_here, RecordedAnswers(steps.store), model, document["source"]["id"])
                reply = steps.work("quire.durable.extracts.jobs:extracted", job, EXPORT_S, more={REQUEST: answers})
            if reply.header["failures"]:
                failed = artifact_key(f"{STAGE}/failed", "1", (key, digest_of(reply.data.decode())), digest_of({}))
                return self._saved(document, failed, reply.data)
            return self._saved(document, key, reply.data, claim)

        found, hit = made_once(steps.store, key, partial(steps.store.find, key), make)
        steps.store.flush()
        return found, hit

    def load(self, document: DocumentReference, digest: Digest) -> bytes:
        return self._scoped(document).store.load(digest)

    def reports(
        self, document: DocumentReference, extraction: Mapping[str, Json], formats: Sequence[ReportFormat]
    ) -> dict[ReportFormat, bytes]:
        """Reports about an extraction, by format."""
        steps = self._scoped(document)
        with steps.requested(document) as read:
            job = jobs.Reporting(read, extraction, tuple(formats))
            reply = steps.work("quire.durable.extracts.jobs:reported", job, EXPORT_S)
        sizes = cast("list[int]", reply.header["sizes"])
        ends = list(accumulate(sizes))
        parts = [reply.data[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        return dict(zip(formats, parts, strict=True))

    def _scoped(self, document: DocumentReference) -> DocumentSteps:
        return self._documents.scoped(document.get("scope", ""))

    def _saved(self, document: DocumentReference, key: ArtifactKey, data: bytes, claim: Claim | None = None) -> Digest:
        source = document["source"]["id"]
        return self._scoped(document).store.save(key, data, stage=STAGE, document=source, claim=claim)


def extraction_key(document: DocumentReference, asked: ExtractRequest) -> ArtifactKey:
    """The key of an extraction: what was read, the schema, and the versions of the extractors."""
    source = document["source"]
    inputs = document["document"], document["index"], source["id"], source["name"]
    return artifact_key(STAGE, "1", inputs, asked.digest())


def _model() -> LanguageModel | None:
    """The model of this machine. One that is set up badly is none here: a request that needs it was refused."""
    with suppress(ConfigurationError):
        return LanguageModel.of(os.environ)
    return None


def extracting(documents: DocumentSteps) -> Callable[..., Json]:
    """The service `extract` of flows: the extraction of a document, as JSON."""
    steps = ExtractSteps(documents)

    def service(
        document: DocumentReference,
        *,
        schema: Mapping[str, Json] | None,
        fields: Sequence[str],
        extractors: Sequence[str],
        min_confidence: float,
    ) -> Json:
        asked = ExtractRequest.of(schema, fields, extractors, min_confidence)
        return json.loads(steps.load(document, steps.extraction(document, asked)[0]))

    return service


def reporting(documents: DocumentSteps) -> Callable[..., Files]:
    """The service `report` of flows: files about an extraction, named after the document."""
    steps = ExtractSteps(documents)

    def service(document: DocumentReference, extraction: Mapping[str, Json], formats: Sequence[str]) -> Files:
        wanted = [check_report_format(name) for name in dict.fromkeys(formats)]
        made = steps.reports(document, extraction, wanted)
        return Files({f"{SUFFIX}.{format}": data for format, data in made.items()})

    return service
