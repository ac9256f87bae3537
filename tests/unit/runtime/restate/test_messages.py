"""What travels between callers, server and workers."""

from __future__ import annotations

import pytest

from quire.core.context import MAX_RESULT
from quire.core.errors import EngineError, InputError, RunError
from quire.runtime.restate.messages import Request, RunFailure
from quire.runtime.workflow_guards import encode_result


def test_a_request_survives_the_way():
    request = Request("key", "run-1", {"pages": [1, 2], "name": "Übersicht"}, root=True)
    assert Request.decode(request.encode()) == request


def test_a_failure_keeps_message_class_and_run():
    failure = RunFailure.of(InputError("no such page", document="a.pdf", page=3), "run-1")
    assert (failure.message, failure.category, failure.run) == ("no such page", "input", "run-1")
    assert RunFailure.decode(failure.encode(), 500) == failure
    assert failure.error().category == "input"


def test_what_the_server_says_itself_is_a_failure_too():
    assert RunFailure.decode("killed", 409) == RunFailure("killed", cancelled=True)
    assert RunFailure.decode("[1, 2]", 500) == RunFailure("[1, 2]")
    assert RunFailure.decode(
        '{"message": "x", "category": "of tomorrow", "run": "", "cancelled": false}', 500
    ) == RunFailure("x", "unknown")


def test_a_result_is_bounded_and_json():
    assert encode_result("step", "x" * (MAX_RESULT - 2))
    with pytest.raises(RunError, match="64 KiB"):
        encode_result("step", "x" * MAX_RESULT)
    with pytest.raises(RunError, match="JSON"):
        encode_result("step", {1, 2})


def test_an_engine_that_failed_is_named():
    assert RunFailure.of(EngineError("fickle", "try later")).message == "fickle: try later"
