"""Batches over a real store and runtime, with a flow that reads texts: its lines say what shall happen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Flag

from quire.batch import StageOptions
from quire.core.context import Workflow
from quire.core.errors import EngineError, InputError
from quire.core.events import Event
from quire.core.keys import artifact_key, digest_of
from quire.database.runs import Runs
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.batch_workflow import Batches, run_batch
from quire.durable.folders.plan import plan_batch
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore

LONG_S = 20.0


class Desk:
    """A folder of documents, an output folder with a store, and a count of what was read."""

    def __init__(self, folder: Path, store: FileStore) -> None:
        self.store = store
        self.documents = folder / "in"
        self.output = folder / "out"
        self.documents.mkdir()
        self.read: Counter[str] = Counter()
        self.attempts: Counter[str] = Counter()
        self.held, self.go = Flag(), Flag()

    def write(self, name: str, text: str = "") -> Path:
        path = self.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or f"the content of {name}")
        return path

    def request(self, **asked) -> BatchRequest:
        options = asked.pop("options", {})
        usual = {"policy": "io", "workers": 2, "retry_backoff_s": 0.0}
        return BatchRequest(
            (str(self.documents),), str(self.output), options=StageOptions(**{**usual, **options}), **asked
        )

    @contextmanager
    def runtime(self, *, works: bool = True) -> Iterator[LocalRuntime]:
        """With `works=False` it takes batches, and drives none."""
        batch = Batches(self.store, lambda: runtime).workflow()
        pools = {} if works else {batch.pool: 0}
        with LocalRuntime(self.store.database, [Workflow("flow", self.flow), batch], pools=pools) as runtime:
            yield runtime

    def submit(self, **asked) -> str:
        """A batch that waits until some process drives it."""
        with self.runtime(works=False) as runtime:
            return runtime.submit("batch", self.request(**asked).to_json())

    def run(self, *, sinks=(), run=None, stop=None, **asked):
        def tell(event):
            for sink in sinks:
                sink(event)

        with self.runtime() as runtime:
            return run_batch(self.request(**asked), runtime, run=run, on_event=tell, stop=stop)[1]

    def plan(self, **asked):
        planned = plan_batch(self.request(**asked), self.store.database)
        return {document.name: (document.state, document.reason) for document in planned.documents}

    def written(self) -> list[str]:
        return sorted(str(path.relative_to(self.output)) for path in self.output.rglob("*") if path.is_file())

    @property
    def runs(self) -> Runs:
        return Runs(self.store.database)

    async def flow(self, ctx, argument):
        inputs = argument["inputs"]
        made = await ctx.run("make", self.make, inputs["source"], inputs["formats"])
        failed = made.pop("failed")
        told = {"pages": 2, "ok": 2 - failed, "failed": failed, "status": "partial" if failed else "complete"}
        ctx.emit(Event("read/finished", ctx.run_id, 0, "finished", "read", payload=told))
        ctx.emit(Event("a/1", ctx.run_id, 0, "attempt", "recognise", page=1, payload={"engine": "e", "outcome": "ok"}))
        return made

    def make(self, source, formats):
        text = Path(source["path"]).read_text()
        self.attempts[source["name"]] += 1
        match text.split()[0]:
            case "hold":
                self.held.set()
                assert self.go.wait(LONG_S)
            case "vanishing":
                Path(source["path"]).unlink()
                raise InputError("cannot be read", document=source["name"])
            case "damaged":
                raise InputError("is damaged", document=source["name"])
            case "flaky" if self.attempts[source["name"]] < 3:
                raise EngineError("echo", "not now")
        self.read[source["name"]] += 1
        if text == "json":
            return {"flow": "test", "output": {"answer": 42}, "failed": 0}
        files = [self._file(text, name) for name in formats]
        failed = 1 if text.startswith("partial") and self.read[source["name"]] == 1 else 0
        return {"flow": "test", "output": {"files": files}, "failed": failed}

    def _file(self, text, name):
        data = json.dumps([text, name]).encode()
        key = artifact_key("test", "1", [digest_of([text, name])], digest_of({}))
        digest = self.store.save(key, data, stage="test", document="d")
        self.store.flush()
        return {"name": f".{name}", "digest": digest, "size": len(data)}
