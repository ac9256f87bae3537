"""`quire store`: what a store holds, garbage collection, and deleting documents from it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import group, print_lines, print_report, reporting_errors
from quire.cli.display_numbers import spell
from quire.cli.settings import settings_of
from quire.cli.stores import existing_place
from quire.core.config import Settings
from quire.core.errors import EXIT_COMPLETE, UsageError

if TYPE_CHECKING:
    from quire.durable.deletion import Deleted
    from quire.store.artifacts import ArtifactStore
    from quire.store.garbage import Collected
    from quire.store.report import StoreReport

REPORT_EXAMPLES = """\b
Examples:
  quire store report --store ~/.cache/quire
  quire store report -o out --json
"""
GC_EXAMPLES = """\b
Examples:
  quire store gc --store ~/.cache/quire --dry-run
  quire store gc -o out --unused-days 90
  quire store gc -o out --unused-days 365 --answers
"""
DELETE_EXAMPLES = """\b
Examples:
  quire store delete letters/private.pdf --store ~/.cache/quire
  quire store delete 4f1c09 -o out --yes
  quire store delete contract.pdf --store /var/lib/quire --tenant acme
"""

_DryRun = Annotated[bool, Option("--dry-run", help="Only show what would be removed.")]


def report(
    *,
    place: options.StoreOptions,
    as_json: options.Json = False,
) -> int:
    """Show how much a store holds, by stage, how much is shared, and when it was last used."""
    from quire.store import report as reporting

    with _opened(settings_of(locals())) as opened:
        found = reporting.report(opened)
    print_report({**asdict(found), "shared_bytes": found.shared_bytes}, _report_lines(found), as_json=as_json)
    return EXIT_COMPLETE


def gc(
    *,
    place: options.StoreOptions,
    dry_run: _DryRun = False,
    unused_days: Annotated[
        int | None, Option(metavar="N", min=1, help="Also remove artifacts that were not used for N days.")
    ] = None,
    answers: Annotated[
        bool, Option("--answers", help="With --unused-days, also remove OCR results: they may have cost money.")
    ] = False,
    run_days: Annotated[int, Option(metavar="N", min=0, help="Remove runs that ended N days ago.")] = 30,
    as_json: options.Json = False,
) -> int:
    """Garbage collection: remove leftovers of killed processes, unreferenced data and runs that ended long ago."""
    from quire.store.garbage import Limits, collect

    if answers and unused_days is None:
        raise UsageError("--answers needs --unused-days N: OCR results that were not used for N days are removed")
    with _opened(settings_of(locals())) as opened:
        limits = Limits(unused_days=unused_days, answers=answers, run_days=run_days)
        found = collect(opened, limits, dry_run=dry_run)
    print_report({**asdict(found), "dry_run": dry_run}, _collected_lines(found, dry_run=dry_run), as_json=as_json)
    return EXIT_COMPLETE


def delete(  # noqa: PLR0913 - one argument per option
    documents: Annotated[
        list[str], Argument(metavar="DOCUMENT...", help="Files, or ids of documents or prefixes of them.")
    ],
    *,
    place: options.StoreOptions,
    dry_run: _DryRun = False,
    tenant: Annotated[
        str | None, Option(metavar="NAME", help="Delete what this tenant of a server has of them. Default: `default`.")
    ] = None,
    learned: Annotated[
        Path | None,
        Option(metavar="DIR", envvar="QUIRE_SERVE_LEARNED", help="Name the models below DIR that learnt from them."),
    ] = None,
    all_tenants: Annotated[
        bool, Option("--all-tenants", help="Delete what any tenant of a server has of them.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    forget_index: Annotated[
        list[str] | None, Option("--forget-index", metavar="URL", help="A search engine that is gone for good.")
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Delete documents from a store, with everything derived from them. The files themselves are kept."""
    from quire.database.scopes import known_scopes
    from quire.durable.deletion import delete_documents, find_document
    from quire.evidence.learn.model import models_of
    from quire.retrieval.search.engine_places import forget
    from quire.store.scoped import DEFAULT_TENANT, scope_of

    if tenant is not None and all_tenants:
        raise UsageError("--tenant and --all-tenants exclude each other: name one tenant, or delete from all")
    with _opened(settings_of(locals())) as opened:
        scopes = ["", *known_scopes(opened.database)] if all_tenants else [scope_of(tenant or DEFAULT_TENANT)]
        named = list(dict.fromkeys(find_document(opened, document) for document in documents))
        if not (dry_run or yes):
            planned = delete_documents(opened, named, scopes=scopes, dry_run=True)
            _confirm(planned)
        for address in forget_index or () if not dry_run else ():
            forget(opened.database, address)
        deleted = delete_documents(opened, named, scopes=scopes, dry_run=dry_run)
    models = {one.document: [str(path) for path in models_of(learned, one.document)] for one in deleted}
    rows = [{**asdict(one), "learned": models[one.document], "dry_run": dry_run} for one in deleted]
    print_report(rows, _deleted_lines(deleted, dry_run=dry_run), as_json=as_json)
    if not as_json:
        print_lines(
            f"  kept: {path}, which learnt from it; learn again without it" for all in models.values() for path in all
        )
    return EXIT_COMPLETE


app = group("store", "Show what a store holds, collect garbage, delete documents.")
app.command("report", short_help="Show how much a store holds, by stage.", epilog=REPORT_EXAMPLES)(
    reporting_errors(report)
)
app.command("gc", short_help="Collect garbage.", epilog=GC_EXAMPLES)(reporting_errors(gc))
app.command("delete", short_help="Delete documents and everything derived from them.", epilog=DELETE_EXAMPLES)(
    reporting_errors(delete)
)


@contextmanager
def _opened(settings: Settings) -> Iterator[ArtifactStore]:
    from quire.store.opening import open_store

    with open_store(existing_place(settings), settings.facts) as store:
        yield store


def _confirm(planned: Sequence[Deleted]) -> None:
    """Raises UsageError without a terminal, and Abort for a no."""
    if not sys.stdin.isatty():
        raise UsageError("no terminal to ask for confirmation; give --yes to delete, or --dry-run to only list")
    print("\n".join(_deleted_lines(planned, dry_run=True)), file=sys.stderr)
    typer.confirm("Delete?", abort=True, err=True)


def _report_lines(found: StoreReport) -> Iterator[str]:
    yield found.place
    yield f"{spell(found.documents, 'document')}, {spell(found.artifacts, 'artifact')}, {_size(found.bytes)}"
    kept = f"{spell(found.contents, 'content')} kept, {_size(found.content_bytes)}"
    yield f"{kept}: sharing saves {_size(found.shared_bytes)}"
    yield f"{spell(found.packs, 'object')}, {_size(found.pack_bytes)}, of which unreferenced {_size(found.holes)}"
    states = ", ".join(f"{number} {state}" for state, number in found.runs.items())
    yield f"runs: {states or 'none'}"
    if found.stages:
        yield ""
        yield f"{'stage':<20} {'artifacts':>10} {'size':>10}  last used"
    for one in found.stages:
        yield f"{one.stage:<20} {one.artifacts:>10} {_size(one.bytes):>10}  {one.last_used or 'unknown'}"


def _collected_lines(found: Collected, *, dry_run: bool) -> Iterator[str]:
    counts = {
        "fact": found.facts,
        "content": found.contents,
        "object": found.packs,
        "unfinished file": found.unfinished,
        "page image": found.images,
        "run": found.runs,
    }
    gone = [spell(number, noun) for noun, number in counts.items() if number]
    if found.rewritten:
        gone.append(f"the holes of {spell(found.rewritten, 'pack')}")
    yield f"{'would remove' if dry_run else 'removed'} {', '.join(gone) or 'nothing'}: {_size(found.bytes)}"


def _deleted_lines(deleted: Sequence[Deleted], *, dry_run: bool) -> Iterator[str]:
    for one in deleted:
        counts = {"image": one.images, "run": one.runs, "review": one.reviews, "sample": one.samples}
        if one.facts or one.kept or any(counts.values()):
            parts = [spell(one.facts, "artifact"), _size(one.bytes)]
            parts += [spell(number, noun) for noun, number in counts.items() if number]
            parts += [f"{spell(one.kept, 'answer')} kept for other documents"] if one.kept else []
            yield f"{'would delete' if dry_run else 'deleted'} {one.document}: {', '.join(parts)}"
        elif not one.tenants:
            yield f"{one.document}: not in the store"
        else:
            yield f"{one.document}: nothing to delete"
        yield from (f"  kept: {file}" for file in one.outputs)
        yield from (f"  kept: run {run}, which has not ended; cancel it and delete again" for run in one.unfinished)
        if one.tenants:
            have = "tenant has" if one.tenants == 1 else "tenants have"
            yield f"  kept: {one.tenants} {have} it too: add --tenant NAME, or --all-tenants"


def _size(number: int) -> str:
    """`812 bytes`, `34.1 kB`, `2.0 GB`."""
    if number < 1000:
        return spell(number, "byte")
    amount = float(number)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 1000:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"
