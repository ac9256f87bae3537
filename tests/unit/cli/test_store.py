"""`quire store` as people meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import quire
from quire.cli.app import command_line
from quire.core.keys import digest_bytes
from tests import documents

pytestmark = pytest.mark.processes


def run(*arguments: str | Path) -> Result:
    ended = CliRunner().invoke(command_line("store"), ["store", *map(str, arguments)])
    assert "Traceback" not in ended.stderr
    return ended


@pytest.fixture
def report(saved) -> Path:
    return saved(documents.simple(3))


@pytest.fixture
def place(tmp_path, report) -> Path:
    """A store in which that document was read."""
    quire.read(report, store=tmp_path / "store")
    return tmp_path / "store"


def test_the_report_says_how_much_there_is_of_what(place):
    told = run("report", "--store", place)
    assert (told.exit_code, told.stderr) == (0, "")
    assert "1 document, " in told.stdout
    assert "native-text" in told.stdout
    found = json.loads(run("report", "--store", place, "--json").stdout)
    assert found["documents"] == 1
    assert found["artifacts"] == sum(stage["artifacts"] for stage in found["stages"])
    assert found["bytes"] - found["shared_bytes"] == found["content_bytes"] == found["pack_bytes"]
    assert found["holes"] == 0
    assert found["runs"] == {}


def test_garbage_is_collected(place):
    (place / "waiting" / "left").write_bytes(b"half")
    assert "would remove nothing" in run("gc", "--store", place, "--dry-run").stdout
    found = json.loads(run("gc", "--store", place, "--json").stdout)
    assert (found["dry_run"], found["bytes"]) == (False, 0)
    assert "removed nothing: 0 bytes" in run("gc", "--store", place, "--unused-days", "1").stdout


def test_answers_are_forgotten_only_after_a_time(place):
    told = run("gc", "--store", place, "--answers")
    assert told.exit_code == 2
    assert "--unused-days" in told.stderr


def test_a_document_is_deleted_by_its_file(place, report):
    id = digest_bytes(report.read_bytes())
    assert f"would delete {id}" in run("delete", report, "--store", place, "--dry-run").stdout
    told = run("delete", report, "--store", place, "--yes")
    assert (told.exit_code, told.stderr) == (0, "")
    assert f"deleted {id}" in told.stdout
    assert report.exists()
    assert json.loads(run("report", "--store", place, "--json").stdout)["artifacts"] == 0
    assert "not in the store" in run("delete", report, "--store", place, "--yes").stdout


def test_a_document_is_deleted_by_the_beginning_of_its_id(place, report):
    (deleted,) = json.loads(
        run("delete", digest_bytes(report.read_bytes())[:8], "--store", place, "--yes", "--json").stdout
    )
    assert deleted["document"] == digest_bytes(report.read_bytes())
    assert deleted["facts"] > 3


def test_nothing_is_deleted_without_a_yes(place, report):
    told = run("delete", report, "--store", place)
    assert told.exit_code == 2
    assert "--yes" in told.stderr
    assert json.loads(run("report", "--store", place, "--json").stdout)["artifacts"] > 3


def test_a_document_that_nobody_knows_is_a_mistake(place):
    told = run("delete", "nowhere.pdf", "--store", place, "--yes")
    assert told.exit_code == 2
    assert "has no document nowhere.pdf" in told.stderr


def test_a_folder_without_a_store_is_left_alone(tmp_path):
    told = run("report", "--store", tmp_path)
    assert told.exit_code == 2
    assert list(tmp_path.iterdir()) == []
