"""Commands that are gone: each says in one line what to use instead."""

from __future__ import annotations

from collections.abc import Callable

import typer

from quire.errors import UsageError

GOES_ON = "`quire run -o DIR` without PATH goes on with the last run of that folder"
RETRIES = "`quire run -o DIR` tries failed documents again, and with --retry those in quarantine, too"
REMOVED = {"resume": GOES_ON, "retry": RETRIES}
REMOVED_OF_QUARANTINE = {"retry": RETRIES, "clear": RETRIES}


def add_removed(app: typer.Typer, removed: dict[str, str], before: str = "quire") -> None:
    """Hidden commands of these names that take anything and answer with the advice."""
    from quire.cli.telling import told

    anything = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["-h", "--help"]}
    for name, advice in removed.items():
        app.command(name, hidden=True, context_settings=anything)(told(_refusing(f"{before} {name}", advice)))


def _refusing(command: str, advice: str) -> Callable[[], int]:
    def refuse() -> int:
        """This command is gone."""
        raise UsageError(f"there is no `{command}` any more: {advice}")

    return refuse
