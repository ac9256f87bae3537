"""Which documents a command line names, and names for their outputs that no two share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quire.durable.folders.discovery import find_sources
from quire.errors import UsageError


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def names(paths: list[Path], output: Path | None = None) -> list[str]:
    return [str(source.folder / source.stem) for source in find_sources(paths, output)]


def test_a_folder_is_searched_for_documents_and_keeps_its_shape(tmp_path):
    make(tmp_path, "b.pdf", "a.TIFF", "sub/c.jpg", "notes.txt", ".hidden/d.pdf", "sub/.e.pdf")
    assert names([tmp_path]) == ["a", "b", "sub/c"]


def test_a_file_that_is_named_may_be_called_anything(tmp_path):
    make(tmp_path, "report")
    assert names([tmp_path / "report"]) == ["report"]


def test_sources_with_the_same_stem_do_not_share_a_name(tmp_path):
    make(tmp_path, "one/report.pdf", "two/report.pdf", "two/Report.png", "two/other.pdf")
    found = names([tmp_path / "one" / "report.pdf", *sorted((tmp_path / "two").iterdir())])
    assert found == ["report.pdf", "Report.png", "other", "report.pdf-2"]


def test_a_document_named_twice_is_read_once(tmp_path):
    make(tmp_path, "a.pdf")
    assert names([tmp_path, tmp_path / "a.pdf", tmp_path / "." / "a.pdf"]) == ["a"]


def test_earlier_outputs_are_not_taken_for_sources(tmp_path):
    make(tmp_path, "a.pdf", "out/a.page-1.png")
    assert names([tmp_path], tmp_path / "out") == ["a"]


def test_patterns_choose_among_the_files_of_a_folder(tmp_path):
    make(tmp_path, "a.pdf", "draft-b.pdf", "old/c.pdf", "old/keep/d.pdf", "scan.dat")

    def found(**patterns: list[str]) -> list[str]:
        return [str(source.folder / source.stem) for source in find_sources([tmp_path], None, **patterns)]

    assert found(exclude=["draft-*"]) == ["a", "old/c", "old/keep/d"]
    assert found(exclude=["old"]) == ["a", "draft-b"]
    assert found(exclude=["old/*.pdf"]) == ["a", "draft-b"]
    assert found(include=["*.dat", "a.*"]) == ["a", "scan"]
    with pytest.raises(UsageError, match="--include and --exclude leave none"):
        found(include=["*.nothing"])


def test_a_link_to_a_document_and_the_document_are_one(tmp_path):
    make(tmp_path, "in/b.pdf", "elsewhere/c.pdf")
    (tmp_path / "in" / "a.pdf").symlink_to(tmp_path / "in" / "b.pdf")
    (tmp_path / "in" / "d.pdf").symlink_to(tmp_path / "elsewhere" / "c.pdf")
    (tmp_path / "in" / "round").symlink_to(tmp_path / "in")
    assert names([tmp_path / "in"]) == ["a", "d"]


def test_a_folder_without_documents_is_a_mistake(tmp_path):
    make(tmp_path, "notes.txt")
    with pytest.raises(UsageError, match=r"no documents in .*\.pdf"):
        find_sources([tmp_path], None)


def test_a_pipe_in_a_folder_is_left_out_and_told(tmp_path, caplog):
    (tmp_path / "a.pdf").touch()
    os.mkfifo(tmp_path / "b.pdf")
    (tmp_path / "c.pdf").symlink_to("nowhere")
    os.mkfifo(tmp_path / "unrelated")
    assert [source.path.name for source in find_sources([tmp_path], None)] == ["a.pdf"]
    told = {record.getMessage().removeprefix(f"{tmp_path}/") for record in caplog.records}
    assert told == {"b.pdf is a pipe, not a file: left out", "c.pdf is a link that leads nowhere, not a file: left out"}


def test_stems_leave_room_for_what_is_added_to_them(tmp_path):
    for suffix in (".pdf", ".png"):
        (tmp_path / f"{'n' * 251}{suffix}").touch()
    first, second = find_sources([tmp_path], None)
    assert first.stem != second.stem
    assert max(len(source.stem) for source in (first, second)) <= 228
