"""The protocols of durable work: a store of artifacts and facts, workflows that survive a crash, and their runtime."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypedDict, Unpack

from quire.core.errors import Category, RunCancelled, RunError
from quire.core.events import Event
from quire.core.keys import ArtifactKey, Digest

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from quire.core.engine import Attempt

Json = Any
"""A JSON value of any shape: inputs, outputs and literals of flows, and what a runtime carries for its workflows.

Whatever crosses a journal, a process or a network is JSON and small: keys, never bytes. What Quire's own workflows
exchange has types, in `durable/messages.py`.
"""

MAX_RESULT = 64 * 1024
"""Maximum size in bytes of the JSON that a step or a workflow returns. Larger results belong in the store."""


class Claim(NamedTuple):
    """The exclusive right to work on a key. `token` is a fencing token: it grows with every owner."""

    key: str
    token: int
    takeover: bool = False
    """Whether the previous owner did not finish: its lease expired."""


class Store(Protocol):
    """Stores artifacts and facts. Thread-safe.

    A fact maps a key to the digest of the content made for it; two keys with the same content share its bytes. A fact
    belongs to one document and is deleted with it. Only engine answers are shared by documents: each document that
    uses one has a fact for it (`share`), and the answer stays until the last of them is deleted.
    """

    @property
    def lasting(self) -> bool:
        """Whether a later run can find what is saved now."""
        ...

    def find(self, key: ArtifactKey) -> Digest | None:
        """The digest of the artifact made for `key`, or None."""
        ...

    def load(self, digest: Digest) -> bytes:
        """The content, verified against its digest. Raises StoreError when it is missing or damaged."""
        ...

    def save(
        self,
        key: ArtifactKey,
        data: bytes,
        *,
        stage: str,
        document: str,
        page: int | None = None,
        claim: Claim | None = None,
    ) -> Digest:
        """Store the content and record the fact that it was made for `key`.

        With a claim it is durable when this returns. Raises FencedError if another process took over the key.
        """
        ...

    def find_many(self, keys: Sequence[ArtifactKey]) -> Mapping[ArtifactKey, Digest]:
        """The keys that have an artifact, in one query."""
        ...

    def has_contents(self, digests: Sequence[Digest]) -> set[Digest]:
        """The contents that can be loaded, in one query; a record that refers to a missing one counts as missing."""
        ...

    def share(self, key: ArtifactKey, *, document: str, page: int | None = None) -> Digest | None:
        """Find an answer for a document, and record that the document uses it: it can then be loaded until that
        document is deleted too."""
        ...

    def claim(self, key: ArtifactKey) -> Claim | None:
        """Claim the work on `key`; None while another living owner has it."""
        ...

    def release(self, claim: Claim) -> None:
        """Release a claim; does nothing if it is lost already."""
        ...

    def flush(self, *, lasting: bool = True) -> None:
        """Make everything saved so far durable. Without `lasting` a power failure may undo it, until the next lasting
        transaction of the same database: for callers that follow it with one."""
        ...

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        """Record the attempts of a reading, replacing earlier ones; `reading` is "" if no engine could read it."""
        ...

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        """The attempts of a reading; empty when not recorded."""
        ...

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        """The attempts of the last reading of each recognised page of a document."""
        ...

    def scratch(self) -> Path:
        """A folder for files of this process, which are removed with the store or, if it is killed, by the next."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Retry:
    """Maximum attempts of a step, and the exponential back-off between them, with jitter.

    Only errors whose class is retryable (`errors.RETRYABLE`) are retried.
    """

    attempts: int = 3
    backoff_s: float = 0.5
    max_backoff_s: float = 60.0

    def pause_s(self, attempt: int, jitter: float) -> float:
        """Seconds to wait after that attempt, from 1; `jitter` from 0 to 1 reduces them by up to half."""
        return min(self.max_backoff_s, self.backoff_s * 2.0 ** min(attempt - 1, 30)) * (1 - jitter / 2)


ONCE = Retry(attempts=1)


Stopping = Literal["", "pause", "now"]
"""`pause`: the run is paused, so nothing more is started, and running steps finish. `now`: the run was cancelled, or
its process ends."""


class Context(Protocol):
    """The interface of a workflow. A workflow is `async` code that is replayed after a crash: between the calls below
    it must be deterministic, and everything from outside comes through them.

    Every call starts at once and returns an awaitable; its result is recorded, and returned again on replay.
    """

    @property
    def key(self) -> str:
        """The idempotency key under which this workflow was started."""
        ...

    @property
    def run_id(self) -> str:
        """The run that this is part of, which gets its events."""
        ...

    @property
    def stopping(self) -> Stopping:
        """Whether a long step should end early. Steps may poll it from their threads."""
        ...

    def run(self, name: str, step: Callable[..., Json], *args: object, retry: Retry = ONCE) -> Awaitable[Json]:
        """A step: one side effect, in a thread. Raises RunError when all attempts failed or the result is too large."""
        ...

    def call(self, workflow: str, key: str, argument: Json) -> Awaitable[Json]:
        """Start a workflow under an idempotency key, or attach to the one that any run has started already.

        Raises RunError when it fails. One that failed for another run, or was cancelled with it, is retried.
        """
        ...

    def sleep(self, seconds: float) -> Awaitable[None]:
        """A durable timer, which survives the process."""
        ...

    def signal(self, name: str) -> Awaitable[Json]:
        """Wait for a value from outside, sent with `Runtime.send`."""
        ...

    def now(self) -> Awaitable[datetime]:
        """The time in UTC, recorded."""
        ...

    def emit(self, event: Event) -> None:
        """Emit an event once, regardless of replays, which its id identifies. Steps may call it from their threads."""
        ...

    async def gather(self, *awaited: Awaitable[Json]) -> list[Json]:
        """The results of all, in order. Raises the first error in that order, after all are done."""
        ...


@dataclass(frozen=True, slots=True)
class Workflow:
    """Durable code by name. A changed sequence of steps is a new version. `pool` names the workers that run it."""

    name: str
    function: Callable[[Context, Json], Awaitable[Json]]
    version: str = "1"
    pool: str = "documents"
    keeps_slot: bool = False
    """Whether an invocation keeps its slot of the pool while it waits for others: then the pool bounds how many are in
    progress, not only how many compute. While it waits for a signal, its slot is free."""
    pool_of: Callable[[Json], str] | None = None
    """The pool of an invocation by its argument, where one machine does the work; otherwise it is always `pool`."""
    tenant_of: Callable[[Json], str] | None = None
    """The tenant of an invocation by its argument: tenants take turns. Without it, all are of one tenant."""
    close: Callable[[], None] | None = None
    """Called when the runtime is closed, after the steps in progress had time to end: gives up what its steps hold."""


RunState = Literal["waiting", "running", "interrupted", "finished", "failed", "cancelled"]
"""`interrupted`: no process works on it, and it is not done. One whose process was killed continues in the next process
that opens the runtime; a paused one waits until its key is submitted again."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The state of a run. Times are seconds of the wall clock."""

    run: str
    flow: str
    key: str
    state: RunState
    inputs: Json
    submitted: float
    finished: float | None = None
    result: Json = None
    error: str | None = None
    category: Category | None = None
    exit_code: int | None = None
    """The exit code of the error that ended it."""
    last_event: int = 0

    def value(self) -> Json:
        """The result of a run that has ended. Raises RunError or RunCancelled unless it finished."""
        if self.state == "cancelled":
            raise RunCancelled(self.error or f"run {self.run} was cancelled")
        if self.state == "failed":
            message = self.error or f"run {self.run} failed"
            raise RunError(message, category=self.category or "runtime", exit_code=self.exit_code)
        return self.result


class RunFilter(TypedDict, total=False):
    """A choice among runs: of a flow, in a state, whose id begins with `prefix`, that follow the run `before`."""

    flow: str | None
    state: RunState | None
    prefix: str
    before: str | None
    limit: int


class Runtime(Protocol):
    """Runs workflows durably. All methods work from any process that opens the same runtime."""

    @property
    def sees_files(self) -> bool:
        """Whether the workers can open the paths of this machine; otherwise documents are uploaded to the store."""
        ...

    def check(self) -> None:
        """Raises RunError, with advice, when nothing can be submitted now: to be called before thousands are."""
        ...

    def submit(self, flow: str, inputs: Json, *, key: str | None = None) -> str:
        """Start a workflow by name and return the id of its run. `key` is an idempotency key: one that runs or is done
        returns its run, a paused run is resumed, and one that failed or was cancelled is retried as a new run."""
        ...

    def status(self, run: str) -> RunStatus:
        """Raises UsageError for an unknown run."""
        ...

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        """The stored events after that sequence number, in order."""
        ...

    def result(self, run: str, *, timeout_s: float | None = None) -> Json:
        """Wait for the end. Raises RunError, RunCancelled, or TimeoutError."""
        ...

    def wait_ended(self, runs: Sequence[str], *, timeout_s: float) -> set[str]:
        """The ids of the given runs that have ended or are unknown. Waits until one has, or `timeout_s`, and may return
        an empty set earlier: one thread waits for all runs that a service is asked about."""
        ...

    def runs(self, **chosen: Unpack[RunFilter]) -> list[RunStatus]:
        """Runs, the latest first, 100 without a limit."""
        ...

    def send(self, run: str, name: str, value: Json) -> None:
        """Send the value of a signal that a workflow of the run waits for, or will wait for; the first value counts."""
        ...

    def pause(self, run: str) -> None:
        """Start nothing more of a run; its running steps finish. Submit its key again to resume it."""
        ...

    def cancel(self, run: str) -> None:
        """Cancel it and everything it started. What was recorded stays."""
        ...

    def forget(self, run: str) -> None:
        """Remove the journal and events of a run that has ended, not its artifacts."""
        ...
