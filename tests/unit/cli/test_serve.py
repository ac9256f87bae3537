"""`quire serve` as a command: what cannot work is said in one line, and it ends as it is asked to."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.runtime.tracking import wait_until
from tests.servers.quire_server import Caller

pytestmark = pytest.mark.processes


def ran(*arguments, **environment) -> tuple[int, str]:
    command = [sys.executable, "-m", "quire", "serve", *map(str, arguments)]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stderr


@contextmanager
def serving(tmp_path, *arguments, **environment):
    """A server on a free port, what it says, and its process."""
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "quire", "serve", "--port", "0", "--store", str(tmp_path / "store"), *arguments],
            env={**os.environ, **environment},
            stderr=said,
        )
    try:
        found = re.compile(r"Quire serves http://127\.0\.0\.1:(\d+)")

        def text():
            return (tmp_path / "said").read_text()

        wait_until(lambda: bool(found.search(text())) or process.poll() is not None, "it does not start")
        match = found.search(text())
        assert match is not None, text()
        yield Caller(int(match[1])), text, process
    finally:
        process.kill()
        process.wait()


def test_what_cannot_work_is_said_in_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = ran("--port", port, "--store", tmp_path)
    assert (code, said) == (
        2,
        f"quire: cannot listen on 127.0.0.1, port {port}: Address already in use; "
        "choose another with --host and --port\n",
    )
    code, said = ran("--port", "70000", "--store", tmp_path)
    assert (code, said.count("\n")) == (2, 1)
    (tmp_path / "file").write_text("no folder")
    code, said = ran("--port", "0", "--store", tmp_path / "file")
    assert said.startswith("quire: ") and "Traceback" not in said and code not in (0, 1)
    code, said = ran("--host", "0.0.0.0", "--store", tmp_path, QUIRE_SERVE_API_KEY="")
    assert code == 2 and "without an API key" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_it_is_asked_to(tmp_path, number):
    with serving(tmp_path, DOCLING_SERVE_ENG_KIND="rq") as (_, text, process):
        process.send_signal(number)
        assert process.wait(60) == 0, text()
        said = text().splitlines()
    assert said[0] == "Settings without a meaning here: DOCLING_SERVE_ENG_KIND"
    assert len(said) == 2, "neither a traceback nor a log"


def test_settings_of_operators_are_honoured(tmp_path):
    settings = {
        "DOCLING_SERVE_LOG_LEVEL": "info",
        "DOCLING_SERVE_LOG_FORMAT": "json",
        "DOCLING_SERVE_SCRATCH_PATH": str(tmp_path / "scratch"),
        "DOCLING_SERVE_ENABLE_API_DOCS": "false",
        "DOCLING_SERVE_OTEL_ENABLE_PROMETHEUS": "false",
        "DOCLING_SERVE_SHOW_VERSION_INFO": "false",
    }
    with serving(tmp_path, **settings) as (caller, text, _):
        assert caller.get("/health?api_key=hidden", X_Docling_Log_Job="seven").json == {"status": "ok"}
        assert [caller.get(path).status for path in ("/docs", "/openapi.json", "/metrics", "/version")] == [404] * 3 + [
            403
        ]
        wait_until(lambda: '"path": "/version"' in text(), "requests are not logged")
        line = next(line for line in text().splitlines() if '"/health"' in line)
    assert '"job": "seven"' in line and '"status": 200' in line
    assert "hidden" not in line, "a query may have a key"
    assert (tmp_path / "scratch").is_dir()


def test_figures_may_have_a_port_of_their_own(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with serving(tmp_path, DOCLING_SERVE_METRICS_PORT=str(port)) as (caller, _, _):
        assert caller.get("/metrics").status == 404
        answer = Caller(port).get("/metrics")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        assert b"quire_tasks" in answer.body
