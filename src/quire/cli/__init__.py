"""The command line: translations of the calls in `quire`, one module per command."""

from __future__ import annotations

import gc
import sys

from quire.errors import EXIT_INTERRUPTED


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    gc.set_threshold(100_000, 20, 50)  # modules and blocks stay: looking for garbage among them takes a tenth
    try:
        from quire.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
