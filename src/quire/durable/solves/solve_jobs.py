"""Jobs of workers for solves: build workspaces, run runners, verify and check answers, fill workbooks.

Runs in worker processes. A worker has no store, no key and no address of a model: the parent loads what it needs, asks
for it, and saves what it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from quire.core.context import Json
from quire.core.document import RenderOptions
from quire.core.errors import EngineError, InputError, UsageError
from quire.core.keys import Digest
from quire.core.opened import WorkerWork
from quire.core.picture import Picture
from quire.core.runner import (
    Budget,
    Role,
    Runner,
    RunnerFailed,
    RunnerOutput,
    RunnerTools,
    TaskBrief,
    TimelineEntry,
)
from quire.core.types import BBox
from quire.durable.reads.read_jobs import Export, loaded_result
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import LeafEvidence
from quire.net.language_model import LanguageModel
from quire.output.place_crops import around
from quire.reading.model_answers import answers_of_parent
from quire.solving.answers import ClaimedAnswer, answer_files, verified_answer
from quire.solving.attempts import encode_output
from quire.solving.findings import encode_findings
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.workspace.folder import Workspace
from quire.solving.workspace.tree import SolveTask, WorkspaceDocument, tree_manifest

T = TypeVar("T")

PICTURE = "picture"
"""The request for the picture of a page: a worker that runs one job cannot draw for another."""
BUILD_S = 600.0
"""Timeout of the job that makes a workspace."""
RENDERED_DPI = RenderOptions().dpi
"""Of the pictures of pages in a workspace."""
TIMELINE = "timeline"
"""The event about what a runner does."""


@dataclass(frozen=True, slots=True)
class SolveInput:
    """The documents of a solve, and its task as it is in the workspace."""

    documents: tuple[Export, ...]
    task: str
    schema: Mapping[str, Json]
    template: bytes | None = None


@dataclass(frozen=True, slots=True)
class Building:
    """A workspace to make: in a folder, or its manifest alone."""

    given: SolveInput
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Attempting:
    """One attempt of a runner that runs in a worker."""

    given: SolveInput
    runner: Runner
    brief: TaskBrief
    prompt: str
    budget: Budget
    workspace: Digest
    model: LanguageModel | None = None
    """By its name alone: the parent asks it."""


@dataclass(frozen=True, slots=True)
class Verifying:
    """The files of a runner, to be verified."""

    given: SolveInput
    files: Mapping[str, bytes]
    runner: str
    version: str
    signed: bool


@dataclass(frozen=True, slots=True)
class Reviewing:
    """A verified answer, and what a reviewing runner has found."""

    given: SolveInput
    answer: bytes
    notes: str
    findings: bytes
    reviewer: str


@dataclass(frozen=True, slots=True)
class Finishing:
    """A verified answer as files."""

    given: SolveInput
    answer: bytes
    notes: str


def page_numbers(given: SolveInput, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The pages of each document that are in its catalog."""
    return {"pages": [[page.number for page in one.pages] for one in catalogs(given, work).catalogs]}, b""


def workspace(request: Building, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The manifest of the workspace, which is made in the folder if one is named."""
    given = request.given
    task = SolveTask(given.task, given.schema, given.template)
    documents = [
        WorkspaceDocument(catalog, one.source.path, _Pictures(work, at))
        for at, (one, catalog) in enumerate(zip(given.documents, catalogs(given, work).catalogs, strict=True))
    ]
    if request.folder is None:
        return {}, tree_manifest(task, documents).to_bytes()
    return {}, Workspace.build(request.folder, task, documents).manifest.to_bytes()


def attempted(request: Attempting, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The output of a runner; or in the header why it failed, with what happened until then as the data."""
    attempt = WorkerAttempt(request, work)
    try:
        return {}, encode_output(request.runner.run(attempt))
    except RunnerFailed as error:
        failed = RunnerOutput({}, error.usage, error.timeline or tuple(attempt.told))
        return {"failure": error.failure, "reason": error.reason}, encode_output(failed)


def verified(request: Verifying, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The verified answer, and what the checks find. The header has their sizes; `failure` for files that are none."""
    from quire.solving.checks.answer_review import review_answer

    documents, schema = catalogs(request.given, work), ExtractSchema.of(request.given.schema)
    try:
        claimed = ClaimedAnswer.of(request.files, request.runner, signed=request.signed)
    except RunnerFailed as error:
        return {"failure": error.failure, "reason": error.reason}, b""
    pictures = _PagePictures(work)

    def shown(page: int) -> Picture | None:
        try:
            return pictures.page(*documents.place_of(page))
        except InputError:
            return None

    answer = verified_answer(claimed, schema, documents, request.runner, request.version, shown)
    findings = review_answer(answer, schema, documents)
    parts = encode_extraction(answer), encode_findings(findings), claimed.notes.encode("utf-8", "replace")
    return {"sizes": [len(part) for part in parts], "open": sum(one.open for one in findings)}, b"".join(parts)


def reviewed(request: Reviewing, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The findings of the checks, and those of a reviewer as far as they can be supported; what the notes of the solver
    explain is a remark."""
    from quire.solving.checks.answer_review import review_answer
    from quire.solving.checks.reviewer_findings import is_settled, merged_findings

    documents, schema = catalogs(request.given, work), ExtractSchema.of(request.given.schema)
    answer = decode_extraction(request.answer)
    checks = review_answer(answer, schema, documents)
    found = merged_findings(checks, request.findings, documents, request.reviewer, answer=answer, schema=schema)
    kept = [replace(one, open=False) if is_settled(one, answer, checks, request.notes) else one for one in found]
    return {"open": sum(one.open for one in kept)}, encode_findings(kept)


def finished(request: Finishing, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The files of the result: values, evidence, remarks, and the workbook. The header has their names and sizes."""
    from quire.solving.workbook.fill import fill_workbook

    documents, answer = catalogs(request.given, work), decode_extraction(request.answer)
    files = answer_files(answer, request.notes)
    crops = _Crops(_PagePictures(work), documents)
    files["answer.xlsx"] = fill_workbook(
        request.given.template, answer.values, answer.evidence, crop=crops, names=documents.names
    )
    return {"files": [[name, len(data)] for name, data in files.items()]}, b"".join(files.values())


def catalogs(given: SolveInput, work: WorkerWork) -> JoinedCatalog:
    """The catalogs of the documents; a worker keeps those of the last solves."""
    current = work.kept("the work of solves", _CurrentWork)
    current.work = work
    key = "catalogs " + " ".join(f"{one.source.id} {one.document} {one.source.name}" for one in given.documents)
    return work.kept(key, lambda: JoinedCatalog([loaded_result(one, current).catalog() for one in given.documents]))


class _CurrentWork:
    """The job that runs now, for catalogs that load words of pages in a later job than the one that made them."""

    work: WorkerWork

    @property
    def deadline(self) -> float:
        return self.work.deadline

    def emit(self, kind: str, payload: Mapping[str, object]) -> None:
        self.work.emit(kind, payload)

    def request(self, name: str, header: Mapping[str, object], data: bytes = b"") -> tuple[Mapping[str, object], bytes]:
        return self.work.request(name, header, data)

    def kept(self, key: str, make: Callable[[], T]) -> T:
        return self.work.kept(key, make)


class WorkerAttempt:
    """One attempt as its runner sees it, in a worker."""

    def __init__(self, request: Attempting, work: WorkerWork) -> None:
        self._request, self._work = request, work
        self._documents = catalogs(request.given, work)
        self.told: list[TimelineEntry] = []
        self.role: Role = request.brief.role
        self.prompt, self.brief, self.budget = request.prompt, request.brief, request.budget
        self.workspace = request.workspace

    @property
    def folder(self) -> Path:
        raise UsageError(f"the runner {self._request.runner.name} has no capability `files`, and so no folder")

    @property
    def catalog(self) -> SourceCatalog:
        return self._documents.whole

    @cached_property
    def tools(self) -> RunnerTools:
        from quire.solving.tools.toolbox import SolveTools

        schema = ExtractSchema.of(self.brief.schema)
        pictures = _PagePictures(self._work) if "vision" in self._request.runner.capabilities else None
        return SolveTools(self._documents, schema, role=self.role, by=self._request.runner.name, picture=pictures)

    def ask(self, request: bytes) -> bytes:
        if self._request.model is None:
            raise UsageError(f"the runner {self._request.runner.name} has no model to ask")
        document = self._request.given.documents[0].source.id
        (answer,) = answers_of_parent(self._work)(self._request.model, document, [request])
        if isinstance(answer, EngineError):
            raise answer
        return answer

    def tell(self, entry: TimelineEntry) -> None:
        self._work.emit(TIMELINE, {"entry": len(self.told), "kind": entry.kind, "payload": dict(entry.payload)})
        self.told.append(entry)


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The pictures of the pages of a document, which the parent has drawn."""

    work: WorkerWork
    document: int

    def __call__(self, pages: Sequence[int]) -> Iterator[bytes | InputError]:
        for page in pages:
            yield page_picture(self.work, self.document, page)


def page_picture(work: WorkerWork, document: int, page: int) -> bytes | InputError:
    """The picture of a page of a document of the solve, by its position."""
    header, data = work.request(PICTURE, {"document": document, "page": page})
    return InputError(str(header["error"])) if header.get("error") else data


class _PagePictures:
    """Pictures of pages, and of places on them. The last page stays decoded: values stand beside each other."""

    def __init__(self, work: WorkerWork) -> None:
        self._work = work
        self._last: tuple[int, int] | None = None
        self._decoded: Picture | None = None

    def __call__(self, document: int, page: int, bbox: BBox | None) -> bytes:
        """A page of a document, by its position, as PNG, or the part of it in a box. Raises InputError."""
        if bbox is not None:
            return self.page(document, page).crop(bbox).png()
        png = page_picture(self._work, document, page)
        if isinstance(png, InputError):
            raise png
        return png

    def page(self, document: int, page: int) -> Picture:
        """The pixels of a page. Raises InputError for one that could not be drawn."""
        from quire.pages.prepare.pixels import decoded, picture_of

        if self._decoded is None or self._last != (document, page):
            self._decoded = picture_of(decoded(self(document, page, None)), RENDERED_DPI)
            self._last = document, page
        return self._decoded


@dataclass(frozen=True, slots=True)
class _Crops:
    """The pictures of the places of values, for a workbook."""

    pictures: _PagePictures
    documents: JoinedCatalog

    def __call__(self, path: str, evidence: LeafEvidence) -> bytes | None:
        box = around(evidence.bboxes)
        if evidence.page is None or box is None:
            return None
        at = list(self.documents.shorts).index(evidence.document)
        try:
            return self.pictures(at, evidence.page, box)
        except InputError:
            return None
