"""Evaluating in one call: `quire.evaluate`, with fixtures that have a task solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from quire.core.context import Json
from quire.core.events import Sink
from quire.durable.solve_call import solve
from quire.reading.call import ReadOptions
from quire.solving.evaluation.evaluate import Evaluation, SolveFixture, evaluated
from quire.solving.evaluation.fixture import Fixture
from quire.solving.trace.trace_file import Trace
from quire.store.artifacts import ArtifactStore

if TYPE_CHECKING:
    from quire.evidence.extract.extractor import Extractor


def evaluate(
    fixtures: Sequence[str | Path],
    *,
    extractors: Sequence[str | Extractor] = (),
    runners: Sequence[str] = (),
    replay: str | Path | None = None,
    baseline: str | Path | None = None,
    **options: Unpack[ReadOptions],
) -> Evaluation:
    """Get the values of fixtures and compare them with the expected ones.

    `fixtures` are files or folders. Those with a task are solved, by `runners` or else by those that the fixture names;
    from the others values are extracted, with `extractors` and the other options of `extract`. With `replay`, the
    folder of an earlier evaluation, its outputs and traces are graded again, and nothing is read or asked. `baseline`
    is an earlier `report.json`. A fixture whose document cannot be read is among the failures of the report.

    Raises UsageError for a fixture or a baseline that cannot be used.
    """
    kept = options.get("store")
    store = kept if isinstance(kept, (str, Path, ArtifactStore)) else None
    reading: dict[str, Json] = {"ocr": options["ocr"]} if "ocr" in options else {}
    reading |= {"lang": list(options["lang"])} if options.get("lang") else {}
    engines = options.get("engines") or ()
    named = [one for one in engines if isinstance(one, str)] if isinstance(engines, Sequence) else []
    reading |= {"engines": named} if named else {}
    solving = solving_fixtures(
        runners, store, options.get("facts"), options.get("workers"), reading, options.get("on_event")
    )
    return evaluated(fixtures, solving, extractors=extractors, replay=replay, baseline=baseline, **options)


def solving_fixtures(
    runners: Sequence[str],
    store: str | Path | ArtifactStore | None,
    facts: str | None,
    workers: int | None,
    reading: Mapping[str, Json],
    on_event: Sink | None,
) -> SolveFixture:
    """Solves the task of a fixture, and gives the trace of the run."""

    def solved(fixture: Fixture) -> Trace:
        asked = fixture.schema
        return solve(
            fixture.task,
            fixture.documents,
            asked if isinstance(asked, Mapping) else None,
            fields=None if isinstance(asked, Mapping) else list(asked),
            template=fixture.template,
            store=store,
            facts=facts,
            workers=workers,
            reading=reading,
            on_event=on_event,
            runners=tuple(runners) or tuple(fixture.runners) or ("offline",),
        ).trace

    return solved
