"""Long calls as tasks (SEP-2663): the task of a call is its durable run, so that any replica tells about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pydantic import BaseModel

from quire.client.reports import RunReport
from quire.client.server_runs import ClientRun
from quire.core.errors import QuireError, UsageError
from quire.mcp.tool_arguments import DocumentsArguments, ExtractArguments
from quire.mcp.tools import DocumentTools, ToolResult

EXTENSION = "io.modelcontextprotocol/tasks"
POLL_MS = 1000


class TaskId(NamedTuple):
    """`add:RUN`, or `extract:RUN:DOCUMENT`: all that it takes to tell about a task."""

    kind: str
    run: str
    document: str = ""

    @classmethod
    def parse(cls, text: str) -> TaskId:
        """Raises UsageError for the id of something else."""
        kind, *parts = text.split(":")
        if (kind, len(parts)) not in (("add", 1), ("extract", 2)):
            raise UsageError(f"there is no task {text[:100]!r}")
        return cls(kind, *parts)

    def __str__(self) -> str:
        return ":".join(part for part in self if part)


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task: its run, and once that has ended its result or its error."""

    id: TaskId
    run: RunReport
    result: ToolResult | None = None
    error: str = ""

    @property
    def status(self) -> str:
        if not self.run.ended:
            return "working"
        return "cancelled" if self.run.state == "cancelled" else "failed" if self.error else "completed"

    def to_json(self) -> dict[str, Any]:
        """The members of a task that it has whatever its status is."""
        pages = self.run.page_counts
        done = {"statusMessage": f"{pages.done} of {pages.total} pages"} if pages.total else {}
        return {
            "taskId": str(self.id),
            "status": self.status,
            **done,
            "createdAt": _time(self.run.submitted),
            "lastUpdatedAt": _time(self.run.finished or datetime.now(UTC).timestamp()),
            "ttlMs": None,
            "pollIntervalMs": POLL_MS,
        }


@dataclass(frozen=True, slots=True)
class DocumentTasks:
    """The calls that take long, as tasks. Its methods block, and raise QuireError."""

    tools: DocumentTools

    def begin(self, asked: BaseModel) -> TaskState | None:
        """The task of a call, if it has begun work that has not ended; None for a call to be answered at once."""
        begun: tuple[str, ClientRun, str] | None = None
        if isinstance(asked, DocumentsArguments) and asked.action == "add" and asked.path is not None:
            begun = "add", self.tools.begin_add(asked.path), ""
        elif isinstance(asked, ExtractArguments) and asked.cursor is None:
            begun = "extract", self.tools.begin_extract(asked), asked.document
        if begun is None or begun[1].report().ended:
            return None
        kind, run, document = begun
        return TaskState(TaskId(kind, run.id, document), run.report())

    def state(self, task: str) -> TaskState:
        """What became of a task."""
        id = TaskId.parse(task)
        run = self._run(id).report()
        if not run.ended or run.state == "cancelled":
            return TaskState(id, run)
        if run.state == "failed":
            return TaskState(id, run, error=run.error or "the run has failed")
        try:
            return TaskState(
                id, run, self.tools.added(run) if id.kind == "add" else self.tools.extracted(id.document, run)
            )
        except QuireError as error:
            return TaskState(id, run, error=str(error))

    def cancel(self, task: str) -> None:
        """Cancel its run; one that has ended stays as it is."""
        self._run(TaskId.parse(task)).cancel()

    def _run(self, id: TaskId) -> ClientRun:
        """Its run, if that is of the kind of the task."""
        run = self.tools.documents.run(id.run)
        if run.report().type != {"add": "read", "extract": "extract"}[id.kind] or (
            id.kind == "add" and not self.tools.write
        ):
            raise UsageError(f"there is no task {str(id)[:100]!r}")
        return run


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
