"""Everything the tables hold about one document, so that it can be found, counted and deleted."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator

from quire.database.database import Database, in_portions, rows_in
from quire.database.facts import ANSWER, integer
from quire.database.paths import path_text

_NAMING = {
    "facts": "document",
    "attempts": "document",
    "outputs": "document",
    "quarantine": "document",
    "files": "digest",
    "reviews": "document",
    "review_items": "document",
    "review_history": "document",
}
"""Tables with document ids, and the column of the id."""


class DocumentRows:
    """The rows of documents in all tables. Uses the caller's transaction, if any."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def at(self, path: str | os.PathLike[str]) -> str | None:
        """The id of the document that was last hashed at a path."""
        rows = self._database.rows("SELECT digest FROM files WHERE path = ?", (path_text(path),))
        return str(rows[0][0]) if rows else None

    def beginning_with(self, start: str) -> list[str]:
        """The ids with a prefix."""
        query = " UNION ".join(
            f"SELECT {column} FROM {table} WHERE {column} LIKE ?" for table, column in _NAMING.items()
        )
        return [str(row[0]) for row in self._database.rows(query, [f"{start}%"] * len(_NAMING))]

    def having(self, ids: Collection[str]) -> set[str]:
        """The subset of the ids that any table has."""
        query = " UNION ".join(
            f"SELECT {column} FROM {table} WHERE {column} IN ({{0}})" for table, column in _NAMING.items()
        )
        return {
            str(id)
            for some, marks in in_portions(ids)
            for (id,) in self._database.rows(query.format(marks), [*some] * len(_NAMING))
        }

    def reviews(self, document: str) -> tuple[int, int]:
        """How many reviews it has, and how many of them are samples."""
        query = "SELECT count(*), coalesce(sum(sample), 0) FROM reviews WHERE document = ?"
        ((reviews, samples),) = self._database.rows(query, (document,))
        return integer(reviews), integer(samples)

    def sizes(self, document: str) -> list[tuple[str, int]]:
        """The keys of its artifacts, each with its size in bytes."""
        rows = self._database.rows("SELECT key, size FROM facts WHERE document = ?", (document,))
        return [(str(key), integer(size)) for key, size in rows]

    def digests(self, document: str) -> set[str]:
        """The contents of its artifacts."""
        return {str(one) for (one,) in self._database.rows("SELECT digest FROM facts WHERE document = ?", (document,))}

    def shared(self, document: str) -> set[str]:
        """The keys of its artifacts that another document uses too."""
        rows = self._database.rows(
            "SELECT DISTINCT mine.key FROM facts mine JOIN facts other ON other.key = mine.key "
            "AND other.document <> mine.document WHERE mine.document = ?",
            (document,),
        )
        return {str(key) for (key,) in rows}

    def outputs(self, document: str) -> Iterator[str]:
        """The output files of its results."""
        query = "SELECT place, files FROM outputs WHERE document = ? ORDER BY place"
        for place, files in self._database.rows(query, (document,)):
            yield from [str(one[0]) for one in json.loads(str(files))] or [str(place)]

    def answers(self, documents: Collection[str]) -> set[str]:
        """The keys of the engine answers that these documents use."""
        query = "SELECT key FROM facts WHERE stage = ? AND document IN ({})"
        return {str(key) for (key,) in rows_in(self._database, query, documents, (ANSWER,))}

    def known(self, keys: Collection[str]) -> set[str]:
        """The subset of the keys that any document still has."""
        return {str(key) for (key,) in rows_in(self._database, "SELECT key FROM facts WHERE key IN ({})", keys)}

    def forget_contents(self, document: str, digests: Collection[str]) -> None:
        """Remove the facts of a document that have one of these contents."""
        self._database.change_many(
            "DELETE FROM facts WHERE document = ? AND digest = ?", [(document, digest) for digest in digests]
        )

    def delete(self, document: str, paths: Collection[str]) -> None:
        """Remove everything about a document, which is also known by these paths."""
        for table, column in _NAMING.items():
            self._database.change(f"DELETE FROM {table} WHERE {column} = ?", (document,))
        # Custom stages may identify a document by its path.
        self._database.change_many("DELETE FROM facts WHERE document = ?", [(path,) for path in paths])
