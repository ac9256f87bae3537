"""CPU per page of a whole read by the compiled reader, and by the pure-Python one on the same pages."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import quire
from benchmarks import clock, corpus
from benchmarks.clock import Sample, measure
from benchmarks.report import LeftOut, Options, Report, Table
from quire.pages.render.pdf import native_available

COMPILED, PURE = "compiled", "pure Python"


def run(options: Options) -> Report:
    if not native_available():
        raise LeftOut("the compiled reader is not installed")
    report, rows = Report("Readers"), []
    for name in (corpus.PAPERS, corpus.LONG):
        pages, least = 0, {COMPILED: 0.0, PURE: 0.0}
        for path in corpus.pdfs(name)[: 3 if options.quick else None]:
            works = {COMPILED: partial(_read, path, ""), PURE: partial(_read, path, "0")}
            pages += len(quire.read(path, threads=1).pages)
            samples = clock.interleave(works, options.rounds(3))
            least = {reader: seconds + clock.least_cpu(samples[reader]) for reader, seconds in least.items()}
            report.data[corpus.shown(path)] = clock.as_data(samples)
        rows.append(
            [name, pages, *(seconds * 1000 / pages for seconds in least.values()), least[PURE] / least[COMPILED]]
        )
    report.tables.append(Table(["set", "pages", "compiled, ms", "pure Python, ms", "times"], rows))
    report.notes.append(
        "One process, `threads=1`; the least CPU of several interleaved rounds, summed over the documents. The "
        "compiled reader also uses several threads, which the pure-Python one cannot."
    )
    return report


def _read(path: Path, native: str) -> Sample:
    os.environ["QUIRE_NATIVE"] = native
    try:
        return measure(partial(quire.read, path, threads=1))
    finally:
        del os.environ["QUIRE_NATIVE"]
