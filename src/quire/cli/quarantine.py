"""`quire quarantine`: documents that failed permanently and are not retried."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from quire.cli import display_numbers, options
from quire.cli.batch_counts import without_name
from quire.cli.batch_run import where_of
from quire.cli.command_errors import group, print_report, reporting_errors
from quire.cli.display_numbers import spell
from quire.cli.removed import REMOVED_OF_QUARANTINE, add_removed
from quire.cli.settings import settings_of
from quire.cli.stores import existing_place, opened
from quire.core.errors import EXIT_COMPLETE
from quire.system.atomic_files import write_files

if TYPE_CHECKING:
    from quire.database.quarantine import Quarantined

EXAMPLES = """\b
Examples:
  quire quarantine list -o out
  quire quarantine export to-look-at -o out
"""


def list_(
    *,
    place: options.StoreOptions,
    as_json: options.Json = False,
) -> int:
    """List the documents in quarantine, with the error of each."""
    from quire.database.quarantine import Quarantine

    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        entries = Quarantine(here.store.database).entries()
    lines = map(_line, entries) if entries else ["no document is in quarantine"]
    print_report([asdict(entry) for entry in entries], lines, as_json=as_json)
    if entries and not as_json:
        print(f"`quire run{where_of(settings)} --retry` retries them")
    return EXIT_COMPLETE


def export(
    folder: Annotated[Path, Argument(metavar="DIR", help="Folder for the copies and quarantine.jsonl.")],
    *,
    place: options.StoreOptions,
) -> int:
    """Copy the documents in quarantine into a folder, with their errors in quarantine.jsonl."""
    from quire.database.quarantine import Quarantine

    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        entries = Quarantine(here.store.database).entries()
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for entry in entries:
        copy = folder / f"{entry.key[:8]}-{Path(entry.source).name}"
        there = Path(entry.source).is_file()
        if there:
            shutil.copyfile(entry.source, copy)
        rows.append({**asdict(entry), "copy": copy.name if there else None})
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    write_files({folder / "quarantine.jsonl": lines.encode()})
    gone = sum(row["copy"] is None for row in rows)
    print(f"{spell(len(rows) - gone, 'document')} copied to {folder}{f'; {gone} no longer exist' if gone else ''}")
    return EXIT_COMPLETE


def _line(entry: Quarantined) -> str:
    tried = spell(entry.attempts, "attempt")
    reason = without_name(entry.reason, entry.source)
    return f"{entry.key[:8]}  {display_numbers.moment(entry.at)}  {entry.source}: {reason} ({entry.category}, {tried})"


app = group("quarantine", "Documents that failed permanently and are not retried.")
app.command("list", short_help="List the documents and their errors.", epilog=EXAMPLES)(reporting_errors(list_))
app.command("export", short_help="Copy the documents, with their errors.", epilog=EXAMPLES)(reporting_errors(export))
add_removed(app, REMOVED_OF_QUARANTINE, "quire quarantine")
