"""A Restate server for tests."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def program() -> str:
    """The path of the server, fetched when it is not here yet. Raises AssertionError when it cannot be had."""
    done = subprocess.run(
        [ROOT / "scripts" / "restate.sh"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
