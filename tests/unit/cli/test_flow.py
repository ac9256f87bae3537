"""`quire flow`: list, show, check and test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quire.cli.app import app
from tests import documents

FLOW = """
name: mine
description: Mine alone.
inputs: {source: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - {id: kind, component: pages, input: {document: {$step: document}}}
output: {pages: {$step: kind, path: page_count}}
test:
  cases:
    - {name: two pages, input: {source: ../report.pdf}, output: {pages: 2}}
    - {name: three pages, input: {source: ../report.pdf}, output: {pages: 3}}
"""


@pytest.fixture
def here(tmp_path, saved, monkeypatch) -> Path:
    saved(documents.simple(2))
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "mine.yaml").write_text(FLOW)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def quire(*arguments: str) -> tuple[int, str, str]:
    ran = CliRunner().invoke(app, ["flow", *arguments])
    return ran.exit_code, ran.stdout, ran.stderr


def test_list_shows_shipped_flows_and_ones_own(here):
    code, out, _ = quire("list")
    assert code == 0
    assert any(line.startswith("read ") for line in out.splitlines())
    assert out.splitlines()[-1] == "mine           Mine alone. [flows/mine.yaml]"


def test_list_does_not_stumble_over_a_bad_file(here):
    (here / "flows" / "bad.yaml").write_text("name: [")
    code, out, _ = quire("list", "--json")
    assert code == 0
    flows = {flow["name"]: flow for flow in json.loads(out)["flows"]}
    assert "cannot be used" in flows["bad"]["error"]
    assert flows["mine"]["inputs"] == {"source": {"type": "document"}}


def test_show_tells_inputs_steps_and_outputs(here):
    code, out, _ = quire("show", "tables")
    assert code == 0
    assert '  formats (list of string, ["csv", "xlsx"] by default): as --to of quire read names them' in out
    assert "  files: export, after document" in out
    assert "  status (one of complete, partial)" in out


def test_show_can_write_the_definition(here):
    _, out, _ = quire("show", "mine", "--json")
    assert json.loads(out)["steps"][1] == {
        "id": "kind",
        "component": "pages",
        "input": {"document": {"$step": "document"}},
    }


def test_check_tells_every_mistake_with_its_line(here):
    (here / "flows" / "bad.yaml").write_text("name: bad\nsteps:\n  - {id: a, component: raed}\noutput: {$step: b}\n")
    code, out, err = quire("check", "bad", "mine")
    assert code == 2
    assert err.splitlines() == [
        "flows/bad.yaml:3: step 'a': there is no component 'raed'; did you mean read?",
        "flows/bad.yaml:4: there is no step 'b'; choose from a",
    ]
    assert out == "flows/mine.yaml: 2 steps, 2 test cases\n"


def test_check_of_everything_that_ships_passes(here):
    code, out, _ = quire("check")
    assert code == 0
    assert len(out.splitlines()) == 15


@pytest.mark.processes
def test_test_shows_what_passes_and_what_differs(here):
    code, out, _ = quire("test", "mine", "--workers", "1")
    assert code == 1
    assert out.splitlines() == [
        "pass  mine: two pages",
        "FAIL  mine: three pages",
        "      output.pages: expected 3, got 2",
        "1 of 2 cases passed",
    ]


@pytest.mark.processes
def test_test_can_run_one_case(here):
    code, out, _ = quire("test", "flows/mine.yaml", "--case", "two pages", "--workers", "1")
    assert code == 0
    assert out.splitlines()[-1] == "1 of 1 cases passed"


def test_a_case_that_is_not_there_is_told(here):
    code, _, err = quire("test", "mine", "--case", "four")
    assert code == 2
    assert "no test case found" in err


def test_an_unknown_flow_is_told(here):
    code, _, err = quire("show", "mien")
    assert code == 2
    assert "there is no flow 'mien'; did you mean mine?" in err


@pytest.mark.processes
def test_the_cases_of_the_shipped_flows_pass(here):
    reading = ("read", "read-text", "recognise", "searchable", "tables", "chunks")
    code, out, _ = quire("test", "--workers", "1", *reading, "forms", "drawings", "discover")
    assert code == 0, out
