"""The manifest: whole rows, in order, from the stream of events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quire.batch import (
    ItemOutcome,
    ManifestWriter,
    StageError,
    StageOptions,
    StagePlan,
    WorkItem,
    read_manifest,
    rows_of,
    run_stage,
)
from quire.batch.manifest import FIELDS
from quire.core.errors import InputError, StoreError, UsageError
from quire.core.events import Event
from tests.fakes import stage_workers


def ended(name, *, kind="finished", status="ok", at=0.0, **payload):
    payload = {"status": status, "attempts": 1, **payload}
    return Event(f"r/document/{kind}/{name}", "r", 1, kind, "document", name, payload=payload, at=at)


def test_a_stage_writes_its_manifest(tmp_path):
    path = tmp_path / "manifest.jsonl"
    items = [WorkItem(name, {"pdf": f"{name}.pdf"}, {"md": tmp_path / f"{name}.md"}) for name in "ab"]

    def worker(item):
        if item.item_id == "b":
            raise ValueError("no")
        item.outputs["md"].write_text("text")
        return {"pages": 3, "engines": ["tesseract"]}

    with ManifestWriter(path) as manifest:
        run_stage(StagePlan("read", items), worker, StageOptions(workers=1), on_event=manifest, run="r1")
    first, second = read_manifest(path)
    assert list(first)[: len(FIELDS)] == list(FIELDS)
    assert {name: first[name] for name in FIELDS if name not in ("duration_s", "at")} == {
        "stage": "read",
        "doc_id": "a",
        "status": "ok",
        "input_path": "a.pdf",
        "input_hash": None,
        "output_path": str(tmp_path / "a.md"),
        "output_key": None,
        "schema_version": "quire/1",
        "attempts": 1,
        "category": None,
        "engines": ["tesseract"],
        "run": "r1",
    }
    assert first["pages"] == 3
    assert (second["status"], second["category"], second["reason"]) == ("failed", "unknown", "ValueError: no")


@pytest.mark.parametrize("field", ["status", "doc_id", "name", "category", "attempts", "output_path"])
def test_no_field_of_a_worker_replaces_one_of_the_manifest(tmp_path, field):
    def worker(item):
        item.outputs["md"].write_text("text")
        error = StageError("read", item.item_id, "input", "it is torn") if item.item_id == "torn" else None
        return ItemOutcome("failed" if error else "ok", error=error, manifest={field: "ok", "pages": 3})

    path = tmp_path / "manifest.jsonl"
    items = [WorkItem(name, outputs={"md": tmp_path / f"{name}.md"}) for name in ("torn", "whole")]
    with ManifestWriter(path) as manifest:
        outcome = run_stage(StagePlan("read", items), worker, StageOptions(workers=1), on_event=manifest)
    assert outcome.failed == 2
    torn, whole = read_manifest(path)
    clash = f"the worker returned the field {field}, which the manifest has itself; give it another name"
    assert (torn["status"], torn["category"], torn["reason"]) == ("failed", "input", f"it is torn; {clash}")
    assert (whole["status"], whole["category"], whole["reason"]) == ("failed", "usage", clash)
    assert [(row["doc_id"], row["attempts"]) for row in (torn, whole)] == [("torn", 1), ("whole", 1)]
    assert whole["output_path"] == str(tmp_path / "whole.md")


@pytest.mark.parametrize(("content", "what"), [(None, "was not written"), ("", "is empty")])
def test_an_item_fails_whose_declared_output_is_not_there(tmp_path, content, what):
    def worker(item):
        item.outputs["md"].write_text("text")
        if content is not None:
            item.outputs["csv"].write_text(content)

    item = WorkItem("a", outputs={"md": tmp_path / "a.md", "csv": tmp_path / "a.csv"})
    outcome = run_stage(StagePlan("read", [item]), worker)
    expected = f"the output {tmp_path}/a.csv {what}; the worker must write what the item declares"
    assert [(error.category, error.message) for error in outcome.errors] == [("runtime", expected)]


def test_events_that_end_no_item_have_no_row():
    others = [
        Event("1", "r", 1, "started", "document", "a"),
        Event("2", "r", 2, "finished", "document", payload={"status": "ok"}),
        Event("3", "r", 3, "finished", "native-text", "a", 4, payload={"status": "ok"}),
        Event("4", "r", 4, "finished", "read", "a", payload={"pages": 3}),
    ]
    assert list(rows_of(others)) == []


def test_rows_of_stored_events_are_those_of_the_file(tmp_path):
    events = []
    with ManifestWriter(tmp_path / "m.jsonl") as manifest:
        for sink in (manifest, events.append):
            for name in "abc":
                sink(ended(name, at=1.5))
    assert list(rows_of(events)) == list(read_manifest(tmp_path / "m.jsonl"))


def test_rows_can_be_chosen(tmp_path):
    path = tmp_path / "m.jsonl"
    with ManifestWriter(path) as manifest:
        for number in range(10):
            failed = number % 2
            manifest(
                ended(
                    str(number), kind="failed" if failed else "finished", status="failed" if failed else "ok", at=number
                )
            )

    def chosen(**asked):
        return [row["doc_id"] for row in read_manifest(path, **asked)]

    assert chosen(tail=2) == ["8", "9"]
    assert chosen(filters={"status": "failed"}, tail=2) == ["7", "9"]
    assert chosen(filters={"status": "failed", "attempts": "1"}, since=datetime.fromtimestamp(5, UTC)) == [
        "5",
        "7",
        "9",
    ]
    assert chosen(tail=0) == []
    with pytest.raises(UsageError, match="tail is -1"):
        chosen(tail=-1)


@pytest.mark.parametrize("torn", ['{"stage": "docu', '{"sta\n{"x'])
def test_a_torn_last_row_of_a_killed_process_is_removed(tmp_path, torn):
    path = tmp_path / "m.jsonl"
    with ManifestWriter(path) as manifest:
        manifest(ended("a"))
    whole = path.read_bytes()
    with path.open("a") as file:
        file.write(torn.split("\n")[-1])
    assert [row["doc_id"] for row in read_manifest(path)] == ["a"]
    with ManifestWriter(path) as manifest:
        assert path.read_bytes() == whole
        manifest(ended("b"))
    assert [row["doc_id"] for row in read_manifest(path)] == ["a", "b"]


def test_a_row_that_lacks_only_its_end_is_kept(tmp_path):
    path = tmp_path / "m.jsonl"
    with ManifestWriter(path) as manifest:
        manifest(ended("a"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with ManifestWriter(path) as manifest:
        manifest(ended("b"))
    assert [row["doc_id"] for row in read_manifest(path)] == ["a", "b"]


def test_a_last_row_longer_than_any_buffer_is_removed(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"doc_id": "a"}\n{"x": "' + "y" * 300_000)
    ManifestWriter(path).close()
    assert path.read_text() == '{"doc_id": "a"}\n'


@pytest.mark.processes
def test_processes_that_share_a_file_write_whole_rows_in_their_order(tmp_path):
    path = tmp_path / "m.jsonl"
    script = (
        "import sys\n"
        "from quire.batch import ManifestWriter\n"
        "from tests.unit.batch.test_manifest import ended\n"
        "with ManifestWriter(sys.argv[1]) as manifest:\n"
        "    for number in range(200):\n"
        "        manifest(ended(f'{sys.argv[2]}-{number}', note='x' * (number * 50)))\n"
    )
    programs = [
        subprocess.Popen([sys.executable, "-c", script, path, name], env={**os.environ, "PYTHONPATH": str(Path.cwd())})
        for name in "ab"
    ]
    assert [program.wait(60) for program in programs] == [0, 0]
    names = [row["doc_id"] for row in read_manifest(path)]
    for name in "ab":
        assert [found for found in names if found.startswith(name)] == [f"{name}-{number}" for number in range(200)]


def test_threads_that_share_a_writer_write_whole_rows(tmp_path):
    with ManifestWriter(tmp_path / "m.jsonl") as manifest, ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: manifest(ended(str(number), note="x" * 5000)), range(200)))
    assert sorted(int(row["doc_id"]) for row in read_manifest(tmp_path / "m.jsonl")) == list(range(200))


def test_half_a_row_of_a_full_disk_is_taken_back(tmp_path, monkeypatch):
    path = tmp_path / "m.jsonl"
    write = os.write

    def full(file, data):
        if len(data) > 10:
            return write(file, data[:10])
        raise OSError(28, "No space left on device")

    with ManifestWriter(path) as manifest:
        manifest(ended("a"))
        before = path.read_bytes()
        monkeypatch.setattr("quire.batch.manifest.os.write", lambda file, data: full(file, data[:20]))
        with pytest.raises(StoreError, match="No space left"):
            manifest(ended("b"))
        assert path.read_bytes() == before
        monkeypatch.undo()
        manifest(ended("c"))
    assert [row["doc_id"] for row in read_manifest(path)] == ["a", "c"]


def test_names_of_files_that_are_no_text_come_back_as_they_were(tmp_path):
    path = tmp_path / "m.jsonl"
    with ManifestWriter(path) as manifest:
        manifest(ended("a", input_path="b\udcff.pdf"))
    assert json.loads(path.read_text())["input_path"] == "b\udcff.pdf"


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(UsageError, match="cannot write the manifest"):
        ManifestWriter(tmp_path)


def test_a_file_that_is_no_manifest_is_told(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    with pytest.raises(InputError, match="line 1 is not a row"):
        list(read_manifest(path))
    with pytest.raises(InputError, match="cannot be read"):
        list(read_manifest(tmp_path / "gone"))


@pytest.mark.processes
def test_a_worker_in_another_program_tells_its_row_too(tmp_path):
    path = tmp_path / "m.jsonl"
    with ManifestWriter(path) as manifest:
        plan = StagePlan("read", [WorkItem("a")])
        run_stage(plan, stage_workers.succeed, StageOptions(policy="cpu", workers=1), on_event=manifest)
    assert [row["status"] for row in read_manifest(path)] == ["ok"]


@pytest.mark.parametrize("path", ["/dev/null", "/dev/full"])
def test_a_manifest_is_a_file(path):
    with pytest.raises(UsageError, match="a device, not a file"):
        ManifestWriter(path)
