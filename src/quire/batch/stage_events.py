"""Emits the events of a stage, of its items and of its progress, and calls its hooks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import ParamSpec

from quire.batch.contracts import ItemOutcome, StageContext, StageHooks, StageOutcome
from quire.batch.manifest import OWN, Row
from quire.batch.schedule import Task
from quire.core.events import NOTHING, EventKind, Sink, Teller, reason_of

P = ParamSpec("P")

_UNCOUNTED = ("cancelled", "wall_ms")
COUNTED = tuple(
    one.name for one in fields(StageOutcome) if isinstance(one.default, int | float) and one.name not in _UNCOUNTED
)
"""Fields of the outcome in the payload of the last event of a stage."""

KINDS: Mapping[str, EventKind] = {"ok": "finished", "partial": "finished", "skipped": "hit", "failed": "failed"}


class StageTeller:
    """Emits events to sinks and calls hooks. Used only by the thread that called `run_stage`."""

    def __init__(
        self, context: StageContext, hooks: StageHooks, sinks: Sequence[Sink], left_out: Iterable[Row] = ()
    ) -> None:
        """`left_out` are the rows of the manifest for things that are no items of the stage, with their `name`."""
        self._left_out = left_out
        self._context = context
        self._hooks = hooks
        self._teller = Teller(context.run, sinks)
        self._broken: set[str] = set()
        self._progress = 0

    def begin(self) -> None:
        options = self._context.options
        payload = {"planned": self._context.total_items, "policy": options.policy, "schedule": options.schedule}
        self._emit("started", payload=payload)
        for row in self._left_out:
            mark = f"/{row['name']}"
            self._teller.emit("hit", self._context.stage_name, document=row["name"], payload=row, mark=mark)
        self._call("before_stage", self._hooks.before_stage, self._context)

    def item_begins(self, task: Task) -> None:
        if task.attempts == 1:
            self._emit("started", task, payload={"input_path": first_path(task.item.inputs)})
            self._call("before_item", self._hooks.before_item, task.item, self._context)

    def attempt_failed(self, task: Task, category: str, message: str, pause_s: float) -> None:
        payload = {"attempt": task.attempts, "category": category, "reason": message, "pause_s": round(pause_s, 3)}
        self._emit("attempt", task, payload=payload, mark=f"/{task.attempts}")

    def abandoned(self, task: Task, timeout_s: float) -> None:
        reason = f"still running after {timeout_s:g} s; its thread is abandoned"
        self._emit("progress", task, payload={"attempt": task.attempts, "reason": reason}, mark=f"/{task.attempts}")

    def item_ends(self, task: Task, outcome: ItemOutcome) -> None:
        self._emit(KINDS[outcome.status], task, payload=_item_payload(task, outcome))
        self._call("after_item", self._hooks.after_item, task.item, outcome, self._context)

    def progress(self, payload: Mapping[str, object]) -> None:
        self._progress += 1
        self._emit("progress", payload=payload, mark=f"/{self._progress}")

    def end(self, outcome: StageOutcome) -> None:
        payload: dict[str, object] = {name: getattr(outcome, name) for name in COUNTED} | {"ms": outcome.wall_ms}
        if outcome.cancelled:
            payload["reason"] = outcome.cancelled_reason
        self._emit("failed" if outcome.cancelled else "finished", payload=payload)
        self._call("after_stage", self._hooks.after_stage, outcome, self._context)

    def _emit(
        self, kind: EventKind, task: Task | None = None, *, payload: Mapping[str, object] = NOTHING, mark: str = ""
    ) -> None:
        stage = self._context.stage_name
        if task is None:
            self._teller.emit(kind, stage, payload=payload, mark=mark)
            return
        name = task.item.item_id
        self._teller.emit(
            kind,
            stage,
            document=task.input_hash or name,
            key=task.key or None,
            payload={"name": name, **payload},
            mark=f"/{name}{mark}",
        )

    def _call(self, name: str, hook: Callable[P, None] | None, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call a hook. Its first exception is logged and emitted as an event; the stage continues."""
        if hook is None:
            return
        try:
            hook(*args, **kwargs)
        except Exception as error:
            if name in self._broken:
                return
            self._broken.add(name)
            logging.getLogger("quire").exception("the hook %s raised; the stage continues", name)
            self._teller.emit("failed", "hook", payload={"hook": name, "reason": reason_of(error)}, mark=f"/{name}")


def first_path(places: Mapping[str, object]) -> str | None:
    return next((str(path) for path in places.values()), None)


def clashing(task: Task, fields: Mapping[str, object]) -> list[str]:
    """The fields of a worker that it must not set: those of the manifest, and values that contradict the plan."""
    planned = _planned(task)
    return [name for name, value in fields.items() if name in OWN or planned.get(name, value) != value]


def _planned(task: Task) -> dict[str, str]:
    """The files of an item, as far as the plan knows them."""
    places = {"input_hash": task.input_hash, "output_path": first_path(task.item.outputs), "output_key": task.key}
    return {name: place for name, place in places.items() if place}


def _item_payload(task: Task, outcome: ItemOutcome) -> dict[str, object]:
    """The payload for the manifest row. What the stage knows wins over what the worker returned."""
    payload: dict[str, object] = {
        "status": outcome.status,
        "attempts": outcome.attempts,
        "duration_s": round(outcome.duration_s, 3),
        "at": round(time.time(), 3),
        "input_path": first_path(task.item.inputs),
        "category": outcome.error.category if outcome.error else None,
        **_planned(task),
    }
    if outcome.error is not None and outcome.error.exit_code is not None:
        payload["exit_code"] = outcome.error.exit_code
    if outcome.reason:
        payload["reason"] = outcome.reason
    returned = {**outcome.result, **outcome.manifest}
    return {**{name: value for name, value in returned.items() if name not in OWN}, **payload}
