"""`quire index` over a folder the first time against the second, when nothing has changed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests import documents

from benchmarks import clock
from benchmarks.plan import IN_A_FOLDER, YESTERDAY
from benchmarks.quirecommand import quire
from benchmarks.report import LeftOut, Options, Report, Table, goal

GOAL, WORKERS = 100.0, 2
MANY, FEW = 10_000, 2_000
SENTENCES = (
    *("The harbour office collects a toll from every ship.", "Gross margin was 41.3% of sales in that year."),
    *("The pilot boards at the outer buoy before dawn.", "Cash and receivables cover the debts of the group."),
)


def run(options: Options) -> Report:
    many = FEW if options.quick else MANY
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place:
        source, store = Path(place, "in"), Path(place, "store")
        _fill(source, many)
        first = _indexed(source, store, many, {"ok": many})
        again = [_indexed(source, store, many, {"skipped": many}) for _ in range(options.rounds(5, 2))]
    second = min(again, key=lambda sample: sample.wall)
    times = first.wall / second.wall
    rows = [_row("first", first, many, None), _row("second", second, many, times, goal(times, GOAL, digits=0))]
    notes = [
        f"`quire index --embedder none` of {many:,} PDFs of a page in folders of {IN_A_FOLDER}, {WORKERS} workers, its "
        "start included; the second is the least of several. An embedder makes the first run slower, not the second.",
        "Every run is checked: the first indexes all documents, the others skip all, and the index has each of them.",
        clock.quietness({"indexing": {"all": [first, *again]}}),
    ]
    data = {"documents": many, "first_s": first.wall, "second_s": [round(sample.wall, 3) for sample in again]}
    columns = ["run", "wall, s", "CPU, s", "documents per s", "times", "goal", "reached"]
    return Report("Second indexing", [Table(columns, rows)], notes, data, first.quiet)


def _row(
    name: str, sample: clock.Sample, many: int, times: float | None, asked: Sequence[str | None] = (None, None)
) -> list[object]:
    return [name, sample.wall, sample.cpu, many / sample.wall, times, *asked]


def _fill(folder: Path, many: int) -> None:
    """Pages that differ, last changed some time ago: files that were just written are not trusted."""
    for number in range(many):
        path = folder / f"{number // IN_A_FOLDER:03d}" / f"{number:05d}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"Report {number} of the harbour", *SENTENCES, f"Ship number {number} paid {number * 7 % 997} crowns."]
        shown = " ".join(f"({line}) Tj 0 -16 Td" for line in lines)
        path.write_bytes(documents.one_page(f"BT /F1 11 Tf 72 720 Td {shown} ET"))
        then = path.stat().st_mtime - YESTERDAY
        os.utime(path, (then, then))


def _indexed(source: Path, store: Path, many: int, expected: dict[str, int]) -> clock.Sample:
    command = ["index", source, "--store", store, "--embedder", "none", "--workers", str(WORKERS), "--quiet"]
    said, sample = quire(*command)
    counts = {name: count for name, count in said["documents"].items() if count}
    if counts != expected or said["index"]["documents"] != many:
        raise LeftOut(f"`quire index` says {counts} and {said['index']}, where it should say {expected}")
    return sample
