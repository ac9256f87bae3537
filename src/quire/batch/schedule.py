"""In which order items start, and how long a failed one waits before it is tried again."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from quire.batch.contracts import Schedule, WorkItem

MAX_BACKOFF_S = 300.0


@dataclass(slots=True)
class Task:
    """An item on its way. Belongs to the thread of the scheduler."""

    item: WorkItem
    number: int
    """Its place in the plan, from 0."""
    key: str = ""
    """What the store knows it by, when it is done; "" without a store."""
    input_hash: str = ""
    attempts: int = 0
    due: float = 0.0
    """When it could have started, on the clock of `time.monotonic`."""
    began: float = 0.0
    """When the attempt under way started."""


def numbered(items: Iterable[WorkItem], schedule: Schedule) -> Iterator[Task]:
    """The items with their places in the plan; a sequence is sorted as a whole, so that its order is the best one."""
    tasks = (Task(item, number) for number, item in enumerate(items))
    if schedule == "fifo" or not isinstance(items, Sequence):
        return tasks
    return iter(sorted(tasks, key=lambda task: _rank(task, schedule)))


class Waiting:
    """Tasks that may start, the next one first; equal ones in the order of the plan."""

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
    """Tasks that wait for their next attempt, in a heap of due times: nobody sleeps for them."""

    def __init__(self, backoff_s: float, seed: int) -> None:
        self._backoff_s = backoff_s
        self._seed = seed
        self._heap: list[tuple[float, int, Task]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, task: Task, now: float) -> float:
        """Seconds until the next attempt of a task whose last one failed."""
        pause = pause_s(self._backoff_s, task.attempts, Random(f"{self._seed}/{task.item.item_id}/{task.attempts}"))
        heapq.heappush(self._heap, (now + pause, task.number, task))
        return pause

    def due(self, now: float) -> Iterator[Task]:
        while self._heap and self._heap[0][0] <= now:
            task_due, _, task = heapq.heappop(self._heap)
            task.due = task_due
            yield task

    def next_due(self) -> float | None:
        return self._heap[0][0] if self._heap else None


def pause_s(backoff_s: float, attempt: int, random: Random) -> float:
    """Seconds after that attempt, from 1: doubled each time, and up to a quarter more so that not all come at once."""
    return min(MAX_BACKOFF_S, backoff_s * 2.0 ** min(attempt - 1, 30)) * (1 + random.random() / 4)


def _rank(task: Task, schedule: Schedule) -> tuple[float, int]:
    cost = {"fifo": 0.0, "sjf": task.item.cost_hint, "ljf": -task.item.cost_hint}[schedule]
    return cost, task.number
