"""An index in one SQLite file: FTS5 for words, vectors as bytes in the same file.

Vectors are compared in this process, first by their signs (`bits`), which are kept in memory, then exactly. Ids are
never used again, so that rows that were deleted meanwhile are merely not found when the best are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quire.core.errors import StoreError, UsageError
from quire.database.database import in_portions
from quire.retrieval.search.backend import IndexProfile, IndexVersion
from quire.retrieval.search.bits import bits_of, nearest, signed
from quire.retrieval.search.conditions import conditions, is_open
from quire.retrieval.search.entries import (
    CHUNK_COLUMNS,
    DOCUMENT_COLUMNS,
    SUMS,
    entry_of,
    profile_of,
    profile_text,
    removed_terms,
    statistics_of,
)
from quire.retrieval.search.hits import IndexedDocument, PageChunk, Statistics, StoredChunk
from quire.retrieval.search.postings import scored
from quire.retrieval.search.query import Query, SearchFilter
from quire.retrieval.search.sqlite_file import SCHEMA, IndexFile, IndexWrite
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
_NAMES = ("documents", "chunks", "texts", "vectors", "frequencies", "occurrences", "words")


class SqliteIndexes:
    """The versions of an index in one file. See `quire.retrieval.search.backend.Indexes`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = IndexFile(path)
        with self._file.writing() as write:
            write(f"PRAGMA user_version = {SCHEMA}") if not self._file.version else None
            write(_VERSIONS)
            for (number,) in self._file.rows("SELECT number FROM versions"):
                write(_OCCURRENCES.format(v=number))

    def versions(self) -> list[IndexVersion]:
        return [self._version(row) for row in self._file.rows("SELECT * FROM versions ORDER BY number")]

    def open(self, profile: IndexProfile | None = None, *, name: str | None = None) -> SqliteIndex | None:
        rows = self._file.rows("SELECT name, number, profile, current FROM versions ORDER BY current DESC, number DESC")
        for found, number, text, current in rows:
            known = profile_of(text)
            if (name == found) if name else (known == profile) if profile else bool(current):
                return SqliteIndex(self._file, int(str(number)), str(found), known)
        return None

    def open_or_make(self, profile: IndexProfile) -> SqliteIndex:
        with self._file.writing():
            return self.open(profile) or self.make(profile)

    def make(self, profile: IndexProfile, *, name: str | None = None) -> SqliteIndex:
        with self._file.writing() as write:
            [(last,)] = self._file.rows("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'versions'")
            [(current,)] = self._file.rows("SELECT coalesce(max(current), 0) FROM versions")
            number = int(str(last)) + 1
            name = name or f"{profile.digest()[:12]}-{number}"
            values = (name, number, profile_text(profile), int(not current))
            write("INSERT INTO versions (name, number, profile, current) VALUES (?, ?, ?, ?)", values)
            for statement in (
                *_TABLES.format(v=number, tokenizer=_TOKENIZER).split(";"),
                _OCCURRENCES.format(v=number),
            ):
                write(statement)
        return SqliteIndex(self._file, number, name, profile)

    def switch(self, name: str) -> None:
        with self._file.writing() as write:
            write("UPDATE versions SET current = (name = ?)", (name,))
            if not self._file.rows("SELECT 1 FROM versions WHERE current"):
                known = ", ".join(version.name for version in self.versions())
                raise UsageError(f"{self._path} has no version {name}; choose from {known}")

    def drop(self, name: str) -> None:
        with self._file.writing() as write:
            for (number,) in self._file.rows("SELECT number FROM versions WHERE name = ?", (name,)):
                for table in _NAMES:
                    write(f"DROP TABLE {table}_{number}")
                self._file.kept.pop(cast(int, number), None)
            write("DELETE FROM versions WHERE name = ?", (name,))

    def remove(self, documents: Sequence[str]) -> None:
        self._file.rows("PRAGMA secure_delete = ON")
        with self._file.writing():
            for number, name, text in self._file.rows("SELECT number, name, profile FROM versions"):
                SqliteIndex(self._file, int(str(number)), str(name), profile_of(text)).remove(documents)

    def remove_traces(self) -> None:
        """Terms of removed documents stay in the word index until its parts are merged, and in the log."""
        self._file.rows("PRAGMA secure_delete = ON")
        with self._file.writing() as write:
            for (number,) in self._file.rows("SELECT number FROM versions"):
                write(f"INSERT INTO words_{number} (words_{number}) VALUES ('optimize')")
        [(busy, *_)] = self._file.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise StoreError(
                f"the document is in no answer any more, but another process keeps reading {self._path}: words of it "
                "stay in its log until that process ends; delete the document again then"
            )

    def close(self) -> None:
        self._file.close()

    def _version(self, row: tuple[object, ...]) -> IndexVersion:
        name, number, profile, current, chunks, *_ = row
        [(documents,)] = self._file.rows(f"SELECT count(*) FROM documents_{number}")
        return IndexVersion(str(name), profile_of(profile), bool(current), int(str(documents)), int(str(chunks)))


class SqliteIndex:
    """One version. See `quire.retrieval.search.backend.IndexBackend`."""

    def __init__(self, file: IndexFile, number: int, name: str, profile: IndexProfile) -> None:
        self._file, self._number, self._name, self._profile = file, number, name, profile
        self._signs, self._lengths = file.kept.setdefault(number, (KeptNumbers(), KeptNumbers()))

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> IndexProfile:
        return self._profile

    def put(self, documents: Sequence[IndexedDocument]) -> None:
        with self._file.writing() as write:
            for document in documents:
                self._remove(write, [document.document], document.tenant)
                self._add(write, document)

    def remove(self, documents: Sequence[str], *, tenant: str | None = None) -> int:
        with self._file.writing() as write:
            return self._remove(write, documents, tenant)

    def known(self, *, tenant: str = "") -> Mapping[str, tuple[str, str]]:
        rows = self._rows("SELECT document, path, digest FROM documents_{v} WHERE tenant = ?", (tenant,))
        return {str(document): (str(path), str(digest)) for document, path, digest in rows}

    def tenants(self) -> list[str]:
        return [str(tenant) for (tenant,) in self._rows("SELECT DISTINCT tenant FROM documents_{v} ORDER BY tenant")]

    def at(self, path: str, *, tenant: str = "") -> list[str]:
        rows = self._rows("SELECT document FROM documents_{v} WHERE path = ? AND tenant = ?", (path, tenant))
        return [str(document) for (document,) in rows]

    def statistics(self, terms: Sequence[str], *, tenant: str = "") -> Statistics:
        rows: list[tuple[object, ...]] = []
        for portion, marks in in_portions([*SUMS, *terms]):
            rows += self._rows(
                "SELECT term, sum(CASE WHEN tenant = ? THEN chunks ELSE 0 END), sum(chunks) FROM frequencies_{v} "
                f"WHERE term IN ({marks}) GROUP BY term",
                (tenant, *portion),
            )
        return statistics_of(rows)

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

    def load(self, ids: Sequence[int]) -> list[StoredChunk]:
        found: dict[int, StoredChunk] = {}
        for portion, marks in in_portions(ids):
            rows = self._rows(
                "SELECT c.id, d.document, d.name, d.path, c.position, c.first_page, c.last_page, t.row, t.terms, "
                "c.statement, v.scale, v.vector "
                "FROM chunks_{v} c JOIN documents_{v} d ON d.number = c.document JOIN texts_{v} t ON t.id = c.id "
                f"LEFT JOIN vectors_{{v}} v ON v.id = c.id WHERE c.id IN ({marks})",
                portion,
            )
            found |= {int(str(row[0])): _stored(row) for row in rows}
        return [found[number] for number in ids if number in found]

    def on_pages(self, pages: Sequence[tuple[str, int]], filter: SearchFilter) -> list[PageChunk]:
        found: list[PageChunk] = []
        for portion, _ in in_portions(pages):
            asked = ", ".join(["(?, ?)"] * len(portion))
            rows = self._rows(
                f"WITH asked (document, page) AS (VALUES {asked}) "
                "SELECT DISTINCT d.document, c.first_page, c.last_page, c.kinds, t.terms, c.id "
                "FROM asked a JOIN documents_{v} d ON d.tenant = ? AND d.document = a.document "
                f"JOIN chunks_{{v}} c ON c.document = d.number AND c.first_page BETWEEN a.page - {LONGEST} AND a.page "
                "AND c.last_page >= a.page JOIN texts_{v} t ON t.id = c.id",
                (*(value for page in portion for value in page), filter.tenant),
            )
            found += [PageChunk(*cast(Any, row[:5])) for row in rows]
        return found

    def around(self, document: str, index: int, reach: int, filter: SearchFilter) -> list[StoredChunk]:
        rows = self._rows(
            "SELECT c.id FROM chunks_{v} c JOIN documents_{v} d ON d.number = c.document "
            "WHERE d.document = ? AND d.tenant = ? AND c.position BETWEEN ? AND ? ORDER BY c.position",
            (document, filter.tenant, index - reach, index + reach),
        )
        return self.load([int(str(row[0])) for row in rows])

    def snapshot(self) -> AbstractContextManager[None]:
        return self._file.reading()

    def close(self) -> None:
        """The file is closed with its versions."""

    def removals(self) -> int:
        """How many chunks were ever removed."""
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
        """Which of them pass the filter, have the phrases and nothing that is excluded, or None for all."""
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

    def _is_filtered(self, filters: SearchFilter) -> bool:
        if not is_open(filters):
            return True
        [(first,)] = self._rows("SELECT min(tenant) FROM documents_{v}")
        [(last,)] = self._rows("SELECT max(tenant) FROM documents_{v}")
        return not first == last == filters.tenant

    def _cosines(
        self, ids: Sequence[int], vector: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Those of the ids that still exist, and the cosines of their vectors with another."""
        rows: list[tuple[object, ...]] = []
        for portion, marks in in_portions(ids):
            rows += self._rows(f"SELECT id, scale, vector FROM vectors_{{v}} WHERE id IN ({marks})", portion)
        found = np.fromiter((cast(int, row[0]) for row in rows), np.int64, len(rows))
        scales = np.fromiter((cast(float, row[1]) for row in rows), np.float32, len(rows))
        quantised = np.frombuffer(b"".join(cast(bytes, row[2]) for row in rows), np.int8)
        return found, (quantised.reshape(len(rows), self._profile.dimension).astype(np.float32) @ vector) * scales

    def _add(self, write: IndexWrite, document: IndexedDocument) -> None:
        entry = entry_of(document, self._profile)
        marks = ", ".join("?" * len(entry.columns))
        write(self._sql(f"INSERT INTO documents_{{v}} ({DOCUMENT_COLUMNS}) VALUES ({marks})"), entry.columns)
        [(number,)] = self._rows("SELECT last_insert_rowid()")
        [(last,)] = self._rows(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?", (f"chunks_{self._number}",)
        )
        ids = range(int(str(last)) + 1, int(str(last)) + 1 + len(entry.chunks))
        texts = [(id, chunk.terms, chunk.packed) for id, chunk in zip(ids, entry.chunks, strict=True)]
        chunks = [(id, number, *chunk.columns) for id, chunk in zip(ids, entry.chunks, strict=True)]
        vectors = [
            (id, bits_of(chunk.vector).tobytes(), *_encoded(chunk.vector))
            for id, chunk in zip(ids, document.chunks, strict=True)
            if chunk.vector is not None
        ]
        many = self._file.many
        many(
            self._sql(f"INSERT INTO chunks_{{v}} (id, document, {CHUNK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"), chunks
        )
        many(self._sql("INSERT INTO texts_{v} VALUES (?, ?, ?)"), texts)
        many(self._sql("INSERT INTO words_{v} (rowid, terms) VALUES (?, ?)"), [text[:2] for text in texts])
        many(self._sql("INSERT INTO vectors_{v} VALUES (?, ?, ?, ?)"), vectors)
        many(
            self._sql(
                "INSERT INTO frequencies_{v} VALUES (?, ?, ?) "
                "ON CONFLICT (term, tenant) DO UPDATE SET chunks = chunks + excluded.chunks"
            ),
            [(term, document.tenant, count) for term, count in sorted(entry.frequencies.items())],
        )
        write(
            "UPDATE versions SET chunks = chunks + ? WHERE number = ?",
            (len(chunks), self._number),
        )

    def _remove(self, write: IndexWrite, documents: Sequence[str], tenant: str | None) -> int:
        removed = 0
        for document in documents:
            condition, values = ("", ()) if tenant is None else (" AND tenant = ?", (tenant,))
            for number, owner in self._rows(
                f"SELECT number, tenant FROM documents_{{v}} WHERE document = ?{condition}", (document, *values)
            ):
                removed += 1
                self._remove_chunks(write, cast(int, number), str(owner))
                write(self._sql("DELETE FROM documents_{v} WHERE number = ?"), (number,))
        return removed

    def _remove_chunks(self, write: IndexWrite, document: int, tenant: str) -> None:
        rows = self._rows(
            "SELECT c.id, t.terms FROM chunks_{v} c JOIN texts_{v} t ON t.id = c.id WHERE c.document = ?", (document,)
        )
        frequencies = removed_terms([str(terms) for _, terms in rows])
        many = self._file.many
        many(self._sql("INSERT INTO words_{v} (words_{v}, rowid, terms) VALUES ('delete', ?, ?)"), rows)
        for table in ("texts", "vectors", "chunks"):
            many(self._sql(f"DELETE FROM {table}_{{v}} WHERE id = ?"), [row[:1] for row in rows])
        changes = [(count, term, tenant) for term, count in sorted(frequencies.items())]
        at = "WHERE term = ? AND tenant = ?"
        many(self._sql(f"UPDATE frequencies_{{v}} SET chunks = chunks - ? {at}"), changes)
        many(self._sql(f"DELETE FROM frequencies_{{v}} {at} AND chunks = 0"), [change[1:] for change in changes])
        write(
            "UPDATE versions SET chunks = chunks - ?, removals = removals + ? WHERE number = ?",
            (len(rows), len(rows), self._number),
        )

    def _sql(self, statement: str) -> str:
        return statement.replace("{v}", str(self._number))

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return self._file.rows(self._sql(statement), values)


def _encoded(vector: NDArray[np.float32]) -> tuple[float, bytes]:
    """A vector in bytes, one a dimension, and their scale."""
    largest = float(np.abs(vector).max()) or 1.0
    return largest / 127, np.round(vector * (127 / largest)).astype(np.int8).tobytes()


def _decoded(scale: object, vector: object) -> NDArray[np.float32]:
    return np.frombuffer(cast(bytes, vector), np.int8).astype(np.float32) * np.float32(cast(float, scale))


def _stored(row: tuple[object, ...]) -> StoredChunk:
    *plain, scale, vector = row
    known = None if vector is None else _decoded(scale, vector)
    return StoredChunk(*cast(Any, (*plain, known)))


def _phrase(terms: Sequence[str]) -> str:
    return '"' + " ".join(terms).replace('"', '""') + '"'
