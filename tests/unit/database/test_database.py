"""SQLite as a database: its errors are explained, and a programming error is not reported as damage."""

from __future__ import annotations

import errno
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier, Event

import pytest

from quire.core.errors import StoreError
from quire.database.sqlite import SqliteDatabase

SYNCHRONOUS = "PRAGMA synchronous"
NORMAL = [(1,)]
DATA = Path(__file__).parents[2] / "data" / "store"


def test_a_mistake_in_a_statement_is_no_damage():
    with closing(SqliteDatabase(None)) as database, pytest.raises(sqlite3.IntegrityError):
        database.change("INSERT INTO signals (invocation, name, value) VALUES ('k', 'n', NULL)")


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(StoreError, match="unable to open database file; check that its folder exists"):
        SqliteDatabase(tmp_path / "nowhere" / "facts.sqlite3")


@pytest.fixture
def synced(monkeypatch):
    """The files that were synced, in order."""
    files, sync = [], os.fsync

    def note(file):
        files.append(Path(f"/proc/self/fd/{file}").readlink().name)
        sync(file)

    monkeypatch.setattr("os.fsync", note)
    return files


def test_only_what_must_last_waits_for_the_disk(tmp_path, synced):
    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as database:
        with database.transaction():
            database.change("DELETE FROM files")
        with pytest.raises(ZeroDivisionError), database.transaction(lasting=True):
            raise ZeroDivisionError
        assert synced == []
        with database.transaction(lasting=True):
            database.change("DELETE FROM files")
            assert synced == []
        assert synced == ["facts.sqlite3-wal"]


def test_commits_of_several_threads_share_a_sync(tmp_path, monkeypatch):
    syncs, go_on, sync = [], Event(), os.fsync

    def slow(file):
        syncs.append(file)
        go_on.wait(30)
        sync(file)

    monkeypatch.setattr("os.fsync", slow)
    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as database, ThreadPoolExecutor(6) as threads:

        def commit(number):
            with database.transaction(lasting=True):
                database.change("INSERT INTO signals (invocation, name, value) VALUES (?, 'n', 'v')", (str(number),))

        first = threads.submit(commit, 0)
        while not syncs and not first.done():
            pass
        others = [threads.submit(commit, number) for number in range(1, 6)]
        while database.rows("SELECT count(*) FROM signals") != [(6,)]:
            pass
        go_on.set()
        for done in (first, *others):
            done.result(30)
    assert len(syncs) < 6


def test_a_log_that_cannot_be_synced_is_told(tmp_path, monkeypatch):
    def fail(_):
        raise OSError(errno.EIO, "Input/output error")

    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as database:
        monkeypatch.setattr("os.fsync", fail)
        with (
            pytest.raises(StoreError, match=r"cannot sync .*facts\.sqlite3-wal: Input/output error; check its disk"),
            database.transaction(lasting=True),
        ):
            database.change("DELETE FROM files")


def test_a_transaction_that_cannot_begin_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.database.sqlite.BUSY_S", 0.01)
    path = tmp_path / "facts.sqlite3"
    with closing(SqliteDatabase(path)) as database, closing(SqliteDatabase(path)) as other:
        with other.transaction(), pytest.raises(StoreError, match="another process holds its lock"):
            database.change("DELETE FROM files")
        with other.transaction(), pytest.raises(StoreError, match="locked"), database.transaction(lasting=True):
            pass
        assert database.rows(SYNCHRONOUS) == NORMAL
        assert database.change("DELETE FROM files") == 0


def test_many_open_a_new_file_at_once(tmp_path):
    together = Barrier(6)

    def opened(path):
        together.wait()
        SqliteDatabase(path).close()

    with ThreadPoolExecutor(6) as threads:
        for round in range(8):
            list(threads.map(opened, [tmp_path / f"{round}.sqlite3"] * 6))


def test_a_file_with_damaged_pages_is_called_damaged_and_not_full(tmp_path):
    path = tmp_path / "facts.sqlite3"
    with closing(SqliteDatabase(path)) as database:
        database.change_many("INSERT INTO files VALUES (?, 1, 1, 'd')", [(f"{n:0200}",) for n in range(500)])
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xa5" * (size // 2))
    with closing(SqliteDatabase(path)) as database:
        with pytest.raises(StoreError, match=r"facts\.sqlite3 is damaged .*move it away"):
            database.rows("SELECT count(*), max(digest) FROM files NOT INDEXED")
        with pytest.raises(StoreError, match="is damaged"):
            database.change("DELETE FROM files")


def test_a_file_that_was_cut_off_is_called_damaged(tmp_path):
    path = tmp_path / "facts.sqlite3"
    with closing(SqliteDatabase(path)) as database:
        database.change_many("INSERT INTO files VALUES (?, 1, 1, 'd')", [(f"{n:0200}",) for n in range(500)])
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 20_000)
    with pytest.raises(StoreError, match="is damaged"), closing(SqliteDatabase(path)) as database:
        database.rows("SELECT count(*), max(digest) FROM files NOT INDEXED")


def test_a_full_disk_is_called_full(tmp_path):
    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as database:
        ((pages,),) = database.rows("PRAGMA page_count")
        database.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"is full; its disk is full: make room there"):
            database.change_many("INSERT INTO files VALUES (?, 1, 1, 'd')", [(f"{n:0200}",) for n in range(500)])


def test_a_database_that_may_not_be_written_says_so(tmp_path):
    path = tmp_path / "facts.sqlite3"
    SqliteDatabase(path).close()
    with closing(SqliteDatabase(path)) as database:
        database.rows("PRAGMA query_only = 1")
        with pytest.raises(StoreError, match="check that this user may write to it and to its folder"):
            database.change("DELETE FROM files")


def test_a_database_of_another_program_is_not_called_full(tmp_path):
    path = tmp_path / "facts.sqlite3"
    SqliteDatabase(path).close()
    with closing(SqliteDatabase(path)) as database:
        database.change("DROP TABLE files")
        with pytest.raises(StoreError, match="no such table: files; it was not written by this version of Quire"):
            database.change("DELETE FROM files")


def _contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_reading_leaves_no_trace(tmp_path):
    path = tmp_path / "facts.sqlite3"
    with closing(SqliteDatabase(path)) as database:
        database.change("INSERT INTO files VALUES ('a.pdf', 1, 2, 'd')")
    before = _contents(tmp_path)
    with closing(SqliteDatabase(path, read_only=True)) as database:
        assert database.rows("SELECT path FROM files") == [("a.pdf",)]
        with pytest.raises(StoreError, match="may write"):
            database.change("DELETE FROM files")
        assert _contents(tmp_path) == before
    assert _contents(tmp_path) == before


def test_reading_sees_what_another_process_has_just_written(tmp_path):
    path = tmp_path / "facts.sqlite3"
    with closing(SqliteDatabase(path)) as writing:
        writing.change("INSERT INTO files VALUES ('a.pdf', 1, 2, 'd')")
        with closing(SqliteDatabase(path, read_only=True)) as reading:
            assert reading.rows("SELECT path FROM files") == [("a.pdf",)]
            writing.change("DELETE FROM files")
            assert reading.rows("SELECT path FROM files") == []


def test_tables_of_an_older_version_are_read_and_left_as_they_are(tmp_path):
    path = tmp_path / "facts.sqlite3"
    with closing(sqlite3.connect(path)) as old:
        old.executescript((DATA / "version-4.sql").read_text())
    before = path.read_bytes()
    with closing(SqliteDatabase(path, read_only=True)) as database:
        assert database.rows("SELECT exit_code FROM quarantine ORDER BY 1") == [(0,), (6,)]
    assert path.read_bytes() == before


def test_a_database_that_is_not_there_is_not_made_by_reading(tmp_path):
    with pytest.raises(StoreError, match="cannot use the database"):
        SqliteDatabase(tmp_path / "facts.sqlite3", read_only=True)
    assert list(tmp_path.iterdir()) == []
