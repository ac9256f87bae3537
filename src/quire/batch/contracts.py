"""The values of a stage over many items: plan, options and outcome.

All of them are frozen, picklable and cheap to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from quire.core.context import Json
from quire.core.errors import RETRYABLE, Category, UsageError

Policy = Literal["io", "cpu", "gpu"]
Schedule = Literal["fifo", "sjf", "ljf"]
ItemStatus = Literal["ok", "partial", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class ItemFingerprint:
    """The origin of an item: the sha256 of its inputs, and the hash of the settings that change its output."""

    input_sha256: str
    cfg_hash: str


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One unit of a stage. The id is unique in its plan.

    `cost_hint` is any measure of its size, for the schedules `sjf` and `ljf`. With a fingerprint the inputs are not
    read to find out whether the item is done already.
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
            raise UsageError(f"item_id is {self.item_id!r}; give every item a non-empty string as id")
        for name in ("inputs", "outputs"):
            places = getattr(self, name)
            if not isinstance(places, Mapping):
                raise UsageError(f"{name} of item {self.item_id} is not a mapping; map names to paths: {{'pdf': path}}")
            paths = {str(key): path if isinstance(path, Path) else Path(path) for key, path in places.items()}
            object.__setattr__(self, name, paths)
        if not isinstance(self.cost_hint, (int, float)) or self.cost_hint != self.cost_hint:
            raise UsageError(f"cost_hint of item {self.item_id} is {self.cost_hint!r}; it must be a number")


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The items of a stage. They may come from a generator: at most `max_queue` of them are in memory at a time.

    `total_items` is for progress; it is counted if the items are a sequence.
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
    """Options of running a stage. None of them changes its output.

    Args:
        policy: `cpu` runs the worker in worker processes, `io` and `gpu` in threads of this process.
        workers: How many items run in parallel; by default one per CPU, and 1 for `gpu`.
        per_item_timeout_s: Timeout of one attempt in seconds; 0 for no limit.
        retries: Retries after the first attempt, for errors whose class is retryable.
        retry_backoff_s: Maximum back-off before the first retry; doubled before each further one, with jitter of up
            to half.
        error_budget: Number of failed items after which no further ones are started; 0 for no limit.
        max_queue: Maximum number of items in memory that have not started; 0 for no limit.
        schedule: The order: as planned, smallest or largest `cost_hint` first. Items from a generator are ordered
            among the `max_queue` in memory.
        resume: Skip items that are done according to the store. The default if there is a store; True requires one.
        force: Process items that are done, too.
        diagnostics_interval_s: Seconds between progress events; 0 for none.
        dry_run: Only look up what is done already.
        seed: Seed of the back-off jitter, so that two runs wait equally long.
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
    """Why an item failed permanently."""

    stage: str
    item_id: str
    category: Category
    message: str
    attempts: int = 1
    details: str = ""
    """The traceback in the worker, for its author."""
    exit_code: int | None = None
    """The exit code of the error; None for that of its class."""
    retryable: bool = None  # type: ignore[assignment]
    """Whether a retry is useful; by default that of its class."""

    def __post_init__(self) -> None:
        if self.retryable is None:
            object.__setattr__(self, "retryable", RETRYABLE[self.category])

    def __str__(self) -> str:
        named = self.message if self.message.startswith(self.item_id) else f"{self.item_id}: {self.message}"
        return f"{named} ({self.category})"


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The outcome of an item. A worker returns one to report more than a result: for example a skip and its reason.

    `result` is JSON: it is in the payload of the item's event, and so in the manifest. `manifest` holds further fields
    for the row of the item in the manifest, also when it failed. A worker that fails may raise, or return an `error`:
    its `retryable` decides whether there is a retry.
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
    """The outcome of a stage: `planned` = skipped + succeeded + failed + those that were not done.

    Times are per attempt, in milliseconds; `queue_…` is the time from when an item was due until it started. `errors`
    holds the first thousand, in the order of the plan. `scheduled` counts items that were started; in a dry run,
    those that would have been.
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
        """Items that neither finished nor failed."""
        return max(0, self.planned - self.skipped - self.succeeded - self.failed)


@dataclass(frozen=True, slots=True)
class StageContext:
    """The stage, as hooks get to know it."""

    stage_name: str
    run: str
    options: StageOptions
    total_items: int | None


@dataclass(frozen=True, slots=True)
class StageHooks:
    """Callbacks of a stage, called in the thread that called `run_stage`, one at a time and in order.

    An exception in a hook is logged once and emitted as an event; the stage continues.
    """

    before_stage: Callable[[StageContext], None] | None = None
    after_stage: Callable[[StageOutcome, StageContext], None] | None = None
    before_item: Callable[[WorkItem, StageContext], None] | None = None
    after_item: Callable[[WorkItem, ItemOutcome, StageContext], None] | None = None


Worker = Callable[[WorkItem], Json]
"""Processes one item. It returns an `ItemOutcome`, a JSON-serialisable mapping, or None; it raises when it fails."""


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
