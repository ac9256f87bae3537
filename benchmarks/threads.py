"""Native text and rendering with one and with two threads of one process, and a long read with two workers beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import quire
from benchmarks import clock, corpus, family
from benchmarks.clock import Sample
from benchmarks.report import Options, Report, Table, goal
from quire.core.document import PageImage

TEXT_GOAL, RENDER_GOAL, READ_GOAL = 1.6, 1.5, 1.5
PATIENCE_S = 40.0  # for each comparison


def run(options: Options) -> Report:
    rows, runs = [], {}
    with corpus.mixed(40 if options.quick else 100) as (mixed, _):
        compared = [
            (f"text, {corpus.PAPERS}", texts, corpus.pdfs(corpus.PAPERS), TEXT_GOAL),
            (f"text, {corpus.LONG}", texts, corpus.pdfs(corpus.LONG), TEXT_GOAL),
            ("rendering, mixed pages", render, [mixed], RENDER_GOAL),
            (f"whole read, {corpus.LONG}", read, corpus.pdfs(corpus.LONG), READ_GOAL),
        ]
        for name, work, paths, limit in compared:
            works = {
                n: partial(_measured, partial(_all, work, paths, threads)) for n, threads in (("one", 1), ("two", 2))
            }
            for each in works.values():
                each()  # the second private PDFium is loaded here, and the workers start
            samples = runs[name] = clock.interleave(works, options.rounds(9, 3), patience_s=PATIENCE_S)
            one, two = (clock.least_wall(taken) for taken in samples.values())
            cpu = [clock.least_cpu(taken) * 1000 for taken in samples.values()]
            rows.append([name, one * 1000, two * 1000, *cpu, one / two, *goal(one / two, limit, digits=1)])
    columns = ["work", "wall 1, ms", "wall 2, ms", "CPU 1, ms", "CPU 2, ms", "times", "goal", "reached"]
    notes = [
        "Wall time, the least of several interleaved rounds; the same pages, taken in order by one Python thread.",
        "A whole read with two threads lays out the pages behind the first 32 in two worker processes, which are "
        "running already; CPU is that of all of them.",
        clock.quietness(runs),
    ]
    data = {name: clock.as_data(samples) for name, samples in runs.items()}
    believable = all(map(clock.least_quiet, runs.values()))
    return Report("Threads", [Table(columns, rows)], notes, data, believable)


def texts(path: Path, threads: int) -> int:
    with quire.Document(path) as document:
        return sum(map(_size, document.reader.text(range(1, document.page_count + 1), threads=threads)))


def render(path: Path, threads: int) -> int:
    with quire.Document(path) as document:
        pages = range(1, document.page_count + 1)
        return sum(map(_size, document.reader.render(pages, quire.RenderOptions(dpi=150), threads=threads)))


def read(path: Path, threads: int) -> int:
    return len(quire.read(path, threads=threads, ocr="never").pages)


def _measured(work: Callable[[], object]) -> Sample:
    return clock.timed(work, cpu=family.cpu_seconds)[1]


def _size(page: bytes | PageImage | quire.InputError) -> int:
    """How much was made of a page. Raises the error of one that failed: its time would not count."""
    if isinstance(page, quire.InputError):
        raise page
    return len(page if isinstance(page, bytes) else page.png)


def _all(work: Callable[[Path, int], int], paths: Sequence[Path], threads: int) -> int:
    return sum(work(path, threads) for path in paths)
