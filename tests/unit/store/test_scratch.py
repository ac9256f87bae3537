"""Files of a process beside its store: they end with it, however it ends, and with the document that they are of."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quire.durable.deletion import delete_documents
from quire.store.files import FileStore
from quire.store.garbage import collect
from quire.store.scoped import document_in, scoped
from quire.store.temporary import TemporaryStore
from tests.unit.store.test_conformance import opening  # noqa: F401 - a fixture

KILLED = """
import os, signal, sys
from quire.store.files import FileStore
store = FileStore(sys.argv[1])
(store.scratch() / "copy").write_text("of a document")
print(store.scratch(), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_files_of_a_store_end_with_it_and_nobody_else_reads_them(tmp_path):
    with FileStore(tmp_path) as store, FileStore(tmp_path) as other:
        mine, theirs = store.scratch(), other.scratch()
        assert mine == store.scratch() == scoped(store, "tenant").scratch() != theirs
        assert mine.is_relative_to(tmp_path) and mine.stat().st_mode & 0o777 == 0o700
        (mine / "copy").write_text("of a document")
        other.leftovers.sweep()
        assert (mine / "copy").exists(), "its process lives"
    assert not mine.exists() and not theirs.exists()


@pytest.mark.processes
@pytest.mark.parametrize("first", ["sweep", "scratch", "collect"])
def test_the_files_of_a_killed_process_are_removed_by_the_next(tmp_path, first):
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    with FileStore(tmp_path) as store:
        left = [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]
        assert [path.name for path in left] == ["copy"] and str(left[0].parent) == done.stdout.strip()
        {"sweep": store.leftovers.sweep, "scratch": store.scratch, "collect": lambda: collect(store)}[first]()
        assert not [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]


def test_a_store_in_a_bucket_has_its_files_in_the_temporary_folder(opening, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with opening() as store:
        folder = store.scratch()
        place = tmp_path / "temporary" if "://" in store.place else store.objects.folder
        assert folder.is_relative_to(place)
    assert not folder.exists()


def test_copies_of_a_deleted_document_go_from_the_files_of_every_process(tmp_path):
    mine, scope = "d" * 64, "tenant-1"
    with FileStore(tmp_path) as store, FileStore(tmp_path) as other:
        for one in (store, other):
            for of in ("", scope):
                (one.scratch() / document_in(of, mine)).write_text("text")
        delete_documents(store, [mine], scopes=[scope])
        left = [path.name for path in (tmp_path / "scratch").rglob("*") if path.is_file()]
        assert left == [mine, mine], "those of the other tenant stay"


def test_a_temporary_store_removes_its_files():
    store = TemporaryStore()
    folder = store.scratch()
    assert folder.is_dir()
    store.close()
    assert not folder.exists()
