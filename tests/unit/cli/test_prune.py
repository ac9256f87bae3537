"""`quire prune`: outputs of documents that are gone."""

from __future__ import annotations

import pytest

from tests import documents
from tests.unit.cli.batches import Desk

pytestmark = pytest.mark.processes


@pytest.fixture
def left(desk: Desk) -> Desk:
    """Two formats of a document that is gone, and outputs of others."""
    desk.add("deep/gone.pdf", documents.simple(1))
    desk.run("--to", "md")
    desk.run("--to", "txt")
    (desk.folder / "in" / "deep" / "gone.pdf").unlink()
    return desk


def test_files_of_documents_that_are_gone_are_removed_with_their_folders(left: Desk):
    assert left.quire("prune", "-o", "out", "--yes").stdout.splitlines()[-1] == "2 files removed"
    assert left.written == ["a.md", "a.txt", "sub/b.md", "sub/b.txt"]
    assert not (left.out / "deep").exists()
    assert left.quire("prune", "-o", "out").stdout == "0 files of 0 documents that are gone\n"


def test_a_dry_run_lists_and_removes_nothing(left: Desk):
    before = left.written
    lines = left.quire("prune", "-o", "out", "--dry-run").stdout.splitlines()
    assert lines[0] == "2 files of 1 document that is gone"
    assert lines[1:] == [f"  {left.out}/deep/gone.{kind}" for kind in ("txt", "md")]
    assert left.written == before
    told = left.json("prune", "-o", "out", "--dry-run")
    assert [len(one["remove"]) for one in told["outputs"]] == [2]


def test_without_a_terminal_it_must_be_confirmed(left: Desk):
    before = left.written
    assert "give --yes" in left.quire("prune", "-o", "out", code=2).stderr
    assert left.written == before


def test_a_file_that_was_changed_by_hand_is_kept(left: Desk):
    (left.out / "deep" / "gone.txt").write_text("corrected")
    told = left.quire("prune", "-o", "out", "--yes").stdout
    assert f"{left.out}/deep/gone.txt was changed by hand and is kept" in told
    assert "deep/gone.txt" in left.written and "deep/gone.md" not in left.written
    assert "is kept" in left.quire("prune", "-o", "out", "--yes").stdout


def test_a_folder_that_is_not_there_as_a_whole_says_nothing_about_its_documents(left: Desk):
    before = left.written
    (left.folder / "in").rename(left.folder / "unmounted")
    told = left.quire("prune", "-o", "out", "--yes").stdout
    assert f"the whole folder {left.folder}/in is missing" in told
    assert left.written == before


def test_a_document_that_was_renamed_leaves_no_old_output(desk: Desk):
    desk.run()
    (desk.folder / "in" / "a.pdf").rename(desk.folder / "in" / "z.pdf")
    desk.run()
    desk.quire("prune", "-o", "out", "--yes")
    assert desk.written == ["sub/b.md", "z.md"]


def test_the_folder_must_be_named(desk: Desk):
    assert "with -o DIR" in desk.quire("prune", code=2).stderr
