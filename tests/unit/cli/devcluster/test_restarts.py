"""Programs of a cluster that end: restarted one by one, with a back-off, and never the end of the others."""

from __future__ import annotations

import sys

import pytest

from quire.cli.devcluster.program import ServerProgram
from quire.cli.devcluster.restarts import Restarts
from tests.runtime.tracking import wait_until

pytestmark = pytest.mark.processes


def test_a_program_that_ends_right_after_its_restart_is_restarted_later_and_later(tmp_path):
    now = 1000.0
    failing = ServerProgram("failing", [sys.executable, "-c", "print('no')"], folder=tmp_path, answers=lambda: False)
    lasting = ServerProgram(
        "lasting", [sys.executable, "-c", "import signal; signal.pause()"], folder=tmp_path, answers=lambda: True
    )
    for program in (failing, lasting):
        program.launch()
    restarts, waited = Restarts([failing, lasting], clock=lambda: now), []
    for _ in range(9):
        wait_until(lambda: not failing.running, "it does not end", 60)
        (line,) = restarts.look()
        assert "failing has ended and is restarted in" in line and str(failing.log) in line
        waited.append(float(line.split(" in ")[1].split(" s;")[0]))
        assert not failing.running and list(restarts.look()) == [], "it waits, and says so once"
        now += waited[-1]
        assert list(restarts.look()) == []
    assert waited == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    assert lasting.running
    now += 60.0
    wait_until(lambda: not failing.running, "it does not end", 60)
    assert "in 0.5 s" in next(restarts.look()), "after a minute it counts as a new incident"
    lasting.stop()
    assert failing.log.read_text() == 10 * "no\n"
    assert failing.logged() == "no\n", "what was logged before its last start does not count"
