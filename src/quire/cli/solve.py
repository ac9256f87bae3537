"""`quire solve`: a task over documents, solved by whichever runner answers, every value with its evidence."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.cli import options, solve_options
from quire.cli.batch_settings import INPUTS
from quire.cli.command_errors import print_report
from quire.cli.extract import WIDTH, table_lines
from quire.cli.extract_options import Fields, SchemaFile, load_schema
from quire.cli.progress import ProgressBar
from quire.cli.settings import settings_of
from quire.cli.stores import opened, place_for
from quire.core.context import Json
from quire.core.document import is_url
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, InputError, UsageError
from quire.core.events import Event
from quire.core.types import shortened

if TYPE_CHECKING:
    from quire.core.config import Settings
    from quire.durable.reads.read_request import SourceRef
    from quire.durable.solve_call import Solution
    from quire.solving.attempts import RunnerAttempt

EXAMPLES = """\b
Examples:
  quire solve task.md report.pdf --fields "revenue, net income" -o out
  quire solve task.md 2023.pdf 2024.pdf --template form.xlsx -o out
  quire solve task.md report.pdf --schema values.json --runner tools --runner offline -o out
  quire solve task.md lease.pdf --schema lease.json --runner claude --reviewer tools -o out
"""


SHOWN = 40
"""Values that are printed."""


def solve(  # noqa: PLR0913 - one argument per option
    task: solve_options.TaskFile,
    files: solve_options.Documents,
    *,
    output: Annotated[
        Path, Option("-o", "--output", metavar="DIR", help="Folder for the answer, the workbook and the trace.")
    ],
    schema: SchemaFile = None,
    fields: Fields = None,
    template: solve_options.Template = None,
    solver: solve_options.SolverOptions,
    reading: options.ReadingOptions,
    store: options.Store = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> int:
    """Solve a task over documents. Each value of the answer is verified against the page, or marked; a workbook links
    every cell to its evidence. Interrupted? Run it again: it goes on where it was, and pays nothing twice."""
    from quire.durable.solve_call import followed, solution, submit_solve
    from quire.durable.solves.solve_request import requested

    own = ("task", "files", "schema", "fields", "template", "solver", "quiet", "as_json")
    settings = settings_of({name: value for name, value in locals().items() if name not in own})
    text, asked = solve_options.task_text(task), None if schema is None else load_schema(schema)
    sources = _sources(files)
    with opened(settings, place_for(settings)) as here, ProgressBar(len(sources), quiet=quiet) as progress:
        chosen = solver.chosen()
        request = requested(text, here.store, schema=asked, fields=fields, template=template, **chosen)
        for lost in _lost(template) if template is not None and not quiet else ():
            progress.say(f"{template}: {lost} cannot be kept in the filled workbook")
        run = submit_solve(here.runtime, here.store, request, sources, _read_options(settings, reading.pages))
        for event in followed(here.runtime, run):
            progress(event)
            if not quiet and (line := _told(event)):
                progress.say(line)
        made = solution(here.runtime, here.store, run)
    paths = made.save(output)
    width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH
    lines = () if quiet else (*_values(made, width), *_findings(made), "", *_summary(made, paths, output))
    print_report(_report(made), lines, as_json=as_json)
    return EXIT_COMPLETE if made.status == "complete" else EXIT_PARTIAL


def _sources(files: Sequence[str]) -> list[SourceRef]:
    """The documents in the order in which they are given. Raises UsageError and InputError."""
    from quire.durable.reads.read_request import SourceRef

    if any(map(is_url, files)):
        raise UsageError("a task is solved over files; download the document first, or send its URL to POST /api/solve")
    for file in files:
        if Path(file).is_dir():
            raise UsageError(f"{file} is a folder; name the documents of the task one by one, in their order")
        if not Path(file).is_file():
            raise InputError("there is no such file", document=file)
    return [SourceRef.of(file) for file in files]


def _lost(template: Path) -> Sequence[str]:
    from quire.solving.build_call import load_template
    from quire.solving.workbook.lost_parts import lost_parts

    return lost_parts(load_template(template))


def _read_options(settings: Settings, pages: str | None) -> dict[str, Json]:
    found = {name: getattr(settings, setting) for setting, name in INPUTS.items()}
    found = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
    return {name: value for name, value in {**found, "pages": pages}.items() if value not in (None, [])}


def _told(event: Event) -> str:
    """A line for people about an event of a solve; "" for most of them."""
    payload = event.payload
    if event.stage == "solve" and event.kind == "attempt":
        reason = f": {shortened(str(payload['reason']), 200)}" if payload["reason"] else ""
        return f"{payload['role']} {payload['runner']}: {payload['outcome']}{reason}"
    if event.stage == "solve" and event.kind == "started" and payload.get("phase") == "review":
        return "waits for people: `quire serve` shows the review; stop this and run it again at any time"
    return ""


def _values(made: Solution, width: int) -> Iterator[str]:
    """The values as `quire extract` shows them; of many, the first."""
    *lines, counts = table_lines(made.answer, width)
    yield from lines[:SHOWN]
    if len(lines) > SHOWN:
        yield f"… and {len(lines) - SHOWN} more values in answer.json"
    yield counts


def _findings(made: Solution) -> Iterator[str]:
    for one in made.findings:
        yield f"{'open' if one.open else 'note':<6}  {one.kind:<13}  {one.path}: {shortened(one.reason, 200)}"


def _summary(made: Solution, paths: Sequence[Path], output: Path) -> Iterator[str]:
    tokens = sum(one.usage.input_tokens + one.usage.output_tokens for one in made.attempts)
    costs = [one.usage.cost for one in made.attempts if one.usage.cost is not None]
    used = f", {tokens:,} tokens" if tokens else ""
    used += f", {sum(costs):.4f} US dollars" if costs else ""
    yield f"{made.status}; solved by {_solver(made.attempts)} over the workspace {made.workspace[:12]}{used}"
    yield f"{output}: {', '.join(sorted(path.name for path in paths))}"


def _solver(attempts: Sequence[RunnerAttempt]) -> str:
    return next((one.runner for one in reversed(attempts) if one.role == "solver" and one.succeeded), "no runner")


def _report(made: Solution) -> dict[str, Json]:
    return {
        "run": made.run,
        "status": made.status,
        "workspace": made.workspace,
        "values": made.values,
        "coverage": dict(made.result["coverage"]),
        "findings": [one.to_json() for one in made.findings],
        "attempts": list(made.result["attempts"]),
        "reviews": list(made.result["reviews"]),
    }
