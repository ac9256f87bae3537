"""The steps of a solve, over a store and the worker pool. Each is idempotent, and returns small values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast

from quire.asking import Asker
from quire.core.context import Json, Store
from quire.core.errors import StoreError
from quire.core.events import Event, Sink
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_bytes, digest_of
from quire.core.runner import BriefDocument, Role, TaskBrief
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.read_steps import DocumentSteps, Reply
from quire.durable.reads.sources import open_source
from quire.durable.solves import solve_jobs as jobs
from quire.durable.solves.page_pictures import PagePictures
from quire.durable.solves.runner_call import RunnerCall, made_attempt
from quire.durable.solves.solve_request import SolveRequest
from quire.durable.steps.archives import parts_of
from quire.evidence.extract.extraction_json import coverage_json, decode_extraction, encode_extraction
from quire.reading.messages import DocumentReference, SolvePlan, SolveState
from quire.solving.attempts import RunnerAttempt, decode_output
from quire.solving.findings import decode_findings
from quire.solving.joined_catalog import short_names
from quire.solving.open_findings import with_findings
from quire.solving.runners.runner_registry import find_runner, ordered
from quire.solving.workspace.tree import document_path
from quire.solving.workspace.tree_manifest import WorkspaceManifest
from quire.system.stage_versions import stage_version
from quire.system.workers import WorkerReply

STAGE = "solve"
JOB_S = 600.0
"""Timeout of a job besides those of runners."""
NO_SETTINGS = digest_of({})
_JOBS = "quire.durable.solves.solve_jobs"

Stop = Callable[[], None]
"""Raises when the run is cancelled or its process ends."""


class SolveSteps:
    """Steps over one store. Thread-safe; its methods block."""

    def __init__(self, documents: DocumentSteps) -> None:
        self._documents = documents

    def workspace(self, request: SolveRequest, references: Sequence[DocumentReference], sink: Sink) -> SolvePlan:
        """Draw the pages that were not drawn yet, and record what the workspace consists of."""
        steps = self._scoped(references)
        key = artifact_key("solve-workspace", stage_version(STAGE), _inputs(request, references), NO_SETTINGS)
        digest = steps.store.find(key)
        if digest is None:
            with self._given(request, references) as given:
                self._draw(given, references, sink)
                reply = self._work(references, "workspace", jobs.Building(given))
            digest = self._save(references, key, reply.data)
            steps.store.flush()
        manifest = WorkspaceManifest.from_bytes(steps.store.load(digest), "the manifest of the solve")
        runners = ordered(request.runners, request.requires, request.min_context)
        revising = [name for name, runner in runners.items() if "revises" in runner.capabilities]
        return {
            "workspace": manifest.digest,
            "manifest": digest,
            "files": len(manifest.files),
            "runners": [*runners],
            "revising": revising,
        }

    def attempt(
        self,
        request: SolveRequest,
        references: Sequence[DocumentReference],
        plan: SolvePlan,
        asked: RunnerAttempt,
        state: SolveState | None,
        sink: Sink,
        stop: Stop,
    ) -> dict[str, Json]:
        """One attempt of a runner, of which `asked` has the role, the round, the name and the number."""
        runner = find_runner(asked.runner)
        brief = self._brief(request, references, asked.role, state)
        prompt = runner.prompt(brief)
        saved = self._save_text(references, "solve-prompt", prompt)
        asked = replace(asked, version=runner.version, prompt=saved, workspace=plan["workspace"])
        with self._given(request, references) as given:
            attempting = jobs.Attempting(given, runner, brief, prompt, request.budget, plan["workspace"])
            call = RunnerCall(asked, attempting, partial(self._run, references), sink)
            asker, pictures = self._asker(references, sink, stop), self._pictures(references)
            made = made_attempt(call, asker, pictures, self.store.scratch())
        self._scoped(references).store.flush()
        return made.to_json()

    def checked(
        self, request: SolveRequest, references: Sequence[DocumentReference], attempt: RunnerAttempt
    ) -> SolveState:
        """Verify the answer of a solver, and check it."""
        assert attempt.output is not None
        runner, store = find_runner(attempt.runner), self._scoped(references).store
        inputs = *_inputs(request, references), attempt.output, attempt.runner, attempt.version
        key = artifact_key("solve-answer", stage_version(STAGE), inputs, NO_SETTINGS)
        digest = store.find(key)
        if digest is None:
            files = decode_output(store.load(attempt.output)).files
            signed = "extracts" in runner.capabilities
            with self._given(request, references) as given:
                job = jobs.Verifying(given, files, attempt.runner, attempt.version, signed)
                reply = self._work(references, "verified", job)
            names = "answer", "findings", "notes"
            parts = zip(names, parts_of(reply.data, cast("list[int]", reply.header["sizes"])), strict=True)
            kept: dict[str, Json] = {name: self._save_part(references, f"solve-{name}", part) for name, part in parts}
            digest = self._save(references, key, json.dumps({**kept, "open": reply.header["open"]}).encode())
            store.flush()
        state: SolveState = json.loads(store.load(digest))
        return state

    def reviewed(
        self,
        request: SolveRequest,
        references: Sequence[DocumentReference],
        state: SolveState,
        attempt: RunnerAttempt,
    ) -> SolveState:
        """Add what a reviewer has found to what the checks have."""
        assert attempt.output is not None
        store = self._scoped(references).store
        found = decode_output(store.load(attempt.output)).files.get("findings.jsonl", b"")
        with self._given(request, references) as given:
            notes = store.load(state["notes"]).decode("utf-8", "replace")
            job = jobs.Reviewing(given, store.load(state["answer"]), notes, found, attempt.runner)
            reply = self._work(references, "reviewed", job)
        findings = self._save_part(references, "solve-findings", reply.data)
        store.flush()
        return {**state, "findings": findings, "open": cast(int, reply.header["open"])}

    def finished(
        self, request: SolveRequest, references: Sequence[DocumentReference], state: SolveState
    ) -> tuple[dict[str, Digest], dict[str, Json]]:
        """Write the files of the answer, and count its evidence; what is open about a value is a part of that."""
        store = self._scoped(references).store
        answer = self.answer(references, state)
        notes = store.load(state["notes"]).decode("utf-8", "replace")
        with self._given(request, references) as given:
            reply = self._work(references, "finished", jobs.Finishing(given, answer, notes))
        sizes = dict(cast("list[tuple[str, int]]", reply.header["files"]))
        parts = {**dict(zip(sizes, parts_of(reply.data, sizes.values()), strict=True)), "extraction.json": answer}
        parts["findings.jsonl"] = store.load(state["findings"])
        files = {name: self._save_part(references, "solve-file", data) for name, data in parts.items()}
        store.flush()
        return files, coverage_json(decode_extraction(answer).coverage)

    def answer(self, references: Sequence[DocumentReference], state: SolveState) -> bytes:
        """The verified answer, with what is open about its values, or with what people decided."""
        store = self._scoped(references).store
        data = store.load(state["answer"])
        if state.get("decided"):
            return data
        return encode_extraction(with_findings(decode_extraction(data), decode_findings(store.load(state["findings"]))))

    def save_answer(self, references: Sequence[DocumentReference], data: bytes) -> Digest:
        """Save an answer that people have decided about."""
        digest = self._save_part(references, "solve-answer", data)
        self._scoped(references).store.flush()
        return digest

    def load(self, references: Sequence[DocumentReference], digest: Digest) -> bytes:
        return self._scoped(references).store.load(digest)

    def _brief(
        self, request: SolveRequest, references: Sequence[DocumentReference], role: Role, state: SolveState | None
    ) -> TaskBrief:
        documents = _brief_documents(references)
        if state is None:
            return TaskBrief(role, request.task, request.schema, documents)
        answer = json.loads(self.load(references, state["answer"]))
        findings = [one.to_json() for one in decode_findings(self.load(references, state["findings"])) if one.open]
        return TaskBrief(role, request.task, request.schema, documents, answer, findings)

    def _run(
        self,
        references: Sequence[DocumentReference],
        job: str,
        arguments: object,
        timeout_s: float,
        **options: Any,
    ) -> WorkerReply:
        return self._scoped(references).work(f"{_JOBS}:{job}", arguments, timeout_s, **options)

    def _work(self, references: Sequence[DocumentReference], job: str, arguments: object) -> WorkerReply:
        return self._run(references, job, arguments, JOB_S, more={jobs.PICTURE: self._pictures(references)})

    @contextmanager
    def _given(self, request: SolveRequest, references: Sequence[DocumentReference]) -> Iterator[jobs.SolveInput]:
        """The documents and the task for jobs of workers, valid inside the context."""
        steps = self._scoped(references)
        template = None
        if request.template is not None:
            with open_source(steps.store, SourceRef.from_json(request.template)) as file, file.open() as opened:
                template = opened.read()
        with ExitStack() as stack:
            documents = tuple(stack.enter_context(steps.requested(one)) for one in references)
            yield jobs.SolveInput(documents, request.task, request.schema, template)

    def _draw(self, given: jobs.SolveInput, references: Sequence[DocumentReference], sink: Sink) -> None:
        """Draw the pages of the documents into the store, where they are not there yet."""
        numbers = cast("list[list[int]]", self._run(references, "page_numbers", given, JOB_S).header["pages"])
        for reference, read, pages in zip(references, given.documents, numbers, strict=True):
            PagePictures(self._documents.store).draw(reference, read.source, pages, sink)

    def _pictures(self, references: Sequence[DocumentReference]) -> Reply:
        """Answers a worker that asks for the picture of a page."""
        pictures = PagePictures(self._documents.store)

        def reply(header: Mapping[str, object], _: bytes) -> tuple[Mapping[str, object], bytes]:
            reference, page = references[cast(int, header["document"])], cast(int, header["page"])
            try:
                return {}, pictures.load(reference, page)
            except StoreError:
                return {"error": f"page {page} could not be drawn"}, b""

        return reply

    def _asker(self, references: Sequence[DocumentReference], sink: Sink, stop: Stop) -> Asker:
        def tell(kind: Any, page: int | None, payload: Mapping[str, object], *, key: str | None, mark: str) -> None:
            sink(Event(f"/{kind}{mark}", "", 0, kind, STAGE, page=page, key=key, payload=payload))

        store = self._scoped(references).store
        return Asker(store, document=references[0]["source"]["id"], check=stop, tell=tell)

    @property
    def store(self) -> Store:
        """The whole store."""
        return self._documents.store

    def _scoped(self, references: Sequence[DocumentReference]) -> DocumentSteps:
        return self._documents.scoped(references[0].get("scope", ""))

    def _save_text(self, references: Sequence[DocumentReference], stage: str, text: str) -> Digest:
        return self._save_part(references, stage, text.encode("utf-8", "replace"))

    def _save_part(self, references: Sequence[DocumentReference], stage: str, data: bytes) -> Digest:
        """Save a content under its own digest: what it was made from is in the result of the step."""
        documents = tuple(one["source"]["id"] for one in references)
        return self._save(references, artifact_key(stage, "1", (*documents, digest_bytes(data)), NO_SETTINGS), data)

    def _save(self, references: Sequence[DocumentReference], key: ArtifactKey, data: bytes) -> Digest:
        store: Store = self._scoped(references).store
        return store.save(key, data, stage=STAGE, document=references[0]["source"]["id"])


def _inputs(request: SolveRequest, references: Sequence[DocumentReference]) -> tuple[str, ...]:
    """What decides the workspace: the documents as they were read, with their names, and the task."""
    read = [(one["document"], one["index"], one["source"]["id"], one["source"]["name"]) for one in references]
    template = None if request.template is None else request.template["id"]
    return (digest_of([read, request.task, request.schema, template]),)


def _brief_documents(references: Sequence[DocumentReference]) -> list[BriefDocument]:
    shorts = short_names(len(references))
    return [
        BriefDocument(short, one["source"]["name"], document_path(one["source"]["name"], short), one["ledger"]["pages"])
        for short, one in zip(shorts, references, strict=True)
    ]
