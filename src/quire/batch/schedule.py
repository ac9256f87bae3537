"""The order in which items start, and the back-off before a retry."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from quire.batch.contracts import Schedule, WorkItem
from quire.core.context import Retry

MAX_BACKOFF_S = 300.0


@dataclass(slots=True)
class Task:
    """An item in progress. Used only by the scheduler thread."""

    item: WorkItem
    number: int
    """Its position in the plan, from 0."""
    key: str = ""
    """Its key in the store; "" without a store."""
    input_hash: str = ""
    attempts: int = 0
    due: float = 0.0
    """When it could have started, in `time.monotonic` time."""
    began: float = 0.0
    """When the running attempt started."""


def numbered(items: Iterable[WorkItem], schedule: Schedule) -> Iterator[Task]:
    """The items with their position in the plan; a sequence is sorted as a whole, which gives the best order."""
    tasks = (Task(item, number) for number, item in enumerate(items))
    if schedule == "fifo" or not isinstance(items, Sequence):
        return tasks
    return iter(sorted(tasks, key=lambda task: _rank(task, schedule)))


class Waiting:
    """A priority queue of tasks that may start; ties in the order of the plan."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._heap: list[tuple[tuple[float, int], Task]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, task: Task) -> None:
        heapq.heappush(self._heap, (_rank(task, self._schedule), task))

    def next(self) -> Task:
        return heapq.heappop(self._heap)[1]


class Retrying:
    """Tasks that wait for a retry, in a heap of due times: no thread sleeps for them."""

    def __init__(self, backoff_s: float, seed: int) -> None:
        self._retry = Retry(backoff_s=backoff_s, max_backoff_s=MAX_BACKOFF_S)
        self._seed = seed
        self._heap: list[tuple[float, int, Task]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, task: Task, now: float) -> float:
        """Add a task whose attempt failed; returns the back-off in seconds."""
        jitter = Random(f"{self._seed}/{task.item.item_id}/{task.attempts}").random()
        pause = self._retry.pause_s(task.attempts, jitter)
        heapq.heappush(self._heap, (now + pause, task.number, task))
        return pause

    def due(self, now: float) -> Iterator[Task]:
        while self._heap and self._heap[0][0] <= now:
            task_due, _, task = heapq.heappop(self._heap)
            task.due = task_due
            yield task

    def next_due(self) -> float | None:
        return self._heap[0][0] if self._heap else None


_EMPTY_SLOT = array("Q", [0])


class Ids:
    """A set of ids in 12 to 24 bytes each: a table of hashes, which grows when two thirds are used."""

    def __init__(self) -> None:
        self._slots = _EMPTY_SLOT * 1024
        self._count = 0

    def add(self, name: str) -> bool:
        """Add an id; returns whether it is new."""
        mark = hash(name) % (1 << 64) or 1  # 0 marks an empty slot
        place = self._place(mark)
        if self._slots[place]:
            return False
        self._slots[place] = mark
        self._count += 1
        if 3 * self._count > 2 * len(self._slots):
            before, self._slots = self._slots, _EMPTY_SLOT * (2 * len(self._slots))
            for kept in filter(None, before):
                self._slots[self._place(kept)] = kept
        return True

    def _place(self, mark: int) -> int:
        """The slot of the mark, or the empty slot where it belongs."""
        slots, size = self._slots, len(self._slots)
        place = mark % size
        while slots[place] not in (0, mark):
            place = (place + 1) % size
        return place


def _rank(task: Task, schedule: Schedule) -> tuple[float, int]:
    cost = {"fifo": 0.0, "sjf": task.item.cost_hint, "ljf": -task.item.cost_hint}[schedule]
    return cost, task.number
