"""The largest gap of an event loop in a process whose runtime reads scans durably with two busy workers."""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks import corpus
from benchmarks.heartbeat import BEAT_S, GOAL_MS, beating
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore
from quire.system.workers import shared_pool

WORKERS, PAGES, QUICK_PAGES, PATIENCE_S = 2, 24, 4, 600.0
BESIDE, ITS_OWN = "beside the runtime", "of the runtime itself"


def run(options: Options) -> Report:
    scan, pages = corpus.pdfs(corpus.SCAN)[0], QUICK_PAGES if options.quick else PAGES
    gaps: dict[str, list[float]] = {"idle": [], BESIDE: [], ITS_OWN: []}
    largest: dict[str, list[float]] = {name: [] for name in gaps}
    for _ in range(options.rounds(3, 1)):
        seconds, taken = asyncio.run(_reading(scan, pages))
        _, taken["idle"] = asyncio.run(beating(asyncio.sleep(min(seconds, 10.0))))
        for name, found in taken.items():
            gaps[name] += found
            largest[name].append(max(found))
    shared_pool().close()
    rows = []
    for name, found in gaps.items():
        ordered = sorted(found)
        cells = [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]
        asked = goal(ordered[-1] * 1000, GOAL_MS, most=True, digits=0) if name != "idle" else [None, None]
        rows.append([name, len(found), *(value * 1000 for value in cells), *asked])
    columns = ["loop", "beats", "median gap, ms", "99th of 100, ms", "largest, ms", "goal", "reached"]
    notes = [
        f"The first {pages} pages of {corpus.shown(scan)}, the workflow `document` on the local runtime over a store "
        f"in a folder, {WORKERS} workers, their start included. A gap is the time between two beats, "
        f"{BEAT_S * 1000:.0f} ms when nothing is in the way.",
        "Beside the runtime: the loop of a program that has opened the runtime and waits for it in a thread, as a "
        "service does. Of the runtime itself: the loop in which it claims, plays workflows and writes its journal.",
    ]
    data = {"largest_s": {name: [round(value, 5) for value in values] for name, values in largest.items()}}
    return Report("Heartbeat of durable runs", [Table(columns, rows)], notes, data)


async def _reading(scan: Path, pages: int) -> tuple[float, dict[str, list[float]]]:
    """How long it took to read some pages, and the gaps of both loops meanwhile."""
    with (
        tempfile.TemporaryDirectory(prefix="quire-bench-") as folder,
        closing(FileStore(folder)) as store,
        local_runtime(store, workers=WORKERS) as runtime,
    ):
        request = ReadRequest(SourceRef.of(scan), pages=f"1-{pages}")
        loop, own = runtime.serve()._loop, list[float]()  # nobody else needs to get at it
        beat = asyncio.run_coroutine_threadsafe(_beat(own), loop)
        run = runtime.submit("document", request.to_json())
        seconds, beside = await beating(asyncio.to_thread(runtime.result, run, timeout_s=PATIENCE_S))
        beat.cancel()
        if runtime.result(run)["status"] != "complete":
            raise LeftOut(f"{scan.name} was not read completely: the workers may have been idle")
        return seconds, {BESIDE: beside, ITS_OWN: own}


async def _beat(gaps: list[float]) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(BEAT_S)
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
