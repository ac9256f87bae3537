"""The commands and their help."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli.removed import REMOVED, add_removed
from quire.cli.telling import group, told

if TYPE_CHECKING:
    app: typer.Typer

_COMMANDS = {
    "read": ("read:read", "EXAMPLES", "Documents to Markdown and other formats."),
    "inspect": ("inspect:inspect", "EXAMPLES", "What is in a document, page by page."),
    "engines": ("engines:engines", "EXAMPLES", "Who can read scanned pages here."),
    "run": ("run:run", "EXAMPLES", "A flow over many documents; run it again for what is left."),
    "plan": ("plan:plan", "EXAMPLES", "What a run would do, and why."),
    "status": ("status:status", "STATUS_EXAMPLES", "How far a run is, and what failed."),
    "runs": ("status:runs", "RUNS_EXAMPLES", "The runs that a store knows."),
    "cancel": ("cancel:cancel", "EXAMPLES", "Stop a run from anywhere."),
    "prune": ("prune:prune", "EXAMPLES", "Remove outputs whose document is gone."),
    "join": ("join:join", "EXAMPLES", "Share the work on the runs of a store."),
    "manifest": ("manifest:manifest", "EXAMPLES", "What became of each document."),
    "up": ("up:up", "EXAMPLES", "A whole cluster on this machine, for trying out."),
    "worker": ("worker:worker", "EXAMPLES", "Serve workflows to a Restate server."),
}
"""Commands by name: the function in `quire.cli`, the name of its examples there, and the line in the list."""
_GROUPS = ("quarantine", "config", "flow", "store")


def command_line(only: str | None = None) -> typer.Typer:
    """The commands; just one when `only` names it, since the others take longer to import than a page to read."""
    app = group("quire", "Read documents: text with boxes, tables, and every format you need.")
    app.callback()(_quire)
    for name in [only] if only in _COMMANDS else _COMMANDS:
        place, examples, short_help = _COMMANDS[name]
        module, _, function = place.partition(":")
        home = import_module(f"quire.cli.{module}")
        app.command(name, short_help=short_help, epilog=getattr(home, examples))(told(getattr(home, function)))
    for name in () if only in _COMMANDS else _GROUPS:
        app.add_typer(import_module(f"quire.cli.{name}").app)
    if only not in _COMMANDS:
        add_removed(app, REMOVED)
    return app


def _version(asked: bool) -> None:
    if asked:
        from quire.cli.versions import version_lines

        print(*version_lines(), sep="\n")
        raise typer.Exit


def _quire(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the versions of Quire and of what it uses, and exit.",
            is_eager=True,
            callback=_version,
        ),
    ] = False,
) -> None:
    pass


def __getattr__(name: str) -> object:
    """`app` is the whole command line, made when it is asked for."""
    if name != "app":
        raise AttributeError(f"module 'quire.cli.app' has no attribute {name!r}")
    whole = globals()[name] = command_line()
    return whole
