"""Native text and rendering of one document with one and with two threads of one process."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import quire
from benchmarks import clock, corpus
from benchmarks.clock import measure
from benchmarks.report import Options, Report, Table, goal

TEXT_GOAL, RENDER_GOAL = 1.6, 1.5
PATIENCE_S = 3.0


def run(options: Options) -> Report:
    rows, data = [], {}
    with corpus.mixed(40 if options.quick else 100) as (mixed, _):
        paths = {"text": [*corpus.pdfs(corpus.PAPERS), *corpus.pdfs(corpus.LONG)], "render": [mixed]}
        for verb, work, limit in (("text", texts, TEXT_GOAL), ("render", render, RENDER_GOAL)):
            for path in paths[verb]:
                works = {f"{n} thread{'s' * (n > 1)}": partial(measure, partial(work, path, n)) for n in (1, 2)}
                for each in works.values():
                    each()  # the second private PDFium is loaded here
                samples = clock.interleave(works, options.rounds(9, 3), patience_s=PATIENCE_S)
                one, two = (clock.least_wall(taken) for taken in samples.values())
                cpu = [clock.least_cpu(taken) for taken in samples.values()]
                name = "mixed pages" if verb == "render" else path.name
                cells = [one * 1000, two * 1000, cpu[0] * 1000, cpu[1] * 1000, one / two]
                rows.append([verb, name, *cells, *goal(one / two, limit, digits=1)])
                data[f"{verb} {name}"] = clock.as_data(samples)
    rows.insert(len(paths["text"]), _total("text", rows))
    columns = ["work", "document", "wall 1, ms", "wall 2, ms", "CPU 1, ms", "CPU 2, ms", "times", "goal", "reached"]
    notes = [
        "Wall time, the least of several interleaved rounds, each begun when the machine was quiet; the "
        "same pages, taken in order by one Python thread.",
        "Two threads need two idle cores: where the CPU of two threads is above that of one, others were at work.",
    ]
    return Report("Threads", [Table(columns, rows)], notes, data)


def texts(path: Path, threads: int) -> int:
    with quire.Document(path) as document:
        pages = document.reader.text(range(1, document.page_count + 1), threads=threads)
        return sum(len(text) for text in pages if isinstance(text, bytes))  # a page that fails counts nothing


def render(path: Path, threads: int) -> int:
    with quire.Document(path) as document:
        pages = document.reader.render(range(1, document.page_count + 1), quire.RenderOptions(dpi=150), threads=threads)
        return sum(len(page.png) for page in pages if not isinstance(page, quire.InputError))


def _total(verb: str, rows: list[list]) -> list[object]:
    sums = [sum(row[column] for row in rows if row[0] == verb) for column in range(2, 6)]
    times = sums[0] / sums[1]
    return [verb, "**all**", *sums, times, *goal(times, TEXT_GOAL, digits=1)]
