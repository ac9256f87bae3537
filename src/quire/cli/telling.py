"""What every command shares: its result as exit code, and errors as one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from quire.errors import EXIT_INTERRUPTED, QuireError

EXIT_BROKEN_PIPE = 141
"""What a shell reports for a program whose reader went away."""

P = ParamSpec("P")


def told(command: Callable[P, int]) -> Callable[P, None]:
    """The command with its result as exit code, and errors as one line on standard error."""

    @wraps(command)
    def telling(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
            sys.stdout.flush()
        except QuireError as error:
            print(f"quire: {error}", file=sys.stderr)
            code = error.exit_code
        except KeyboardInterrupt:
            print("quire: interrupted; files that were not finished are not there", file=sys.stderr)
            code = EXIT_INTERRUPTED
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that closing it says nothing
            code = EXIT_BROKEN_PIPE
        raise typer.Exit(code)

    return telling


def group(name: str, help: str) -> typer.Typer:
    """A group of commands. Plain help: Rich costs more to import than most documents to read."""
    return typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
