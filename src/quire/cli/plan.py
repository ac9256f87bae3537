"""`quire plan`: which documents are done, which are not, and why. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from quire.cli import options
from quire.cli.batch_counts import without_name
from quire.cli.batch_options import BatchPlaceOptions, BatchReadingOptions, BatchSelectionOptions, choice_of
from quire.cli.batch_settings import asked_for
from quire.cli.command_errors import print_report
from quire.cli.display_numbers import spell
from quire.cli.settings import configuration_of
from quire.cli.stores import looked_at
from quire.core.config import Settings
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL
from quire.durable.folders.discovery import check_paths

if TYPE_CHECKING:
    from quire.durable.folders.batch_request import BatchRequest
    from quire.durable.folders.discovery import LeftOutFile
    from quire.durable.folders.plan import Plan, PlannedDocument

EXAMPLES = """\b
Examples:
  quire plan letters/ -o out
  quire plan -o out
  quire plan letters/ -o out --lang de --json
"""
PREVIEW = 5
"""Documents that are named per reason."""
WORDS = {
    "done": "done",
    "stale": "to do again",
    "missing": "to do",
    "edited": "changed by hand, kept",
    "quarantined": "in quarantine",
    "error": "cannot be read",
}


def plan(
    paths: options.PathsOrLast = None,
    *,
    place: BatchPlaceOptions,
    reading: BatchReadingOptions,
    selection: BatchSelectionOptions,
    as_json: options.Json = False,
) -> int:
    """Show what `quire run` with the same options would do, and why. Writes nothing."""
    configuration = configuration_of(locals())
    check_paths(paths or ())
    store, request = asked_for(configuration, paths, choice_of(reading, selection))
    return show_plan(request, configuration.settings, store, as_json=as_json)


def show_plan(request: BatchRequest, settings: Settings, place: str, *, as_json: bool) -> int:
    """Plan a batch on the store at a place, and print the plan. Writes nothing."""
    from quire.durable.folders.plan import plan_batch

    with looked_at(settings, place) as database:
        planned = plan_batch(
            request, database, password=bool(settings.password or settings.password_for), remember=False
        )
    documents = [document.to_json() for document in planned.documents]
    left_out = [one._asdict() for one in planned.left_out]
    report = {"counts": planned.counts, "left_out": left_out, "documents": documents}
    print_report(report, _lines(planned), as_json=as_json)
    return EXIT_PARTIAL if planned.counts.get("error") else EXIT_COMPLETE


def _lines(planned: Plan) -> Iterator[str]:
    yield f"{spell(len(planned.documents), 'document')}, flow {planned.asked.definition.name}"
    for state, word in WORDS.items():
        found = [document for document in planned.documents if document.state == state]
        if not found:
            continue
        yield f"{len(found):>7}  {word}"
        if state != "done":
            yield from _reasons(found)
    if planned.left_out:
        yield f"{len(planned.left_out):>7}  left out"
        yield from _left_out(planned.left_out)


def _reasons(documents: list[PlannedDocument]) -> Iterator[str]:
    """For each reason the number of documents, and the names of some."""
    by_reason: dict[str, list[str]] = {}
    for document in documents:
        reason = without_name(document.reason, document.name) or "no output yet"
        by_reason.setdefault(reason, []).append(document.name)
    yield from _named(by_reason)


def _left_out(files: Sequence[LeftOutFile]) -> Iterator[str]:
    """For each type of file their number, why they are not read, and the names of some."""
    by_kind: dict[str, list[str]] = {}
    for one in files:
        by_kind.setdefault(f"{one.kind}: {one.reason}", []).append(one.name)
    yield from _named(by_kind)


def _named(by_reason: Mapping[str, list[str]]) -> Iterator[str]:
    for reason, names in sorted(by_reason.items(), key=lambda pair: -len(pair[1])):
        more = f" and {len(names) - PREVIEW} more" if len(names) > PREVIEW else ""
        yield f"{'':>9}{len(names):>7}  {reason}: {', '.join(names[:PREVIEW])}{more}"
