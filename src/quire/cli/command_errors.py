"""Common to every command: the result as exit code, errors as one line, `-v` and `--debug`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, ParamSpec

import typer

from quire.cli.help import WIDTH, HelpGroup
from quire.core.errors import EXIT_INTERRUPTED, QuireError, printable

P = ParamSpec("P")


class Loudness:
    """The verbosity of the command: set by `-v` and `--debug`, which every command takes."""

    verbose = False
    debug = False


Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print more details.")]
Debug = Annotated[bool, typer.Option("--debug", help="Print tracebacks of errors, also of plugins; implies -v.")]


def reporting_errors(command: Callable[P, int]) -> Callable[..., None]:
    """Decorator of commands: result as exit code, errors as one line on standard error, and `-v` and `--debug`."""

    @wraps(command)
    def reporting(*args: P.args, **kwargs: P.kwargs) -> None:
        Loudness.debug = bool(kwargs.pop("debug", False))
        Loudness.verbose = bool(kwargs.pop("verbose", False)) or Loudness.debug
        try:
            with _logged() if Loudness.verbose else nullcontext():
                code = command(*args, **kwargs)
            sys.stdout.flush()
        except QuireError as error:
            code = report_error(error)
        except KeyboardInterrupt:
            print("quire: interrupted; unfinished files were not written", file=sys.stderr)
            code = EXIT_INTERRUPTED
        raise typer.Exit(code)

    common = {"verbose": Verbose, "debug": Debug}
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=kind) for name, kind in common.items()]
    given = signature(command, eval_str=True)
    reporting.__signature__ = given.replace(parameters=[*given.parameters.values(), *added])  # type: ignore[attr-defined]
    reporting.__annotations__ = {name: one.annotation for name, one in given.parameters.items()} | common
    return reporting


@contextmanager
def _logged() -> Iterator[None]:
    """Send the log to standard error: with tracebacks under `--debug`."""
    import logging  # takes time to import

    logger = logging.getLogger("quire")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("quire: %(message)s"))
    level = logger.level
    logger.setLevel(logging.DEBUG if Loudness.debug else logging.INFO)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def report_error(error: QuireError) -> int:
    """Print an error on standard error and return the exit code."""
    lines = [printable(line) for line in str(error).split("\n")]  # each mistake in a flow has its own line
    print("quire:", "\n".join(lines), file=sys.stderr)
    show_traceback(error)
    return error.exit_code


def show_traceback(error: BaseException) -> None:
    """Print the traceback of an error and of its cause, with `--debug`."""
    if Loudness.debug:
        import traceback

        traceback.print_exception(error, file=sys.stderr)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output: control characters in file names are escaped."""
    print("\n".join(map(printable, lines)))


def group(name: str, help: str) -> typer.Typer:
    """A group of commands. Plain help: importing Rich takes longer than reading most documents."""
    return typer.Typer(
        name=name,
        cls=HelpGroup,
        help=help,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
    )
