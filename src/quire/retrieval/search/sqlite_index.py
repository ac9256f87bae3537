"""An index in one SQLite file: FTS5 for words, vectors as bytes in the same file.

Vectors are compared in this process, first by their signs (`bits`), which are kept in memory, then exactly. Ids are
never used again, so that rows that were deleted meanwhile are merely not found when the best are loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quire.core.errors import StoreError
from quire.database.database import in_portions
from quire.database.facts import integer
from quire.retrieval.search.backend import IndexProfile
from quire.retrieval.search.bits import bits_of, nearest, signed
from quire.retrieval.search.conditions import conditions
from quire.retrieval.search.hits import PageChunk
from quire.retrieval.search.postings import scored
from quire.retrieval.search.query import Query, SearchFilter
from quire.retrieval.search.sql_index import Row, SqlIndex, SqlIndexes
from quire.retrieval.search.sqlite_file import SCHEMA, IndexFile
from quire.retrieval.search.sqlite_memory import KeptNumbers, Numbers, bytes_of, integers, varints

if TYPE_CHECKING:
    from numpy.typing import NDArray

OVERSAMPLED, COMPARED = 16, 4
"""Vectors taken by their signs, and of these compared exactly, for each that is wanted: signs order only roughly."""
LONGEST = 3
"""Pages before a page on which chunks that reach it are looked for."""
_TOKENIZER = "ascii tokenchars '-.''&+#:/_'"
"""Terms come separated by spaces; FTS5 must not take them apart again."""

_VERSIONS = """
CREATE TABLE IF NOT EXISTS versions (
    name TEXT NOT NULL UNIQUE,
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    profile TEXT NOT NULL,
    current INTEGER NOT NULL DEFAULT 0,
    chunks INTEGER NOT NULL DEFAULT 0,
    removals INTEGER NOT NULL DEFAULT 0
)
"""
"""A number is never used again: other processes may still have what they loaded of a version that was dropped."""
_TABLES = """
CREATE TABLE documents_{v} (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    document TEXT NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    media_type TEXT NOT NULL,
    modified TEXT NOT NULL,
    metadata TEXT NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (tenant, document)
);
CREATE INDEX documents_{v}_of_path ON documents_{v} (path);
CREATE TABLE chunks_{v} (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    first_page INTEGER NOT NULL,
    last_page INTEGER NOT NULL,
    kinds TEXT NOT NULL,
    statement TEXT NOT NULL
);
CREATE INDEX chunks_{v}_of_document ON chunks_{v} (document, position);
CREATE INDEX chunks_{v}_of_page ON chunks_{v} (document, first_page);
CREATE INDEX chunks_{v}_of_statement ON chunks_{v} (statement) WHERE statement <> '';
CREATE TABLE texts_{v} (id INTEGER PRIMARY KEY, terms TEXT NOT NULL, row BLOB NOT NULL);
CREATE TABLE vectors_{v} (id INTEGER PRIMARY KEY, bits BLOB NOT NULL, scale REAL NOT NULL, vector BLOB NOT NULL);
CREATE TABLE frequencies_{v} (
    term TEXT NOT NULL,
    tenant TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    PRIMARY KEY (term, tenant)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words_{v} USING fts5 (
    terms, content='texts_{v}', content_rowid='id', tokenize="{tokenizer}"
)
"""
_OCCURRENCES = "CREATE VIRTUAL TABLE IF NOT EXISTS occurrences_{v} USING fts5vocab (words_{v}, instance)"
"""The chunk of each occurrence of a term. Ranking by these takes a fifth of the time of the rank of FTS5."""


class SqliteIndexes(SqlIndexes[IndexFile, "SqliteIndex"]):
    """The versions of an index in one file."""

    tables = ("documents", "chunks", "texts", "vectors", "frequencies", "occurrences", "words")

    def __init__(self, path: Path) -> None:
        super().__init__(IndexFile(path))
        with self._database.transaction():
            self._change(f"PRAGMA user_version = {SCHEMA}") if not self._database.version else None
            self._change(_VERSIONS)
            for (number,) in self._rows("SELECT number FROM versions"):
                self._change(_OCCURRENCES.replace("{v}", str(number)))

    def drop(self, name: str) -> None:
        super().drop(name)
        for number in self._database.kept.keys() - {number for (number,) in self._rows("SELECT number FROM versions")}:
            del self._database.kept[number]

    def remove(self, documents: Sequence[str]) -> None:
        self._change("PRAGMA secure_delete = ON")
        super().remove(documents)

    def remove_traces(self) -> None:
        """Terms of removed documents stay in the word index until its parts are merged, and in the log."""
        self._change("PRAGMA secure_delete = ON")
        with self._database.transaction():
            for (number,) in self._rows("SELECT number FROM versions"):
                self._change(f"INSERT INTO words_{number} (words_{number}) VALUES ('optimize')")
        [(busy, *_)] = self._rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise StoreError(
                f"the document is in no answer any more, but another process keeps reading {self._database.place}: "
                "words of it stay in its log until that process ends; delete the document again then"
            )

    def close(self) -> None:
        self._database.close()

    def _alone(self) -> None:
        """A transaction locks the whole file."""

    def _statements(self, profile: IndexProfile) -> list[str]:
        return [*_TABLES.replace("{tokenizer}", _TOKENIZER).split(";"), _OCCURRENCES]

    def _index(self, number: int, name: str, profile: IndexProfile) -> SqliteIndex:
        return SqliteIndex(self._database, number, name, profile)


class SqliteIndex(SqlIndex[IndexFile]):
    """One version in a file."""

    packed = "row"

    def __init__(self, database: IndexFile, number: int, name: str, profile: IndexProfile) -> None:
        super().__init__(database, number, name, profile)
        self._signs, self._lengths = database.kept.setdefault(number, (KeptNumbers(), KeptNumbers()))

    def lexical(self, query: Query, terms: Sequence[str], most: int) -> list[int]:
        postings = [
            integers(self._rows("SELECT group_concat(doc) FROM occurrences_{v} WHERE term = ?", (term,))[0][0])
            for term in terms
        ]
        ids, lengths = self._lengths.current(self.removals(), self._lengths_after)
        found, scores = scored(
            postings, ids, lengths, self.statistics((), tenant=query.filter.tenant).mean_length or 1.0
        )
        if (passing := self._passing(found, query)) is not None:
            found, scores = found[passing], scores[passing]
        if len(found) > most:
            least = np.partition(scores, -most)[-most]
            found, scores = found[scores >= least], scores[scores >= least]
        return cast(list[int], found[np.lexsort((found, -scores))][:most].tolist())

    def dense(self, vector: NDArray[np.float32], query: Query, most: int) -> list[int]:
        if not self._profile.dimension:
            return []
        ids, columns = self._signs.current(self.removals(), self._signs_after)
        if not len(ids):
            return []
        several = max(most, min(most * OVERSAMPLED, 4000))
        rows = nearest(bits_of(vector), columns, several, self._passing(ids, query))
        if len(rows) > COMPARED * most:
            rows = rows[np.argpartition(-signed(vector, columns[:, rows].T), COMPARED * most)[: COMPARED * most]]
        found, scores = self._cosines(ids[rows].tolist(), vector)
        order = np.lexsort((found, -scores))[:most]
        return [int(number) for number in found[order]]

    def on_pages(self, pages: Sequence[tuple[str, int]], filter: SearchFilter) -> list[PageChunk]:
        found: list[PageChunk] = []
        for portion, _ in in_portions(pages):
            pairs = ", ".join(["(?, ?)"] * len(portion))
            rows = self._rows(
                f"WITH asked (document, page) AS (VALUES {pairs}) "
                "SELECT DISTINCT d.document, c.first_page, c.last_page, c.kinds, t.terms, c.id "
                "FROM asked a JOIN documents_{v} d ON d.tenant = ? AND d.document = a.document "
                f"JOIN chunks_{{v}} c ON c.document = d.number AND c.first_page BETWEEN a.page - {LONGEST} AND a.page "
                "AND c.last_page >= a.page JOIN texts_{v} t ON t.id = c.id",
                (*(value for page in portion for value in page), filter.tenant),
            )
            found += [PageChunk(*cast(Any, row[:5])) for row in rows]
        return found

    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.reading()

    def removals(self) -> int:
        """The number of chunks that were ever removed."""
        [(count,)] = self._rows("SELECT removals FROM versions WHERE number = ?", (self._number,))
        return int(str(count))

    def _lengths_after(self, last: int) -> Numbers:
        """Chunks that were added after an id, and how many terms each has."""
        [(ids, sizes)] = self._rows(
            "SELECT group_concat(id), group_concat(hex(sz), '') FROM "
            "(SELECT id, sz FROM words_{v}_docsize WHERE id > ? ORDER BY id)",
            (last,),
        )
        return integers(ids), varints(bytes_of(sizes))

    def _signs_after(self, last: int) -> Numbers:
        """Vectors that were added after an id, and their signs, as `bits.nearest` compares them."""
        [(ids, bits)] = self._rows(
            "SELECT group_concat(id), group_concat(hex(bits), '') FROM "
            "(SELECT id, bits FROM vectors_{v} WHERE id > ? ORDER BY id)",
            (last,),
        )
        width = -(-self._profile.dimension // 64)
        return integers(ids), np.ascontiguousarray(np.frombuffer(bytes_of(bits), np.uint64).reshape(-1, width).T)

    def _passing(self, ids: NDArray[np.int64], query: Query) -> NDArray[np.bool_] | None:
        """The chunks that pass the filter, have the phrases and nothing that is excluded, as a mask; None for all."""
        words = "SELECT group_concat(rowid) FROM words_{v} WHERE words_{v} MATCH ?"
        parts: list[NDArray[np.bool_]] = []
        if self._is_filtered(query.filter):
            condition, values = conditions(query.filter)
            passing = self._rows(
                "SELECT group_concat(c.id) FROM chunks_{v} c JOIN documents_{v} d ON d.number = c.document "
                f"WHERE {condition}",
                values,
            )
            parts.append(np.isin(ids, integers(passing[0][0])))
        if query.phrases:
            having = self._rows(words, (" AND ".join(map(_phrase, query.phrases)),))
            parts.append(np.isin(ids, integers(having[0][0])))
        if query.excluded:
            without = self._rows(words, (" OR ".join(map(_phrase, query.excluded)),))
            parts.append(np.isin(ids, integers(without[0][0]), invert=True))
        return np.logical_and.reduce(parts) if parts else None

    def _cosines(
        self, ids: Sequence[int], vector: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The ids that still exist, and the cosines of their vectors with another."""
        rows: list[tuple[object, ...]] = []
        for portion, marks in in_portions(ids):
            rows += self._rows(f"SELECT id, scale, vector FROM vectors_{{v}} WHERE id IN ({marks})", portion)
        found = np.fromiter((cast(int, row[0]) for row in rows), np.int64, len(rows))
        scales = np.fromiter((cast(float, row[1]) for row in rows), np.float32, len(rows))
        quantised = np.frombuffer(b"".join(cast(bytes, row[2]) for row in rows), np.int8)
        return found, (quantised.reshape(len(rows), self._profile.dimension).astype(np.float32) @ vector) * scales

    def _writing(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    def _vector_columns(self) -> tuple[str, str]:
        return "v.scale, v.vector", "LEFT JOIN vectors_{v} v ON v.id = c.id"

    def _vector(self, *columns: object) -> NDArray[np.float32] | None:
        scale, vector = columns
        if vector is None:
            return None
        return np.frombuffer(cast(bytes, vector), np.int8).astype(np.float32) * np.float32(cast(float, scale))

    def _new_ids(self, count: int) -> range:
        self._change("UPDATE versions SET chunks = chunks + ? WHERE number = ?", (count, self._number))
        [(last,)] = self._rows(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?", (f"chunks_{self._number}",)
        )
        return range(integer(last) + 1, integer(last) + 1 + count)

    def _add_words(self, chunks: Sequence[tuple[int, str]]) -> None:
        self._change_many("INSERT INTO words_{v} (rowid, terms) VALUES (?, ?)", chunks)

    def _add_vectors(self, vectors: Sequence[tuple[int, NDArray[np.float32]]]) -> None:
        rows = [(id, bits_of(vector).tobytes(), *_encoded(vector)) for id, vector in vectors]
        self._change_many("INSERT INTO vectors_{v} VALUES (?, ?, ?, ?)", rows)

    def _remove_words(self, chunks: Sequence[Row]) -> Iterable[str]:
        self._change_many("INSERT INTO words_{v} (words_{v}, rowid, terms) VALUES ('delete', ?, ?)", chunks)
        self._change("UPDATE versions SET removals = removals + ? WHERE number = ?", (len(chunks), self._number))
        return "texts", "vectors"

    def _count(self, frequencies: Counter[str], tenant: str) -> None:
        self._change_many(
            "INSERT INTO frequencies_{v} VALUES (?, ?, ?) "
            "ON CONFLICT (term, tenant) DO UPDATE SET chunks = chunks + excluded.chunks",
            [(term, tenant, count) for term, count in sorted(frequencies.items())],
        )


def _encoded(vector: NDArray[np.float32]) -> tuple[float, bytes]:
    """A vector in bytes, one a dimension, and their scale."""
    largest = float(np.abs(vector).max()) or 1.0
    return largest / 127, np.round(vector * (127 / largest)).astype(np.int8).tobytes()


def _phrase(terms: Sequence[str]) -> str:
    return '"' + " ".join(terms).replace('"', '""') + '"'
