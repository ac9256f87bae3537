"""A program that does many small items and says what memory it held: `python -m benchmarks.items HOW MANY FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from pathlib import Path

from benchmarks.conversation import say
from quire.batch import ItemFingerprint, StageOptions, StagePlan, WorkItem, run_stage
from quire.core.context import Context, Json, Workflow
from quire.core.events import Event
from quire.core.keys import digest_of
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore

AT_A_TIME = 64
"""Runs that are submitted and not finished."""

Done = Callable[[], None]


class Milestones:
    """Says the peak of memory when a tenth of the items is done, and at the end."""

    def __init__(self, many: int) -> None:
        self._many, self._done = many, 0

    def __call__(self) -> None:
        self._done += 1
        if self._done in (self._many // 10, self._many):
            say({"items": self._done, "peak_mb": peak_mb()})


def peak_mb() -> float:
    """The most that this process ever held."""
    told = Path("/proc/self/status").read_text().partition("VmHWM:")[2]
    return int(told.split()[0]) / 1024


def by_stage(many: int, folder: Path, done: Done) -> None:
    """`run_stage` over a generator, remembered in a store."""

    def note(event: Event) -> None:
        if event.kind == "finished" and event.payload.get("attempts"):
            done()

    with closing(FileStore(folder)) as store:
        outcome = run_stage(
            StagePlan("small", _items(many), many), _one, StageOptions(workers=8), store=store, on_event=note
        )
    assert outcome.succeeded == many, outcome


def by_runtime(many: int, folder: Path, done: Done) -> None:
    """Runs of a workflow with two steps and a child, on the local runtime over a store."""
    workflows = (Workflow("small", _small), Workflow("child", _child, pool="pages"))
    with closing(FileStore(folder)) as store, LocalRuntime(store.database, workflows) as runtime:

        def run(number: int) -> None:
            assert runtime.result(runtime.submit("small", number, key=f"item {number}")) == number

        numbers = iter(range(many))
        with ThreadPoolExecutor(AT_A_TIME) as threads:
            while some := list(islice(numbers, AT_A_TIME)):
                for _ in threads.map(run, some):
                    done()


WAYS = {"run_stage": by_stage, "local runtime": by_runtime}


def _items(many: int) -> Iterator[WorkItem]:
    for number in range(many):
        digest = digest_of(number)
        yield WorkItem(f"item {number}", cost_hint=number, fingerprint=ItemFingerprint(digest, ""))


def _one(item: WorkItem) -> Json:
    return {"item": item.item_id}


async def _small(ctx: Context, argument: Json) -> Json:
    number = await ctx.run("one", _same, argument)
    ctx.emit(Event(f"{ctx.run_id}/small", "", 0, "finished", "small", str(number)))
    return await ctx.call("child", f"child {number}", number)


async def _child(ctx: Context, argument: Json) -> Json:
    return await ctx.run("two", _same, argument)


def _same(value: Json) -> Json:
    return value


if __name__ == "__main__":
    many = int(sys.argv[2])
    WAYS[sys.argv[1]](many, Path(sys.argv[3]), Milestones(many))
