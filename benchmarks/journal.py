"""CPU that the journal adds to a born-digital page: the steps of a read alone, on a store, and through the runtime."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import quire
from benchmarks import clock, corpus, family
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.core.context import Store
from quire.core.page_ranges import page_numbers
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.reads.workflows import GROUP
from quire.durable.runtimes import local_runtime
from quire.durable.worker_workflows import pools_for
from quire.store.files import FileStore
from quire.store.temporary import TemporaryStore
from quire.system.workers import shared_pool

GOAL_MS, WORKERS = 1.0, 2
PAGES, QUICK_PAGES = 400, 96


def run(options: Options) -> Report:
    long = QUICK_PAGES if options.quick else PAGES
    sets = {
        f"{corpus.LONG}, one document": [_request(corpus.pdfs(corpus.LONG)[0], f"1-{long}")],
        f"{corpus.DPBENCH}, documents of a page": [_request(path) for path in corpus.pdfs(corpus.DPBENCH)],
    }
    rows, data = [], {}
    for name, requests in sets.items():
        works = {what: partial(_timed, work, requests) for what, work in WORKS.items()}
        pages = sum(_pages(request) for request in requests)
        for work in works.values():
            work()  # workers start, and load what they need
        samples = clock.interleave(works, options.rounds(9, 3))
        data[name] = {"pages": pages, **clock.as_data(samples)}
        least = {what: clock.least_cpu(taken) * 1000 / pages for what, taken in samples.items()}
        added = least[JOURNALED] - least[ALONE]
        asked = goal(added, GOAL_MS, most=True, digits=1) if len(requests) == 1 else [None, None]
        rows.append([name, pages, *least.values(), added, least[JOURNALED] - least[STORED], *asked])
    shared_pool().close()
    columns = ["set", "pages", *(f"{what}, ms" for what in WORKS), "added, ms", "by the journal, ms", "goal", "reached"]
    notes = [
        f"CPU per page of this process and its {WORKERS} workers, the least of several rounds in turns. The steps "
        f"alone keep what they make in a temporary file; groups of {GROUP} pages, {pools_for(WORKERS)['pages']} at a "
        "time.",
        "On a store: the same calls, every group synced to a new folder with facts in SQLite. Journaled: the workflow "
        "`document` on the local runtime over such a store, claims, journal and events included. Added is journaled "
        "less alone; what the journal has of it is journaled less on a store.",
        "A document costs a plan and an `assemble` beside its pages; the second row has that on every page.",
    ]
    return Report("Journal", [Table(columns, rows)], notes, data)


def _request(path: Path, pages: str | None = None) -> ReadRequest:
    return ReadRequest(SourceRef.of(path), pages=pages, ocr="never")


def _pages(request: ReadRequest) -> int:
    with quire.Document(request.source.path) as document:
        return len(page_numbers(request.pages, document.page_count))


def _timed(work, requests: Sequence[ReadRequest]) -> clock.Sample:
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
        return clock.timed(partial(work, requests, Path(folder)), cpu=family.cpu_seconds)[1]


def _alone(requests: Sequence[ReadRequest], _: Path) -> None:
    with closing(TemporaryStore()) as store:
        for request in requests:
            _steps(store, request)


def _stored(requests: Sequence[ReadRequest], folder: Path) -> None:
    with closing(FileStore(folder)) as store:
        for request in requests:
            _steps(store, request)


def _journaled(requests: Sequence[ReadRequest], folder: Path) -> None:
    with closing(FileStore(folder)) as store, local_runtime(store, workers=WORKERS) as runtime:
        runs = [runtime.submit("document", request.to_json(), key=request.key()) for request in requests]
        for run in runs:
            _check(runtime.result(run))


ALONE, STORED, JOURNALED = "steps alone", "on a store", "journaled"
WORKS = {ALONE: _alone, STORED: _stored, JOURNALED: _journaled}


def _steps(store: Store, request: ReadRequest) -> None:
    """What the workflow `document` calls, in the same groups and with as many at a time."""
    steps = DocumentSteps(store, workers=WORKERS)
    quiet = "benchmark", lambda event: None
    plan = steps.plan(request, *quiet)
    missing = page_numbers(plan["missing"], plan["pages"])
    groups = [missing[at : at + GROUP] for at in range(0, len(missing), GROUP)]
    with ThreadPoolExecutor(pools_for(WORKERS)["pages"]) as threads:
        for _ in threads.map(lambda group: steps.group(request, plan["reader"], group, *quiet), groups):
            pass
    _check(steps.assemble(request, plan, {}, *quiet))


def _check(reference) -> None:
    if reference["status"] != "complete":
        raise LeftOut(f"{reference['source']['name']} was read only in part: its time would not count")
