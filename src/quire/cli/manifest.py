"""`quire manifest`: the outcome of each document, as rows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import display_numbers, options
from quire.cli.settings import settings_of
from quire.cli.stores import existing_place, find_run, opened
from quire.core.config import Settings
from quire.core.context import Runtime
from quire.core.errors import EXIT_COMPLETE, UsageError, printable

if TYPE_CHECKING:
    from quire.batch.manifest import Row

EXAMPLES = """\b
Examples:
  quire manifest -o out --tail 20
  quire manifest -o out --filter status=failed --json
  quire manifest manifest.jsonl --since 2h
"""
_AGO = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def manifest(
    source: Annotated[
        str | None, Argument(metavar="[RUN|FILE]", help="A run or a manifest file; the latest run by default.")
    ] = None,
    *,
    tail: Annotated[int | None, Option(metavar="N", help="Only the last N rows.", min=0)] = None,
    filter: Annotated[
        list[str] | None,
        Option(metavar="FIELD=TEXT", help="Only rows with this value, like status=failed. Repeatable."),
    ] = None,
    since: Annotated[
        str | None, Option(metavar="TIME", help="Only rows since then: 2026-05-17T09:30, or 90s, 30m, 2h, 1d ago.")
    ] = None,
    place: options.StoreOptions,
    as_json: Annotated[bool, Option("--json", help="Write a line of JSON for each row.")] = False,
) -> int:
    """Show the outcome of each document of a run."""
    from quire.batch.manifest import select

    filters, earliest = filters_of(filter or ()), time_of(since, time.time())
    for row in select(_rows(source, settings_of(locals())), tail=tail, filters=filters, since=earliest):
        print(json.dumps(row, ensure_ascii=False) if as_json else printable(_line(row)))
    return EXIT_COMPLETE


def filters_of(given: Iterable[str]) -> dict[str, str]:
    """`["status=failed"]` as a mapping. Raises UsageError for one without `=`."""
    filters = {}
    for text in given:
        name, equals, wanted = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--filter is {text!r}; write FIELD=TEXT, like status=failed")
        filters[name] = wanted
    return filters


def time_of(given: str | None, now: float) -> datetime | None:
    """A date and time, in the local time zone unless it names another, or a duration before `now`."""
    if given is None:
        return None
    if ago := re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd])", given):
        return datetime.fromtimestamp(now - float(ago[1]) * _AGO[ago[2]], UTC)
    try:
        return datetime.fromisoformat(given).astimezone()
    except ValueError:
        raise UsageError(f"--since is {given!r}; write a time like 2026-05-17T09:30, or 90s, 30m, 2h, 1d") from None


def _rows(source: str | None, settings: Settings) -> Iterator[Row]:
    from quire.batch.manifest import read_manifest, rows_of

    if source is not None and Path(source).is_file():
        yield from read_manifest(source)
        return
    with opened(settings, existing_place(settings)) as here:
        run = find_run(here.runtime, source).run
        earlier = _Outcomes(here.runtime)
        for row in rows_of(here.runtime.events(run)):
            done_in = row.get("done_in")
            if done_in != run:  # else its row is above: the run went on after an interruption
                yield earlier.find(done_in, row) if done_in else row


class _Outcomes:
    """The outcomes of documents in the runs that worked on them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._runs: dict[str, dict[str, Row]] = {}

    def find(self, run: str, skipped: Row) -> Row:
        """The outcome of a document that a later run skipped; the skip where that run is forgotten."""
        from quire.batch.manifest import rows_of

        if run not in self._runs:
            try:
                rows = [row for row in rows_of(self._runtime.events(run)) if row["status"] != "skipped"]
            except UsageError:
                rows = []
            self._runs[run] = {row["output_key"]: row for row in rows}
        return self._runs[run].get(skipped["output_key"], skipped)


def _line(row: Row) -> str:
    at = display_numbers.moment(datetime.fromisoformat(row["at"]).timestamp()) if row.get("at") else ""
    tried = row.get("attempts") or 0
    parts = [row.get("reason") or row.get("output_path") or "", f"after {tried} attempts" if tried > 1 else ""]
    head = f"{at}  {row.get('status') or '':<8} {row.get('duration_s') or 0:8.2f} s  {row.get('doc_id') or ''}"
    return "  ".join([head, *filter(None, parts)])
