"""Which documents a command line names, and names for their outputs that no two share."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest

from quire.database.outputs import Output, OutputFile, Outputs
from quire.durable.folders.discovery import find_sources
from quire.store.files import FileStore


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def names(paths: list[Path], output: Path | None = None) -> list[str]:
    return [str(source.folder / source.stem) for source in find_sources(paths, output).sources]


def test_a_folder_is_searched_for_documents_and_keeps_its_shape(tmp_path):
    make(tmp_path, "b.pdf", "a.TIFF", "sub/c.jpg", "notes.zip", ".hidden/d.pdf", "sub/.e.pdf")
    assert names([tmp_path]) == ["a.TIFF", "b", "sub/c.jpg"]


def test_a_folder_takes_every_format_that_is_read_by_its_name(tmp_path):
    page = "page.html page.htm notes.txt README.md table.csv book.epub mail.eml film.vtt paper.tex deck.pptx"
    make(tmp_path, *page.split(), *["x.xltx", "y.dotm", "z.xhtml", "w.markdown"])
    assert len(names([tmp_path])) == 14


def test_what_the_name_does_not_tell_the_content_does(tmp_path):
    make(tmp_path, "settings.json", "data.xml", "Makefile", "scan.pdf.part", "scan.crdownload")
    (tmp_path / "export.json").write_text('{"schema_name": "DoclingDocument", "version": "1.0.0"}')
    (tmp_path / "article.xml").write_text(
        '<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS-archive//EN">'
    )
    (tmp_path / "letter").write_bytes(b"%PDF-1.7\n")
    (tmp_path / "half.part").write_bytes(b"%PDF-1.7\n")
    assert names([tmp_path]) == ["article.xml", "export.json", "letter"]


def test_locks_and_backups_of_office_programs_are_neither_read_nor_counted(tmp_path):
    make(tmp_path, "a.docx", "~$a.docx", ".~lock.a.docx#", "letter~")
    found = find_sources([tmp_path], None)
    assert [source.stem for source in found.sources] == ["a.docx"]
    assert found.left_out == []


def test_files_that_are_written_beside_their_documents_are_not_read_the_next_time(tmp_path):
    written = ["a.md", "a.table-1.csv", "a.searchable.pdf", "scan.png.txt", "scan.png.page-1.png", "sub/b.docling.json"]
    make(tmp_path, "a.pdf", "scan.png", "sub/b.pdf", "a.docx", "c.md", *written)
    (tmp_path / "sub/b.docling.json").write_text('{"schema_name": "DoclingDocument"}')
    assert names([tmp_path], tmp_path) == ["a.docx", "a", "c.md", "scan.png", "sub/b"]
    assert {one.name for one in find_sources([tmp_path], tmp_path).left_out if one.kind == "output"} == {*written}
    assert len(names([tmp_path], tmp_path / "out")) == 11


def test_a_store_and_what_it_records_as_written_are_not_read(tmp_path):
    make(tmp_path, "in/a.pdf", "in/text/a.md", "in/text/mine.md", "in/kept/x.pdf")
    with closing(FileStore(tmp_path / "in/text/.quire")) as store:
        file = OutputFile(str(tmp_path / "in/text/a.md"), 1, "0" * 64)
        Outputs(store.database).record([Output(str(tmp_path / "in/text/a"), "k", "d", "a.pdf", files=(file,))])
        assert names([tmp_path / "in"], tmp_path / "json") == ["a", "kept/x", "text/mine.md"]
    (tmp_path / "in/text/.quire").rename(tmp_path / "in/kept/store")
    make(tmp_path, "in/kept/store/crop.png")
    assert names([tmp_path / "in"], tmp_path / "json") == ["a", "kept/x", "text/a.md", "text/mine.md"]


def test_a_folder_and_one_in_it_leave_a_file_out_once(tmp_path):
    make(tmp_path, "in/a.pdf", "in/sub/b.pdf", "in/sub/c.zip", "other/c.zip", "other/d.pdf", "in/c.mp4")
    found = find_sources([tmp_path / "in", tmp_path / "in/sub", tmp_path / "other"], None)
    shared = {str(tmp_path / "in/sub/c.zip"), str(tmp_path / "other/c.zip")}
    assert {one.name for one in found.left_out} == {*shared, "c.mp4"}
    assert [one.reason.partition(";")[0] for one in found.left_out if one.kind == ".mp4"] == [
        "there is no speech recognition here"
    ]


def test_a_file_that_is_named_may_be_called_anything(tmp_path):
    make(tmp_path, "report")
    assert names([tmp_path / "report"]) == ["report"]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        (["x/040.jpg", "x/040.pdf"], ["040.jpg", "040"]),
        (["one/report.pdf", "two/report.pdf", "two/other.pdf"], ["one/report", "two/report", "other"]),
        (["one/a/report.pdf", "two/a/report.pdf"], ["one/a/report", "two/a/report"]),
        (["one/report.pdf", "two/a.jpg.pdf", "two/a.jpg"], ["report", "a.jpg-HASH", "a.jpg-HASH"]),
        (["one/Report.pdf", "one/report.pdf", "two/report.pdf"], ["one/Report-HASH", "one/report-HASH", "two/report"]),
    ],
)
def test_names_are_unique_and_do_not_depend_on_the_order_of_arguments(tmp_path, documents, expected):
    make(tmp_path, *documents)
    paths = [tmp_path / name for name in documents]
    found = names(paths)
    assert [re.sub(r"-[0-9a-f]{8}$", "-HASH", name) for name in found] == expected
    assert len({name.casefold() for name in found}) == len(found)
    for order in permutations(range(len(paths))):
        assert names([paths[number] for number in order]) == [found[number] for number in order]


def test_folders_that_share_a_name_of_a_document_keep_it_apart_below_their_own_names(tmp_path):
    make(tmp_path, "dup/a/report.pdf", "dup/a/sub/x.pdf", "dup/b/report.pdf")
    assert names([tmp_path / "dup/a", tmp_path / "dup/b"]) == ["a/report", "sub/x", "b/report"]
    assert names([tmp_path / "dup/b", tmp_path / "dup/a"]) == ["b/report", "a/report", "sub/x"]


def test_a_document_named_twice_is_read_once(tmp_path):
    make(tmp_path, "a.pdf")
    assert names([tmp_path, tmp_path / "a.pdf", tmp_path / "." / "a.pdf"]) == ["a"]


def test_earlier_outputs_are_not_taken_for_sources(tmp_path):
    make(tmp_path, "a.pdf", "out/a.page-1.png")
    assert names([tmp_path], tmp_path / "out") == ["a"]


def test_patterns_choose_among_the_files_of_a_folder(tmp_path):
    make(tmp_path, "a.pdf", "draft-b.pdf", "old/c.pdf", "old/keep/d.pdf", "scan.dat")

    def found(**patterns: list[str]) -> list[str]:
        return [str(source.folder / source.stem) for source in find_sources([tmp_path], None, **patterns).sources]

    assert found(exclude=["draft-*"]) == ["a", "old/c", "old/keep/d"]
    assert found(exclude=["old"]) == ["a", "draft-b"]
    assert found(exclude=["old/*.pdf"]) == ["a", "draft-b"]
    assert found(include=["*.dat", "a.*"]) == ["a", "scan.dat"]
    nothing = find_sources([tmp_path], None, include=["*.nothing"])
    assert [path.error.args[0] for path in nothing.unreadable] == [
        "holds no documents; --include and --exclude leave none"
    ]


def test_a_link_to_a_document_and_the_document_are_one(tmp_path):
    make(tmp_path, "in/b.pdf", "elsewhere/c.pdf")
    (tmp_path / "in" / "a.pdf").symlink_to(tmp_path / "in" / "b.pdf")
    (tmp_path / "in" / "d.pdf").symlink_to(tmp_path / "elsewhere" / "c.pdf")
    (tmp_path / "in" / "round").symlink_to(tmp_path / "in")
    assert names([tmp_path / "in"]) == ["a", "d"]


def test_paths_that_cannot_be_read_are_named_with_the_reason_and_the_others_are_found(tmp_path):
    make(tmp_path, "a.pdf", "empty/notes.zip", "in/b.pdf")
    os.mkfifo(tmp_path / "pipe.pdf")
    os.mkfifo(tmp_path / "in/socket.pdf")
    (tmp_path / "in/link.pdf").symlink_to("nowhere")
    named = ["typo.pdf", "a.pdf", "empty", "in", "pipe.pdf"]
    found = find_sources([tmp_path / name for name in named], None)
    assert [source.path.name for source in found.sources] == ["a.pdf", "b.pdf"]
    assert {path.name: path.error.args[0] for path in found.unreadable} == {
        "typo.pdf": "no such file or folder",
        "empty": "holds no documents; see the guide on formats for what Quire reads; "
        "name other files, or --include them",
        "link.pdf": "cannot be read: a link that leads nowhere, not a file",
        "socket.pdf": "cannot be read: a pipe, not a file",
        "pipe.pdf": "cannot be read: a pipe, not a file",
    }


def test_files_and_folders_without_permission_are_named_and_the_others_are_found():
    with tempfile.TemporaryDirectory() as folder:  # one that others may look into
        tmp_path = Path(folder)
        tmp_path.chmod(0o755)
        make(tmp_path, "closed.pdf", "in/b.pdf", "in/closed/c.pdf", "shut/d.pdf")
        for name in ("closed.pdf", "in/closed", "shut"):
            (tmp_path / name).chmod(0)
        was = os.geteuid()
        if was == 0:  # who may read everything
            os.seteuid(65534)
        try:
            found = find_sources([tmp_path / name for name in ("closed.pdf", "in", "shut")], None)
        finally:
            os.seteuid(was)
            for name in ("in/closed", "shut"):
                (tmp_path / name).chmod(0o700)
    assert [source.path.name for source in found.sources] == ["b.pdf"]
    closed = "cannot look into the folder: Permission denied; leave it out with --exclude, or allow it to be read"
    assert {path.name: path.error.args[0] for path in found.unreadable} == {
        "closed.pdf": "cannot be read: Permission denied",
        "closed": closed,
        "shut": closed,
    }


def test_files_of_a_folder_that_are_no_documents_are_listed(tmp_path):
    make(tmp_path, "a.pdf", "notes.zip", "sub/table.dat", "Makefile", ".hidden", "b.pdf")
    assert sorted((one.name, one.kind) for one in find_sources([tmp_path], None, exclude=["b*"]).left_out) == [
        ("Makefile", "without suffix"),
        ("b.pdf", "excluded"),
        ("notes.zip", ".zip"),
        ("sub/table.dat", ".dat"),
    ]


def test_stems_leave_room_for_what_is_added_to_them(tmp_path):
    for suffix in (".pdf", ".png"):
        (tmp_path / f"{'n' * 251}{suffix}").touch()
    first, second = find_sources([tmp_path], None).sources
    assert first.stem != second.stem
    assert max(len(source.stem) for source in (first, second)) <= 228
