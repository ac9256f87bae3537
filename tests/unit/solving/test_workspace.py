"""Workspaces: the same tree for the same inputs, and a fault for everything that is changed in it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import quire
from quire.core.errors import ChangedError, InputError, StoreError, UsageError
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.workspace.folder import ABANDONED_S, TIME_S, Workspace
from quire.solving.workspace.tree import SolveTask, WorkspaceDocument
from quire.solving.workspace.tree_manifest import MANIFEST, WorkspaceFault, WorkspaceManifest
from tests import documents

TASK = SolveTask("Find the total of the invoice.\n", {"type": "object", "properties": {"total": {"type": "number"}}})


def drawn(pages: Sequence[int]) -> Iterator[bytes | InputError]:
    return (b"PNG of page %d" % page for page in pages)


def document(content: bytes, name: str = "report.pdf") -> WorkspaceDocument:
    result = quire.read(quire.Document(content, name=name))
    return WorkspaceDocument(result.catalog(), content, drawn)


@pytest.fixture(scope="module")
def table() -> WorkspaceDocument:
    return document(documents.ruled_table())


@pytest.fixture(scope="module")
def report() -> WorkspaceDocument:
    return document(documents.simple(pages=2), "Bericht für Ümläut.PDF")


def rows(workspace: Workspace, name: str) -> list[dict[str, Any]]:
    text = (workspace.folder / "input/sources" / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def tree(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file with its content, mode and time."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(one.relative_to(folder)): (one.read_bytes(), one.stat().st_mode, one.stat().st_mtime_ns) for one in files
    }


def test_the_paths_of_one_document_have_no_number(tmp_path, table):
    made = Workspace.build(tmp_path / "work", TASK, [table])
    assert [one.path for one in made.manifest.files] == [
        "input/document.pdf",
        "input/pages/page-001.png",
        "input/schema.json",
        "input/sources/bboxes.jsonl",
        "input/sources/chunks.jsonl",
        "input/sources/pages.jsonl",
        f"input/sources/tables/{next(b.id for b in table.catalog.blocks if b.table)}.csv",
        "input/task.md",
    ]
    assert made.output.is_dir()


def test_several_documents_have_folders_by_their_order(tmp_path, table, report):
    made = Workspace.build(tmp_path / "work", TASK, [report, table])
    paths = {one.path for one in made.manifest.files}
    assert {"input/document-1.pdf", "input/document-2.pdf", "input/pages/document-1/page-002.png"} <= paths
    assert {row["document"] for row in rows(made, "chunks.jsonl")} == {"input/document-1.pdf", "input/document-2.pdf"}
    other = Workspace.build(tmp_path / "other", TASK, [table, report])
    assert other.digest != made.digest


def test_the_ids_of_several_documents_are_those_that_verification_knows(tmp_path, table, report):
    made = Workspace.build(tmp_path / "work", TASK, [report, table])
    found = rows(made, "chunks.jsonl") + rows(made, "bboxes.jsonl")
    whole = JoinedCatalog([report.catalog, table.catalog]).whole
    assert {row["chunk_id"] for row in found} == {record.id for record in whole.records}
    assert {name for row in found for name in row["blocks"]} <= {block.id for block in whole.blocks}
    cells = {name for row in found for name in row["cells"]}
    assert cells
    assert cells <= {row["chunk_id"] for row in found}
    tables = [one.path for one in made.manifest.files if "/tables/" in one.path]
    assert tables == [f"input/sources/tables/{block.id}.csv" for block in whole.blocks if block.table]


def test_records_name_the_picture_of_their_page_as_it_lies_there(tmp_path, report):
    made = Workspace.build(tmp_path / "work", TASK, [report])
    for row in rows(made, "chunks.jsonl") + rows(made, "bboxes.jsonl"):
        assert row["source_image"] == f"input/pages/page-{row['page_number']:03}.png"
        assert (made.folder / str(row["source_image"])).is_file()
    assert [row["image"] for row in rows(made, "pages.jsonl")] == [
        "input/pages/page-001.png",
        "input/pages/page-002.png",
    ]


@pytest.mark.parametrize(
    "content", [documents.right_to_left(), documents.printed_by_a_browser()], ids=["right to left", "browser"]
)
def test_documents_in_other_scripts_and_with_broken_fonts_have_a_workspace(tmp_path, content):
    read = document(content)
    blocks = [replace(block, text=f"{block.text} \ud83d") for block in read.catalog.blocks]
    records = [replace(one, text=f"{one.text} \ud83d") for one in read.catalog.records]
    broken = replace(read, catalog=replace(read.catalog, blocks=blocks, records=records))
    assert Workspace.build(tmp_path / "whole", TASK, [read]).faults() == []
    assert Workspace.build(tmp_path / "broken", TASK, [broken]).faults() == []


def test_the_same_inputs_are_the_same_bytes_modes_and_times(tmp_path, table, report):
    first = Workspace.build(tmp_path / "a" / "work", TASK, [table, report])
    second = Workspace.build(tmp_path / "elsewhere", TASK, [table, report])
    assert tree(first.folder) == tree(second.folder)
    assert {time for _, _, time in tree(first.folder).values()} == {TIME_S * 10**9}
    assert str(tmp_path).encode() not in b"".join(content for content, _, _ in tree(first.folder).values())


def test_another_task_schema_or_reading_is_another_digest(tmp_path, table):
    made = Workspace.build(tmp_path / "1", TASK, [table])
    others = [
        (replace(TASK, text="Find the date."), table),
        (replace(TASK, schema=None), table),
        (replace(TASK, template=b"a workbook"), table),
        (TASK, replace(table, draw=lambda pages: iter([b"another picture"] * len(pages)))),
    ]
    digests = {
        Workspace.build(tmp_path / f"other-{n}", *given[:1], [given[1]]).digest for n, given in enumerate(others)
    }
    assert len(digests | {made.digest}) == 5


def test_a_page_that_cannot_be_drawn_is_a_row_with_the_reason(tmp_path, report):
    def draws(pages: Sequence[int]) -> Iterator[bytes | InputError]:
        yield b"a picture"
        yield InputError("too large to draw")

    made = Workspace.build(tmp_path / "work", TASK, [replace(report, draw=draws)])
    assert [(row["image"], row["reason"]) for row in rows(made, "pages.jsonl")] == [
        ("input/pages/page-001.png", ""),
        (None, "too large to draw"),
    ]
    assert {row["source_image"] for row in rows(made, "chunks.jsonl") if row["page_number"] == 2} <= {""}


def test_a_document_that_changed_since_it_was_read_is_refused(tmp_path, table):
    with pytest.raises(ChangedError, match="has changed since it was read"):
        Workspace.build(tmp_path / "work", TASK, [replace(table, content=b"%PDF-1.4 another file")])
    assert list(tmp_path.iterdir()) == []


def test_a_second_build_leaves_the_output_alone(tmp_path, table):
    made = Workspace.build(tmp_path / "work", TASK, [table])
    (made.output / "answer.json").write_text("{}")
    again = Workspace.build(tmp_path / "work", TASK, [table])
    assert again.digest == made.digest
    assert (again.output / "answer.json").read_text() == "{}"


def test_a_folder_with_other_contents_is_refused(tmp_path, table, report):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.docx").write_text("years of work")
    with pytest.raises(UsageError, match="not empty"):
        Workspace.build(tmp_path / "full", TASK, [table])
    Workspace.build(tmp_path / "work", TASK, [table])
    with pytest.raises(UsageError, match="holds another workspace"):
        Workspace.build(tmp_path / "work", TASK, [report])
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_ten_at_the_same_time_make_one_workspace(tmp_path, table):
    with ThreadPoolExecutor(10) as threads:
        made = list(threads.map(lambda _: Workspace.build(tmp_path / "work", TASK, [table]), range(10)))
    assert len({one.digest for one in made}) == 1
    assert made[0].faults() == []
    assert [path.name for path in tmp_path.iterdir()] == ["work"]


def test_two_that_repair_the_same_workspace_leave_it_whole(tmp_path, table):
    for _ in range(10):
        made = Workspace.build(tmp_path / "work", TASK, [table])
        deleted(made.folder)
        with ThreadPoolExecutor(2) as threads, suppress(StoreError):  # the slower one may see the other at work
            list(threads.map(lambda _: Workspace.build(tmp_path / "work", TASK, [table]), range(2)))
    assert Workspace.build(tmp_path / "work", TASK, [table]).faults() == []


def test_what_killed_builds_left_is_removed_a_day_later(tmp_path, table):
    for name, age_s in ((".work-old", ABANDONED_S + 60), (".work-new", 60), (".other-old", ABANDONED_S + 60)):
        (tmp_path / name / "workspace").mkdir(parents=True)
        os.utime(tmp_path / name, (time.time() - age_s,) * 2)
    Workspace.build(tmp_path / "work", TASK, [table])
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other-old", ".work-new", "work"]


def deleted(folder: Path) -> None:
    (folder / "input/task.md").unlink()


def changed(folder: Path) -> None:
    file = folder / "input/sources/chunks.jsonl"
    file.chmod(0o644)
    file.write_bytes(file.read_bytes().replace(b"0", b"1"))


def added(folder: Path) -> None:
    (folder / "input/pages/page-002.png").write_bytes(b"a page that is not in the document")


def linked(folder: Path) -> None:
    (folder / "input/task.md").unlink()
    (folder / "input/task.md").symlink_to("/etc/hostname")


def replaced_folder(folder: Path) -> None:
    (folder / "input/pages").rename(folder / "output/pages")
    (folder / "input/pages").symlink_to(folder / "output/pages")


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        (deleted, [("input/task.md", "missing")]),
        (changed, [("input/sources/chunks.jsonl", "changed")]),
        (added, [("input/pages/page-002.png", "added")]),
        (linked, [("input/task.md", "not a file")]),
        (replaced_folder, [("input/pages", "not a file"), ("input/pages/page-001.png", "missing")]),
    ],
)
def test_what_a_runner_does_to_its_input_is_found_and_repaired(tmp_path, table, change, faults):
    made = Workspace.build(tmp_path / "work", TASK, [table])
    change(made.folder)
    assert made.faults() == [WorkspaceFault(*one) for one in faults]
    assert Workspace.build(tmp_path / "work", TASK, [table]).faults() == []


def test_a_manifest_that_was_edited_is_refused(tmp_path, table):
    made = Workspace.build(tmp_path / "work", TASK, [table])
    for old, new, reason in (
        (made.manifest.files[0].digest, "0" * 64, "was changed"),
        ("input/task.md", "input/../../task.md", "not a path below input/"),
        ("quire-workspace/1", "quire-workspace/9", "reads quire-workspace/1"),
        ('"files"', '"content"', "is not the manifest"),
    ):
        edited = made.manifest.to_bytes().replace(old.encode(), new.encode())
        with pytest.raises(UsageError, match=reason):
            WorkspaceManifest.from_bytes(edited, MANIFEST)
    with pytest.raises(UsageError, match="is not a workspace"):
        Workspace.open(tmp_path)


def test_an_empty_task_or_no_document_is_refused(tmp_path):
    with pytest.raises(UsageError, match="the task is empty"):
        SolveTask(" \n")
    with pytest.raises(UsageError, match="needs a document"):
        Workspace.build(tmp_path / "work", TASK, [])
