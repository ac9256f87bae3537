"""What an index in SQLite keeps in memory: lengths of chunks as FTS5 stores them. And indexes of an earlier Quire."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np

from quire.retrieval.search.sqlite_index import SqliteIndexes
from quire.retrieval.search.sqlite_memory import KeptNumbers, Numbers, integers, varints
from tests.unit.retrieval.search.indexes import VECTORS, document, found


def test_lengths_of_one_to_three_bytes_are_read_as_sqlite_writes_them():
    written = bytes([5, 0x81, 0x48, 127, 0x81, 0x9C, 0x20, 0x81, 0x00, 0])
    assert varints(written).tolist() == [5, 200, 127, 20_000, 128, 0]
    assert varints(b"").tolist() == []


def test_numbers_are_added_and_after_many_removals_loaded_anew():
    stored = {1: 10, 2: 20}

    def after(last: int) -> Numbers:
        ids = [id for id in sorted(stored) if id > last]
        return integers(",".join(map(str, ids)) or None), np.array([stored[id] for id in ids], np.uint64)

    kept = KeptNumbers()
    assert kept.current(0, after)[0].tolist() == [1, 2]
    stored[3] = 30
    ids, numbers = kept.current(0, after)
    assert (ids.tolist(), numbers.tolist()) == ([1, 2, 3], [10, 20, 30])
    del stored[2]
    assert kept.current(1, after)[0].tolist() == [1, 3]


def test_an_index_of_an_earlier_quire_is_searched_as_one_made_today(tmp_path):
    file = tmp_path / "search.sqlite3"
    with closing(SqliteIndexes(file)) as indexes:
        indexes.make(VECTORS).put([document("a.pdf", "gross margin", "net debt and margin")])
        expected = [hit.chunk for hit in found(indexes.open(), "margin")]
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE occurrences_1")
        connection.commit()
    with closing(SqliteIndexes(file)) as indexes:
        assert [hit.chunk for hit in found(indexes.open(), "margin")] == expected != []
