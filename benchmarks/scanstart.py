"""`quire read one-scan.png` in a fresh process, with all that must be loaded, against the same page when warm."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import quire
from benchmarks import clock, corpus, family
from benchmarks.report import Options, Report, Table

IMPORT, COLD, WARM = "python -c 'import quire'", "quire read one-scan.png", "quire.read, models loaded"


def run(options: Options) -> Report:
    page = corpus.one_scan()
    command = [str(Path(sys.executable).with_name("quire")), "read", str(page), "--workers", "1"]

    def fresh(arguments: list[str]) -> clock.Sample:
        return clock.timed(lambda: clock.command(arguments), cpu=family.cpu_seconds)[1]

    def warm() -> clock.Sample:
        return clock.timed(lambda: quire.read(page, workers=1), cpu=family.cpu_seconds)[1]

    works = {
        IMPORT: lambda: fresh([sys.executable, "-c", "import quire"]),
        COLD: lambda: fresh(command),
        WARM: warm,
    }
    for work in works.values():
        work()  # writes the bytecode, fills the system's cache, loads the models of the warm one
    samples = clock.interleave(works, options.rounds(10, 3))
    rows = []
    for name, taken in samples.items():
        walls = [sample.wall for sample in taken]
        rows.append([name, min(walls), median(walls), clock.least_cpu(taken)])
    start = {what: least(samples[COLD]) - least(samples[WARM]) for what, least in LEAST.items()}
    rows.append(["what the start costs", start["wall"], None, start["cpu"]])
    notes = [
        "One receipt, profile `balanced`, one worker; the least and the median of interleaved runs. The difference is "
        "Python, the imports, the start of the worker and the loading of the models. CPU of all processes together.",
    ]
    columns = ["work", "wall, s", "median, s", "CPU, s"]
    return Report("Start of recognition", [Table(columns, rows)], notes, clock.as_data(samples))


LEAST = {"wall": clock.least_wall, "cpu": clock.least_cpu}
