"""Programs with a pipeline of their own: killed right after they paid, and two that ask the same at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import closing

import pytest

from quire.database.sqlite import SqliteDatabase
from tests import scans
from tests.fakes.engines import calls, said_of
from tests.fakes.strangers import ROOT
from tests.runtime.tracking import wait_until

pytestmark = pytest.mark.processes

PROGRAM = """
import json, os, signal, sys
from pathlib import Path
from quire.pipeline import Pipeline
from quire.pages.recognize.engine_registry import make

def told(event):
    if os.environ.get("DIES") and (event.stage, event.kind) == ("recognize", "progress") and "done" in event.payload:
        os.kill(os.getpid(), signal.SIGKILL)

pipeline = Pipeline(make("stranger"), cache=sys.argv[1], on_event=told)
print(json.dumps([page.text for page in pipeline("scan.pdf").pages]))
"""
CRASH = """
from quire.pipeline import Pipeline
from quire.pages.recognize.engine_registry import make
result = Pipeline(make("stranger"))("scan.pdf")
print([page.status for page in result.pages], "and the program goes on")
"""


@pytest.fixture
def program(stranger):
    """A folder with a scan of two pages and a program; gives the engine of a stranger that it uses."""

    def make(code, how, *on):
        engine = stranger(how, *on)
        (engine.folder / "scan.pdf").write_bytes(scans.numbered_scans(2))
        (engine.folder / "program.py").write_text(code)
        return engine

    return make


@pytest.mark.parametrize("how", ["exit", "segfault"])
def test_an_engine_that_crashes_leaves_the_program_alive(program, how):
    run = program(CRASH, how, 2).run("program.py")
    assert (run.stdout, run.returncode) == ("['ok', 'failed'] and the program goes on\n", 0)


def test_a_paid_answer_survives_the_death_of_the_program(program, tmp_path):
    engine = program(PROGRAM, "raise")
    engine.environment["DIES"] = "after the first answer"
    assert engine.run("program.py", tmp_path / "answers").returncode == -signal.SIGKILL
    assert engine.calls == ["stranger 1"]
    del engine.environment["DIES"]
    run = engine.run("program.py", tmp_path / "answers")
    assert json.loads(run.stdout) == [said_of(1), said_of(2)]
    assert engine.calls == ["stranger 1", "stranger 2"]


def test_two_programs_that_ask_the_same_at_once_ask_once(program, tmp_path):
    engine = program(PROGRAM, "wait", 1)
    with engine.program("program.py", tmp_path / "answers") as one:
        wait_until(lambda: engine.waiting == 1, "nobody asks the engine")
        with engine.program("program.py", tmp_path / "answers") as other:
            wait_until(lambda: len(owners(tmp_path / "answers")) == 2, "the second does not ask for the claim")
            engine.mend()
            texts = [json.loads(process.communicate(timeout=120)[0]) for process in (one, other)]
    assert texts == [[said_of(1), said_of(2)]] * 2
    assert sorted(engine.calls) == ["stranger 1", "stranger 2"]


def test_reads_and_pipelines_of_two_programs_share_one_engine_and_never_wait_for_each_other(tmp_path):
    log, document = tmp_path / "calls", tmp_path / "scan.pdf"
    document.write_bytes(scans.numbered_scans(4))
    command = [sys.executable, "-m", "tests.incidents.asking_mixed", tmp_path / "store", document, log]
    programs = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        said = [program.communicate(timeout=240)[0].strip() for program in programs]
    finally:
        for program in programs:
            program.kill()
            program.wait()
    assert said == ["\n\n".join(said_of(number) for number in (1, 2, 3, 4))] * 2
    assert sorted(calls(log)) == sorted(set(calls(log))), "a question was asked twice"


def owners(store):
    """The processes that have claims in a store, or wait for one."""
    with closing(SqliteDatabase(store / "facts.sqlite3")) as database:
        return database.rows("SELECT owner FROM owners")
