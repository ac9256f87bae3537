"""100 pages through everything that draws pages, as people use it, with one thread and with two."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import quire
from benchmarks import clock, corpus, family
from benchmarks.report import Options, Report, Table, goal
from quire.core.opened import Opened
from quire.reading.worker_rendering import show
from quire.store.files import FileStore
from quire.store.images import PageImages

GOAL = 1.6
PATIENCE_S = 40.0  # for each comparison
COMMAND, SHOW, PICTURES, IMAGES, COMPONENT = (
    "quire read --show",
    "the drawing of --show, in a worker",
    "result.pictures()",
    "PageImages.save()",
    "component render, in workers",
)
FLOW = """
name: draw
inputs: {source: document, pages: string}
steps:
  - {id: pictures, component: render, input: {document: {$input: source}}, options: {pages: {$input: pages}}}
output: {$step: pictures}
"""


def run(options: Options) -> Report:
    path, count = corpus.pdfs(corpus.LONG)[0], 20 if options.quick else 100
    pages = f"1-{count}"
    result = quire.read(path, pages=pages)
    source = Opened(path, result.name, result.id)
    surfaces: dict[str, Callable[[Path], int]] = {
        COMMAND: partial(_command, path, pages),
        SHOW: lambda _: sum(map(_size, show(source, range(1, count + 1), result.blocks))),
        PICTURES: lambda _: sum(map(_size, result.pictures())),
        IMAGES: partial(_images, path, pages),
        COMPONENT: partial(_component, path, pages),
    }
    rows, runs = [], {}
    for name, work in surfaces.items():
        works = {str(threads): partial(_measured, work, threads) for threads in (1, 2)}
        for each in works.values():
            each()  # workers start and the second private PDFium is loaded here
        samples = runs[name] = clock.interleave(works, options.rounds(4, 1), patience_s=PATIENCE_S)
        wall = [clock.least_wall(taken) for taken in samples.values()]
        cpu = [clock.least_cpu(taken) for taken in samples.values()]
        times = wall[0] / wall[1]
        rows.append([name, *(1000 * each / count for each in (*wall, *cpu)), times, *goal(times, GOAL, digits=1)])
    columns = ["surface", *(f"{what} {n}, ms/page" for what in ("wall", "CPU") for n in (1, 2))]
    columns += ["times", "goal", "reached"]
    notes = [
        f"The first {count} pages of the long digital document at 150 dpi, with `QUIRE_THREADS` 1 and 2; wall time, "
        "the least of several interleaved rounds, files written. The command starts a process and a worker, and reads "
        "the pages before it draws them; for the others the document is read and the workers have started.",
        clock.quietness(runs),
    ]
    data = {name: clock.as_data(samples) for name, samples in runs.items()}
    believable = all(map(clock.least_quiet, runs.values()))
    return Report("Surfaces", [Table([*columns], rows)], notes, data, believable)


def _measured(work: Callable[[Path], int], threads: int) -> clock.Sample:
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder, _threads(threads):
        return clock.timed(partial(work, Path(folder)), cpu=family.cpu_seconds)[1]


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = os.environ.get("QUIRE_THREADS")
    os.environ["QUIRE_THREADS"] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ["QUIRE_THREADS"]
        else:
            os.environ["QUIRE_THREADS"] = before


def _command(path: Path, pages: str, folder: Path) -> int:
    command = [Path(sys.executable).with_name("quire"), "read", path, "--pages", pages, "--show", "-o", folder]
    subprocess.run(command, check=True)
    return sum(file.stat().st_size for file in folder.iterdir())


def _images(path: Path, pages: str, folder: Path) -> int:
    with FileStore(folder) as store, quire.Document(path) as document:
        return sum(map(_named, PageImages(store).save(document, pages)))


def _component(path: Path, pages: str, folder: Path) -> int:
    flow = quire.Flow.from_yaml(FLOW)
    with FileStore(folder) as store:
        entries = flow.run(path, store=store, inputs={"pages": pages}).output
        return sum(_named(entry["image"]) for entry in entries)


def _size(png: bytes | quire.InputError) -> int:
    if isinstance(png, quire.InputError):
        raise png
    return len(png)


def _named(name: str | quire.InputError) -> int:
    if isinstance(name, quire.InputError):
        raise name
    return 1
