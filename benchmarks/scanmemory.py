"""Peak memory of recognising 50 scanned pages against 5, parent and workers together, each in fresh processes."""

from __future__ import annotations

from benchmarks import corpus
from benchmarks.family import Peak
from benchmarks.reader import Reader
from benchmarks.report import Options, Report, Table, goal

GOAL_MB, WORKERS = 200.0, (2, 1)
FEW, MANY, QUICK_MANY = 5, 50, 15


def run(options: Options) -> Report:
    many = QUICK_MANY if options.quick else MANY
    path, rows, data = corpus.pdfs(corpus.SCAN)[0], [], {}
    for workers in WORKERS[: 1 if options.quick else None]:
        peaks: dict[int, list[float]] = {FEW: [], many: []}
        for _ in range(options.rounds(2, 1)):
            for count, taken in peaks.items():
                with Reader(workers) as reader, Peak(reader.pid) as peak:
                    reader.time(path, f"1-{count}")
                taken.append(round(peak.mb, 1))
        few, most = min(peaks[FEW]), max(peaks[many])
        rows.append([workers, FEW, few, many, most, most - few, *goal(most - few, GOAL_MB, most=True, digits=0)])
        data[f"{workers} workers"] = {str(count): taken for count, taken in peaks.items()}
    columns = ["workers", "pages", "peak, MB", "pages", "peak, MB", "more, MB", "goal", "reached"]
    notes = [
        f"{corpus.shown(path)}, profile `balanced`. The sum over the program, its workers, their guards and what they "
        "run, every 50 ms; memory that they share counts once (PSS). The least for few pages, the most for many.",
    ]
    return Report("Memory of scans", [Table(columns, rows)], notes, data)
