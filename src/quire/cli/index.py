"""`quire index`: documents and folders into an index that `quire search` asks."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.batch_progress import BatchProgress, summary
from quire.cli.batch_run import advice, exit_code
from quire.cli.command_errors import print_json
from quire.cli.display_numbers import spell
from quire.cli.settings import configuration_of
from quire.cli.stores import opened
from quire.core.config import Settings
from quire.durable.folders.discovery import check_paths
from quire.system.user_data import data_folder

EXAMPLES = """\\b
Examples:
  quire index reports/
  quire index reports/ invoices/ --store library
  quire index scans/ --lang de --embedder none
  quire index --rebuild
  quire search "gross margin 2022"
"""


def index(  # noqa: PLR0913 - one argument per option
    paths: Annotated[
        list[Path] | None,
        Argument(readable=False, metavar="[PATH...]", help="PDFs, images, office files, or folders of them."),
    ] = None,
    store: options.SearchStore = None,
    facts: options.Facts = None,
    engine: options.SearchEngine = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    embedder: options.EmbedderName = "auto",
    preset: options.Preset = None,
    ocr: options.Ocr = None,
    lang: options.Lang = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    workers: options.Workers = None,
    limit: options.Limit = None,
    force: options.Force = False,
    retry: options.Retry = False,
    rebuild: Annotated[
        bool, Option("--rebuild", help="Fill a new version of the index from the store, then search that one.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Index documents for search: text, tables and OCR of scans, by words and by meaning. Run it again after a change
    or an interruption: only what is new is read, and documents that are gone are removed."""
    configuration = configuration_of({**locals(), "engine": None, "index": engine})
    paths = paths or []
    check_paths(paths)
    choice = limit, force, retry, rebuild
    return _indexed(paths, configuration.settings, embedder, choice, as_json=as_json, quiet=quiet)


def _indexed(
    paths: list[Path],
    settings: Settings,
    embedder: str,
    choice: tuple[int | None, bool, bool, bool],
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    from quire.batch import Stop, stop_on_signals
    from quire.batch.contracts import StageOptions
    from quire.durable.document_index import Index

    begun, stop, place = time.monotonic(), Stop(), search_place(settings)
    limit, force, retry, rebuild = choice
    inputs = {name: value for name, value in (("ocr", settings.ocr), ("lang", list(settings.lang))) if value}
    with ExitStack() as stack:
        searched = stack.enter_context(Index(place, facts=settings.facts, embedder=embedder, engine=settings.index))
        request = searched.request(
            paths,
            inputs=inputs,
            options=StageOptions(policy="cpu", workers=settings.workers),
            force=force,
            retry=retry,
            limit=limit,
            include=settings.include,
            exclude=settings.exclude,
            rebuild=rebuild,
        )
        if request.index and request.index["embedder"] == "none" and embedder == "auto" and not quiet:
            print(
                "quire: no vectors, only words: the model all-minilm-l6-v2 is not here; "
                "`quire models fetch all-minilm-l6-v2`, then run this again",
                file=sys.stderr,
            )
        progress = stack.enter_context(BatchProgress(quiet=quiet))
        stack.enter_context(stop_on_signals(stop, progress.signalled))
        here = stack.enter_context(opened(settings, place))
        run, outcome = searched.follow(request, here.runtime, on_event=progress, stop=stop)
        version = next(one for one in searched.versions() if one.is_current)
    if not quiet and not outcome.cancelled and request.index and version.name != request.index["version"]:
        print(
            "quire: the rebuilt index is not used yet, because it lacks documents of the present one; run this again",
            file=sys.stderr,
        )
    batch = progress.batch
    code = exit_code(outcome, batch)
    if as_json:
        report = {"run": run, "exit_code": code, "index": asdict(version), "documents": dict(batch.counts)}
        print_json(report)
    elif not quiet:
        parts = list(advice(batch, remaining=outcome.remaining, where=""))
        print("\n".join(summary(batch, time.monotonic() - begun, parts)))
        held = f"{spell(version.documents, 'document')}, {spell(version.chunks, 'chunk')}"
        print(f"index      {held} in {settings.index or place}")
    return code


def search_place(settings: Settings) -> str:
    """The store of the index: the one that is set, or a folder of this account."""
    return settings.store or str(data_folder() / "search")
