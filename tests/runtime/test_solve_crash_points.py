"""`kill -9` at every point of a solve where something becomes durable, enumerated and not by chance."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import bills
from tests.runtime.crashing import Lane, Survey, survey_of
from tests.runtime.solving import TURNS, model

pytestmark = pytest.mark.processes

LANES = 2
MEMORY = Path("/dev/shm")
"""Where waiting for a disk takes no time; what survives a kill is the same."""


@pytest.fixture(scope="module")
def surveyed() -> Iterator[Survey]:
    """A bill of two pages, solved once for every crash point there is."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder, ExitStack() as stack:
        document = Path(folder, "bill.pdf")
        document.write_bytes(bills.bill())
        lanes = []
        for number in range(LANES):
            place = Path(folder, f"lane-{number}")
            place.mkdir()
            variables = stack.enter_context(model(place / "calls"))
            lanes.append(Lane(place, durable="tests.runtime.solving:solve", environment=variables))
        yield survey_of(lanes, document)


def test_every_crash_point_of_a_solve_was_met(surveyed):
    met = [crash.at for crash in surveyed.crashes if crash.at < surveyed.passed]
    assert met == list(range(1, surveyed.passed))
    assert len(met) > 40, "reading, drawing, asking, checking and finishing each become durable"


def test_whatever_the_crash_point_the_next_process_finishes_the_solve(surveyed):
    assert {crash.status for crash in surveyed.crashes} == {"complete"}


def test_the_answer_and_the_workspace_are_those_of_an_undisturbed_solve(surveyed):
    assert "INV-2041" in surveyed.undisturbed
    assert [crash.at for crash in surveyed.crashes if crash.output != surveyed.undisturbed] == []


def test_a_call_of_a_model_that_is_recorded_is_never_repeated(surveyed):
    for crash in surveyed.crashes:
        assert len(crash.calls) == len(TURNS), f"at boundary {crash.at}: {crash.calls}"
        assert crash.repeated <= 1, f"at boundary {crash.at}: only the call in flight is repeated"
        assert crash.repeated <= crash.takeovers, f"at boundary {crash.at}: it is counted"
