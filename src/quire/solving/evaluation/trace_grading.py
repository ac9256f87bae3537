"""Reports from traces alone: the same as those of the evaluation that made them, and nothing is called for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from quire.core.errors import UsageError
from quire.solving.evaluation.evaluate import Evaluation, graded, load_report
from quire.solving.evaluation.fixture import Fixture, load_fixtures, recorded_fixture
from quire.solving.trace.otlp_spans import is_spans, trace_from_spans
from quire.solving.trace.trace_file import SUFFIX, Trace, decode_trace


def replay(
    traces: Sequence[str | Path],
    *,
    fixtures: Sequence[str | Path] = (),
    baseline: str | Path | None = None,
) -> Evaluation:
    """The report of recorded runs: `replay(["report/traces"])`. No document, engine, model or runner is needed.

    `traces` are files, also of OpenTelemetry spans, or folders of them. Each is graded by the fixture that it carries,
    or by the one of the same name in `fixtures`; a trace without one is reported without grades. `baseline` is an
    earlier `report.json`.

    Raises UsageError for a file that is not a trace.
    """
    return replayed(load_traces([Path(one) for one in traces]), [Path(one) for one in fixtures], baseline)


def replayed(traces: Mapping[str, Trace], fixtures: Sequence[Path], baseline: str | Path | None) -> Evaluation:
    """The report of traces by their names."""
    given = {one.name: one for one in load_fixtures(fixtures)} if fixtures else {}
    known = {name: given.get(name) or _carried(trace) for name, trace in traces.items()}
    earlier = None if baseline is None else load_report(Path(baseline))
    return graded(
        [one for one in known.values() if one is not None],
        lambda fixture: traces[fixture.name],
        earlier,
        ungraded={name: trace for name, trace in traces.items() if known[name] is None},
    )


def load_traces(places: Sequence[Path]) -> dict[str, Trace]:
    """The traces of files and folders by the names of their fixtures, sorted. Raises UsageError."""
    found: dict[str, Trace] = {}
    for file in _files(places):
        trace = _loaded(file)
        name = file.name.removesuffix(".json").removesuffix(".trace") if trace.fixture is None else trace.fixture.name
        if name in found:
            raise UsageError(f"{file}: a trace of the name {name!r} was loaded before")
        found[name] = trace
    if not found:
        raise UsageError(f"no trace in {', '.join(map(str, places))}: a trace is a file NAME{SUFFIX}")
    return {name: found[name] for name in sorted(found)}


def _carried(trace: Trace) -> Fixture | None:
    """The fixture that a trace was made for, with the digests of the documents that it was made from."""
    if trace.fixture is None:
        return None
    return recorded_fixture(trace.fixture.name, trace.fixture.content, [one.id for one in trace.documents])


def _loaded(file: Path) -> Trace:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"the trace {file} cannot be read: {error.strerror}") from error
    return trace_from_spans(data, str(file)) if is_spans(data) else decode_trace(data, str(file))


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(place.rglob(f"*{SUFFIX}"))
        else:
            yield place
