"""`quire workspace` and `quire catalog --against` as people meet them."""

from __future__ import annotations

import json

import pytest

from tests import documents
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    made = Desk(tmp_path)
    (tmp_path / "task.md").write_text("Find the cargo.")
    (tmp_path / "schema.json").write_text('{"type": "object", "properties": {"cargo": {"type": "string"}}}')
    made.add("table.pdf", documents.ruled_table())
    return made


def test_a_workspace_is_built_shown_and_verified(desk):
    build = ("workspace", "build", "task.md", "in/table.pdf", "--schema", "schema.json", "-o", "work")
    built = desk.json(*build)
    assert [one["path"] for one in built["files"]][:3] == [
        "input/document.pdf",
        "input/pages/page-001.png",
        "input/schema.json",
    ]
    assert built["digest"] in desk.quire("workspace", "verify", "work").stdout
    (desk.folder / "work/output/answer.json").write_text("{}")
    (desk.folder / "work/output/script.sh").write_text("echo")
    shown = desk.quire("workspace", "show", "work").stdout
    assert "output/answer.json" in shown
    assert "output/script.sh: it is not an expected file" in shown
    assert desk.json(*build, "--store", "cache")["digest"] == built["digest"]
    assert (desk.folder / "work/output/answer.json").read_text() == "{}"


def test_a_changed_input_is_named_and_the_command_fails(desk):
    desk.quire("workspace", "build", "task.md", "in/table.pdf", "-o", "work")
    (desk.folder / "work/input/task.md").unlink()
    assert desk.quire("workspace", "verify", "work", code=9).stdout == "input/task.md: missing\n"
    faults = desk.json("workspace", "verify", "work", code=9)["faults"]
    assert faults == [{"path": "input/task.md", "fault": "missing"}]


def test_wrong_inputs_are_refused_and_nothing_is_left(desk):
    desk.add("broken.pdf", BROKEN)
    desk.quire("workspace", "build", "task.md", "in/broken.pdf", "-o", "work", code=5)
    assert not (desk.folder / "work").exists()
    assert "is not a workspace" in desk.quire("workspace", "verify", "in", code=2).stderr
    assert "the task no.md cannot be read" in desk.quire("workspace", "build", "no.md", "in", "-o", "w", code=2).stderr
    command = ("workspace", "build", "task.md", "in/table.pdf", "--template", "no.xlsx", "-o", "w")
    assert "the template no.xlsx cannot be read" in desk.quire(*command, code=2).stderr


def test_a_catalog_is_compared_with_an_earlier_one(desk):
    earlier = desk.quire("catalog", "in/table.pdf").stdout
    (desk.folder / "catalog.jsonl").write_text(earlier)
    assert "0 added, 0 removed, 0 moved" in desk.quire("catalog", "in/table.pdf", "--against", "catalog.jsonl").stdout
    kept = [line for line in earlier.splitlines() if json.loads(line)["level"] != "chunk"][1:]
    (desk.folder / "catalog.jsonl").write_text("\n".join(kept))
    changes = desk.json("catalog", "in/table.pdf", "--against", "catalog.jsonl")
    assert {row["level"] for row in changes["added"]} == {"chunk", "block"}
    assert changes["removed"] == changes["moved"] == []
    assert "is for a comparison" in desk.quire("catalog", "in", "--json", code=2).stderr
    assert "cannot be read" in desk.quire("catalog", "in", "--against", "no.jsonl", code=2).stderr
