"""CPU of the versions of stages when a process starts, which are digests of the code, cached per installation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from benchmarks.report import Options, Report, Table, goal

GOAL_MS = 5.0
READING = ("native-text", "page-blocks", "document")
PROGRAM = """
import json, sys, time
begun = time.process_time()
from quire.system.stage_versions import STAGES, stage_version
imported = time.process_time()
for stage in sys.argv[1:] or STAGES:
    stage_version(stage)
print(json.dumps([1000 * (imported - begun), 1000 * (time.process_time() - imported)]))
"""
LOADED = "import quire.core.errors, quire.core.hashing, dataclasses, json, os, pathlib, time, typing\n"
"""What every command imports before."""


def run(options: Options) -> Report:
    rows, data = [], {}
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment = {**kept, "XDG_CACHE_HOME": folder}
        first = _measured(READING, environment)
        for name, stages in {"quire read: three stages": READING, "quire serve: all stages": ()}.items():
            _measured(stages, environment)
            samples = [_measured(stages, environment) for _ in range(options.rounds(40, 5))]
            imported, found = (min(column) for column in zip(*samples, strict=True))
            rows.append([name, imported, found, *goal(imported + found, GOAL_MS, most=True, digits=0)])
            data[name] = samples
    rows.append(["the same three, the first time after an installation", *first, None, None])
    columns = ["process", "import, ms of CPU", "versions, ms of CPU", "goal", "reached"]
    notes = ["The least of many processes. `quire --version` asks for no version of a stage, and imports none of this."]
    return Report("Versions of stages", [Table(columns, rows)], notes, data)


def _measured(stages: tuple[str, ...], environment: dict[str, str]) -> list[float]:
    command = [sys.executable, "-c", LOADED + PROGRAM, *stages]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found
