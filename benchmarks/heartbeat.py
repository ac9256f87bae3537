"""The largest gap of an event loop that beats every 10 ms while pages are rendered, or recognised, for its process."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from benchmarks import corpus
from benchmarks.report import Options, Report, Table, goal
from benchmarks.threads import render
from quire import aread  # here, as programs do: the import is not the loop's
from quire.system.budget import cpu_budget

BEAT_S, PAGES, SCANNED, GOAL_MS = 0.010, 80, 12, 100.0
WORKERS = 2


def run(options: Options) -> Report:
    gaps: dict[str, list[float]] = {"idle": [], "rendering": [], "recognising": []}
    largest: dict[str, list[float]] = {name: [] for name in gaps}
    threads, notes = cpu_budget(), []
    try:
        scan, scanned = corpus.pdfs(corpus.SCAN)[0], 4 if options.quick else SCANNED
    except corpus.LeftOut as reason:
        scan, scanned = None, 0
        notes.append(f"Left out: recognising, {reason}.")
    with corpus.mixed(20 if options.quick else PAGES) as (path, kinds):
        for _ in range(options.rounds(5, 2)):
            seconds, beats = asyncio.run(beating(_rendering(path, threads)))
            _, quiet = asyncio.run(beating(asyncio.sleep(seconds)))
            taken = {"rendering": beats, "idle": quiet}
            if scan:
                _, taken["recognising"] = asyncio.run(beating(_recognising(scan, scanned)))
            for name, found in taken.items():
                gaps[name] += found
                largest[name].append(max(found))
    rows = []
    for name, found in gaps.items():
        if not found:
            continue
        ordered = sorted(found)
        cells = [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]
        asked = goal(ordered[-1] * 1000, GOAL_MS, most=True, digits=0) if name != "idle" else [None, None]
        rows.append([name, len(found), *(value * 1000 for value in cells), *asked])
    columns = ["loop", "beats", "median gap, ms", "99th of 100, ms", "largest, ms", "goal", "reached"]
    notes += [
        f"Rendering: {sum(kinds.values())} mixed pages at 150 dpi on {threads} threads, in a thread of the loop's own "
        f"pool. Recognising: `aread` of {scanned} scanned pages with {WORKERS} workers, their start included.",
        "A gap is the time between two beats, 10 ms when nothing is in the way. The idle loop beats as long as the "
        "rendering one, in turns.",
    ]
    data = {"largest_s": {name: [round(value, 5) for value in values] for name, values in largest.items()}}
    return Report("Heartbeat", [Table(columns, rows)], notes, data)


async def _rendering(path: Path, threads: int) -> None:
    await asyncio.to_thread(render, path, threads)


async def _recognising(path: Path, pages: int) -> None:
    await aread(path, pages=f"1-{pages}", workers=WORKERS)


async def beating(work) -> tuple[float, list[float]]:
    """How long the work took, and the gaps of the loop meanwhile."""
    task, gaps = asyncio.ensure_future(work), []
    begun = last = time.perf_counter()
    while not task.done():
        await asyncio.sleep(BEAT_S)
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
    await task
    return last - begun, gaps
