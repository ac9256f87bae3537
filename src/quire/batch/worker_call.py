"""One call of a worker function, and its result as JSON. Runs in a worker process or in a thread."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import cast

from quire.batch.contracts import ItemOutcome, Worker, WorkItem
from quire.core.context import MAX_RESULT, Json
from quire.core.errors import RETRYABLE, Category, QuireError, UsageError, category_of, exit_code_of
from quire.core.events import reason_of

MAX_DETAILS = 4000


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """Why an attempt failed."""

    category: Category
    message: str
    details: str = ""
    exit_code: int | None = None
    retryable: bool = None  # type: ignore[assignment]  # what holds for its class by default
    manifest: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.retryable is None:
            object.__setattr__(self, "retryable", RETRYABLE[self.category])


@dataclass(frozen=True, slots=True)
class Called:
    """The outcome of an attempt, with its wall-clock and CPU time."""

    result: ItemOutcome | FailedAttempt
    ms: float = 0.0
    cpu_ms: float = 0.0


def call(worker: Worker, item: WorkItem) -> Called:
    """Call the worker; an exception becomes a failed outcome."""
    began, cpu_began = time.perf_counter(), time.thread_time()
    try:
        outcome: ItemOutcome | FailedAttempt = outcome_of(worker(item))
    except BaseException as error:  # a library that calls exit fails its item, not the stage
        outcome = failure_of(error)
    if isinstance(outcome, ItemOutcome) and outcome.status == "failed":
        outcome = _failure_in(outcome)
    return Called(outcome, (time.perf_counter() - began) * 1000, (time.thread_time() - cpu_began) * 1000)


def call_in_program(arguments: tuple[Worker, WorkItem], work: object) -> tuple[dict[str, object], bytes]:
    """The job of a worker process. Its result crosses the pipe as JSON."""
    began = time.process_time()
    called = call(*arguments)
    outcome = called.result
    if isinstance(outcome, FailedAttempt):
        header: dict[str, object] = {"failure": astuple(outcome)}
    else:
        header = {"outcome": [outcome.status, dict(outcome.result), outcome.reason, dict(outcome.manifest)]}
    return {**header, "cpu_ms": (time.process_time() - began) * 1000}, b""


def called_in_program(header: Mapping[str, Json], ms: float) -> Called:
    """Deserialises the result of `call_in_program`, in the parent process."""
    cpu_ms = float(header["cpu_ms"])
    if "failure" in header:
        return Called(FailedAttempt(*header["failure"]), ms, cpu_ms)
    status, result, reason, manifest = header["outcome"]
    return Called(ItemOutcome(status, result, reason, manifest=manifest), ms, cpu_ms)


def outcome_of(value: object) -> ItemOutcome:
    """The return value of a worker as an outcome. Raises UsageError when it cannot be serialised to JSON."""
    match value:
        case ItemOutcome():
            outcome = value
        case None:
            outcome = ItemOutcome()
        case Mapping():
            outcome = ItemOutcome(result=cast("Mapping[str, Json]", value))
        case _:
            outcome = ItemOutcome(result={"value": value})
    try:
        size = len(json.dumps([dict(outcome.result), dict(outcome.manifest)]))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the worker returned a value that cannot be serialised to JSON: {error}; return strings, numbers, lists"
        ) from None
    if size > MAX_RESULT:
        raise UsageError(
            f"the worker returned {size} bytes of JSON, the limit is {MAX_RESULT}; write them to a file instead"
        )
    return outcome


def failure_of(error: BaseException) -> FailedAttempt:
    category = category_of(error)
    message = str(error) if isinstance(error, QuireError) else reason_of(error)
    return FailedAttempt(category, message, _trace(error) if category == "unknown" else "", exit_code_of(error))


def _failure_in(outcome: ItemOutcome) -> FailedAttempt:
    """The failure of a worker that does not raise, but returns that it failed."""
    if outcome.error is not None:
        error = outcome.error
        return FailedAttempt(
            error.category, error.message, error.details, error.exit_code, error.retryable, dict(outcome.manifest)
        )
    reason = outcome.reason or "the worker returned a failure without a reason"
    return FailedAttempt("unknown", reason, manifest=dict(outcome.manifest))


def _trace(error: BaseException) -> str:
    import traceback  # imported lazily, only for errors

    return "".join(traceback.format_exception(error))[-MAX_DETAILS:]
