"""First output of `quire read` on a one-page PDF in a fresh process, against the start of Python with PDFium."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks import clock, corpus
from benchmarks.report import Options, Report, Table, goal

GOAL = 3.0
PASS, IMPORT, READ = "python -c pass", "python -c 'import pypdfium2'", "quire read one-page.pdf"


def run(options: Options) -> Report:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPROFILEIMPORTTIME")
    }
    quire = str(Path(sys.executable).with_name("quire"))
    commands = {
        PASS: [sys.executable, "-c", "pass"],
        IMPORT: [sys.executable, "-c", "import pypdfium2"],
        READ: [quire, "read", str(corpus.one_page())],
    }
    for arguments in commands.values():  # writes the bytecode, as an installer does
        subprocess.run(arguments, env=environment, check=True, stdout=subprocess.DEVNULL)
    walls, firsts, cpus = ({name: [] for name in commands} for _ in range(3))
    for turn in range(options.rounds(40, 8)):
        for name in sorted(commands, reverse=bool(turn % 2)):
            sample, first = clock.command(commands[name], environment)
            walls[name].append(sample.wall)
            firsts[name].append(first)
            cpus[name].append(sample.cpu)
    rows = []
    for name in commands:
        cpu = min(cpus[name]) / min(cpus[IMPORT])
        wall = min(firsts[name]) / min(firsts[IMPORT])
        middle = median(firsts[name]) / median(firsts[IMPORT])
        asked = goal(wall, GOAL, most=True, digits=0) if name == READ else [None, None]
        cells = [min(firsts[name]), median(firsts[name]), min(walls[name]), min(cpus[name])]
        rows.append([name, *(value * 1000 for value in cells), cpu, middle, wall, *asked])
    columns = ["program", "first output, ms", "median, ms", "end, ms", "CPU, ms"]
    columns += ["times by CPU", "by median", "by least", "goal", "reached"]
    notes = [
        "First output: until the first byte on standard output, or its end where nothing is written. The least and "
        "the median of many interleaved runs; times are against the import of PDFium, which includes that of Python.",
        "Bytecode is in place for all of them, as after an installation; the files are in the system's cache.",
    ]
    data = {"first_s": firsts, "wall_s": walls, "cpu_s": cpus}
    return Report("Cold start", [Table(columns, rows)], notes, data)
