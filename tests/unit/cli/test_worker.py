"""`quire worker` and `quire up`: what is wrong with the call, or missing on the machine, is said at once."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from quire.cli.app import app


def run(*arguments: str, environment: dict[str, str] | None = None) -> tuple[int, str]:
    told = CliRunner().invoke(app, list(arguments), env={"QUIRE_STORE": "", **(environment or {})})
    return told.exit_code, told.output


def test_a_worker_needs_a_store():
    code, said = run("worker")
    assert (code, "--store" in said) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--pool", "ocr"], "choose from tasks, documents, pages, recognize"),
        (["--limit", "recognize=4"], "--register"),
        (["--limit", "recognize", "--register", "http://127.0.0.1:1"], "recognize=4"),
        (["--limit", "recognize=0", "--register", "http://127.0.0.1:1"], "recognize=4"),
        (["--limit", "ocr=1", "--register", "http://127.0.0.1:1"], "choose from"),
    ],
)
def test_what_is_wrong_with_a_worker_is_said(tmp_path, arguments, told):
    code, said = run("worker", "--store", str(tmp_path / "store"), *arguments)
    assert code == 2
    assert told in said
    assert not (tmp_path / "store").exists()


def test_an_address_that_is_none_is_said(tmp_path):
    code, said = run("worker", "--store", str(tmp_path / "store"), "--bind", "here")
    assert code == 4
    assert "127.0.0.1:9080" in said


def test_a_server_that_is_not_there_ends_the_worker(tmp_path):
    code, said = run(
        "worker", "--store", str(tmp_path / "store"), "--bind", "127.0.0.1:0", "--register", "http://127.0.0.1:1"
    )
    assert code == 10
    assert "no Restate server answers at http://127.0.0.1:1" in said


@pytest.mark.parametrize("arguments", [(), ("--local-cluster",)])
def test_up_names_everything_that_is_missing_before_it_starts_anything(tmp_path, monkeypatch, arguments):
    monkeypatch.setattr("quire.cli.devcluster.postgres.find_programs", lambda: None)
    monkeypatch.setattr("quire.cli.devcluster.haproxy.find_program", lambda: None)
    monkeypatch.setitem(sys.modules, "psycopg", None)  # as if it was not installed
    folder = tmp_path / "cluster"
    environment = {"QUIRE_RESTATE_SERVER": str(tmp_path / "nothing")}
    code, said = run("up", "--folder", str(folder), *arguments, environment=environment)
    assert code == 4
    assert "the Python package psycopg: pip install" in said
    assert not folder.exists()
    assert "apt install postgresql" in said
    assert "apt install haproxy" in said
    assert "npm install" in said
