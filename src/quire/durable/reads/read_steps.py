"""The steps of a durable read, over a store and the worker pool. Each is idempotent: it saves under keys and returns
small values. They run in threads of the runtime and mostly wait for workers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from threading import Lock
from typing import Literal, NamedTuple, NotRequired, TypedDict, cast

from quire.core.context import Store
from quire.core.document import Document
from quire.core.engine import Attempt
from quire.core.errors import Category, LimitError, StoreError
from quire.core.events import Event, Sink
from quire.core.keys import Digest, Profile, artifact_key, digest_bytes
from quire.core.media_types import INPUT_FORMATS
from quire.core.opened import Opened
from quire.core.page_ranges import page_numbers, selection
from quire.core.passwords import Password, password_of
from quire.core.types import OutlineEntry, PageInfo, PageResult
from quire.durable.reads import read_jobs as jobs
from quire.durable.reads.read_records import PageRecord, ReadPages, pages_key
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.sources import Sources
from quire.durable.steps.archives import parts_of
from quire.flow.components import Files
from quire.pages.recognize.options import RecognizeOptions
from quire.reading.bundles import bundle_of
from quire.reading.messages import AttemptRow, DocumentPlan, DocumentReference, LedgerJson, PageShape
from quire.reading.native_pages import LocalPages
from quire.reading.page_stages import Gathered, Texts
from quire.reading.pages import PageFlow, PageMade, assemble_document, page_without_blocks
from quire.reading.result import Ledger
from quire.reading.stage import Artifact, Encoded
from quire.reading.stage_run import StagedRun
from quire.reading.worker_pages import About, ReceivedPage, WorkerPages, look_into, received, stored
from quire.store.scoped import ScopedStore
from quire.system.budget import worker_count
from quire.system.workers import Job, WorkerPool, WorkerReply, shared_pool
from quire.system.workers.conversation import OnEvent
from quire.system.workers.pool import Lane

ASSEMBLE_S, EXPORT_S = 600.0, 600.0
"""Timeouts for a worker to assemble a document, and to export it."""
CHECK_S = 0.2
"""How often a job that can be cancelled looks whether it is."""
REASON = 300
"""Maximum characters of a reason in the journal."""
KEPT_SCOPES = 64
SHORT = 8
"""Pages of a document that is read in one go."""
NOTHING = Profile().digest()
NO_DIGEST = Digest("")
TOO_LATE = "not begun: the time for this document was over"
"""The reason of a page that was due after the deadline of the request."""


Reply = Callable[[Mapping[str, object], bytes], tuple[Mapping[str, object], bytes]]
"""The reply to a request of a job."""


class _Converted(TypedDict):
    """The part of a plan about a document that was converted; empty for another."""

    bundle: NotRequired[Digest]
    structure: NotRequired[Digest]


class PageOutcome(NamedTuple):
    """The outcome of a page: read, in need of OCR, or failed for a reason after some attempts."""

    page: int
    needs: str = ""
    failed: str = ""
    info: PageShape | tuple[()] = ()
    path: Sequence[AttemptRow] = ()


class DocumentSteps:
    """Steps over one store, or over one scope of it. Thread-safe.

    `password` opens encrypted documents and is never stored. `pool` is another pool than that of the process.
    """

    def __init__(
        self,
        store: Store,
        *,
        workers: int | None = None,
        password: Password = None,
        pool: WorkerPool | None = None,
        scope: str = "",
    ) -> None:
        self.store = store
        self._sources = Sources(store, scope)
        self.workers = worker_count(workers).workers
        self._password, self._own_pool, self._scope = password, pool, scope
        self._scopes: dict[str, DocumentSteps] = {}
        self._scoping = Lock()

    def scoped(self, scope: str) -> DocumentSteps:
        """The steps over one part of the store; the last `KEPT_SCOPES` are cached."""
        if not scope:
            return self
        with self._scoping:
            steps = self._scopes.pop(scope, None) or DocumentSteps(
                ScopedStore(self.store, scope),
                workers=self.workers,
                password=self._password,
                pool=self._own_pool,
                scope=scope,
            )
            self._scopes = dict([*self._scopes.items(), (scope, steps)][-KEPT_SCOPES:])
            return steps

    def on(self, pool: WorkerPool) -> DocumentSteps:
        """These steps with the workers of a pool of their own."""
        return DocumentSteps(self.store, workers=self.workers, password=self._password, pool=pool, scope=self._scope)

    def plan(self, request: ReadRequest, run: str, sink: Sink) -> DocumentPlan:
        """Count the pages, and find in one query which of them have no record yet."""
        began = time.time()
        with self.opened(request.source) as source:
            about, converted = self._look_into(source, self._staged(request, run, sink))
        plan = self._planned(request, about, began, run, sink, converted)
        self.store.flush()
        return plan

    def short(self, request: ReadRequest, read: jobs.ShortRead, run: str, sink: Sink) -> DocumentReference | None:
        """The document from what a worker has read of it in one go, not flushed; None when that is not all of it."""
        about, staged = About.of(read.header, read.outline), self._staged(request, run, sink)
        converted: _Converted = {}
        if read.bundle:
            pool, made = self._pool(), (read.bundle, read.structure)
            with self.opened(request.source) as source:
                bundle, digest = bundle_of(staged, source, about.media_type, pool, made=made)
            converted = {"bundle": digest, "structure": bundle.structure}
        if not read.document:
            return None
        plan = self._planned(request, about, time.time(), run, sink, converted)
        pages = {int(str(page["page"])): (page, data) for page, data in read.pages}
        ready = {number: received(*page, number) for number, page in pages.items()}
        self._read(request, about.reader, list(ready), run, sink, engines=False, ready=ready)
        return self._assembled(request, plan, {}, run, sink, made=read.document)

    @contextmanager
    def short_request(self, request: ReadRequest) -> Iterator[jobs.Short]:
        """The job that reads a short document in one go, valid inside the context."""
        sent = request.options(workers=self.workers).of_workers
        with self.opened(request.source) as source:
            yield jobs.Short(source, request.pages, sent, SHORT)

    def _planned(
        self, request: ReadRequest, about: About, began: float, run: str, sink: Sink, converted: _Converted
    ) -> DocumentPlan:
        if request.max_pages and about.pages > request.max_pages:
            raise LimitError(
                f"has {about.pages} pages, more than the {request.max_pages} that are allowed here; split it, or raise "
                "the limit",
                document=request.source.name,
            )
        key = artifact_key("outline", "1", (request.source.id, about.reader), NOTHING)
        outline = self.store.save(key, about.outline, stage="outline", document=request.source.id)
        numbers = page_numbers(request.pages, about.pages)
        missing = self.missing(request, about.reader, numbers)
        payload = {"name": request.source.name, "input_bytes": about.size, "pages": len(numbers)}
        self._staged(request, run, sink).emit("started", "read", payload=payload)
        return {
            "began": began,
            "pages": about.pages,
            "reader": about.reader,
            "media_type": about.media_type,
            "outline": outline,
            "missing": missing,
            **converted,
        }

    def _look_into(self, source: Opened, run: StagedRun) -> tuple[About, _Converted]:
        """The facts that are needed before a document is read. One without pages of its own is converted first."""
        pool = self._pool()
        document = Document(source.path, name=source.name)  # its first bytes say what it is
        media_type, size = document.media_type, document.size
        if media_type not in INPUT_FORMATS:
            return look_into(source, pool), {}
        bundle, digest = bundle_of(run, source, media_type, pool)
        about = About(bundle.reader, len(bundle.pages), media_type, size=size)
        return about, {"bundle": digest, "structure": bundle.structure}

    def missing(self, request: ReadRequest, reader: str, numbers: Sequence[int]) -> str:
        """The pages without a record, or whose contents are gone from the store, as a selection like `1-3,7`."""
        keys = {request.page_key(number, reader): number for number in numbers}
        digests = {keys[key]: digest for key, digest in self.store.find_many(list(keys)).items()}
        records = {number: self._record(digest) for number, digest in digests.items()}
        named = [digest for record in records.values() for digest in (record.blocks, record.text)]
        there = self.store.has_contents(named)
        whole = {number for number, record in records.items() if {record.blocks, record.text} <= there}
        return selection([number for number in numbers if number not in whole])

    def group(self, request: ReadRequest, reader: str, pages: Sequence[int], run: str, sink: Sink) -> list[PageOutcome]:
        """Read pages as far as possible without an engine."""
        outcomes = self._read(request, reader, pages, run, sink, engines=False)
        self.store.flush()
        return outcomes

    def recognise(self, request: ReadRequest, reader: str, page: int, run: str, sink: Sink) -> PageOutcome:
        """Read a page with OCR: one engine after the other until one succeeds."""
        if not self.missing(request, reader, [page]):
            return PageOutcome(page)

        def forward(event: Event) -> None:
            if (event.stage, event.kind) != ("native-text", "hit"):  # its group has emitted this event already
                sink(event)

        (outcome,) = self._read(request, reader, [page], run, forward, engines=True)
        self.store.flush()
        return outcome

    def assemble(
        self,
        request: ReadRequest,
        plan: DocumentPlan,
        failed: Mapping[int, PageOutcome],
        run: str,
        sink: Sink,
    ) -> DocumentReference:
        """Assemble the document from its pages. Raises StoreError when a page is gone from the store."""
        reference = self._assembled(request, plan, failed, run, sink)
        self.store.flush()
        return reference

    def _assembled(
        self,
        request: ReadRequest,
        plan: DocumentPlan,
        failed: Mapping[int, PageOutcome],
        run: str,
        sink: Sink,
        *,
        made: bytes = b"",
    ) -> DocumentReference:
        """`made` is the document, if a worker has assembled it already."""
        source, store = request.source, self.store
        numbers = page_numbers(request.pages, plan["pages"])
        records = self._records(request, plan["reader"], [number for number in numbers if number not in failed])
        infos = {number: _failed_info(outcome) for number, outcome in failed.items()}
        pages = [
            Artifact(records[n].blocks, _not_here) if n in records else page_without_blocks(infos[n]) for n in numbers
        ]
        outline = [OutlineEntry(*row) for row in json.loads(store.load(plan["outline"]))]

        def elsewhere(_: Gathered) -> Encoded:
            if made:
                return Encoded(made)
            parts = tuple(records[n].blocks if n in records else infos[n] for n in numbers)
            job = jobs.Pages(parts, tuple(outline), structured)
            lane = lane_of(len(numbers))
            return Encoded(self.work("quire.durable.reads.read_jobs:assemble", job, ASSEMBLE_S, lane=lane).data)

        staged = self._staged(request, run, sink)
        structured = "structure" in plan
        document = assemble_document(staged, Texts(store), pages, outline, elsewhere, structured=structured).digest
        tried = {
            n: PageRecord(infos[n], NO_DIGEST, NO_DIGEST, path) for n, one in failed.items() if (path := _path(one))
        }
        indexed = records | tried
        index = json.dumps([[n, *indexed[n].to_row()] for n in numbers if n in indexed]).encode()
        index_digest = store.save(pages_key(source.id, digest_bytes(index)), index, stage="index", document=source.id)
        ledger = Ledger.of([records[n].info if n in records else infos[n] for n in numbers])
        ms = round((time.time() - plan["began"]) * 1000, 3)
        staged.emit("finished", "read", payload={"ms": ms, "status": ledger.status, **asdict(ledger)})
        reference: DocumentReference = {
            "kind": "document",
            "source": source.to_json(),
            "media_type": plan["media_type"],
            "document": document,
            "index": index_digest,
            "status": ledger.status,
            "ledger": cast("LedgerJson", asdict(ledger)),
            "failed": [(n, failed[n].failed[:80], _category(failed[n])) for n in sorted(failed)[:50]],
        }
        if request.scope:
            reference["scope"] = request.scope
        if "structure" in plan:
            reference |= {"bundle": plan["bundle"], "structure": plan["structure"]}
        return reference

    def export(
        self,
        document: DocumentReference,
        formats: Sequence[str] = ("md",),
        *,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
        images: Literal["embed"] | None = None,
    ) -> Files:
        """Export the document of a reference in some formats; file names are suffixes, to follow its stem."""
        path = ReadPages.load(self.store, document["index"]).path if trace else None
        with self.requested(document, tuple(formats), words=words, path=path) as job:
            request = replace(job, figures=figures, images=images)
            lane = lane_of(document["ledger"]["pages"])
            answer = self.work("quire.durable.reads.read_jobs:export", request, EXPORT_S, lane=lane)
        sizes = dict(cast("list[tuple[str, int]]", answer.header["files"]))
        return Files(zip(sizes, parts_of(answer.data, sizes.values()), strict=True))

    @contextmanager
    def requested(
        self,
        document: DocumentReference,
        formats: tuple[str, ...] = (),
        *,
        words: bool = False,
        path: Mapping[int, tuple[Attempt, ...]] | None = None,
    ) -> Iterator[jobs.Export]:
        """The document of a reference for a job of a worker, valid inside the context."""
        index = ReadPages.load(self.store, document["index"])
        with self.opened(SourceRef.from_json(document["source"]), document.get("bundle")) as opened:
            media_type = document.get("media_type") or opened.open().media_type
            request = jobs.Export(opened, media_type, document["document"], index.texts, formats, words, path)
            yield replace(request, structure=document.get("structure"))

    def _read(
        self,
        request: ReadRequest,
        reader: str,
        pages: Sequence[int],
        run: str,
        sink: Sink,
        *,
        engines: bool,
        ready: Mapping[int, ReceivedPage] | None = None,
    ) -> list[PageOutcome]:
        """Run pages through the stages, parsed in workers; each page that was read gets its record."""
        if request.deadline and time.time() > request.deadline:
            return [PageOutcome(page, failed=TOO_LATE) for page in pages]
        options = request.options(workers=self.workers)
        with ExitStack() as stack:
            source = stack.enter_context(self.opened(request.source))
            staged = self._staged(request, run, sink)
            native = self._native_pages(staged, source, reader, options, stack, ready)
            flow = PageFlow(source.id, native, staged, options, engines=engines)
            stack.callback(flow.close)
            return [self._outcome(request, reader, flow, page) for page in flow.pages(pages)]

    def _native_pages(
        self,
        staged: StagedRun,
        source: Opened,
        reader: str,
        options: RecognizeOptions,
        stack: ExitStack,
        ready: Mapping[int, ReceivedPage] | None,
    ) -> WorkerPages | LocalPages:
        """The pages of a document: parsed in workers, or from its bundle, which a worker has made."""
        pool = self._pool()
        document = Document(source.path, name=source.name, password=source.password)
        if ready or document.media_type not in INPUT_FORMATS:
            load = self.store.load
            return WorkerPages(source, About(reader), options, pool=pool, load=load, ready=ready, share=staged.run)
        quiet = StagedRun(self.store, run="", document=source.id)  # the plan has emitted its events
        document.bundle, _ = bundle_of(quiet, source, document.media_type, pool)
        stack.callback(document.close)
        return LocalPages(document, options, threads=1)

    def _outcome(self, request: ReadRequest, reader: str, flow: PageFlow, page: PageMade) -> PageOutcome:
        number, info = page.number, page.left_out
        path = flow.path.get(number, ())
        if info is not None:
            tried = [(attempt.engine, attempt.outcome, attempt.reason[:REASON]) for attempt in path]
            return PageOutcome(number, failed=(info.reason or info.status)[:REASON], info=_row(info), path=tried)
        if page.blocks is None:
            return PageOutcome(number, needs=page.needs.reason if page.needs else "")
        record = PageRecord(flow.info_of(page.blocks, number), page.blocks.digest, flow.text_of(number), path)
        data = json.dumps(record.to_row()).encode()
        self.store.save(request.page_key(number, reader), data, stage="page", document=request.source.id, page=number)
        return PageOutcome(number)

    def _staged(self, request: ReadRequest, run: str, sink: Sink) -> StagedRun:
        return StagedRun(self.store, run=run, document=request.source.id, sinks=(sink,))

    def _pool(self) -> WorkerPool:
        return self._own_pool or shared_pool(self.workers)

    def _records(self, request: ReadRequest, reader: str, numbers: Sequence[int]) -> dict[int, PageRecord]:
        keys = {number: request.page_key(number, reader) for number in numbers}
        digests = self.store.find_many(list(keys.values()))
        gone = [number for number, key in keys.items() if key not in digests]
        if gone:
            raise StoreError(f"page {gone[0]} of {request.source.name} is no longer in the store; run it again")
        return {number: self._record(digests[key]) for number, key in keys.items()}

    def _record(self, digest: Digest) -> PageRecord:
        return PageRecord.of_row(json.loads(self.store.load(digest)))

    def work(
        self,
        job: str,
        arguments: object,
        timeout_s: float,
        *,
        lane: Lane = Lane.LONG,
        run: str = "",
        more: Mapping[str, Reply] | None = None,
        on_event: OnEvent | None = None,
        check: Callable[[], None] | None = None,
    ) -> WorkerReply:
        """Run a job, `module:function`, in a worker, and wait; the pool enforces the timeout.

        `more` answers requests of the job other than those for stored bytes, by name; `on_event` hears its events.
        `check` is called while it waits: when that raises, the job is killed.
        """

        def asked(name: str, header: Mapping[str, object], data: bytes) -> tuple[Mapping[str, object], bytes]:
            return more[name](header, data) if more and name in more else stored(self.store.load, header)

        pool, request, share = self._pool(), Job(job, arguments), run or self._scope
        future = pool.submit(request, timeout_s=timeout_s, on_request=asked, on_event=on_event, lane=lane, share=share)
        if check is None:
            return future.result()
        try:
            while not wait([future], CHECK_S).done:
                check()
            return future.result()
        finally:
            pool.cancel([future])

    @contextmanager
    def opened(self, source: SourceRef, bundle: Digest | None = None) -> Iterator[Opened]:
        """The document for workers; `bundle` is the digest of its bundle, if it was converted."""
        with ExitStack() as stack:
            path = stack.enter_context(self._sources.path(source))
            copy = None if bundle is None else stack.enter_context(self._sources.bundle(bundle))
            yield Opened(path, source.name, source.id, password_of(self._password, source.path), copy)


def lane_of(pages: int) -> Lane:
    """The lane for a job about all pages of a document: those of short ones do not wait for those of long ones."""
    return Lane.BRIEF if pages <= SHORT else Lane.LONG


def _not_here() -> PageResult:
    raise AssertionError("pages of durable reads are assembled in workers")


def _failed_info(outcome: PageOutcome) -> PageInfo:
    _, width, height, rotation = outcome.info or (outcome.page, 0.0, 0.0, 0)
    return PageInfo(outcome.page, width, height, rotation, status="failed", reason=outcome.failed)


def _category(outcome: PageOutcome) -> Category:
    """The class of a failure: of time, of an engine that tried, or of the page itself."""
    if outcome.failed == TOO_LATE or any(result == "timeout" for _, result, _ in outcome.path[-1:]):
        return "timeout"
    return "runtime" if outcome.path else "input"


def _path(outcome: PageOutcome) -> tuple[Attempt, ...]:
    return tuple(Attempt(*attempt) for attempt in outcome.path)


def _row(info: PageInfo) -> PageShape:
    return info.number, info.width, info.height, info.rotation
