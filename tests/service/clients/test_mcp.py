"""The inspector and the conformance suite of the Model Context Protocol, from npm and unchanged, against `quire mcp`.

The scenarios of the suite that any server can pass; the others call tools that only a server made for them has.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import documents
from tests.runtime.tracking import wait_until
from tests.service.clients.conftest import needed

SCENARIOS = (
    *("server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"),
    *("http-header-validation", "sep-2164-resource-not-found"),
)
FAILED = {"server-stateless": "2", "caching": "1"}
"""Scenarios in which some checks are about a tool, or about prompts, that this server does not have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A store, and a file to add to it."""
    made = tmp_path_factory.mktemp("mcp")
    (made / "files").mkdir()
    (made / "files" / "ledger.pdf").write_bytes(documents.ruled_table())
    return made


@pytest.fixture(scope="module")
def clients() -> Path:
    return needed("mcp_clients")


def command(folder: Path, *arguments: str) -> list[str]:
    place = ["--store", str(folder / "store"), "--write", "--root", str(folder / "files")]
    return [sys.executable, "-m", "quire", "mcp", *place, *arguments]


@pytest.fixture(scope="module")
def endpoint(folder) -> Iterator[str]:
    """The URL of a server without a key."""
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(command(folder, "--http", "0"), stderr=said)
    try:
        found = re.compile(r"Quire serves MCP at (\S+)")
        wait_until(lambda: found.search((folder / "said").read_text()) is not None, "it does not start")
        match = found.search((folder / "said").read_text())
        assert match is not None
        yield match[1]
    finally:
        process.terminate()
        process.wait(60)


INSPECTOR = "inspector/clients/launcher/build/index.js"
PATIENTLY = ("--connect-timeout", "90000")
"""A busy machine starts a program in more than the 15 s that the inspector waits."""


def ran(clients: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    called = [str(clients / "node"), str(clients / "node_modules" / "@modelcontextprotocol" / program), *arguments]
    environment = {**os.environ, "HOME": str(clients), "NO_COLOR": "1"}
    return subprocess.run(called, capture_output=True, text=True, timeout=120, check=False, env=environment)


def inspected(clients: Path, *arguments: str) -> dict:
    done = ran(clients, INSPECTOR, "--cli", *arguments, *PATIENTLY)
    assert done.returncode == 0, done.stderr
    answer: dict = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_of_the_conformance_suite(clients, endpoint, scenario):
    done = ran(clients, "conformance/dist/index.js", "server", "--url", endpoint, "--scenario", scenario)
    passed = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", done.stdout)
    assert passed is not None, done.stdout + done.stderr
    assert passed[1] == passed[2] != "0"
    assert done.returncode == 0


@pytest.mark.parametrize("scenario", FAILED)
def test_a_scenario_but_for_what_this_server_does_not_have(clients, endpoint, scenario):
    done = ran(clients, "conformance/dist/index.js", "server", "--url", endpoint, "--scenario", scenario)
    assert f", {FAILED[scenario]} failed, 0 warnings" in done.stdout, done.stdout
    failed = re.findall(r"\[([\w-]+?) *\] \S*FAILURE", done.stdout)
    assert {*failed} <= {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2549-prompts-list-caching-hints",
    }
    assert failed


def test_the_inspector_finds_no_fault_in_the_tools(clients, folder):
    given = [f"{name}={os.environ[name]}" for name in ("PYTHONPATH",) if name in os.environ]
    program = [*command(folder), *(part for one in given for part in ("-e", one))]
    done = ran(clients, INSPECTOR, "--cli", *program, "--method", "tools/list", "--strict", *PATIENTLY)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["tools"]) == 8
    assert "Issue" not in done.stderr


def test_the_inspector_adds_a_document_and_reads_it(clients, endpoint):
    call = [endpoint, "--transport", "http", "--method", "tools/call", "--tool-name"]
    added = inspected(clients, *call, "documents", "--tool-arg", "action=add", "path=ledger.pdf")
    (document,) = added["structuredContent"]["documents"]
    read = inspected(clients, *call, "read_pages", "--tool-arg", f"document={document['id']}")
    assert "Easthaven" in read["content"][0]["text"]
    page = f"quire://documents/{document['id']}/pages/1"
    resource = inspected(clients, endpoint, "--transport", "http", "--method", "resources/read", "--uri", page)
    assert "Easthaven" in resource["contents"][0]["text"]
