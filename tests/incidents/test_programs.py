"""Plain programs that read scans: scripts without a guard, engines of strangers, and the command line."""

from __future__ import annotations

import json

import pytest

from tests import scans
from tests.fakes.engines import said_of

pytestmark = pytest.mark.processes

OWN_ENGINE = """
import quire
from quire.core.engine import ReadLine, Recognition
from quire.core.keys import Profile
from quire.pages.recognize.codec import decode_recognitions, encode_recognitions
from quire.core.types import BBox

class Mine:
    name, version, policy, timeout_s, max_concurrency = "mine", "1", "cpu", 10.0, 4
    capabilities, languages, profile = frozenset({"text"}), None, Profile()

    def ask(self, picture, question, partial=None):
        line = ReadLine("Read by my own script.", BBox(0.1, 0.1, 0.5, 0.1))
        return encode_recognitions([Recognition(self.name, (line,))])

    def interpret(self, answer, question):
        return decode_recognitions(answer, engine=self.name)

for page in quire.read("scan.pdf", engines=Mine()).pages:
    print(page.text)
"""
OWN_FUNCTION = """
import quire
from quire.recognize import from_function
def look(picture, question):
    return "Read by my own script."
for page in quire.read("scan.pdf", engines=from_function("mine", look)).pages:
    print(page.text)
"""
DEFAULT = """
import quire
print(quire.read("scan.pdf").to_text())
"""


@pytest.fixture
def fine(stranger):
    """A stranger's engine that behaves."""
    return stranger("raise")


@pytest.mark.parametrize("code", [OWN_ENGINE, OWN_FUNCTION], ids=["class", "function"])
def test_an_engine_of_the_users_own_script_needs_no_guard(fine, code):
    (fine.folder / "script.py").write_text(code)
    (fine.folder / "scan.pdf").write_bytes(scans.numbered_scans(2))
    run = fine.run("script.py")
    assert (run.stdout, run.stderr) == ("Read by my own script.\n" * 2, "")


def test_a_plain_script_reads_a_scan_with_the_engine_that_is_there(fine):
    (fine.folder / "script.py").write_text(DEFAULT)
    (fine.folder / "scan.pdf").write_bytes(scans.scanned(scans.slip()))
    run = fine.run("script.py")
    assert run.stderr == ""
    assert run.stdout.split() == " ".join(scans.SLIP_LINES).split()


def test_the_engine_of_another_package_is_found_by_its_name_here_and_in_workers(fine):
    (fine.folder / "scan.pdf").write_bytes(scans.numbered_scans(3))
    run = fine.run("-m", "quire", "read", "-q", "scan.pdf", "--engine", "stranger", "--to", "json")
    assert (run.returncode, run.stderr) == (0, "")
    assert [block["text"] for block in json.loads(run.stdout)["blocks"]] == [said_of(n) for n in (1, 2, 3)]
    assert sorted(fine.calls) == ["stranger 1", "stranger 2", "stranger 3"]
    assert "stranger" in fine.run("-m", "quire", "engines").stdout


def test_a_page_that_nobody_could_read_is_named_and_makes_the_exit_code_3(stranger):
    program = stranger("segfault", 2)
    (program.folder / "scan.pdf").write_bytes(scans.numbered_scans(3))
    arguments = ("read", "-q", "scan.pdf", "--engine", "stranger", "--to", "json", "--trace", "--store", "store")
    run = program.run("-m", "quire", *arguments)
    assert run.returncode == 3
    assert run.stderr.startswith("quire: scan.pdf: page 2 failed: no engine could read it (stranger crashed: ")
    assert len(run.stderr.splitlines()) == 1
    told = json.loads(run.stdout)
    assert [page["status"] for page in told["document"]["pages"]] == ["ok", "failed", "ok"]
    attempts = {entry["page"]: [one["outcome"] for one in entry["attempts"]] for entry in told["trace"]}
    assert attempts == {1: ["ok"], 2: ["crashed"], 3: ["ok"]}
    program.mend()
    again = program.run("-m", "quire", *arguments)
    assert (again.returncode, again.stderr) == (0, "")
    assert sorted(program.calls) == ["stranger 1", "stranger 2", "stranger 2", "stranger 3"]
