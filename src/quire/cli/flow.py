"""`quire flow`: list, show and check flows, and run their test cases."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import group, print_json, reporting_errors
from quire.core.errors import EXIT_COMPLETE, QuireError, UsageError

if TYPE_CHECKING:
    from quire.durable.inline.flow_call import Flow
    from quire.flow.definition import FlowDefinition, Input
    from quire.flow.flow_files import FlowFile

EXIT_FAILED = 1

EXAMPLES = """\b
Examples:
  quire flow list
  quire flow show read
  quire flow check flows/invoices.yaml
  quire flow test
  quire flow test flows/invoices.yaml
"""

app = group("flow", "Pipelines in YAML: list them, show one, check files, run their test cases.")

Names = Annotated[
    list[str] | None, Argument(metavar="[NAME|FILE]...", help="Flows by name or file; all flows by default.")
]


@app.command("list", short_help="List the flows.")
@reporting_errors
def list_flows(as_json: options.Json = False) -> int:
    """Show the flows that ship with Quire, and those in the folder `flows`."""
    loaded = [(found, _tried(found)) for found in _found(None)]
    if as_json:
        print_json({"flows": [_report(found, flow) for found, flow in loaded]})
    else:
        width = max(len(found.name) for found, _ in loaded)
        for found, flow in loaded:
            said = flow if isinstance(flow, str) else flow.description
            where = "" if found.shipped else f" [{found.path}]"
            print(f"{found.name:<{width}}  {said.splitlines()[0] if said else ''}{where}")
    return EXIT_COMPLETE


@app.command("show", short_help="Show the inputs, steps and outputs of a flow.")
@reporting_errors
def show(
    name: Annotated[str, Argument(metavar="NAME|FILE", help="A flow by name or file.")], as_json: options.Json = False
) -> int:
    """Show the inputs, steps and outputs of a flow."""
    from quire.durable.inline.flow_call import Flow

    flow = Flow.load(name)
    lines = [json.dumps(flow.definition.to_json(), ensure_ascii=False, indent=2)] if as_json else _lines(flow)
    print("\n".join(lines))
    return EXIT_COMPLETE


@app.command("check", short_help="Check flows and report every mistake with its line.")
@reporting_errors
def check(names: Names = None) -> int:
    """Check flows: references, types, units and components. Exits with 2 when there is a mistake."""
    wrong = 0
    for found in _found(names):
        try:
            flow = _loaded(found)
        except QuireError as error:
            print(error, file=sys.stderr)
            wrong += 1
        else:
            print(f"{found.path if not found.shipped else found.name}: {_counts(flow.definition)}")
    return UsageError.exit_code if wrong else EXIT_COMPLETE


@app.command("test", short_help="Run the test cases of flows.", epilog=EXAMPLES)
@reporting_errors
def test(
    names: Names = None,
    case: Annotated[str | None, Option(metavar="NAME", help="Only the case of this name.")] = None,
    workers: Annotated[
        int | None, Option(metavar="N", envvar="QUIRE_WORKERS", help="Worker processes; one for each CPU by default.")
    ] = None,
) -> int:
    """Run the test cases of flows locally, on a temporary store. Exits with 1 when one does not pass."""
    from quire.durable.inline.cases import run_case
    from quire.durable.inline.flow_call import PassingStore

    flows = [_loaded(found) for found in _found(names)]
    chosen = [(flow, one) for flow in flows for one in flow.definition.cases if case in (None, one.name)]
    if not chosen:
        raise UsageError("no test case found; write test cases under `test: cases:` in the file of a flow")
    failed = 0
    with closing(PassingStore()) as store:
        for flow, one in chosen:
            outcome = run_case(flow, one, store, workers=workers)
            failed += not outcome.passed
            print(f"{'pass' if outcome.passed else 'FAIL'}  {flow.name}: {one.name}", flush=True)
            for line in (*outcome.differences, *([outcome.error] if outcome.error else [])):
                print(f"      {line}")
    print(f"{len(chosen) - failed} of {len(chosen)} cases passed")
    return EXIT_FAILED if failed else EXIT_COMPLETE


def _found(names: Sequence[str] | None) -> list[FlowFile]:
    from quire.durable.inline.flow_call import FOLDER
    from quire.flow.flow_files import find_flow, find_flows

    if names:
        return [find_flow(name, FOLDER) for name in names]
    return sorted(find_flows(FOLDER).values(), key=lambda found: (not found.shipped, found.name))


def _loaded(found: FlowFile) -> Flow:
    from quire.durable.inline.flow_call import Flow

    return Flow.of_file(found)


def _tried(found: FlowFile) -> Flow | str:
    """The flow, or its error message: one bad file does not hide the others."""
    try:
        return _loaded(found)
    except QuireError as error:
        return f"cannot be used: {error}"


def _report(found: FlowFile, flow: Flow | str) -> dict[str, object]:
    report: dict[str, object] = {"name": found.name, "path": str(found.path), "shipped": found.shipped}
    if isinstance(flow, str):
        return {**report, "error": flow}
    inputs = {name: one.to_json() for name, one in flow.definition.inputs.items()}
    return {**report, "description": flow.description, "inputs": inputs}


def _lines(flow: Flow) -> Iterator[str]:
    definition = flow.definition
    yield definition.name
    if definition.description:
        yield f"  {definition.description}"
    yield from _ports("inputs", definition.inputs)
    yield "steps"
    for step in (step for level in definition.levels() for step in level):
        needs = f", after {', '.join(step.needs)}" if step.needs else ""
        yield f"  {step.id}: {step.component}{needs}"
    yield from _ports("outputs", definition.outputs)
    yield f"{_counts(definition)}"


def _ports(title: str, ports: Mapping[str, Input]) -> Iterator[str]:
    if ports:
        yield title
    for one in ports.values():
        default = f", {json.dumps(one.default)} by default" if one.default is not None else ""
        optional = ", optional" if not one.required and not default else ""
        description = f": {one.description}" if one.description else ""
        yield f"  {one.name} ({one.type}{optional}{default}){description}"


def _counts(definition: FlowDefinition) -> str:
    steps, cases = len(definition.steps), len(definition.cases)
    return f"{steps} step{'' if steps == 1 else 's'}, {cases} test case{'' if cases == 1 else 's'}"
