"""`kill -9` at every point where something becomes durable, enumerated and not by chance."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import scans
from tests.fakes.engines import said_of
from tests.runtime.crashing import Survey, survey

pytestmark = pytest.mark.processes

PAGES = 2
SHEETS = {f"stranger {number}" for number in range(1, PAGES + 1)}
MEMORY = Path("/dev/shm")
"""Where waiting for a disk takes no time; what survives a kill is the same."""


@pytest.fixture(scope="module")
def surveyed() -> Iterator[Survey]:
    """A scanned document of two pages, read once for every crash point there is."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        document = Path(folder, "scan.pdf")
        document.write_bytes(scans.numbered_scans(PAGES))
        yield survey(document, Path(folder), lanes=4)


def test_every_crash_point_was_met(surveyed):
    met = [crash.at for crash in surveyed.crashes if crash.at < surveyed.passed]
    assert met == list(range(1, surveyed.passed))
    assert len(met) > 15 * PAGES, "a page becomes durable in several places"


def test_whatever_the_crash_point_the_next_process_finishes(surveyed):
    assert {crash.status for crash in surveyed.crashes} == {"complete"}
    assert all(set(crash.calls) == SHEETS for crash in surveyed.crashes)


def test_the_output_is_that_of_an_undisturbed_read_byte_for_byte(surveyed):
    assert all(f'"{said_of(number)}"' in surveyed.undisturbed for number in range(1, PAGES + 1))
    assert [crash.at for crash in surveyed.crashes if crash.output != surveyed.undisturbed] == []


def test_a_recorded_answer_is_never_asked_for_again(surveyed):
    for crash in surveyed.crashes:
        assert crash.repeated <= sum(crash.calls_before.values()) - crash.recorded, f"at boundary {crash.at}"


def test_a_call_in_flight_is_repeated_at_most_once_and_counted(surveyed):
    for crash in surveyed.crashes:
        assert max(crash.calls.values()) <= 2, f"at boundary {crash.at}"
        assert crash.repeated <= crash.takeovers, f"at boundary {crash.at}"
    assert any(crash.repeated for crash in surveyed.crashes), "no crash came in the middle of a call"
