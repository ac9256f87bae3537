"""The ways to read a document, in a program of their own: what a bad document or engine does, it does to this program.

    python -m tests.reading.ways

Each line of the input is a request (way, case, path, folder), each line of the output what came of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import asdict
from pathlib import Path

import quire
from quire.cli.app import app
from quire.core.context import Json, Runtime
from quire.core.document import Document
from quire.core.errors import QuireError
from quire.core.events import Event
from quire.database.runs import Runs
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.net.restate_server import RestateServer
from quire.pages.assemble import assemble
from quire.pages.recognize.engine_registry import make
from quire.pipeline import Pipeline, preprocess
from quire.reading.result import DocumentResult
from quire.runtime.local import LocalRuntime
from quire.runtime.restate.runtime import RestateRuntime
from quire.store.files import FileStore
from tests.reading.cases import CASES, LIMITED, Case
from tests.servers.restate import serving

WORKERS = 2
PATIENCE_S = 60.0


def reads(case: Case, path: Path, folder: Path, **more: Json) -> Json:
    events: list[Event] = []
    result = quire.read(path, **_options(case, folder), on_event=events.append, **more)
    return _told(result, events)


def read_isolated(case: Case, path: Path, folder: Path) -> Json:
    return reads(case, path, folder, isolate=True)


def stream(case: Case, path: Path, folder: Path) -> Json:
    """Its pages are assembled here, as `read` does it: they come before what crosses pages is known."""
    events: list[Event] = []
    pages = list(quire.stream(path, **_options(case, folder), on_event=events.append))
    with closing(Document(path)) as document:
        blocks = assemble(pages, document.reader.outline())
        result = DocumentResult(document, tuple(page.info for page in pages), blocks)
        return _told(result, events)


def document_run(case: Case, path: Path, folder: Path) -> Json:
    with closing(FileStore(folder)) as store:
        known = workflows_on(store, workers=WORKERS)
        with LocalRuntime(store.database, known, pools=pools_for(WORKERS)) as runtime:
            return _run(case, path, store, runtime)


def restate(case: Case, path: Path, folder: Path, ingress: str, admin: str) -> Json:
    server = RestateServer(ingress, admin)
    with closing(FileStore(folder)) as store:
        known = workflows_on(store, workers=WORKERS)
        with serving(server, known, store.database):
            return _run(case, path, store, RestateRuntime(server, store.database, known))


def batch(case: Case, path: Path, folder: Path) -> Json:
    """`quire run` on the document; its events are those that the store keeps of its runs."""
    output = folder / "out"
    engines = [part for name in case.engines for part in ("--engine", name)]
    told = ["--to", "json", "--words", "--trace", "--quiet", "--retries", "0"]
    command = ["run", path, "-o", output, "--store", folder, "--workers", WORKERS, "--ocr", case.ocr, *engines, *told]
    with redirect_stdout(sys.stderr):
        code = app(list(map(str, command)), standalone_mode=False)
    with closing(FileStore(folder)) as store:
        runs = Runs(store.database)
        events = [event for status in runs.list(limit=1000) for event in runs.events(status.run)]
    written = output / f"{path.stem}.json"
    result = json.loads(written.read_text()) if written.exists() else None
    return {"result": result, "events": _plain(events), "code": code}


def pipeline(case: Case, path: Path, folder: Path) -> Json:
    events: list[Event] = []
    stages = Pipeline(preprocess.prepared(), make(case.engines[0]), cache=folder, on_event=events.append)
    return _told(stages(path), events)


WAYS: dict[str, Callable[..., Json]] = {
    "read": reads,
    "read-isolated": read_isolated,
    "stream": stream,
    "document-run": document_run,
    "batch": batch,
    "restate": restate,
    "pipeline": pipeline,
}


def _options(case: Case, folder: Path) -> quire.reading.call.ReadOptions:
    return {"store": folder, "engines": case.engines, "ocr": case.ocr, "workers": WORKERS}  # type: ignore[typeddict-item]


def _run(case: Case, path: Path, store: FileStore, runtime: Runtime) -> Json:
    request = ReadRequest(SourceRef.of(path), engines=case.engines, ocr=case.ocr)  # type: ignore[arg-type]
    run = runtime.submit("document", request.to_json(), key=request.key())
    reference = runtime.result(run, timeout_s=PATIENCE_S)
    return _told(load_result(store, reference), runtime.events(run))


def _told(result: DocumentResult, events: Iterable[Event]) -> Json:
    return {"result": json.loads(result.to_json(words=True, trace=True)), "events": _plain(events)}


def _plain(events: Iterable[Event]) -> Sequence[Json]:
    return [asdict(event) | {"payload": dict(event.payload)} for event in events]


def main() -> None:
    for line in sys.stdin:
        way, case, path, folder, *more = json.loads(line)
        try:
            told = WAYS[way](CASES.get(case, LIMITED), Path(path), Path(folder), *more)
        except QuireError as error:
            told = {"error": type(error).__name__, "message": str(error), "category": error.category}
        print(json.dumps(told, default=str), flush=True)


if __name__ == "__main__":
    main()
