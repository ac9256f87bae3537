"""The contracts of durable work: a store of artifacts and facts, code that survives its process, and who runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from quire.errors import Category
from quire.events import Event
from quire.keys import ArtifactKey, Digest

if TYPE_CHECKING:
    from datetime import datetime

    from quire.engine import Attempt

Json = Any
"""A value that JSON can say. What crosses a journal, a process or a network is this and small: keys, never bytes."""

MAX_RESULT = 64 * 1024
"""Bytes of JSON that a step or a workflow may give back. What is larger belongs into the store."""


class Claim(NamedTuple):
    """The right to work on a key. `token` grows with every owner, so that a late one is known."""

    key: str
    token: int
    takeover: bool = False
    """Whether the owner before did not finish: its lease ran out."""


class Store(Protocol):
    """Where artifacts and facts live. Any thread may use it.

    A fact maps a key to the digest of the content made for it; two keys with the same content share its bytes. A fact
    belongs to one document and is deleted with it. Only answers of engines are shared by documents: each document that
    uses one has a fact of it (`share`), and the answer stays until the last of them is deleted.
    """

    @property
    def lasting(self) -> bool:
        """Whether a later run can find what is saved now."""
        ...

    def find(self, key: ArtifactKey) -> Digest | None:
        """The digest of the artifact made for `key`, None when there is none."""
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

        With a claim it lasts when this returns, and raises FencedError if somebody else has taken the key over.
        """
        ...

    def find_many(self, keys: Sequence[ArtifactKey]) -> Mapping[ArtifactKey, Digest]:
        """Which of the keys have an artifact: the question of readiness, asked once."""
        ...

    def has_contents(self, digests: Sequence[Digest]) -> set[Digest]:
        """Which of the contents can be loaded; a record that names another one counts as missing. Asked once."""
        ...

    def share(self, key: ArtifactKey, *, document: str, page: int | None = None) -> Digest | None:
        """Find an answer for a document that uses it, and record that it does: from then on it can be loaded until that
        document is deleted too."""
        ...

    def claim(self, key: ArtifactKey) -> Claim | None:
        """The right to make what `key` stands for; None while somebody else who is alive has it."""
        ...

    def release(self, claim: Claim) -> None:
        """Give a claim back; nothing happens if it is lost already."""
        ...

    def flush(self) -> None:
        """Make everything saved so far last."""
        ...

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        """Remember how a page came to a reading, instead of how it did before; "" for a page that nobody could read."""
        ...

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        """How a page came to a reading; nothing when that was not noted."""
        ...

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        """How each recognised page of a document was read last."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a step is tried in all, and how long it waits in between: doubled each time, with some jitter.

    Only errors whose class is retryable (`errors.RETRYABLE`) are tried again.
    """

    attempts: int = 3
    backoff_s: float = 0.5
    max_backoff_s: float = 60.0

    def pause_s(self, attempt: int, jitter: float) -> float:
        """Seconds to wait after that attempt, from 1; `jitter` from 0 to 1 takes up to half of it away."""
        return min(self.max_backoff_s, self.backoff_s * 2.0 ** min(attempt - 1, 30)) * (1 - jitter / 2)


ONCE = Retry(attempts=1)


Stopping = Literal["", "pause", "now"]
"""`pause`: the run is paused, so nothing more is begun, and what is under way finishes. `now`: the run was cancelled,
or its process ends."""


class Context(Protocol):
    """What a workflow may use. A workflow is `async` code that can be played again after a crash: between the calls
    below it must be deterministic, and everything from outside comes through them.

    Every call starts at once and gives something to await; what it gave is recorded and given again on replay.
    """

    @property
    def key(self) -> str:
        """The key under which this workflow was started."""
        ...

    @property
    def run_id(self) -> str:
        """The run that this is a part of; its events go there."""
        ...

    @property
    def stopping(self) -> Stopping:
        """Whether a step that takes long should end early. Steps may ask for it, from their threads."""
        ...

    def run(self, name: str, step: Callable[..., Json], *args: object, retry: Retry = ONCE) -> Awaitable[Json]:
        """One outside thing, in a thread. Raises RunError when the last attempt failed, or the result is too large."""
        ...

    def call(self, workflow: str, key: str, argument: Json) -> Awaitable[Json]:
        """Start a workflow under a key, or attach to the one started already, by whichever run.

        Raises RunError when it fails. One that failed for another run, or was cancelled with it, begins again.
        """
        ...

    def sleep(self, seconds: float) -> Awaitable[None]:
        """A timer that outlives the process."""
        ...

    def signal(self, name: str) -> Awaitable[Json]:
        """Wait for an answer from outside, given with `Runtime.send`."""
        ...

    def now(self) -> Awaitable[datetime]:
        """The time in UTC, recorded."""
        ...

    def emit(self, event: Event) -> None:
        """Tell once, whatever is played again: the event's id decides. Steps may do it too, from their threads."""
        ...

    async def gather(self, *awaited: Awaitable[Json]) -> list[Json]:
        """All of them, in their order. Raises the first error in that order, after all are done."""
        ...


@dataclass(frozen=True, slots=True)
class Workflow:
    """Durable code by name. A changed sequence of steps is a new version. `pool` names the workers that run it."""

    name: str
    function: Callable[[Context, Json], Awaitable[Json]]
    version: str = "1"
    pool: str = "documents"


RunState = Literal["waiting", "running", "interrupted", "finished", "failed", "cancelled"]
"""`interrupted`: no process works on it, and it is not done. One whose process was killed goes on with the next process
that opens the runtime; one that was paused waits until its key is submitted again."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """What became of a run so far. Times are seconds of the calendar clock."""

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
    """That of the error which ended it."""
    last_event: int = 0


class Runtime(Protocol):
    """Runs workflows durably. The verbs answer from any process that opens the same runtime."""

    @property
    def sees_files(self) -> bool:
        """Whether whoever does the work can open the paths of this machine; else documents go through the store."""
        ...

    def check(self) -> None:
        """Raises RunError when nothing can be handed over now, with what to do: before thousands are tried."""
        ...

    def submit(self, flow: str, inputs: Json, *, key: str | None = None) -> str:
        """Start a workflow by name and give the id of its run. A key that runs or is done gives the run it has, and one
        that was paused goes on; one that failed or was cancelled begins again as another run."""
        ...

    def status(self, run: str) -> RunStatus:
        """Raises UsageError for a run that nobody knows."""
        ...

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        """What has happened, in the order in which it was stored, after that sequence."""
        ...

    def result(self, run: str, *, timeout_s: float | None = None) -> Json:
        """Wait for the end. Raises RunError, RunCancelled, or TimeoutError."""
        ...

    def runs(
        self, *, flow: str | None = None, state: RunState | None = None, prefix: str = "", limit: int = 100
    ) -> list[RunStatus]:
        """The latest runs first: those of a flow, in a state, whose id begins with a text."""
        ...

    def send(self, run: str, name: str, value: Json) -> None:
        """Answer a signal that a workflow of the run waits for, or will wait for; the first answer counts."""
        ...

    def pause(self, run: str) -> None:
        """Begin nothing more of a run; its steps under way finish. It goes on when its key is submitted again."""
        ...

    def cancel(self, run: str) -> None:
        """Stop it and everything it started. What was recorded stays."""
        ...

    def forget(self, run: str) -> None:
        """Remove what is known of a run that has ended: its journal and events, not its artifacts."""
        ...
