"""A program that reads documents durably when asked: `python -m benchmarks.durablereader WORKERS FOLDER`.

It has the local runtime, and its workers keep their models from one question to the next.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.conversation import Answer, Program, serve
from benchmarks.report import LeftOut
from quire.core.context import Json, Runtime
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore

PATIENCE_S = 600.0

Portion = Sequence[tuple[Path, str | None]]
"""Documents, and which of their pages."""


def read_durably(runtime: Runtime, portion: Portion) -> list[Json]:
    """Submit all of it, and wait; what became of each."""
    requests = [ReadRequest(SourceRef.of(path), pages=pages) for path, pages in portion]
    runs = [runtime.submit("document", request.to_json(), key=request.key()) for request in requests]
    return [runtime.result(run, timeout_s=PATIENCE_S)["status"] for run in runs]


def check(states: Sequence[Json]) -> None:
    if any(state != "complete" for state in states):
        raise LeftOut(f"not everything was read completely ({states}): its time would not count")


class DurableReader(Program):
    """Such a program."""

    def __init__(self, workers: int, folder: Path) -> None:
        super().__init__([sys.executable, "-m", "benchmarks.durablereader", str(workers), folder])

    def read(self, portion: Portion) -> None:
        answer = self.ask({"portion": [[str(path), pages] for path, pages in portion]})
        if not answer:
            raise LeftOut("the program that reads durably ended")
        check(answer["states"])


def main(workers: int, folder: Path) -> None:
    with closing(FileStore(folder)) as store, local_runtime(store, workers=workers) as runtime:

        def answer(request: Answer) -> Mapping[str, object]:
            portion = [(Path(path), pages) for path, pages in request["portion"]]
            return {"states": read_durably(runtime, portion)}

        serve(answer)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
