"""A solve on a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from quire.client.connection import quoted
from quire.client.server_runs import ClientRun
from quire.core.runner import RunnerCapability
from quire.system.atomic_files import write_files


class SolveSettings(TypedDict, total=False):
    """How a task is solved on a server: as in `quire.solve`."""

    runners: Sequence[str]
    requires: Sequence[RunnerCapability]
    reviewer: str
    rounds: int
    attempts: int
    budget: Mapping[str, float]
    review: Literal["none", "queue", "wait"]


class ClientSolve(ClientRun):
    """A run that solves a task. Its methods block."""

    def view(self) -> dict[str, Any]:
        """How far it is and, once it has finished, the answer, as `GET /api/runs/{run}/solve` has it."""
        view: dict[str, Any] = self._server.get(f"{self._path}/solve").json()
        return view

    def answer(self, *, timeout_s: float | None = None) -> dict[str, Any]:
        """The view at the end: `values`, the `evidence` of each by its path, `findings`, `attempts`. Raises
        RunCancelled, RunError when no runner answers, or TimeoutError."""
        self.result(timeout_s=timeout_s)
        return self.view()

    def file(self, name: str) -> bytes:
        """A file of the answer: `answer.json`, `answer.xlsx`, `evidence.jsonl`, `notes.md`, `findings.jsonl`."""
        return self._server.get(f"{self._path}/solve/files/{quoted(name)}").body

    def trace(self) -> bytes:
        """The trace, for `quire replay`."""
        return self._server.get(f"{self._path}/solve/trace").body

    def save(self, folder: str | Path) -> list[Path]:
        """Write the files and the trace into a folder, each atomically; returns their paths."""
        paths = {Path(folder) / one["name"]: self.file(one["name"]) for one in self.view()["files"]}
        paths[Path(folder) / "solve.trace.json"] = self.trace()
        write_files(paths)
        return list(paths)
