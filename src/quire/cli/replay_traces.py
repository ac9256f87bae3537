"""`quire replay`: the report of recorded runs again, without calling anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import print_report
from quire.cli.each_document import one_of
from quire.cli.evaluation_lines import evaluation_lines
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, UsageError

FORMATS = ("inspect", "otlp")
EXAMPLES = """\b
Examples:
  quire replay out/solve.trace.json -o report
  quire replay report/traces -o again --baseline report/report.json
  quire replay report/traces --to inspect -o log.json
  quire replay out/solve.trace.json --to otlp -o spans.json
"""


def replay(
    traces: Annotated[
        list[Path],
        Argument(metavar="TRACE...", help="Files NAME.trace.json, OpenTelemetry spans, or folders.", readable=False),
    ],
    *,
    output: Annotated[
        Path, Option("-o", "--output", metavar="PATH", help="Folder for the report; with --to the file to write.")
    ],
    fixtures: Annotated[
        list[Path] | None,
        Option(metavar="PATH", help="Grade by these fixtures, not by those in the traces. Repeatable.", readable=False),
    ] = None,
    baseline: Annotated[
        Path | None, Option(metavar="FILE", help="An earlier report.json: show what is better or worse.")
    ] = None,
    to: Annotated[
        str | None, Option(metavar="FORMAT", help="Export instead: inspect (a log of inspect-ai), otlp (spans).")
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Make the report of recorded runs again, the same bytes as that of the evaluation: no document is read, and no
    engine, model or runner is called."""
    from quire.solving.evaluation.trace_grading import load_traces, replayed
    from quire.solving.trace.inspect_log import encode_inspect_log
    from quire.solving.trace.otlp_spans import encode_spans
    from quire.system.atomic_files import write_files

    format = None if to is None else one_of(FORMATS, to, "--to")
    loaded = load_traces(traces)
    if format == "otlp" and len(loaded) != 1:
        raise UsageError(f"{len(loaded)} traces were given; spans are exported of one")
    made = replayed(loaded, fixtures or (), baseline)
    if format is not None:
        data = (
            encode_spans(next(iter(loaded.values()))) if format == "otlp" else encode_inspect_log(loaded, made.report)
        )
        write_files({output: data})
        lines = [str(output)]
    else:
        made.save(output)
        lines = list(evaluation_lines(made.report, output))
    print_report(made.report, lines, as_json=as_json)
    altered = made.report["overall"].get("process", {}).get("altered")
    return EXIT_PARTIAL if made.report["failures"] or altered else EXIT_COMPLETE
