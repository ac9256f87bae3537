"""Removed commands: each says in one line what to use instead."""

from __future__ import annotations

from collections.abc import Callable

import typer

from quire.core.errors import UsageError

CONTINUES = "`quire run -o DIR` without PATH continues the last run of that folder"
RETRIES = "`quire run -o DIR` retries failed documents, with --retry also those in quarantine"
REMOVED = {"resume": CONTINUES, "retry": RETRIES}
REMOVED_OF_QUARANTINE = {"retry": RETRIES, "clear": RETRIES}


def add_removed(app: typer.Typer, removed: dict[str, str], before: str = "quire") -> None:
    """Add hidden commands of these names that accept any arguments and print the advice."""
    from quire.cli.command_errors import reporting_errors

    anything = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}
    for name, advice in removed.items():
        app.command(name, hidden=True, context_settings=anything)(
            reporting_errors(_refusing(f"{before} {name}", advice))
        )


def _refusing(command: str, advice: str) -> Callable[[], int]:
    def refuse() -> int:
        """This command was removed."""
        raise UsageError(f"`{command}` was removed: {advice}")

    return refuse
