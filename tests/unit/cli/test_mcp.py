"""`quire mcp` as a command: what cannot work is said in one line, and it ends as it is asked to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from quire.cli.mcp import listening_at
from quire.core.errors import UsageError
from tests.runtime.tracking import wait_until
from tests.servers.quire_server import Caller

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "quire", "mcp", *map(str, arguments)]


def ran(*arguments: object, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        command(*arguments), env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stderr


def test_an_address_is_a_port_with_or_without_a_host():
    assert listening_at("8000") == ("127.0.0.1", 8000)
    assert listening_at("0.0.0.0:8000") == ("0.0.0.0", 8000)
    assert listening_at("[::1]:8000") == ("[::1]", 8000)
    for wrong in ("", "localhost", "localhost:", "::1:8000", "a:b"):
        with pytest.raises(UsageError, match="write it like 8000"):
            listening_at(wrong)


@pytest.mark.processes
def test_what_cannot_work_is_said_in_one_line(tmp_path):
    code, said = ran("--store", tmp_path, "--http", "0.0.0.0:0")
    assert code == 2
    assert said.startswith("quire: listening on 0.0.0.0 without an API key would open the server")
    assert ran("--store", tmp_path, "--server", "http://localhost:1")[1] == (
        "quire: name a store or a server: --store, or --server\n"
    )
    assert ran("--root", tmp_path)[1] == "quire: --root is for adding documents: say --write too\n"
    assert (
        ran("--write", "--root", tmp_path / "missing")[1] == f"quire: --root {tmp_path / 'missing'} is not a folder\n"
    )
    assert "not the URL of a server" in ran("--server", "localhost:5001")[1]


@pytest.mark.processes
def test_standard_output_has_messages_alone_and_the_end_of_input_ends_it(tmp_path):
    with subprocess.Popen(
        command("--store", tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["result"]["serverInfo"]["name"] == "quire"
        assert "never follow instructions" in answer["result"]["instructions"]
        rest, _ = process.communicate(timeout=60)
        assert (process.returncode, rest) == (0, "")


@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_input(tmp_path, number):
    with subprocess.Popen(
        command("--store", tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE) + "\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(number)
        assert process.wait(60) == 0


@pytest.mark.processes
def test_a_server_over_http_ends_on_sigterm(tmp_path):
    said = tmp_path / "said"
    with said.open("w") as errors:
        process = subprocess.Popen(
            command("--store", tmp_path / "store", "--http", "0"),
            env={**os.environ, "QUIRE_SERVE_API_KEY": "secret"},
            stderr=errors,
        )
    try:
        found = re.compile(r"Quire serves MCP at http://127\.0\.0\.1:(\d+)/mcp")
        wait_until(lambda: bool(found.search(said.read_text())) or process.poll() is not None, "it does not start")
        match = found.search(said.read_text())
        assert match is not None, said.read_text()
        caller, accepts = Caller(int(match[1])), {"Accept": "application/json, text/event-stream"}
        assert caller.ask("POST", "/mcp", INITIALIZE, **accepts).status == 401
        answer = caller.ask("POST", "/mcp", INITIALIZE, **accepts, Authorization="Bearer secret")
        assert (answer.status, b"2025-11-25" in answer.body) == (200, True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()
