"""Indexes in SQL databases: their versions, the tables of each version, and how documents get into and out of these.

SQLite and PostgreSQL hold words and vectors each in their own way, and so find the best chunks each in their own way;
all else is written once, in the SQL that both share. In statements, `{p}` is the prefix of the tables of an index,
`{v}` the number of a version, and `{current}` the column that marks the current one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from quire.core.errors import UsageError
from quire.database.database import Database, in_portions
from quire.database.facts import integer
from quire.retrieval.search.backend import IndexProfile, IndexVersion
from quire.retrieval.search.conditions import is_open
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
from quire.retrieval.search.hits import IndexedDocument, Statistics, StoredChunk
from quire.retrieval.search.query import SearchFilter
from quire.retrieval.search.sqlite_file import IndexFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Row = tuple[object, ...]


DatabaseT = TypeVar("DatabaseT", bound=Database | IndexFile)
IndexT = TypeVar("IndexT", bound="SqlIndex[Any]")


class _Tables(Generic[DatabaseT]):
    """The tables of an index, by statements with their names left out."""

    prefix: ClassVar[str] = ""
    current: ClassVar[str] = "current"

    def __init__(self, database: DatabaseT, number: int = 0) -> None:
        self._database, self._number = database, number

    def _sql(self, statement: str) -> str:
        named = statement.replace("{p}", self.prefix).replace("{current}", self.current)
        return named.replace("{v}", str(self._number))

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        return self._database.rows(self._sql(statement), values)

    def _change(self, statement: str, values: Sequence[object] = ()) -> None:
        self._database.change(self._sql(statement), values)

    def _change_many(self, statement: str, values: Sequence[Sequence[object]]) -> None:
        self._database.change_many(self._sql(statement), values)


class SqlIndexes(_Tables[DatabaseT], ABC, Generic[DatabaseT, IndexT]):
    """The versions of an index in one database. See `quire.retrieval.search.backend.Indexes`."""

    tables: ClassVar[tuple[str, ...]]
    """The tables of a version, in the order in which they can be dropped."""

    def versions(self) -> list[IndexVersion]:
        rows = self._rows("SELECT name, number, profile, {current}, chunks FROM {p}versions ORDER BY number")
        counts = [self._rows(f"SELECT count(*) FROM {{p}}documents_{number}")[0][0] for _, number, *_ in rows]
        return [
            IndexVersion(str(name), profile_of(profile), bool(current), integer(documents), integer(chunks))
            for (name, _, profile, current, chunks), documents in zip(rows, counts, strict=True)
        ]

    def open(self, profile: IndexProfile | None = None, *, name: str | None = None) -> IndexT | None:
        rows = self._rows(
            "SELECT name, number, profile, {current} FROM {p}versions ORDER BY {current} DESC, number DESC"
        )
        for found, number, text, current in rows:
            known = profile_of(text)
            if (name == found) if name else (known == profile) if profile else bool(current):
                return self._opened(integer(number), str(found), known)
        return None

    def open_or_make(self, profile: IndexProfile) -> IndexT:
        with self._database.transaction():
            self._alone()
            return self.open(profile) or self.make(profile)

    def make(self, profile: IndexProfile, *, name: str | None = None) -> IndexT:
        """Raises ConfigurationError when it has vectors and the server does not take them."""
        with self._database.transaction():
            self._alone()
            statements = self._statements(profile)
            current = self._rows("SELECT 1 FROM {p}versions WHERE {current} = 1")
            passing = f"new {profile.digest()}"
            self._change(
                "INSERT INTO {p}versions (name, profile, {current}) VALUES (?, ?, ?)",
                (passing, profile_text(profile), int(not current)),
            )
            [(number,)] = self._rows("SELECT number FROM {p}versions WHERE name = ?", (passing,))
            name = name or f"{profile.digest()[:12]}-{number}"
            self._change("UPDATE {p}versions SET name = ? WHERE number = ?", (name, number))
            for statement in statements:
                self._change(statement.replace("{v}", str(number)))
        return self._opened(integer(number), name, profile)

    def switch(self, name: str) -> None:
        with self._database.transaction():
            self._alone()
            self._change("UPDATE {p}versions SET {current} = CASE WHEN name = ? THEN 1 ELSE 0 END", (name,))
            if not self._rows("SELECT 1 FROM {p}versions WHERE {current} = 1"):
                known = ", ".join(version.name for version in self.versions())
                raise UsageError(f"the index in {self._database.place} has no version {name}; choose from {known}")

    def drop(self, name: str) -> None:
        with self._database.transaction():
            self._alone()
            found = self._database.locked(self._sql("SELECT number FROM {p}versions WHERE name = ?"), (name,))
            for (number,) in found:
                for table in self.tables:
                    self._change(f"DROP TABLE IF EXISTS {{p}}{table}_{number}")
            self._change("DELETE FROM {p}versions WHERE name = ?", (name,))

    def remove(self, documents: Sequence[str]) -> None:
        """In the caller's transaction, if there is one."""
        with self._database.transaction():
            for number, name, text in self._rows("SELECT number, name, profile FROM {p}versions ORDER BY number"):
                self._index(integer(number), str(name), profile_of(text)).remove(documents)

    @abstractmethod
    def _alone(self) -> None:
        """Other processes that change versions wait until the end of the caller's transaction."""

    @abstractmethod
    def _statements(self, profile: IndexProfile) -> list[str]:
        """The statements that make the tables of a version."""

    @abstractmethod
    def _index(self, number: int, name: str, profile: IndexProfile) -> IndexT:
        """One version, to remove documents from it."""

    def _opened(self, number: int, name: str, profile: IndexProfile) -> IndexT:
        """One version, to search and to write."""
        return self._index(number, name, profile)


class SqlIndex(_Tables[DatabaseT], ABC):
    """One version. See `quire.retrieval.search.backend.IndexBackend`."""

    packed: ClassVar[str]
    """The column that has the row of a chunk."""

    def __init__(self, database: DatabaseT, number: int, name: str, profile: IndexProfile) -> None:
        super().__init__(database, number)
        self._name, self._profile = name, profile

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> IndexProfile:
        return self._profile

    def put(self, documents: Sequence[IndexedDocument]) -> None:
        with self._writing():
            for document in documents:
                self._remove([document.document], document.tenant)
                self._add(document)

    def remove(self, documents: Sequence[str], *, tenant: str | None = None) -> int:
        with self._writing():
            return self._remove(documents, tenant)

    def known(self, *, tenant: str = "") -> Mapping[str, tuple[str, str]]:
        rows = self._rows("SELECT document, path, digest FROM {p}documents_{v} WHERE tenant = ?", (tenant,))
        return {str(document): (str(path), str(digest)) for document, path, digest in rows}

    def tenants(self) -> list[str]:
        return [str(tenant) for (tenant,) in self._rows("SELECT DISTINCT tenant FROM {p}documents_{v} ORDER BY tenant")]

    def at(self, path: str, *, tenant: str = "") -> list[str]:
        rows = self._rows("SELECT document FROM {p}documents_{v} WHERE path = ? AND tenant = ?", (path, tenant))
        return [str(document) for (document,) in rows]

    def statistics(self, terms: Sequence[str], *, tenant: str = "") -> Statistics:
        rows: list[Row] = []
        for portion, marks in in_portions([*SUMS, *terms]):
            rows += self._rows(
                "SELECT term, sum(CASE WHEN tenant = ? THEN chunks ELSE 0 END), sum(chunks) FROM {p}frequencies_{v} "
                f"WHERE term IN ({marks}) GROUP BY term",
                (tenant, *portion),
            )
        return statistics_of(rows)

    def load(self, ids: Sequence[int]) -> list[StoredChunk]:
        found: dict[int, StoredChunk] = {}
        columns, joined = self._vector_columns()
        for portion, marks in in_portions(ids):
            rows = self._rows(
                "SELECT c.id, d.document, d.name, d.path, c.position, c.first_page, c.last_page, "
                f"t.{self.packed}, t.terms, c.statement, {columns} "
                "FROM {p}chunks_{v} c JOIN {p}documents_{v} d ON d.number = c.document "
                f"JOIN {{p}}texts_{{v}} t ON t.id = c.id {joined} WHERE c.id IN ({marks})",
                portion,
            )
            found |= {integer(row[0]): StoredChunk(*cast(Any, (*row[:10], self._vector(*row[10:])))) for row in rows}
        return [found[id] for id in ids if id in found]

    def around(self, document: str, position: int, reach: int, filter: SearchFilter) -> list[StoredChunk]:
        rows = self._rows(
            "SELECT c.id FROM {p}chunks_{v} c JOIN {p}documents_{v} d ON d.number = c.document "
            "WHERE d.document = ? AND d.tenant = ? AND c.position BETWEEN ? AND ? ORDER BY c.position",
            (document, filter.tenant, position - reach, position + reach),
        )
        return self.load([integer(id) for (id,) in rows])

    def close(self) -> None:
        """The database is closed by its owner."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]:
        """A transaction that writes to this version."""

    @abstractmethod
    def _vector_columns(self) -> tuple[str, str]:
        """The columns of the vector of a chunk `c`, and the join that gives them."""

    @abstractmethod
    def _vector(self, *columns: object) -> NDArray[np.float32] | None:
        """The vector in these columns; None where a chunk has none."""

    @abstractmethod
    def _new_ids(self, count: int) -> range:
        """Ids for new chunks, which are counted."""

    @abstractmethod
    def _add_words(self, chunks: Sequence[tuple[int, str]]) -> None:
        """Make chunks searchable, given by their ids and terms."""

    @abstractmethod
    def _add_vectors(self, vectors: Sequence[tuple[int, NDArray[np.float32]]]) -> None: ...

    @abstractmethod
    def _remove_words(self, chunks: Sequence[Row]) -> Iterable[str]:
        """Chunks are about to be removed, given by their ids and terms. Returns the tables that have rows with their
        ids."""

    @abstractmethod
    def _count(self, frequencies: Counter[str], tenant: str) -> None:
        """Add to the frequencies of terms."""

    def _is_filtered(self, filters: SearchFilter) -> bool:
        """Whether a filter excludes anything: another tenant is in the index, or something else is asked for."""
        if not is_open(filters):
            return True
        [(first,)] = self._rows("SELECT min(tenant) FROM {p}documents_{v}")
        [(last,)] = self._rows("SELECT max(tenant) FROM {p}documents_{v}")
        return not first == last == filters.tenant

    def _add(self, document: IndexedDocument) -> None:
        entry = entry_of(document, self._profile)
        marks = ", ".join("?" * len(entry.columns))
        self._change(f"INSERT INTO {{p}}documents_{{v}} ({DOCUMENT_COLUMNS}) VALUES ({marks})", entry.columns)
        [(number,)] = self._rows(
            "SELECT number FROM {p}documents_{v} WHERE tenant = ? AND document = ?",
            (document.tenant, document.document),
        )
        ids = self._new_ids(len(entry.chunks))
        chunks = list(zip(ids, entry.chunks, strict=True))
        self._change_many(
            f"INSERT INTO {{p}}chunks_{{v}} (id, document, {CHUNK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(id, number, *chunk.columns) for id, chunk in chunks],
        )
        self._change_many(
            "INSERT INTO {p}texts_{v} VALUES (?, ?, ?)", [(id, chunk.terms, chunk.packed) for id, chunk in chunks]
        )
        self._add_words([(id, chunk.terms) for id, chunk in chunks])
        self._add_vectors(
            [(id, chunk.vector) for id, chunk in zip(ids, document.chunks, strict=True) if chunk.vector is not None]
        )
        self._count(entry.frequencies, document.tenant)

    def _remove(self, documents: Sequence[str], tenant: str | None) -> int:
        condition, values = ("", ()) if tenant is None else (" AND tenant = ?", (tenant,))
        removed = 0
        for portion, marks in in_portions(documents):
            rows = self._rows(
                f"SELECT number, tenant FROM {{p}}documents_{{v}} WHERE document IN ({marks}){condition}",
                (*portion, *values),
            )
            numbers: dict[str, list[int]] = defaultdict(list)
            for number, owner in rows:
                numbers[str(owner)].append(integer(number))
            for owner, own in numbers.items():
                self._remove_documents(own, owner)
            removed += len(rows)
        return removed

    def _remove_documents(self, documents: list[int], tenant: str) -> None:
        marks = ", ".join("?" * len(documents))
        rows = self._rows(
            "SELECT c.id, t.terms FROM {p}chunks_{v} c JOIN {p}texts_{v} t ON t.id = c.id "
            f"WHERE c.document IN ({marks})",
            documents,
        )
        for table in self._remove_words(rows):
            chunks = f"SELECT id FROM {{p}}chunks_{{v}} WHERE document IN ({marks})"
            self._change(f"DELETE FROM {{p}}{table}_{{v}} WHERE id IN ({chunks})", documents)
        self._change(f"DELETE FROM {{p}}chunks_{{v}} WHERE document IN ({marks})", documents)
        self._change(f"DELETE FROM {{p}}documents_{{v}} WHERE number IN ({marks})", documents)
        frequencies = removed_terms([str(terms) for _, terms in rows])
        self._count(Counter({term: -count for term, count in frequencies.items()}), tenant)
        for portion, marks in in_portions(frequencies):
            self._change(
                f"DELETE FROM {{p}}frequencies_{{v}} WHERE chunks = 0 AND tenant = ? AND term IN ({marks})",
                (tenant, *portion),
            )
        self._change("UPDATE {p}versions SET chunks = chunks - ? WHERE number = ?", (len(rows), self._number))
