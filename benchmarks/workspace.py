"""A workspace of a document of 170 pages: with pages drawn for it, and with pages that the store has already."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests import documents

import quire
from benchmarks import clock
from benchmarks.report import Options, Report, Table, goal

PAGES, FEW = 170, 20
GOAL_S = 3.0


def run(options: Options) -> Report:
    pages = FEW if options.quick else PAGES
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place, quire.open_store(f"{place}/store") as store:
        source = Path(place, "manual.pdf")
        source.write_bytes(documents.many_pages(pages))
        result = quire.read(source, store=store)
        numbers = iter(range(1000))

        def build() -> quire.Workspace:
            return quire.build_workspace(Path(place, str(next(numbers))), "Count the pages.", [result], store=store)

        made, drawn = clock.timed(build)
        again = [clock.timed(build) for _ in range(options.rounds(5, 2))]
        assert {one.digest for one, _ in again} == {made.digest}
        least = min((sample for _, sample in again), key=lambda sample: sample.wall)
    rows = [
        ["pages are drawn", drawn.wall, drawn.cpu, *goal(drawn.wall, GOAL_S, most=True, digits=0)],
        ["pages are in the store", least.wall, least.cpu, *goal(least.wall, GOAL_S, most=True, digits=0)],
    ]
    notes = [
        f"{pages} pages that were read before, {made.manifest.size / 1e6:.0f} MB; the least of several. CPU is that of "
        "the calling process: pages are drawn in a worker.",
        clock.quietness({"workspace": {"again": [sample for _, sample in again]}}),
    ]
    return Report("Workspace", [Table(["workspace", "wall, s", "CPU, s", "goal", "reached"], rows)], notes, {})
