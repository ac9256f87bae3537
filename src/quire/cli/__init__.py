"""The command line: translations of the calls in `quire`, one module per command."""

from __future__ import annotations

import gc
import sys

from quire.cli.streams import prepare_streams
from quire.errors import EXIT_INTERRUPTED, QuireError


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    gc.set_threshold(100_000, 20, 50)  # modules and blocks stay: looking for garbage among them takes a tenth
    prepare_streams()
    try:
        from quire.cli.app import app

        try:
            app()
        finally:
            sys.stdout.flush()
    except QuireError as error:  # not of a command: --help and --version
        from quire.cli.telling import tell

        sys.exit(tell(error))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
