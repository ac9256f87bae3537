"""Common to every command: the result as exit code, errors as one line, `-v` and `--debug`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from inspect import Parameter, Signature
from typing import Annotated

import typer

from quire.cli.help import WIDTH, HelpGroup
from quire.cli.option_groups import collected, expanded
from quire.core.errors import EXIT_INTERRUPTED, QuireError, printable


class Loudness:
    """The verbosity of the command: set by `-v` and `--debug`, which every command takes."""

    verbose = False
    debug = False


Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print more details.")]
Debug = Annotated[bool, typer.Option("--debug", help="Print tracebacks of errors, also of plugins; implies -v.")]


def reporting_errors(command: Callable[..., int]) -> Callable[..., None]:
    """Decorator of commands: groups of options as parameters, result as exit code, errors as one line on standard
    error, and `-v` and `--debug`."""
    parameters, groups = expanded(command)

    @wraps(command)
    def reporting(**values: object) -> None:
        Loudness.debug = bool(values.pop("debug", False))
        Loudness.verbose = bool(values.pop("verbose", False)) or Loudness.debug
        try:
            with _logged() if Loudness.verbose else nullcontext():
                code = command(**collected(values, groups))
            sys.stdout.flush()
        except QuireError as error:
            code = report_error(error)
        except KeyboardInterrupt:
            print("quire: interrupted; unfinished files were not written", file=sys.stderr)
            code = EXIT_INTERRUPTED
        raise typer.Exit(code)

    common = {"verbose": Verbose, "debug": Debug}
    for name, kind in common.items():
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=kind))
    reporting.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    reporting.__annotations__ = {one.name: one.annotation for one in parameters}
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


def print_json(report: object) -> None:
    """Print what a command found as JSON."""
    import json  # takes time to import

    print(json.dumps(report, ensure_ascii=False, indent=2))


def print_report(report: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print what a command found, as JSON or as lines for people."""
    if as_json:
        print_json(report)
    else:
        print_lines(lines)


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
