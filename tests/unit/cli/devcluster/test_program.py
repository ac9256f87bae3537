"""Server processes: they start, report why they do not, and end."""

from __future__ import annotations

import signal
import sys

import pytest

from quire.cli.devcluster.program import ServerProgram, free_ports, listens, remembered_ports
from quire.core.errors import ConfigurationError

pytestmark = pytest.mark.processes

LISTEN = "import socket, sys; s = socket.create_server(('127.0.0.1', int(sys.argv[1]))); s.accept(); s.accept()"


def test_a_program_runs_until_it_is_stopped(tmp_path):
    (port,) = free_ports(1)
    command = [sys.executable, "-c", "import signal\n" + LISTEN + "\nsignal.pause()", str(port)]
    program = ServerProgram("listener", command, folder=tmp_path, answers=lambda: listens(port))
    program.start()
    assert program.running
    assert program.stop() == -signal.SIGTERM
    assert not program.running


def test_a_program_that_ends_at_once_is_quoted(tmp_path):
    command = [sys.executable, "-c", "import sys; sys.exit('no room on this machine')"]
    program = ServerProgram("failing", command, folder=tmp_path, answers=lambda: False)
    with pytest.raises(ConfigurationError, match=r"(?s)failing ended right after its start: .*no room on this machine"):
        program.start()


def test_a_program_that_is_deaf_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.cli.devcluster.program.STOP_S", 0.2)
    ready = tmp_path / "ready"
    code = f"import signal; signal.signal(15, signal.SIG_IGN); open({str(ready)!r}, 'w').close(); signal.pause()"
    program = ServerProgram("deaf", [sys.executable, "-c", code], folder=tmp_path, answers=ready.exists)
    program.start()
    assert program.stop() == -signal.SIGKILL


def test_ports_are_remembered_and_new_ones_added(tmp_path):
    first = remembered_ports(tmp_path / "ports.json", 3)
    again = remembered_ports(tmp_path / "ports.json", 5)
    assert again[:3] == first
    assert len(set(again)) == 5
    assert remembered_ports(tmp_path / "ports.json", 2) == first[:2]
