"""The commands, their help, and what an error looks like."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated, ParamSpec

import typer

from quire import __version__
from quire.cli import engines, inspect, read
from quire.errors import EXIT_INTERRUPTED, QuireError

EXIT_BROKEN_PIPE = 141
"""What a shell reports for a program whose reader went away."""

P = ParamSpec("P")


def _told(command: Callable[P, int]) -> Callable[P, None]:
    """The command with its result as exit code, and errors as one line on standard error."""

    @wraps(command)
    def told(*args: P.args, **kwargs: P.kwargs) -> None:
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

    return told


def _version(asked: bool) -> None:
    if asked:
        print(f"quire {__version__}")
        raise typer.Exit


# Plain help: Rich costs more to import than most documents to read.
app = typer.Typer(
    name="quire",
    help="Read documents: text with boxes, tables, and every format you need.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("read", short_help="Documents to Markdown and other formats.", epilog=read.EXAMPLES)(_told(read.read))
app.command("inspect", short_help="What is in a document, page by page.", epilog=inspect.EXAMPLES)(
    _told(inspect.inspect)
)
app.command("engines", short_help="Who can read scanned pages here.", epilog=engines.EXAMPLES)(_told(engines.engines))


@app.callback()
def _quire(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    pass
