"""`quire run`: run a flow over many documents. Running it again continues with what is left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.batch_options import BatchPlaceOptions, BatchReadingOptions, BatchSelectionOptions, choice_of
from quire.cli.batch_run import Showing, drive
from quire.cli.batch_settings import asked_for
from quire.cli.plan import show_plan
from quire.cli.settings import configuration_of
from quire.durable.folders.discovery import check_paths

EXAMPLES = """\b
Examples:
  quire run letters/ -o out
  quire run -o out                  run it again: unfinished, failed and new documents
  quire run -o out --retry          also those in quarantine
  quire run scans/ -o out --to md --to json --lang de --workers 2
  quire run letters/ -o out --dry-run
  quire run scans/ -o out --shard 2/8 --store s3://bucket/quire --facts postgresql://host/quire
  quire run scans/ -o out --flow my-flow.yaml --preset night
"""


def run(  # noqa: PLR0913 - one argument per option
    paths: options.PathsOrLast = None,
    *,
    place: BatchPlaceOptions,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    reading: BatchReadingOptions,
    workers: options.Workers = None,
    policy: Annotated[
        str | None,
        Option(metavar="POLICY", help="What limits documents in progress: cpu (default), io (remote engines), gpu."),
    ] = None,
    schedule: Annotated[
        str | None, Option(metavar="ORDER", help="Order of the documents: fifo (default), sjf (small first), ljf.")
    ] = None,
    timeout_s: Annotated[
        float | None, Option(metavar="SECONDS", help="Timeout for one document; 0 for none (default).")
    ] = None,
    retries: Annotated[int | None, Option(metavar="N", help="Retries after a transient failure; 2 by default.")] = None,
    retry_backoff_s: Annotated[
        float | None,
        Option(metavar="SECONDS", help="Back-off before the first retry, doubled each time; 1 by default."),
    ] = None,
    error_budget: Annotated[
        int | None, Option(metavar="N", help="Stop after N failed documents; 0 for never (default).")
    ] = None,
    diagnostics_interval_s: Annotated[
        float | None, Option(metavar="SECONDS", help="Interval between progress lines; 30 by default, 0 for none.")
    ] = None,
    selection: BatchSelectionOptions,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be done.")] = False,
    manifest: Annotated[Path | None, Option(metavar="FILE", help="Append a line of JSON for each document.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Run a flow over documents and folders (text, tables and OCR by default). Run it again after an interruption, a
    failure or a change: it continues with what is left and retries what may now succeed. Done work is not redone."""
    configuration = configuration_of(locals())
    check_paths(paths or ())
    settings = configuration.settings
    store, request = asked_for(configuration, paths, choice_of(reading, selection))
    if dry_run:
        return show_plan(request, settings, store, as_json=as_json)
    return drive(request, settings, store, Showing(quiet=quiet, as_json=as_json))
