"""100 mixed pages at 150 dpi to PNG on two threads, against pypdfium2 with Pillow and against a single PDFium."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import pypdfium2

from benchmarks import clock, corpus
from benchmarks.clock import measure
from benchmarks.report import Options, Report, Table, goal
from benchmarks.threads import PATIENCE_S, render

TWO, ONE, PILLOW = "Quire, two threads", "Quire, one PDFium", "pypdfium2 + Pillow"
GOALS = {PILLOW: 4.5, ONE: 1.5}


def run(options: Options) -> Report:
    with corpus.mixed(20 if options.quick else 100) as (path, kinds):
        works = {TWO: partial(render, path, 2), ONE: partial(render, path, 1), PILLOW: partial(_pillow, path)}
        sizes = {name: work() for name, work in works.items()}
        timed = {name: partial(measure, work) for name, work in works.items()}
        samples = clock.interleave(timed, options.rounds(5, 2), patience_s=PATIENCE_S)
    count = sum(kinds.values())
    wall = {name: clock.least_wall(taken) for name, taken in samples.items()}
    rows = []
    for name, taken in samples.items():
        times = wall[name] / wall[TWO]
        asked = goal(times, GOALS[name], digits=1) if name in GOALS else [None, None]
        cpu = clock.least_cpu(taken) * 1000 / count
        rows.append([name, count / wall[name], cpu, sizes[name] / 1000 / count, times, *asked])
    columns = ["renderer", "pages/s", "CPU ms/page", "kB/page", "times slower", "goal", "reached"]
    mixture = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    notes = [
        f"One document of {count} pages ({mixture}), the same ones every time, each as PNG in memory; wall time, the "
        "least of several interleaved rounds.",
        "“One PDFium” is Quire's own renderer and encoder with one thread. Pillow writes with its default settings.",
        clock.quietness({"rendering": samples}),
    ]
    believable = clock.least_quiet(samples) > 0
    return Report("Rendering", [Table(columns, rows)], notes, clock.as_data(samples), believable)


def _pillow(path: Path) -> int:
    document, total = pypdfium2.PdfDocument(path), 0
    for page in document:
        out = io.BytesIO()
        page.render(scale=150 / 72).to_pil().save(out, "PNG")
        total += out.tell()
    document.close()
    return total
