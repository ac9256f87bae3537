"""The command line: translations of the calls in `quire`, one module per command.

Comes in: arguments, the environment, `quire.toml`. Goes out: files, lines on standard output for programs and on
standard error for people, and an exit code. Options that several commands have are declared once, in `options`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from quire.cli.streams import prepare_streams
from quire.core.errors import EXIT_INTERRUPTED, QuireError


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    gc.set_threshold(100_000, 20, 50)  # modules and blocks are long-lived: collecting among them takes 10 % of the time
    prepare_streams()
    try:
        arguments = sys.argv[1:]
        if "_QUIRE_COMPLETE" in os.environ:
            arguments = _completed()
        else:
            _start_worker(arguments)
        from quire.cli.app import command_line

        try:
            command_line(arguments[0] if arguments else None)()
        finally:
            if shared := sys.modules.get("quire.system.workers.shared"):
                shared.close_shared_pool()
            sys.stdout.flush()
    except QuireError as error:  # not of a command: --help and --version
        from quire.cli.command_errors import report_error

        sys.exit(report_error(error))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _completed() -> list[str]:
    """The words on the command line that a shell completes, without the unfinished last one."""
    from typer._completion_classes import completion_init

    completion_init()
    return os.environ.get("_TYPER_COMPLETE_ARGS", "").split()[1:-1]


def _start_worker(arguments: Sequence[str]) -> None:
    """Start the worker that will parse a document, so that it starts up in parallel with this process.

    Only a guess: a worker that is not needed, because an option is wrong, ends with the program.
    """
    if arguments[:1] != ["read"] or {"-h", "--help"} & {*arguments}:
        return
    files = [name for name in arguments[1:] if not name.startswith("-") and os.path.isfile(name)]  # noqa: PTH113 - pathlib is imported later
    if not files:
        return
    from quire.system.workers.early import start_worker

    modules = ["quire.reading.page_jobs", "quire.pages.layout.page"]
    if any(name.lower().endswith(".pdf") for name in files):
        modules += ["quire.pages.render.pdf", "quire.pages.render._native"]
    with suppress(QuireError, OSError):  # it happens again, and is reported, when the worker is needed
        start_worker(modules)
