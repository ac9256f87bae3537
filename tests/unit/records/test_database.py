"""SQLite as a database: what is wrong with it is told, and what is a mistake of ours is not called damage."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from quire.errors import StoreError
from quire.records.database import SqliteDatabase

SYNCHRONOUS = "PRAGMA synchronous"
NORMAL = [(1,)]


def test_a_mistake_in_a_statement_is_no_damage():
    with closing(SqliteDatabase(None)) as database, pytest.raises(sqlite3.IntegrityError):
        database.change("INSERT INTO signals (invocation, name, value) VALUES ('k', 'n', NULL)")


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(StoreError, match="unable to open database file; check that its folder is there"):
        SqliteDatabase(tmp_path / "nowhere" / "facts.sqlite3")


def test_only_what_must_last_waits_for_the_disk():
    with closing(SqliteDatabase(None)) as database:
        with database.transaction(lasting=True):
            assert database.rows(SYNCHRONOUS) != NORMAL
        assert database.rows(SYNCHRONOUS) == NORMAL
        with pytest.raises(ZeroDivisionError), database.transaction(lasting=True):
            raise ZeroDivisionError
        assert database.rows(SYNCHRONOUS) == NORMAL


def test_a_transaction_that_cannot_begin_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.records.database.BUSY_S", 0.01)
    path = tmp_path / "facts.sqlite3"
    with closing(SqliteDatabase(path)) as database, closing(SqliteDatabase(path)) as other:
        with other.transaction(), pytest.raises(StoreError, match="wait for the process that holds it"):
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
