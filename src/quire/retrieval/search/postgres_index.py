"""An index in PostgreSQL, beside the facts: its text search for words, pgvector for vectors.

Its tables are in the database of the facts, so that a document is deleted from both in one transaction. A small index,
and what is left of a large one by a narrow filter, is compared exactly; otherwise the HNSW graph of pgvector finds the
nearest vectors, approximately. It is made when the index has outgrown comparing: adding vectors to it one by one takes
most of the time of indexing. Writers of one version wait for each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from quire.core.errors import ConfigurationError, StoreError
from quire.database.database import Database
from quire.database.facts import integer
from quire.retrieval.search.backend import IndexProfile
from quire.retrieval.search.conditions import conditions
from quire.retrieval.search.hits import PageChunk
from quire.retrieval.search.postgres_values import any_of, halfvec, halfvec_read, tsquery, tsvector
from quire.retrieval.search.query import Query, SearchFilter
from quire.retrieval.search.ranking import K1, B
from quire.retrieval.search.sql_index import Row, SqlIndex, SqlIndexes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT = 10_000
"""Up to so many vectors are compared one by one, in a few milliseconds."""
SCANNED = 100_000
"""Vectors that a search with a filter looks at in the graph before it compares all that pass the filter."""
LARGEST = 4000
"""Dimensions of a vector that pgvector can put into a graph."""
DIFFERENT = 0.8
"""The share of different terms among those of a chunk, roughly: `length` counts these."""
_GAIN = "? * power(1.644934 * ts_rank('{1,1,1,1}', w.words, ?::tsquery), 1.7)"
"""The score of a term: its rank is 1 for one occurrence, 1.25 for two, 1.36 for three; the power makes it like BM25."""
NEEDED = (0, 8)
"""The version of pgvector: earlier ones lose results behind filters."""
_MAKING = 0x71756972656978  # "quireix"
"""The advisory lock held while versions are made, switched and dropped."""

_VERSIONS = """
CREATE TABLE IF NOT EXISTS search_versions (
    number INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    profile TEXT NOT NULL,
    is_current INTEGER NOT NULL DEFAULT 0,
    chunks BIGINT NOT NULL DEFAULT 0,
    last BIGINT NOT NULL DEFAULT 0
)
"""
_TABLES = """
CREATE TABLE search_documents_{v} (
    number INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    media_type TEXT NOT NULL,
    modified TEXT COLLATE "C" NOT NULL,
    metadata TEXT NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (tenant, document)
);
CREATE INDEX ON search_documents_{v} (document);
CREATE INDEX ON search_documents_{v} USING hash (path);
CREATE TABLE search_chunks_{v} (
    id BIGINT PRIMARY KEY,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    first_page INTEGER NOT NULL,
    last_page INTEGER NOT NULL,
    kinds TEXT NOT NULL,
    statement TEXT NOT NULL
);
CREATE INDEX ON search_chunks_{v} (document, position);
CREATE INDEX ON search_chunks_{v} (document, first_page, last_page);
CREATE INDEX ON search_chunks_{v} (statement) WHERE statement <> '';
CREATE TABLE search_texts_{v} (id BIGINT PRIMARY KEY, terms TEXT NOT NULL, packed BYTEA NOT NULL);
CREATE TABLE search_words_{v} (id BIGINT PRIMARY KEY, words TSVECTOR NOT NULL) WITH (toast_tuple_target = 8160);
CREATE INDEX ON search_words_{v} USING gin (words);
CREATE TABLE search_frequencies_{v} (
    term TEXT COLLATE "C" NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    chunks BIGINT NOT NULL,
    PRIMARY KEY (term, tenant)
)
"""
# Ranking reads the words of every match: `toast_tuple_target` keeps them in the row, uncompressed.
_VECTORS = "CREATE TABLE search_vectors_{v} (id BIGINT PRIMARY KEY, embedding {schema}.halfvec({dimension}) NOT NULL)"
_GRAPH = "CREATE INDEX ON search_vectors_{v} USING hnsw (embedding {schema}.halfvec_ip_ops)"


class PostgresIndexes(SqlIndexes[Database, "PostgresIndex"]):
    """The versions of an index in the database of the facts."""

    prefix = "search_"
    current = "is_current"
    tables = ("documents", "chunks", "texts", "words", "frequencies", "vectors")

    def __init__(self, database: Database, *, exact: int = EXACT) -> None:
        """`exact` is up to how many vectors are compared one by one."""
        super().__init__(database)
        self._exact = exact
        if not has_indexes(database):
            with database.transaction():
                self._alone()
                database.change(_VERSIONS)

    def remove_traces(self) -> None:
        """The server does, when it vacuums its tables."""

    def close(self) -> None:
        """The database belongs to the store."""

    def _alone(self) -> None:
        self._database.rows("SELECT pg_advisory_xact_lock(?)", (_MAKING,))

    def _statements(self, profile: IndexProfile) -> list[str]:
        if not profile.dimension:
            return _TABLES.split(";")
        schema = self._pgvector(install=True)
        vectors = _VECTORS.replace("{schema}", schema).replace("{dimension}", str(profile.dimension))
        return [*_TABLES.split(";"), vectors]

    def _index(self, number: int, name: str, profile: IndexProfile) -> PostgresIndex:
        return PostgresIndex(self._database, number, name, profile)

    def _opened(self, number: int, name: str, profile: IndexProfile) -> PostgresIndex:
        schema = self._pgvector(install=False) if profile.dimension else ""
        return PostgresIndex(self._database, number, name, profile, vector_schema=schema, exact=self._exact)

    def _pgvector(self, *, install: bool) -> str:
        """The schema of pgvector, quoted. Raises ConfigurationError when it is missing or too old."""
        database, advice = self._database, "; or index words alone with --embedder none"
        query = (
            "SELECT quote_ident(n.nspname), e.extversion FROM pg_extension e "
            "JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
        )
        found = database.rows(query)
        if not found and install:
            if not database.rows("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
                raise ConfigurationError(
                    f"the server of {database.place} lacks pgvector, which holds vectors: install it there, on Debian "
                    f"as postgresql-NN-pgvector for the version NN of the server{advice}"
                )
            database.change("CREATE EXTENSION IF NOT EXISTS vector")
            found = database.rows(query)
        if not found:
            raise ConfigurationError(
                f"{database.place} has an index of vectors, but no pgvector: CREATE EXTENSION vector"
            )
        [(schema, version)] = found
        if tuple(int(part) for part in str(version).split(".")[:2]) < NEEDED:
            needed = ".".join(map(str, NEEDED))
            raise ConfigurationError(
                f"{database.place} has pgvector {version}, Quire needs {needed} or later: install it on the server, "
                f"then ALTER EXTENSION vector UPDATE{advice}"
            )
        return str(schema)


def has_indexes(database: Database) -> bool:
    """Whether an index was ever made in this database."""
    known = "SELECT 1 FROM pg_class WHERE relname = 'search_versions' AND pg_table_is_visible(oid)"
    return bool(database.rows(known))


class PostgresIndex(SqlIndex[Database]):
    """One version in the database of the facts."""

    prefix = "search_"
    packed = "packed"

    def __init__(
        self,
        database: Database,
        number: int,
        name: str,
        profile: IndexProfile,
        *,
        vector_schema: str = "",
        exact: int = EXACT,
    ) -> None:
        super().__init__(database, number, name, profile)
        self._schema, self._exact = vector_schema, exact

    def lexical(self, query: Query, terms: Sequence[str], most: int) -> list[int]:
        statistics = self.statistics(terms, tenant=query.filter.tenant)
        ranked = [
            (math.log(1 + statistics.chunks / (statistics.frequencies.get(term, 0) + 0.5)), alternatives)
            for term in terms
            if (alternatives := any_of([term]))
        ]
        if not ranked:
            return []
        score = f"({' + '.join([_GAIN] * len(ranked))}) / (1 + {K1} * (1 - {B} + {B} * length(w.words) / ?::float8))"
        different = DIFFERENT * statistics.mean_length or 1.0
        joined, condition, values = self._filtered(query.filter, "w.id")
        rows = self._rows(
            f"SELECT w.id FROM search_words_{{v}} w {joined} WHERE w.words @@ ?::tsquery AND {condition} "
            f"ORDER BY {score} DESC, w.id LIMIT ?",
            (tsquery(terms, query), *values, *(value for pair in ranked for value in pair), different, most),
        )
        return [integer(id) for (id,) in rows]

    def dense(self, vector: NDArray[np.float32], query: Query, most: int) -> list[int]:
        if not self._profile.dimension:
            return []
        near = halfvec(vector)
        joined, condition, values = self._filtered(query.filter, "v.id")
        if words := tsquery((), query):
            joined += " JOIN search_words_{v} w ON w.id = v.id"
            condition, values = f"{condition} AND w.words @@ ?::tsquery", [*values, words]
        selected = f"SELECT v.id FROM search_vectors_{{v}} v {joined} WHERE {condition}"
        with self._database.transaction():
            [(passing,)] = self._rows(f"SELECT count(*) FROM ({selected} LIMIT ?) passing", (*values, self._exact + 1))
            found = list[tuple[object, ...]]()
            if integer(passing) > self._exact and self._profile.dimension <= LARGEST:
                self._prepare_graph(most)
                found = self._rows(f"{selected} ORDER BY {self._distance()} LIMIT ?", (*values, near, most))
            if len(found) < min(most, integer(passing)):
                # Adding 0 keeps the graph out of it.
                found = self._rows(f"{selected} ORDER BY {self._distance()} + 0, v.id LIMIT ?", (*values, near, most))
        return [integer(id) for (id,) in found]

    def on_pages(self, pages: Sequence[tuple[str, int]], filter: SearchFilter) -> list[PageChunk]:
        rows = self._rows(
            "SELECT DISTINCT ON (c.id) d.document, c.first_page, c.last_page, c.kinds, t.terms "
            "FROM unnest(?::text[], ?::integer[]) asked (document, page) "
            "JOIN search_documents_{v} d ON d.tenant = ? AND d.document = asked.document "
            "JOIN search_chunks_{v} c ON c.document = d.number AND asked.page BETWEEN c.first_page AND c.last_page "
            "JOIN search_texts_{v} t ON t.id = c.id",
            ([document for document, _ in pages], [page for _, page in pages], filter.tenant),
        )
        return [PageChunk(*cast(Any, row)) for row in rows]

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._database.transaction():
            self._database.change("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield

    def _filtered(self, filters: SearchFilter, id: str) -> tuple[str, str, list[object]]:
        """The join that gives the documents of chunks with an id, the condition of a filter on them, and its values."""
        if not self._is_filtered(filters):
            return "", "TRUE", []
        condition, values = conditions(filters)
        joined = f"JOIN search_chunks_{{v}} c ON c.id = {id} JOIN search_documents_{{v}} d ON d.number = c.document"
        without = [value.replace("\0", "") if isinstance(value, str) else value for value in values]
        return joined, condition.replace(" LIKE ", " ILIKE "), without  # LIKE of SQLite ignores case

    def _make_graph(self) -> None:
        """Make the graph once there are more vectors than are compared one by one."""
        if not 0 < self._profile.dimension <= LARGEST:
            return
        [(chunks,)] = self._rows("SELECT chunks FROM search_versions WHERE number = ?", (self._number,))
        known = "SELECT 1 FROM pg_indexes WHERE tablename = ? AND schemaname = current_schema() AND indexdef LIKE ?"
        if integer(chunks) > self._exact and not self._rows(
            known, (f"search_vectors_{self._number}", "% USING hnsw %")
        ):
            self._change(_GRAPH.replace("{schema}", self._schema))

    def _prepare_graph(self, most: int) -> None:
        """Let the next search of this transaction go on through the graph until enough chunks pass the filter."""
        settings = {
            "hnsw.ef_search": str(min(max(2 * most, 100), 1000)),
            "hnsw.iterative_scan": "strict_order",
            "hnsw.max_scan_tuples": str(SCANNED),
        }
        for setting in settings.items():
            self._rows("SELECT set_config(?, ?, true)", setting)

    def _distance(self) -> str:
        return f"(v.embedding OPERATOR({self._schema}.<#>) ?::{self._schema}.halfvec)"

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Other writers of this version wait until the end of the transaction, and so never deadlock."""
        with self._database.transaction():
            if not self._database.locked("SELECT number FROM search_versions WHERE number = ?", (self._number,)):
                raise StoreError(f"the version {self._name} of the search index was dropped; run `quire index` again")
            yield
            self._make_graph()

    def _vector_columns(self) -> tuple[str, str]:
        if not self._profile.dimension:
            return "NULL", ""
        return f"{self._schema}.halfvec_send(v.embedding)", "JOIN search_vectors_{v} v ON v.id = c.id"

    def _vector(self, *columns: object) -> NDArray[np.float32] | None:
        (vector,) = columns
        return None if vector is None else halfvec_read(cast(bytes, vector))

    def _new_ids(self, count: int) -> range:
        [(last,)] = self._rows(
            "UPDATE search_versions SET chunks = chunks + ?, last = last + ? WHERE number = ? RETURNING last",
            (count, count, self._number),
        )
        return range(integer(last) - count + 1, integer(last) + 1)

    def _add_words(self, chunks: Sequence[tuple[int, str]]) -> None:
        rows = [(id, tsvector(terms.split())) for id, terms in chunks]
        self._change_many("INSERT INTO search_words_{v} VALUES (?, ?::tsvector)", rows)

    def _add_vectors(self, vectors: Sequence[tuple[int, NDArray[np.float32]]]) -> None:
        rows = [(id, halfvec(vector)) for id, vector in vectors]
        self._change_many(f"INSERT INTO search_vectors_{{v}} VALUES (?, ?::{self._schema}.halfvec)", rows)

    def _remove_words(self, chunks: Sequence[Row]) -> Iterable[str]:
        return "texts", "words", *(["vectors"] if self._profile.dimension else [])

    def _count(self, frequencies: Counter[str], tenant: str) -> None:
        self._change(
            "INSERT INTO search_frequencies_{v} AS f "
            "SELECT term, ?, chunks FROM unnest(?::text[], ?::bigint[]) found (term, chunks) "
            "ON CONFLICT (term, tenant) DO UPDATE SET chunks = f.chunks + excluded.chunks",
            (tenant, [*frequencies], [*frequencies.values()]),
        )
