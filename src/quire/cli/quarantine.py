"""`quire quarantine`: documents that fail every time, and what to do with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from quire.atomic_files import write_files
from quire.cli import amounts, options
from quire.cli.amounts import spell
from quire.cli.driving import Showing, drive, where_of
from quire.cli.figures import without_name
from quire.cli.opening import BATCH, RuntimeWithStore, existing_place, opened
from quire.cli.settings import settings_of
from quire.cli.telling import group, print_lines, told
from quire.errors import EXIT_COMPLETE, EXIT_PARTIAL, UsageError

if TYPE_CHECKING:
    from quire.database.quarantine import Quarantined

EXAMPLES = """\b
Examples:
  quire quarantine list -o out
  quire quarantine retry broken.pdf -o out
  quire quarantine export to-look-at -o out
"""
Which = Annotated[
    list[str] | None,
    Argument(metavar="[DOCUMENT...]", help="By path, file name, or the beginning of the key; all by default."),
]


def list_(
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
    as_json: options.Json = False,
) -> int:
    """List the documents in quarantine, with what went wrong."""
    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        found = entries_of(here, None)
    if as_json:
        print(json.dumps([asdict(entry) for entry in found], ensure_ascii=False, indent=2))
    else:
        print_lines(map(_line, found) if found else ["no document is in quarantine"])
    if found and not as_json:
        print(f"`quire quarantine retry{where_of(settings)}` tries them again")
    return EXIT_COMPLETE


def retry(
    which: Which = None,
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    quiet: options.Quiet = False,
) -> int:
    """Let documents out of quarantine, and try them again as the runs did that put them there."""
    from quire.database.places import path_text
    from quire.database.quarantine import Quarantine
    from quire.durable.folders.driving import stored_request
    from quire.durable.folders.plan import plan_batch

    settings = settings_of(locals())
    place = existing_place(settings)
    with opened(settings, place) as here:
        found = entries_of(here, which)
        Quarantine(here.store.database).release([entry.key for entry in found])
        known = {entry.run for entry in found if here.runtime.runs(prefix=entry.run, flow=BATCH, limit=1)}
        requests = {run: stored_request(here.runtime, run) for run in sorted(known)}
        sources = {entry.source for entry in found}
        plans = {run: plan_batch(request, here.store) for run, request in requests.items()}
    if not requests:
        print(f"{spell(len(found), 'document')} let out; the next `quire run` tries again")
        return EXIT_COMPLETE
    showing = Showing(quiet=quiet)
    codes = set()
    for run, request in requests.items():
        only = tuple(document.name for document in plans[run].documents if path_text(document.path) in sources)
        codes.add(drive(replace(request, only=only), settings, place, showing))
    return codes.pop() if len(codes) == 1 else EXIT_PARTIAL


def clear(
    which: Which = None,
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
) -> int:
    """Let documents out of quarantine; the next `quire run` tries them again."""
    from quire.database.quarantine import Quarantine

    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        found = entries_of(here, which)
        Quarantine(here.store.database).release([entry.key for entry in found])
    print(f"{spell(len(found), 'document')} let out; the next `quire run` tries again")
    return EXIT_COMPLETE


def export(
    folder: Annotated[Path, Argument(metavar="DIR", help="Folder for the copies and quarantine.jsonl.")],
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
) -> int:
    """Copy the documents in quarantine into a folder, with what went wrong in quarantine.jsonl."""
    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        found = entries_of(here, None)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for entry in found:
        copy = folder / f"{entry.key[:8]}-{Path(entry.source).name}"
        there = Path(entry.source).is_file()
        if there:
            shutil.copyfile(entry.source, copy)
        rows.append({**asdict(entry), "copy": copy.name if there else None})
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    write_files({folder / "quarantine.jsonl": lines.encode()})
    gone = sum(row["copy"] is None for row in rows)
    print(f"{spell(len(rows) - gone, 'document')} copied to {folder}{f'; {gone} are gone' if gone else ''}")
    return EXIT_COMPLETE


def entries_of(here: RuntimeWithStore, which: Sequence[str] | None) -> list[Quarantined]:
    """What is in quarantine and meant. Raises UsageError for a name that fits nothing."""
    from quire.database.quarantine import Quarantine

    entries = Quarantine(here.store.database).entries()
    if not which:
        return entries
    meant = {name: [entry for entry in entries if _is(entry, name)] for name in which}
    if missing := [name for name, found in meant.items() if not found]:
        raise UsageError(f"{missing[0]} is not in quarantine; `quire quarantine list` shows what is")
    return list({entry.key: entry for found in meant.values() for entry in found}.values())


def _is(entry: Quarantined, name: str) -> bool:
    source = Path(entry.source)
    return entry.key.startswith(name) or name == source.name or Path(name).absolute() == source.absolute()


def _line(entry: Quarantined) -> str:
    tried = spell(entry.attempts, "attempt")
    reason = without_name(entry.reason, entry.source)
    return f"{entry.key[:8]}  {amounts.moment(entry.at)}  {entry.source}: {reason} ({entry.category}, {tried})"


app = group("quarantine", "Documents that fail every time, and what to do with them.")
app.command("list", short_help="Which documents, and what went wrong.", epilog=EXAMPLES)(told(list_))
app.command("retry", short_help="Let them out, and go on with their runs.", epilog=EXAMPLES)(told(retry))
app.command("clear", short_help="Let them out; the next run tries them again.", epilog=EXAMPLES)(told(clear))
app.command("export", short_help="Copies of them, with what went wrong.", epilog=EXAMPLES)(told(export))
