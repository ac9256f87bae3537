"""The steps of a durable read, over a store and the worker pool. Each is repeatable: it saves under keys and gives
small values. They run in threads of the runtime and mostly wait for workers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import accumulate
from typing import NamedTuple

from quire import layout
from quire.budget import worker_count
from quire.context import Json, Store
from quire.errors import StoreError
from quire.events import Event, EventKind, Sink
from quire.flow.components import Files
from quire.keys import Digest, Profile, artifact_key, digest_bytes, digest_of
from quire.opened import Opened
from quire.paging import PageFlow
from quire.pool import Answer, Job, WorkerError, shared_pool
from quire.result import Ledger
from quire.running import jobs
from quire.running.documents import Index, Record
from quire.running.request import ReadRequest, SourceRef
from quire.running.sources import Sources
from quire.runtime.staged import StagedRun
from quire.selection import page_numbers, selection
from quire.stages import AssembleDocument, NativeText, PageBlocks
from quire.types import OutlineEntry, PageInfo

OPEN_S, PAGE_S, ASSEMBLE_S, EXPORT_S = 120.0, 30.0, 600.0, 600.0
"""What a worker gets for opening a document, for a page without an engine, for assembling, for an export."""
REASON = 300
"""Characters of a reason that travel through a journal."""
NOTHING = Profile().digest()


class PageOutcome(NamedTuple):
    """What became of a page in a group: read, in need of an engine, or failed for a reason."""

    page: int
    needs: str = ""
    failed: str = ""
    info: Sequence[Json] = ()


class DocumentSteps:
    """Steps over one store. Any thread may call them; `password` opens encrypted documents and is never written."""

    def __init__(self, store: Store, *, workers: int | None = None, password: str | None = None) -> None:
        self.store = store
        self._sources = Sources(store)
        self.workers = worker_count(workers).workers
        self._password = password

    def plan(self, request: ReadRequest) -> dict[str, Json]:
        """How many pages there are, and which of them nobody has read yet: asked once, for all of them."""
        with self._opened(request.source) as source:
            answer = self._work("look_into", source, OPEN_S)
        told = answer.header
        key = artifact_key("outline", "1", (request.source.id, str(told["reader"])), NOTHING)
        outline = self.store.save(key, answer.data, stage="outline", document=request.source.id)
        numbers = page_numbers(request.pages, int(str(told["pages"])))
        self.store.flush()
        missing = self.missing(request, str(told["reader"]), numbers)
        return {"pages": told["pages"], "reader": told["reader"], "outline": outline, "missing": missing}

    def missing(self, request: ReadRequest, reader: str, numbers: Sequence[int]) -> str:
        """Which of the pages nobody has read yet, asked once for all of them; as a short text, like `1-3,7`."""
        keys = {request.page_key(number, reader): number for number in numbers}
        found = self.store.find_many(list(keys))
        return selection([number for key, number in keys.items() if key not in found])

    def group(self, request: ReadRequest, reader: str, pages: Sequence[int], tell: Sink) -> list[PageOutcome]:
        """Read pages as far as it goes without an engine. A page that ends its worker is found out and left alone."""
        try:
            return self._group(request, reader, pages, tell)
        except WorkerError as error:
            if len(pages) == 1:
                self._tell(tell, "failed", pages[0], {"reason": str(error)})
                return [PageOutcome(pages[0], failed=str(error)[:REASON])]
        return [outcome for page in pages for outcome in self.group(request, reader, [page], tell)]

    def recognise(self, request: ReadRequest, reader: str, page: int, run: str, tell: Sink) -> PageOutcome:
        """Read a page with the help of engines, one after the other until one could."""
        if self.store.find(request.page_key(page, reader)) is not None:
            return PageOutcome(page)
        with self._sources.opened(request.source, password=self._password) as document:
            work = StagedRun(self.store, run=run, document=document.id, sinks=(tell,))
            flow = PageFlow(document, work, [page], 1, request.options(workers=self.workers))
            try:
                (made,) = flow.pages()
                info = made.value.info
                if info.status in ("failed", "skipped"):
                    return PageOutcome(page, failed=(info.reason or info.status)[:REASON], info=_row(info))
                record = Record(info, made.digest, flow.text_of(page), flow.path.get(page, ()))
                self._record(request, reader, record)
                self.store.flush()
            finally:
                flow.close()
        return PageOutcome(page)

    def assemble(
        self, request: ReadRequest, plan: Mapping[str, Json], failed: Mapping[int, PageOutcome]
    ) -> dict[str, Json]:
        """The document from its pages. Raises StoreError when a page that was read has gone from the store."""
        source, store = request.source, self.store
        numbers = page_numbers(request.pages, plan["pages"])
        records = self._records(request, plan["reader"], [number for number in numbers if number not in failed])
        infos = [records[n].info if n in records else _failed_info(failed[n]) for n in numbers]
        pages = tuple(records[n].blocks if n in records else _failed_info(failed[n]) for n in numbers)
        rows = json.loads(store.load(plan["outline"]))
        inputs = [page if isinstance(page, str) else digest_of([*_row(page), page.reason]) for page in pages]
        key = artifact_key(
            AssembleDocument.name, AssembleDocument.version, (source.id, *inputs, digest_of(rows)), NOTHING
        )
        digest = store.find(key)
        if digest is None:
            gathered = jobs.Pages(pages, tuple(OutlineEntry(*row) for row in rows))
            answer = self._work("assemble", gathered, ASSEMBLE_S)
            digest = store.save(key, answer.data, stage=AssembleDocument.name, document=source.id)
        index = json.dumps([[n, *records[n].to_row()] for n in numbers if n in records]).encode()
        index_key = artifact_key("index", "1", (source.id, digest_bytes(index)), NOTHING)
        index_digest = store.save(index_key, index, stage="index", document=source.id)
        store.flush()
        ledger = Ledger.of(infos)
        return {
            "kind": "document",
            "source": {"id": source.id, "name": source.name, "path": source.path, "stored": source.stored},
            "document": digest,
            "index": index_digest,
            "status": ledger.status,
            "ledger": asdict(ledger),
            "failed": [[n, failed[n].failed[:80]] for n in sorted(failed)[:50]],
        }

    def export(
        self,
        document: Mapping[str, Json],
        formats: Sequence[str] = ("md",),
        *,
        words: bool = False,
        trace: bool = False,
    ) -> Files:
        """The document of a reference in some formats; names are the ends that follow the name of the document."""
        index = Index.load(self.store, document["index"])
        path = index.path if trace else None
        with self._opened(SourceRef(**document["source"])) as opened:
            asked = jobs.Export(opened, document["document"], index.texts, tuple(formats), words, path)
            answer = self._work("export", asked, EXPORT_S)
        told = answer.header["files"]
        assert isinstance(told, list)
        ends = list(accumulate(size for _, size in told))
        return Files((name, answer.data[end - size : end]) for (name, size), end in zip(told, ends, strict=True))

    def _group(self, request: ReadRequest, reader: str, pages: Sequence[int], tell: Sink) -> list[PageOutcome]:
        with self._opened(request.source) as source:
            asked = jobs.Group(source, tuple(pages), request.ocr, request.figures)
            answer = self._work("read_group", asked, OPEN_S + PAGE_S * len(pages))
        outcomes, at = [], 0
        entries = answer.header["entries"]
        assert isinstance(entries, list)
        for entry in entries:
            page, text, blocks = entry["page"], entry.get("text"), entry.get("blocks")
            digest = None
            if text is not None:
                digest = self._save_text(request, reader, page, answer.data[at : at + text])
                at += text
            if blocks is not None and digest is not None:
                self._save_blocks(request, reader, page, digest, answer.data[at : at + blocks])
                at += blocks
                self._tell(tell, "finished", page, {"bytes": blocks})
            elif "failed" in entry:
                self._tell(tell, "failed", page, {"reason": entry["failed"]})
            failed = str(entry.get("failed", ""))[:REASON]
            outcomes.append(PageOutcome(page, str(entry.get("needs", "")), failed, entry.get("info", ())))
        self.store.flush()
        return outcomes

    def _save_text(self, request: ReadRequest, reader: str, page: int, text: bytes) -> Digest:
        inputs = (request.source.id, str(page), reader)
        key = artifact_key(NativeText.name, NativeText.version, inputs, NativeText.profile.digest())
        return self.store.save(key, text, stage=NativeText.name, document=request.source.id, page=page)

    def _save_blocks(self, request: ReadRequest, reader: str, page: int, text: Digest, blocks: bytes) -> None:
        key = artifact_key(PageBlocks.name, PageBlocks.version, (request.source.id, text), _LAYOUT)
        digest = self.store.save(key, blocks, stage=PageBlocks.name, document=request.source.id, page=page)
        info = PageInfo(*json.loads(blocks)["page"])
        self._record(request, reader, Record(info, digest, text))

    def _record(self, request: ReadRequest, reader: str, record: Record) -> None:
        key, page = request.page_key(record.info.number, reader), record.info.number
        self.store.save(key, json.dumps(record.to_row()).encode(), stage="page", document=request.source.id, page=page)

    def _records(self, request: ReadRequest, reader: str, numbers: Sequence[int]) -> dict[int, Record]:
        keys = {number: request.page_key(number, reader) for number in numbers}
        found = self.store.find_many(list(keys.values()))
        gone = [number for number, key in keys.items() if key not in found]
        if gone:
            raise StoreError(f"page {gone[0]} of {request.source.name} is not in the store any more; run it again")
        return {number: Record.of_row(json.loads(self.store.load(found[key]))) for number, key in keys.items()}

    def _work(self, job: str, arguments: object, timeout_s: float) -> Answer:
        """Have a worker do it, and wait; the pool sees to the time."""
        asked = Job(f"quire.running.jobs:{job}", arguments)
        return shared_pool(self.workers).submit(asked, timeout_s=timeout_s, on_request=self._asked).result()

    def _asked(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[Mapping[str, object], bytes]:
        digests = header["digests"]
        assert isinstance(digests, list)
        loaded = [self.store.load(digest) for digest in digests]
        return {"sizes": [len(one) for one in loaded]}, b"".join(loaded)

    def _tell(self, tell: Sink, kind: EventKind, page: int, payload: Mapping[str, object]) -> None:
        tell(Event(f"{PageBlocks.name}/{page}/{kind}", "", 0, kind, PageBlocks.name, page=page, payload=payload))

    @contextmanager
    def _opened(self, source: SourceRef) -> Iterator[Opened]:
        with self._sources.path(source) as path:
            yield Opened(path, source.name, source.id, self._password)


_LAYOUT = layout.LayoutProfile().digest()


def _failed_info(outcome: PageOutcome) -> PageInfo:
    _, width, height, rotation = outcome.info or (outcome.page, 0.0, 0.0, 0)
    return PageInfo(outcome.page, width, height, rotation, status="failed", reason=outcome.failed)


def _row(info: PageInfo) -> list[Json]:
    return [info.number, info.width, info.height, info.rotation]
