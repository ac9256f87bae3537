"""The values of a stage over many items: what is to be done, how, and what became of it.

All of them are frozen and picklable, and import nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from quire.context import Json
from quire.errors import RETRYABLE, Category, UsageError

Policy = Literal["io", "cpu", "gpu"]
Schedule = Literal["fifo", "sjf", "ljf"]
ItemStatus = Literal["ok", "partial", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class ItemFingerprint:
    """What an item is made from: the sha256 of its inputs, and the hash of the settings that change its output."""

    input_sha256: str
    cfg_hash: str


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One unit of a stage. The id is unique in its plan.

    `cost_hint` is any measure of its size, for the schedules `sjf` and `ljf`. With a fingerprint nobody reads the
    inputs to find out whether the item is done already.
    """

    item_id: str
    inputs: Mapping[str, Path] = field(default_factory=dict)
    outputs: Mapping[str, Path] = field(default_factory=dict)
    cfg_hash: str = ""
    cost_hint: float = 1.0
    metadata: Mapping[str, Json] = field(default_factory=dict)
    fingerprint: ItemFingerprint | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.item_id, str) or not self.item_id:
            raise UsageError(f"item_id is {self.item_id!r}; give every item a text that names it")
        for name in ("inputs", "outputs"):
            places = getattr(self, name)
            if not isinstance(places, Mapping):
                raise UsageError(f"{name} of item {self.item_id} is no mapping; give names to paths: {{'pdf': path}}")
            object.__setattr__(self, name, {str(key): Path(path) for key, path in places.items()})
        if not isinstance(self.cost_hint, (int, float)) or self.cost_hint != self.cost_hint:
            raise UsageError(f"cost_hint of item {self.item_id} is {self.cost_hint!r}; it must be a number")


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The items of a stage. They may come from a generator: no more than `max_queue` of them are held at a time.

    `total_items` is for progress; it is counted where the items are a sequence.
    """

    stage_name: str
    items: Iterable[WorkItem]
    total_items: int | None = None

    def __post_init__(self) -> None:
        if not self.stage_name or "/" in self.stage_name:
            raise UsageError(f"stage_name is {self.stage_name!r}; give the stage a name without a slash")
        if not isinstance(self.items, Sequence):
            return
        if self.total_items is None:
            object.__setattr__(self, "total_items", len(self.items))
        seen: set[str] = set()
        for item in self.items:
            if item.item_id in seen:
                raise UsageError(
                    f"two items of stage {self.stage_name} have the id {item.item_id!r}; each needs its own"
                )
            seen.add(item.item_id)


@dataclass(frozen=True, slots=True)
class StageOptions:
    """How a stage runs. Nothing here changes what it makes.

    Args:
        policy: `cpu` runs the worker in worker programs, `io` and `gpu` in threads of this process.
        workers: How many items at a time; by default one for each CPU, and 1 for `gpu`.
        per_item_timeout_s: Seconds that one attempt may take; 0 for no limit.
        retries: Further attempts after the first, for errors whose class is retryable.
        retry_backoff_s: Seconds before the second attempt at most; doubled before each further one, less up to half.
        error_budget: Failed items after which no further ones are started; 0 for no limit.
        max_queue: How many items are held at most that have not started; 0 for no limit.
        schedule: The order: as planned, smallest or largest `cost_hint` first. Items from a generator are ordered
            among the `max_queue` that are held.
        resume: Leave out items that the store knows as done. By default if there is a store; True requires one.
        force: Do them all the same.
        diagnostics_interval_s: Seconds between events of progress; 0 for none.
        dry_run: Look what is done already, and do nothing.
        seed: Decides the random part of pauses, so that two runs wait alike.
    """

    policy: Policy = "io"
    workers: int | None = None
    per_item_timeout_s: float = 0.0
    retries: int = 0
    retry_backoff_s: float = 1.0
    error_budget: int = 0
    max_queue: int = 256
    schedule: Schedule = "fifo"
    resume: bool | None = None
    force: bool = False
    diagnostics_interval_s: float = 30.0
    dry_run: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        _check_choice("policy", self.policy, get_args(Policy))
        _check_choice("schedule", self.schedule, get_args(Schedule))
        if self.workers is not None:
            _check_number("workers", self.workers, 1)
        _check_number("max_queue", self.max_queue, 0, "0 means no limit")
        _check_number("retries", self.retries, 0)
        _check_number("error_budget", self.error_budget, 0, "0 means no limit")
        _check_seconds("per_item_timeout_s", self.per_item_timeout_s, "0 means no limit")
        _check_seconds("retry_backoff_s", self.retry_backoff_s)
        _check_seconds("diagnostics_interval_s", self.diagnostics_interval_s, "0 means no diagnostics")


@dataclass(frozen=True, slots=True)
class StageError:
    """Why an item failed for good."""

    stage: str
    item_id: str
    category: Category
    message: str
    attempts: int = 1
    details: str = ""
    """Where in the worker it happened, for whoever wrote it."""
    exit_code: int | None = None
    """That of its error; None for the one of its class."""
    retryable: bool = None  # type: ignore[assignment]
    """Whether trying again is useful; by default what holds for its class."""

    def __post_init__(self) -> None:
        if self.retryable is None:
            object.__setattr__(self, "retryable", RETRYABLE[self.category])

    def __str__(self) -> str:
        named = self.message if self.message.startswith(self.item_id) else f"{self.item_id}: {self.message}"
        return f"{named} ({self.category})"


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of an item. A worker returns one to tell more than its result: that it skipped it, and why.

    `result` is JSON: it goes into the event of the item, and so into the manifest. `manifest` holds further fields for
    the row of the item in the manifest, also when it failed. A worker that fails may raise, or return an `error`: its
    `retryable` decides whether there is another attempt.
    """

    status: ItemStatus = "ok"
    result: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    error: StageError | None = None
    attempts: int = 1
    duration_s: float = 0.0
    manifest: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_choice("the status of an outcome", self.status, get_args(ItemStatus))


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """What became of a stage: `planned` = skipped + succeeded + failed + those that were not done.

    Times are of attempts, in milliseconds; `queue_…` from when an item was due until it started. `errors` holds the
    first thousand, in the order of the plan. `scheduled` counts items that were started; in a dry run, those that
    would have been.
    """

    planned: int = 0
    scheduled: int = 0
    skipped: int = 0
    succeeded: int = 0
    failed: int = 0
    cancelled: bool = False
    cancelled_reason: str = ""
    wall_ms: float = 0.0
    queue_p50_ms: float = 0.0
    queue_p95_ms: float = 0.0
    exec_p50_ms: float = 0.0
    exec_p95_ms: float = 0.0
    exec_p99_ms: float = 0.0
    cpu_time_total_ms: float = 0.0
    errors: tuple[StageError, ...] = ()

    @property
    def remaining(self) -> int:
        """Items that were neither done nor given up."""
        return max(0, self.planned - self.skipped - self.succeeded - self.failed)


@dataclass(frozen=True, slots=True)
class StageContext:
    """What hooks are told of the stage they are called in."""

    stage_name: str
    run: str
    options: StageOptions
    total_items: int | None


@dataclass(frozen=True, slots=True)
class StageHooks:
    """Functions of yours that a stage calls, in the thread that called `run_stage`, one at a time and in order.

    What they raise is logged once and told as an event; the stage goes on.
    """

    before_stage: Callable[[StageContext], None] | None = None
    after_stage: Callable[[StageOutcome, StageContext], None] | None = None
    before_item: Callable[[WorkItem, StageContext], None] | None = None
    after_item: Callable[[WorkItem, ItemOutcome, StageContext], None] | None = None


Worker = Callable[[WorkItem], Json]
"""Does one item. It gives an `ItemOutcome`, a mapping that JSON can say, or nothing; it raises when it fails."""


def _check_choice(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"{name} is {value!r}; it must be one of {', '.join(known)}")


def _check_number(name: str, value: object, least: int, meaning: str = "") -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        hint = f"; {meaning}" if meaning else ""
        raise UsageError(f"{name} is {value!r}; it must be a whole number of at least {least}{hint}")


def _check_seconds(name: str, value: object, meaning: str = "") -> None:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < float("inf"):
        hint = f"; {meaning}" if meaning else ""
        raise UsageError(f"{name} is {value!r}; it must be a number of seconds, at least 0{hint}")
