"""Pages per second of two workers against one, on scanned pages, both warm and in turns."""

from __future__ import annotations

from functools import partial

from benchmarks import clock, corpus
from benchmarks.reader import Reader
from benchmarks.report import Options, Report, Table, goal

GOAL, PAGES, QUICK_PAGES = 1.85, 16, 6
PATIENCE_S = 300.0


def run(options: Options) -> Report:
    path, count = corpus.pdfs(corpus.SCAN)[0], QUICK_PAGES if options.quick else PAGES
    pages = f"1-{count}"
    with Reader(1) as one, Reader(2) as two:
        works = {"one": partial(one.time, path, pages), "two": partial(two.time, path, pages)}
        for work in works.values():
            work()  # every worker loads its models here
        samples = clock.interleave(works, options.rounds(4, 1), patience_s=0 if options.quick else PATIENCE_S)
    walls = {name: clock.least_wall(taken) for name, taken in samples.items()}
    times = walls["one"] / walls["two"]
    cpu = {name: clock.least_cpu(taken) / count for name, taken in samples.items()}
    row = [count, count / walls["one"], count / walls["two"], cpu["one"], cpu["two"], times, *goal(times, GOAL)]
    columns = ["pages", "pages/s, 1", "pages/s, 2", "CPU s/page, 1", "CPU s/page, 2", "times", "goal", "reached"]
    notes = [
        f"`quire.read` of the first {count} pages of {corpus.shown(path)}, profile `balanced`, no store, in two "
        "programs, with one worker and with two, that have their models loaded; the least wall time of several rounds "
        "in turns.",
        clock.quietness({"workers": samples}),
    ]
    return Report("Workers", [Table(columns, [row])], notes, clock.as_data(samples), bool(clock.least_quiet(samples)))
