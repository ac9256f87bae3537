"""`quire run`: run a flow over many documents. Running it again continues with what is left."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from quire.cli import extract_options, options
from quire.cli.batch_run import Showing, drive
from quire.cli.batch_settings import Choice, asked_for
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
    flow: options.Flow = None,
    output: options.Output = None,
    to: options.To = None,
    store: options.Store = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    preset: options.Preset = None,
    effort: options.Effort = None,
    ocr: options.Ocr = None,
    engine: options.Engine = None,
    lang: options.Lang = None,
    pages: options.Pages = None,
    figures: options.Figures = None,
    redactions: options.Redactions = None,
    tables: options.Tables = None,
    schema: extract_options.SchemaFile = None,
    fields: extract_options.Fields = None,
    words: options.Words = False,
    trace: options.Trace = False,
    include: options.Include = None,
    exclude: options.Exclude = None,
    workers: Annotated[
        int | None, Option(metavar="N", help="Pages processed in parallel; one per CPU by default.")
    ] = None,
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
    limit: options.Limit = None,
    shard: options.Shard = None,
    force: options.Force = False,
    retry: options.Retry = False,
    overwrite: options.Overwrite = False,
    verify_hash: options.VerifyHash = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be done.")] = False,
    manifest: options.Manifest = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Run a flow over documents and folders (text, tables and OCR by default). Run it again after an interruption, a
    failure or a change: it continues with what is left and retries what may now succeed. Done work is not redone."""
    configuration = configuration_of(locals())
    check_paths(paths or ())
    settings = configuration.settings
    choice = Choice(
        pages, words, trace, limit, shard, force, retry, overwrite, extract_options.given_inputs(schema, fields)
    )
    place, request = asked_for(configuration, paths, choice)
    if dry_run:
        return show_plan(request, settings, place, as_json=as_json)
    return drive(request, settings, place, Showing(quiet=quiet, as_json=as_json))
