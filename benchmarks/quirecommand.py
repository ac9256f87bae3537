"""The command `quire` as a person runs it, timed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import clock
from benchmarks.report import LeftOut


def quire(*arguments: str | Path) -> tuple[Any, clock.Sample]:
    """What `quire … --json` tells, and its times, with those of everything that it started and waited for."""
    command = [Path(sys.executable).with_name("quire"), *arguments, "--json"]
    ended, sample = clock.timed(
        partial(subprocess.run, command, capture_output=True, text=True, check=False), cpu=_of_children
    )
    if ended.returncode:
        raise LeftOut(f"quire {arguments[0]} ended with code {ended.returncode}: {ended.stderr.strip()[-300:]}")
    return json.loads(ended.stdout), sample


def _of_children() -> float:
    """Processor time of the programs that have ended, and of all that they waited for."""
    taken = os.times()
    return taken.children_user + taken.children_system
