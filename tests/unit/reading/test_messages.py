"""The declared shapes of messages are those of the values that are really exchanged."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import get_type_hints, is_typeddict

import pytest

from quire.batch import StageOptions
from quire.batch.stage_events import COUNTED
from quire.core.context import Json
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.batch_workflow import run_batch
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.runtimes import local_runtime
from quire.reading import messages
from quire.reading.result import Ledger
from quire.store.files import FileStore
from tests import documents

EXCHANGED = {
    "batch": (messages.BatchArgument, messages.BatchCountsJson),
    "flow": (messages.FlowArgument, messages.FlowOutcome),
    "document": (messages.ReadArgument, messages.DocumentReference),
    "pages": (messages.PagesArgument, messages.PagesResult),
}


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (messages.SourceJson, SourceRef),
        (messages.ReadArgument, ReadRequest),
        (messages.BatchArgument, BatchRequest),
        (messages.LedgerJson, Ledger),
    ],
)
def test_a_value_has_the_keys_that_its_type_declares(shape, value):
    assert {field.name for field in fields(value)} == shape.__annotations__.keys()


def test_the_figures_of_a_batch_are_those_of_its_stage():
    assert {*COUNTED, "wall_ms", "quarantined"} == messages.BatchCountsJson.__annotations__.keys()


@pytest.mark.processes
def test_a_journal_holds_what_the_types_declare(tmp_path, saved):
    folder = saved(documents.simple(2)).parent
    with FileStore(tmp_path / "store") as store, local_runtime(store, workers=1, import_paths=True) as runtime:
        request = BatchRequest((str(folder),), str(tmp_path / "out"), options=StageOptions(policy="cpu", workers=1))
        _, outcome = run_batch(request, runtime)
        rows = store.database.rows("SELECT workflow, argument, result FROM invocations")
    assert outcome.succeeded == 1
    assert {workflow for workflow, *_ in rows} == EXCHANGED.keys()
    for workflow, argument, result in rows:
        argument_shape, result_shape = EXCHANGED[str(workflow)]
        check(json.loads(str(argument)), argument_shape, f"the argument of {workflow}")
        check(json.loads(str(result)), result_shape, f"the result of {workflow}")


def check(value: Json, shape: type, place: str) -> None:
    """A value has every required key of its shape, and none that the shape lacks."""
    assert isinstance(value, dict), place
    assert shape.__required_keys__ <= value.keys(), place
    assert value.keys() <= shape.__annotations__.keys(), place
    hints = get_type_hints(shape)
    for key, one in value.items():
        if is_typeddict(hints[key]):
            check(one, hints[key], f"{place}, {key}")
