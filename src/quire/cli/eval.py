"""`quire eval`: values of documents compared with expected ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import extract_options, options
from quire.cli.command_errors import print_report
from quire.cli.each_document import one_of
from quire.cli.evaluation_lines import evaluation_lines
from quire.cli.progress import ProgressBar
from quire.cli.settings import settings_of
from quire.cli.solve_options import Runners
from quire.core.context import Json
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL
from quire.pages.recognize.options import OCR_MODES

if TYPE_CHECKING:
    from quire.evidence.extract.values import Extraction
    from quire.solving.evaluation.fixture import Fixture

EXAMPLES = """\b
Examples:
  quire eval fixtures/ -o report
  quire eval fixtures/ -o report --extractor fallback --baseline last/report.json
  quire eval fixtures/ -o again --replay report
"""


def eval(  # noqa: PLR0913 - one argument per option
    fixtures: Annotated[
        list[Path], Argument(metavar="FIXTURE...", help="Files NAME.fixture.json, or folders of them.", readable=False)
    ],
    *,
    output: Annotated[
        Path, Option("-o", "--output", metavar="DIR", help="Folder for report.json, report.html, outputs and traces.")
    ],
    extractor: extract_options.Extractors = None,
    learned: extract_options.Learned = None,
    runner: Runners = None,
    replay: Annotated[
        Path | None,
        Option(metavar="DIR", help="Grade the outputs and traces of this earlier report again; nothing is read."),
    ] = None,
    baseline: Annotated[
        Path | None, Option(metavar="FILE", help="An earlier report.json: show what is better or worse.")
    ] = None,
    reading: options.SampleReadingOptions,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> int:
    """Compare the values of fixtures with the expected ones: value F1, page and box F1, every value that is wrong,
    missing, invented or without evidence. Fixtures with a task are solved, from the others values are extracted."""
    from quire.durable.evaluation_call import solving_fixtures
    from quire.reading.extract_call import extract
    from quire.solving.evaluation.evaluate import asked_values, graded, load_report, solved_or, stored_outputs
    from quire.solving.evaluation.fixture import load_fixtures

    asked = settings_of(vars(reading))
    listed = load_fixtures(fixtures)
    earlier = None if baseline is None else load_report(baseline)
    names = [*(extractor or ()), *([f"learned:{learned.absolute()}"] if learned is not None else ())]
    with ProgressBar(len(listed), quiet=quiet) as progress:

        def extracted(fixture: Fixture) -> Extraction:
            return extract(
                fixture.document,
                **asked_values(fixture),
                extractors=names,
                ocr=one_of(OCR_MODES, asked.ocr, "--ocr"),
                engines=asked.engine,
                lang=asked.lang,
                store=asked.store,
                facts=asked.facts,
                workers=asked.workers,
                isolate=True,
                on_event=progress,
            )

        read: dict[str, Json] = {"ocr": asked.ocr, "engines": list(asked.engine), "lang": list(asked.lang)}
        given = {name: value for name, value in read.items() if value}
        solving = solving_fixtures(runner or (), asked.store, asked.facts, asked.workers, given, progress)
        made = graded(
            listed,
            solved_or(extracted, solving) if replay is None else stored_outputs(replay),
            earlier,
            lambda failure: progress.say(f"{failure.fixture}: {failure.reason}"),
        )
    made.save(output)
    print_report(made.report, evaluation_lines(made.report, output), as_json=as_json)
    altered = made.report["overall"].get("process", {}).get("altered")
    return EXIT_PARTIAL if made.report["failures"] or altered else EXIT_COMPLETE
