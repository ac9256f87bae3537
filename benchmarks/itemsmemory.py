"""Peak memory after 10,000 items against that after 1,000, through `run_stage` and through the local runtime."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.conversation import Program
from benchmarks.items import AT_A_TIME, WAYS
from benchmarks.report import LeftOut, Options, Report, Table, goal

GOAL_MB = 8.0
ITEMS, QUICK_ITEMS = 10_000, 2_000


def run(options: Options) -> Report:
    many = QUICK_ITEMS if options.quick else ITEMS
    rows, data = [], {}
    for way in WAYS:
        taken = [_peaks(way, many) for _ in range(options.rounds(3, 1))]
        few, most = min(few for few, _ in taken), max(most for _, most in taken)
        rows.append([way, many // 10, few, many, most, most - few, *goal(most - few, GOAL_MB, most=True, digits=0)])
        data[way] = [[round(value, 1) for value in peaks] for peaks in taken]
    columns = ["way", "items", "peak, MB", "items", "peak, MB", "more, MB", "goal", "reached"]
    notes = [
        "`run_stage`: items from a generator, a worker that gives a small value, 8 threads, remembered in a store in a "
        f"folder. Local runtime: runs of a workflow with a step, an event and a child with a step, {AT_A_TIME} at a "
        "time, over such a store.",
        "The largest resident set so far of a fresh program, from the kernel: the least after a tenth of the items, "
        "the most at the end.",
    ]
    return Report("Memory of many items", [Table(columns, rows)], notes, data)


def _peaks(way: str, many: int) -> tuple[float, float]:
    with (
        tempfile.TemporaryDirectory(prefix="quire-bench-") as folder,
        Program([sys.executable, "-m", "benchmarks.items", way, str(many), Path(folder, "store")]) as program,
    ):
        told = [program.answer(), program.answer()]
        if not all(told):
            raise LeftOut(f"the program that does {many} items with {way} ended early")
        return told[0]["peak_mb"], told[1]["peak_mb"]
