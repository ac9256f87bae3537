"""Two runtimes over one database: some workflows run on this machine, the others elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Unpack

from quire.core.context import Json, RunFilter, RunStatus, Runtime
from quire.core.errors import QuireError
from quire.core.events import Event
from quire.runtime.local import LocalRuntime


class BesideRuntime:
    """Routes each run to the runtime of its workflow: workflows that `here` knows run on this machine."""

    def __init__(self, elsewhere: Runtime, here: LocalRuntime) -> None:
        self._elsewhere, self._here = elsewhere, here

    @property
    def sees_files(self) -> bool:
        return self._elsewhere.sees_files

    @property
    def trouble(self) -> QuireError | None:
        return self._here.trouble

    def check(self) -> None:
        self._elsewhere.check()

    def submit(self, flow: str, inputs: Json, *, key: str | None = None) -> str:
        return self._for(flow).submit(flow, inputs, key=key)

    def status(self, run: str) -> RunStatus:
        return self._of(run).status(run)

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        return self._here.events(run, after=after)

    def result(self, run: str, *, timeout_s: float | None = None) -> Json:
        return self._of(run).result(run, timeout_s=timeout_s)

    def wait_ended(self, runs: Sequence[str], *, timeout_s: float) -> set[str]:
        return self._elsewhere.wait_ended(runs, timeout_s=timeout_s)

    def runs(self, **chosen: Unpack[RunFilter]) -> list[RunStatus]:
        return self._here.runs(**chosen)

    def send(self, run: str, name: str, value: Json) -> None:
        self._of(run).send(run, name, value)

    def pause(self, run: str) -> None:
        self._of(run).pause(run)

    def cancel(self, run: str) -> None:
        self._of(run).cancel(run)

    def forget(self, run: str) -> None:
        self._of(run).forget(run)

    def serve(self) -> None:
        """Start working on what is queued for this machine."""
        self._here.serve()

    def close(self) -> None:
        self._here.close()

    def _of(self, run: str) -> Runtime:
        return self._for(self._here.status(run).flow)

    def _for(self, flow: str) -> Runtime:
        return self._here if self._here.knows(flow) else self._elsewhere
