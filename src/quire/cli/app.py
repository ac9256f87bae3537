"""The commands and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from quire import __version__
from quire.cli import (
    config,
    engines,
    flow,
    inspect,
    join,
    manifest,
    plan,
    quarantine,
    read,
    resume,
    run,
    status,
    store,
    up,
    worker,
)
from quire.cli.telling import group, told


def _version(asked: bool) -> None:
    if asked:
        print(f"quire {__version__}")
        raise typer.Exit


app = group("quire", "Read documents: text with boxes, tables, and every format you need.")

for name, command, short_help, examples in (
    ("read", read.read, "Documents to Markdown and other formats.", read.EXAMPLES),
    ("inspect", inspect.inspect, "What is in a document, page by page.", inspect.EXAMPLES),
    ("engines", engines.engines, "Who can read scanned pages here.", engines.EXAMPLES),
    ("run", run.run, "A flow over many documents; can be stopped and resumed.", run.EXAMPLES),
    ("plan", plan.plan, "What a run would do, and why.", plan.EXAMPLES),
    ("status", status.status, "How far a run is, and what failed.", status.STATUS_EXAMPLES),
    ("runs", status.runs, "The runs that a store knows.", status.RUNS_EXAMPLES),
    ("resume", resume.resume, "Go on with a run.", resume.RESUME_EXAMPLES),
    ("retry", resume.retry, "Try the failed documents of a run again.", resume.RETRY_EXAMPLES),
    ("cancel", resume.cancel, "Stop a run from anywhere.", resume.CANCEL_EXAMPLES),
    ("join", join.join, "Share the work on the runs of a store.", join.EXAMPLES),
    ("manifest", manifest.manifest, "What became of each document.", manifest.EXAMPLES),
    ("up", up.up, "A whole cluster on this machine, for trying out.", up.EXAMPLES),
    ("worker", worker.worker, "Serve workflows to a Restate server.", worker.EXAMPLES),
):
    app.command(name, short_help=short_help, epilog=examples)(told(command))

for commands in (quarantine.app, config.app, flow.app, store.app):
    app.add_typer(commands)


@app.callback()
def _quire(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    pass
