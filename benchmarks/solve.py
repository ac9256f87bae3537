"""What a solve costs besides its runner: a new task over a document of 50 pages that are in the store."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests import documents

from benchmarks import clock
from benchmarks.report import Options, Report, Table, goal
from quire.durable.reads.read_request import SourceRef
from quire.durable.runtimes import local_runtime
from quire.durable.solve_call import followed, submit_solve
from quire.durable.solves.solve_request import requested
from quire.store.opening import open_store

PAGES, FEW = 50, 10
GOAL_S = 1.0
FIELDS = "chapter, total, date"


def run(options: Options) -> Report:
    pages = FEW if options.quick else PAGES
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place:
        source = Path(place, "manual.pdf")
        source.write_bytes(documents.many_pages(pages))
        with open_store(f"{place}/store") as store, local_runtime(store) as runtime:

            def solve(number: int) -> None:
                request = requested(f"Task {number}", store, fields=FIELDS)
                for _ in followed(runtime, submit_solve(runtime, store, request, [SourceRef.of(source)])):
                    pass

            _, first = clock.timed(lambda: solve(0))
            again = [clock.timed(lambda number=number: solve(number))[1] for number in range(1, options.rounds(6, 3))]
    least = min(again, key=lambda sample: sample.wall)
    rows = [
        ["the first task: pages are read and drawn", first.wall, first.cpu, "", ""],
        ["another task over the same pages", least.wall, least.cpu, *goal(least.wall, GOAL_S, most=True, digits=0)],
    ]
    notes = [
        f"{pages} pages, a task each time, solved by the offline runner, whose own time is a part of it: workspace, "
        "verification, checks, workbook and journal. The least of several; CPU is that of the calling process.",
        clock.quietness({"solve": {"again": again}}),
    ]
    return Report("Solve", [Table(["solve", "wall, s", "CPU, s", "goal", "reached"], rows)], notes, {})
