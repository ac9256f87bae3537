"""What a program draws on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys


def drawn_by(*arguments: object, **environment: str) -> bytes:
    """Run `python -m quire` with its standard error on a terminal; everything that appears there."""
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "quire", *map(str, arguments)]
    shown = {**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment}
    process = subprocess.Popen(command, stderr=terminal, env=shown)
    os.close(terminal)
    drawn = b""
    while True:
        try:
            drawn += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    os.close(master)
    assert process.wait(60) == 0
    return drawn
