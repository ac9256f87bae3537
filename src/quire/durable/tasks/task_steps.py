"""The steps of a task, over a store and the worker pool. Each is idempotent, and returns small values."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from math import inf

from quire.core.context import Json, Store
from quire.core.document import Document
from quire.core.errors import RunError
from quire.core.events import Sink
from quire.core.fetch_policy import FetchPolicy
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_bytes, digest_of
from quire.core.media_types import input_format_of
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.extracts.extract_steps import ExtractSteps
from quire.durable.indexing.index_queue import queue_document
from quire.durable.indexing.read_places import ReadPlace
from quire.durable.reads.read_jobs import ShortRead
from quire.durable.reads.read_request import ReadRequest
from quire.durable.reads.read_steps import EXPORT_S, DocumentSteps, lane_of
from quire.durable.reads.sources import save_source, source_key
from quire.durable.review.review_steps import opened_review, review_queue
from quire.durable.solves.solve_steps import SolveSteps
from quire.durable.steps.archives import parts_of
from quire.durable.tasks import buckets as delivering
from quire.durable.tasks import task_jobs as jobs
from quire.durable.tasks.enrichments import Enriching
from quire.durable.tasks.progress import counted
from quire.evidence.extract.extraction_json import decode_extraction
from quire.net.fetching import fetch, send
from quire.reading.messages import (
    DocumentReference,
    OpenedReview,
    ShortDocument,
    SourceJson,
    TaskArgument,
    TaskDocument,
    TaskEnrichment,
    TaskOutput,
    TaskResult,
    TaskSource,
)
from quire.store.artifacts import ArtifactStore
from quire.system.stage_versions import stage_version
from quire.system.workers.pool import Lane

SHORT_S = 120.0
"""Timeout for a worker to read a short document and make its output."""
INLINE = 16 << 10
"""Bytes of a list of documents in the result of a run; a longer one is an artifact."""
PARTS = ("body", "confidence", "archive", "chunks")
READS = ("read", "extract", "solve")
"""Types of tasks of Quire's own API: they make no output of docling-serve."""
ALL_FAILED = "every document of the task failed"
PRIVATE_NETWORKS = "QUIRE_SERVE_ALLOWED_PRIVATE_IPS on the server"
"""The setting that lets a task fetch from private networks, and send to them."""


class TaskSteps:
    """Steps over one store. Thread-safe."""

    def __init__(self, documents: DocumentSteps) -> None:
        self._documents = documents
        self._extracts = ExtractSteps(documents)
        self.solving = SolveSteps(documents)

    def listed(self, argument: TaskArgument) -> Sequence[TaskSource]:
        """The sources, each object of a bucket by itself."""
        sources: list[TaskSource] = []
        for number, source in enumerate(argument["sources"]):
            if "bucket" not in source:
                sources.append(source)
                continue
            for single in delivering.objects(source["bucket"], policy_of(argument)):
                sources.append({**single, "bucket": {**single["bucket"], "source": number}})
        return sources

    def fetched(self, argument: TaskArgument, source: TaskSource) -> TaskSource:
        """Download a document, and save it to the store: the source with its place and its format."""
        steps = self._documents.scoped(argument["tenant"])
        folder = steps.store.scratch()
        if "bucket" in source:
            bucket = argument["sources"][source["bucket"]["source"]]["bucket"]
            fetched = delivering.downloaded({**bucket, **source["bucket"]}, policy_of(argument), folder=folder)
        else:
            fetched = fetch(source["url"], policy_of(argument), headers=source.get("headers"), folder=folder)
        try:
            with Document(fetched.path, name=fetched.name) as document:
                return _stored(steps.store, document, source)
        finally:
            fetched.path.unlink(missing_ok=True)

    def short(
        self, argument: TaskArgument, request: ReadRequest, document: TaskDocument, run: str, sink: Sink
    ) -> ShortDocument | None:
        """Read a short document and make its output in one go; None for one that is long, or needs an engine."""
        steps = self._documents.scoped(argument["tenant"])
        store = steps.store
        # Outputs of a document that is enriched are made afterwards.
        settings = None if "enrich" in argument else self._output_settings(argument, document)
        key = artifact_key("short", "1", (request.source.id, request.key()), digest_of({}))
        digest = store.find(key)
        if digest is not None:
            reference: DocumentReference = json.loads(store.load(digest))
            output = self._known_output(steps, reference, settings)
            if output is not None:
                stored: ShortDocument = {"reference": {**reference, "source": request.source.to_json()}}
                return stored if settings is None else {**stored, "output": output}
        with steps.short_request(request) as document_job:
            job, lane = jobs.ShortRequest(document_job, settings), Lane.CALL if argument.get("urgent") else Lane.BRIEF
            reply = steps.work("quire.durable.tasks.task_jobs:short", job, SHORT_S, lane=lane, run=run)
        size = reply.header.get("read_size", len(reply.data))
        assert isinstance(size, int)
        read = steps.short(request, ShortRead.of(reply.header, reply.data[:size]), run, sink)
        if read is None:
            return None
        made: ShortDocument = {"reference": read}
        store.save(key, json.dumps(read).encode(), stage="short", document=request.source.id)
        if settings is not None:
            made["output"] = self._saved(steps, read, settings, reply.header["output"], reply.data[size:])
        store.flush()
        return made

    def queue_for_index(self, target: Mapping[str, Json], document: TaskDocument, run: str, number: int) -> str:
        """Queue a document that was read for a search index; returns the run that puts it there."""
        store = self._documents.store
        assert isinstance(store, ArtifactStore)
        return queue_document(store.database, target, document["reference"], ReadPlace(run, number))

    def enriched(self, argument: TaskArgument, document: TaskDocument) -> TaskEnrichment:
        """The answers of a vision model about a document that was read."""
        steps, until = self._documents.scoped(argument["tenant"]), time.monotonic() + (argument["timeout_s"] or inf)
        return Enriching(steps, document["reference"], argument["enrich"], policy_of(argument), until).run()

    def output(self, argument: TaskArgument, document: TaskDocument, number: int) -> TaskOutput:
        """The contents of a document in the requested formats, made in a worker unless they are in the store."""
        reference, steps = document["reference"], self._documents.scoped(argument["tenant"])
        settings = self._output_settings(argument, document)
        assert settings is not None
        output = self._known_output(steps, reference, settings)
        if output is None:
            with steps.requested(reference) as read:
                job, lane = jobs.OutputRequest(read, settings), lane_of(reference["ledger"]["pages"])
                reply = steps.work("quire.durable.tasks.task_jobs:output", job, EXPORT_S, lane=lane)
            output = self._saved(steps, reference, settings, reply.header, reply.data)
            steps.store.flush()
        return output

    def extracted(self, argument: TaskArgument, document: TaskDocument, on_event: Sink) -> Digest:
        """The extraction of a document, made in a worker unless it is in the store."""
        request = ExtractRequest.from_json(argument["extract"])
        return self._extracts.extraction(document["reference"], request, on_event=on_event)[0]

    def opened_review(self, argument: TaskArgument, document: TaskDocument, run: str, number: int) -> OpenedReview:
        """Put the extraction of a document up for review."""
        request, reference = ExtractRequest.from_json(argument["extract"]), document["reference"]
        review = review_queue(self._documents.store).open(
            decode_extraction(self._extracts.load(reference, document["extraction"])),
            request.schema or list(request.fields),
            reference,
            run=run,
            place=f"{run}.{number}",
            waits=argument["review"] == "wait",
        )
        return opened_review(review, run)

    def _output_settings(self, argument: TaskArgument, document: TaskDocument) -> jobs.OutputSettings | None:
        if argument["type"] in READS:
            return None
        chunking = argument.get("chunking")
        return jobs.OutputSettings(
            outputs=dict(argument["outputs"]),
            chunking=None if chunking is None else dict(chunking),
            archive=argument["target"]["kind"] != "inbody" or len(argument["sources"]) > 1 or _expands(argument),
            name=document["name"],
            enrichment=document.get("enrichment"),
        )

    def _known_output(
        self, steps: DocumentSteps, reference: DocumentReference, settings: jobs.OutputSettings | None
    ) -> TaskOutput | None:
        """The output in the store, if all of it and of the document is there."""
        needed = [reference["document"], reference["index"]]
        output: TaskOutput = {}
        if settings is not None:
            digest = steps.store.find(_output_key(reference, settings))
            if digest is None:
                return None
            output = json.loads(steps.store.load(digest))
            needed += [output[part] for part in PARTS if part in output]  # type: ignore[literal-required]
        return output if steps.store.has_contents(needed) >= set(needed) else None

    def answer(self, argument: TaskArgument, documents: Sequence[TaskDocument]) -> TaskResult:
        """Combine the documents, and deliver them to the target. Raises RunError when every document of an archive
        failed."""
        store = self._documents.scoped(argument["tenant"]).store
        listed = json.dumps(documents).encode()
        key = artifact_key("task", "1", (digest_bytes(listed),), digest_of({}))
        first = next(
            (one["reference"]["source"]["id"] for one in documents if "reference" in one), digest_bytes(listed)
        )
        result: TaskResult = {"documents": list(documents), "counts": counted(documents)}
        if len(listed) > INLINE:
            result["documents"] = store.save(key, listed, stage="task", document=first)
        archives = [one["output"]["archive"] for one in documents if "archive" in one.get("output", {})]
        kind = argument["target"]["kind"]
        if argument["type"] == "convert" and (kind != "inbody" or len(documents) > 1):
            if not archives:
                raise RunError(_reason(documents), category="input")
            archive = self._archive(store, archives, first)
            if kind in ("inbody", "zip"):
                result["archive"] = archive
            else:
                data = store.load(archive)
                for target in (argument["target"], *argument.get("more_targets", ())):
                    delivering.deliver(target, data, documents, policy_of(argument))
        store.flush()
        return result

    def call_back(self, argument: TaskArgument, callback: Json, what: Json, task: str) -> None:
        """Post progress to a URL of the caller."""
        body = json.dumps({"task_id": task, "progress": what}).encode()
        headers = {**(callback.get("headers") or {}), "Content-Type": "application/json"}
        send("POST", callback["url"], body, policy_of(argument, timeout_s=30.0), headers=headers)

    def _saved(
        self,
        steps: DocumentSteps,
        reference: DocumentReference,
        settings: jobs.OutputSettings,
        header: Json,
        data: bytes,
    ) -> TaskOutput:
        """Save the parts of an output that a worker made."""
        key, source = _output_key(reference, settings), reference["source"]["id"]
        output: Json = {"figures": header["figures"]}
        sizes: dict[str, int] = dict(header["parts"])
        for name, part in zip(sizes, parts_of(data, sizes.values()), strict=True):
            part_key = artifact_key("task-output-part", "1", (key, name), digest_of({}))
            output[name] = steps.store.save(part_key, part, stage="task-output", document=source)
        steps.store.save(key, json.dumps(output).encode(), stage="task-output", document=source)
        made: TaskOutput = output
        return made

    def _archive(self, store: Store, archives: Sequence[Digest], document: str) -> Digest:
        """One zip archive of the files of all documents."""
        if len(archives) == 1:
            return archives[0]
        key = artifact_key("task-archive", "1", archives, digest_of({}))
        joined = store.find(key)
        if joined is None:
            data = self._documents.work("quire.durable.tasks.task_jobs:joined", tuple(archives), EXPORT_S).data
            joined = store.save(key, data, stage="task-output", document=document)
        return joined


def policy_of(argument: TaskArgument, *, timeout_s: float | None = None) -> FetchPolicy:
    limits = argument["limits"]
    return FetchPolicy(
        max_bytes=limits["max_bytes"],
        timeout_s=timeout_s or limits["timeout_s"],
        networks=tuple(limits["networks"]),
        allowed_by=PRIVATE_NETWORKS,
    )


def _stored(store: Store, document: Document, source: TaskSource) -> TaskSource:
    if store.find(source_key(document.id)) is None:
        with document.open() as file:
            save_source(store, document.id, file, document.check_unchanged)
    stored: SourceJson = {"id": document.id, "name": document.name, "path": "", "stored": True}
    return {**source, "stored": stored, "format": input_format_of(document.media_type)}


def _output_key(reference: DocumentReference, settings: jobs.OutputSettings) -> ArtifactKey:
    inputs = reference["document"], reference["index"], reference["source"]["id"]
    return artifact_key("task-output", stage_version("task-output"), inputs, digest_of(settings.to_json()))


def _expands(argument: TaskArgument) -> bool:
    return any("bucket" in source for source in argument["sources"])


def _reason(documents: Sequence[TaskDocument]) -> str:
    faults = [f"{one['name']}: {one['faults'][0]['message']}" for one in documents if one["faults"]]
    return f"{ALL_FAILED}: {'; '.join(faults[:3])}"
