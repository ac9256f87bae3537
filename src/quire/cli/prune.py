"""`quire prune`: remove outputs whose document is gone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from quire.cli import options
from quire.cli.command_errors import print_json, print_lines
from quire.cli.display_numbers import spell
from quire.cli.settings import settings_of
from quire.cli.stores import existing_place
from quire.core.errors import EXIT_COMPLETE, UsageError

if TYPE_CHECKING:
    from quire.durable.folders.orphans import Orphans

EXAMPLES = """\b
Examples:
  quire prune -o out --dry-run
  quire prune -o out --yes
"""


def prune(
    *,
    place: options.StoreOptions,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be removed.")] = False,
    yes: Annotated[bool, Option("-y", "--yes", help="Do not ask for confirmation.")] = False,
    as_json: options.Json = False,
) -> int:
    """Remove the output files of documents that no longer exist. Files that were edited are kept."""
    from quire.durable.folders.orphans import find_orphans, prune_orphans
    from quire.store.opening import open_store

    settings = settings_of(locals())
    if settings.output is None:
        raise UsageError("give the folder with the output files with -o DIR, or set output in quire.toml")
    folder = Path(settings.output)
    with open_store(existing_place(settings), settings.facts) as opened:
        orphans = find_orphans(opened.database, folder)
        files = sum(len(orphan.files) for orphan in orphans.outputs)
        if not as_json:
            print_lines(_lines(orphans, files))
        if files and not (dry_run or yes):
            _confirm()
        if not dry_run:
            prune_orphans(opened.database, folder, orphans)
    if as_json:
        report = {"dry_run": dry_run, "outputs": [one.to_json() for one in orphans.outputs], "away": orphans.away}
        print_json(report)
    elif files and not dry_run:
        print(f"{spell(files, 'file')} removed")
    return EXIT_COMPLETE


def _lines(orphans: Orphans, files: int) -> Iterator[str]:
    yield f"{spell(files, 'file')} of {spell(len(orphans.outputs), 'document')} that {_verb(len(orphans.outputs))} gone"
    for orphan in orphans.outputs:
        for file in orphan.files:
            yield f"  {file.path}"
        for file in orphan.edited:
            yield f"  {file.path} was changed by hand and is kept"
    for root in orphans.away:
        yield f"the whole folder {root} is missing: the outputs of its documents are kept"


def _verb(count: int) -> str:
    return "is" if count == 1 else "are"


def _confirm() -> None:
    """Raises UsageError without a terminal, and Abort for a no."""
    if not sys.stdin.isatty():
        raise UsageError(
            "no terminal to ask for confirmation; give --yes to remove them, or --dry-run to only list them"
        )
    typer.confirm("Remove?", abort=True, err=True)
