"""What every command shares: its result as exit code, and errors as one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec

import typer

from quire.errors import EXIT_INTERRUPTED, QuireError, printable

P = ParamSpec("P")


def told(command: Callable[P, int]) -> Callable[P, None]:
    """The command with its result as exit code, and errors as one line on standard error."""

    @wraps(command)
    def telling(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
            sys.stdout.flush()
        except QuireError as error:
            code = tell(error)
        except KeyboardInterrupt:
            print("quire: interrupted; files that were not finished are not there", file=sys.stderr)
            code = EXIT_INTERRUPTED
        raise typer.Exit(code)

    return telling


def tell(error: QuireError) -> int:
    """Say what is wrong on standard error; the exit code."""
    lines = [printable(line) for line in str(error).split("\n")]  # mistakes in a flow have a line each
    print("quire:", "\n".join(lines), file=sys.stderr)
    return error.exit_code


def print_lines(lines: Iterable[str]) -> None:
    """Lines for people on standard output: one each, whatever is in the names of files."""
    print("\n".join(map(printable, lines)))


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
