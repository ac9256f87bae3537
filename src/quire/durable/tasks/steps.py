"""The steps of a task, over a store and the worker pool. Each is idempotent, and returns small values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate

from quire.context import Json, Store
from quire.document import Document
from quire.durable.messages import (
    DocumentReference,
    SourceJson,
    TaskArgument,
    TaskDocument,
    TaskOutput,
    TaskResult,
    TaskSource,
)
from quire.durable.reads.sources import save_source, source_key
from quire.durable.reads.steps import EXPORT_S, DocumentSteps
from quire.durable.tasks import delivering, jobs
from quire.durable.tasks.progress import counted
from quire.errors import RunError
from quire.fetching import FetchPolicy, fetch, send
from quire.keys import ArtifactKey, Digest, artifact_key, digest_bytes, digest_of

ALL_FAILED = "every document of the task failed"


class TaskSteps:
    """Steps over one store. Thread-safe."""

    def __init__(self, documents: DocumentSteps) -> None:
        self._documents = documents

    def listed(self, argument: TaskArgument) -> Sequence[TaskSource]:
        """The sources, each object of a bucket by itself."""
        return [
            single
            for source in argument["sources"]
            for single in (
                delivering.objects(source["bucket"], policy_of(argument)) if "bucket" in source else [source]
            )
        ]

    def fetched(self, argument: TaskArgument, source: TaskSource) -> SourceJson:
        """Download a document, and save it to the store."""
        steps = self._documents.scoped(argument["tenant"])
        if "bucket" in source:
            name, data = delivering.downloaded(source["bucket"], policy_of(argument))
            with Document(data, name=name) as document:
                return _stored(steps.store, document)
        fetched = fetch(source["url"], policy_of(argument), headers=source.get("headers"))
        try:
            with Document(fetched.path, name=fetched.name) as document:
                return _stored(steps.store, document)
        finally:
            fetched.path.unlink(missing_ok=True)

    def output(self, argument: TaskArgument, document: TaskDocument, number: int) -> TaskOutput:
        """The contents of a document in the requested formats, made in a worker unless they are in the store."""
        reference, steps = document["reference"], self._documents.scoped(argument["tenant"])
        chunking = argument.get("chunking") if argument["type"] == "chunk" else None
        wanted = jobs.Wanted(
            outputs=dict(argument["outputs"]),
            chunking=None if chunking is None else dict(chunking),
            archive=argument["target"]["kind"] != "inbody" or len(argument["sources"]) > 1 or _expands(argument),
            name=document["name"],
            status=document["status"],
        )
        key = _output_key(reference, wanted)
        found = steps.store.find(key)
        if found is None:
            found = self._made(steps, reference, wanted, key)
        output: TaskOutput = json.loads(steps.store.load(found))
        return output

    def answer(self, argument: TaskArgument, documents: Sequence[TaskDocument]) -> TaskResult:
        """Combine the documents, and deliver them to the target. Raises RunError when every document of an archive
        failed."""
        store = self._documents.scoped(argument["tenant"]).store
        listed = json.dumps(documents).encode()
        key = artifact_key("task", "1", (digest_bytes(listed),), digest_of({}))
        first = next(
            (one["reference"]["source"]["id"] for one in documents if "reference" in one), digest_bytes(listed)
        )
        result: TaskResult = {
            "documents": store.save(key, listed, stage="task", document=first),
            "counts": counted(documents),
        }
        archives = [one["output"]["archive"] for one in documents if "archive" in one.get("output", {})]
        kind = argument["target"]["kind"]
        if argument["type"] == "convert" and (kind != "inbody" or len(documents) > 1):
            if not archives:
                raise RunError(_reason(documents), category="input")
            archive = self._archive(store, archives, first)
            if kind in ("inbody", "zip"):
                result["archive"] = archive
            else:
                delivering.deliver(argument["target"], store.load(archive), documents, policy_of(argument))
        store.flush()
        return result

    def call_back(self, argument: TaskArgument, callback: Json, what: Json, task: str) -> None:
        """Post progress to a URL of the caller."""
        body = json.dumps({"task_id": task, "progress": what}).encode()
        headers = {**(callback.get("headers") or {}), "Content-Type": "application/json"}
        send("POST", callback["url"], body, policy_of(argument, timeout_s=30.0), headers=headers)

    def _made(
        self, steps: DocumentSteps, reference: DocumentReference, wanted: jobs.Wanted, key: ArtifactKey
    ) -> Digest:
        with steps.requested(reference) as document:
            answer = steps.work("quire.durable.tasks.jobs:output", jobs.OutputRequest(document, wanted), EXPORT_S)
        parts = answer.header["parts"]
        assert isinstance(parts, list)
        source = reference["source"]["id"]
        output: Json = {"figures": answer.header["figures"]}
        ends = list(accumulate(size for _, size in parts))
        for (name, size), end in zip(parts, ends, strict=True):
            part_key = artifact_key("task-output-part", "1", (key, name), digest_of({}))
            data = answer.data[end - size : end]
            output[name] = steps.store.save(part_key, data, stage="task-output", document=source)
        found = steps.store.save(key, json.dumps(output).encode(), stage="task-output", document=source)
        steps.store.flush()
        return found

    def _archive(self, store: Store, archives: Sequence[Digest], document: str) -> Digest:
        """One zip archive of the files of all documents."""
        if len(archives) == 1:
            return archives[0]
        key = artifact_key("task-archive", "1", archives, digest_of({}))
        found = store.find(key)
        if found is None:
            data = self._documents.work("quire.durable.tasks.jobs:joined", tuple(archives), EXPORT_S).data
            found = store.save(key, data, stage="task-output", document=document)
        return found


def policy_of(argument: TaskArgument, *, timeout_s: float | None = None) -> FetchPolicy:
    limits = argument["limits"]
    return FetchPolicy(
        max_bytes=limits["max_bytes"],
        timeout_s=timeout_s or limits["timeout_s"],
        networks=tuple(limits["networks"]),
    )


def _stored(store: Store, document: Document) -> SourceJson:
    if store.find(source_key(document.id)) is None:
        with document.open() as file:
            save_source(store, document.id, file, document.check_unchanged)
    return {"id": document.id, "name": document.name, "path": "", "stored": True}


def _output_key(reference: DocumentReference, wanted: jobs.Wanted) -> ArtifactKey:
    inputs = reference["document"], reference["index"], reference["source"]["id"]
    return artifact_key("task-output", jobs.VERSION, inputs, digest_of(wanted.to_json()))


def _expands(argument: TaskArgument) -> bool:
    return any("bucket" in source for source in argument["sources"])


def _reason(documents: Sequence[TaskDocument]) -> str:
    faults = [f"{one['name']}: {one['faults'][0]['message']}" for one in documents if one["faults"]]
    return f"{ALL_FAILED}: {'; '.join(faults[:3])}"
