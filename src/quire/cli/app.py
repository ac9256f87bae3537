"""The commands and their help."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from quire.cli.command_errors import group, reporting_errors
from quire.cli.help import HelpCommand
from quire.cli.removed import REMOVED, add_removed

if TYPE_CHECKING:
    app: typer.Typer

_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Documents": {
        "read": "Read documents: text, tables and OCR of scans, to Markdown and other formats.",
        "chunk": "Cut documents into chunks for search, with their headings, pages and boxes.",
        "embed": "Embed the chunks of documents: dense, sparse and lexical vectors.",
        "extract": "Extract values, each with its place on the page and how it was checked.",
        "discover": "Propose a schema from documents whose fields are not known.",
        "learn": "Learn from samples how to choose values, and show what comes out wrong.",
        "samples": "Documents with confirmed values, to learn from.",
        "catalog": "List everything of documents that a value can cite, with its id.",
        "solve": "Solve a task over documents: values with evidence, a filled workbook, checked.",
        "eval": "Compare extracted values with expected ones: F1 of values and places.",
        "replay": "Make the report of recorded runs again, without calling anything.",
        "workspace": "A task and its documents as a folder for an agent, with one digest.",
        "crop": "Cut the picture of a place out of a page.",
        "index": "Index documents and folders for search.",
        "search": "Search the index: pages, places and why.",
        "ask": "Answer a question from documents, with the evidence.",
        "inspect": "Show what is in a document, and which pages need OCR.",
        "engines": "List the OCR engines and their languages.",
    },
    "Many documents": {
        "run": "Run a flow over many documents; run it again to continue.",
        "plan": "Show what a run would do, and why.",
        "status": "Show the progress of a run, and what failed.",
        "runs": "List the runs recorded in a store.",
        "cancel": "Stop a run from anywhere.",
        "prune": "Remove outputs whose document no longer exists.",
        "manifest": "Show the outcome of each document.",
        "quarantine": "List or copy the documents that failed permanently.",
    },
    "Machines": {
        "join": "Join in processing the runs of a store.",
        "serve": "Serve documents over HTTP: docling-serve's API and a web page.",
        "mcp": "Show documents to language models, by the Model Context Protocol.",
        "worker": "Serve workflows to a Restate server.",
        "up": "Start a complete local cluster to try out.",
    },
    "Set-up": {
        "flow": "Pipelines in YAML: list, show, check and test them.",
        "models": "List the optional models, and fetch one.",
        "store": "Show what a store holds, collect garbage, delete documents.",
        "config": "Show the settings and where each comes from.",
        "completion": "Print the completion script for a shell.",
    },
}
"""Commands by purpose and name, with their one-line help. A command is the function of its name in the module of its
name, with its examples; a group of commands is the `app` there."""
_MODULES = {"runs": "status", "replay": "replay_traces"}
"""Modules of commands that are not named like them."""


def command_line(only: str | None = None) -> typer.Typer:
    """The commands; only the one that `only` names, since importing the others takes longer than reading a page."""
    app = group("quire", "Read PDFs, scans and photos: text with boxes, tables, OCR, and every format you need.")
    app.callback()(_quire)
    known = {name: (panel, one) for panel, commands in _COMMANDS.items() for name, one in commands.items()}
    for name in [only] if only in known else known:
        panel, short_help = known[name]
        home = import_module(f"quire.cli.{_MODULES.get(name, name)}")
        if hasattr(home, "app"):
            app.add_typer(home.app, short_help=short_help, rich_help_panel=panel)
            continue
        examples = getattr(home, f"{name.upper()}_EXAMPLES", None) or home.EXAMPLES
        command = app.command(name, cls=HelpCommand, short_help=short_help, epilog=examples, rich_help_panel=panel)
        command(reporting_errors(getattr(home, name)))
    if only not in known:
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
    """`app` is the whole command line, built lazily."""
    if name != "app":
        raise AttributeError(f"module 'quire.cli.app' has no attribute {name!r}")
    whole = globals()[name] = command_line()
    return whole
