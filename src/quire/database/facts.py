"""Facts: which content was made for which key, and where its bytes are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from quire.core.engine import Attempt
from quire.core.keys import ArtifactKey, Digest
from quire.database.database import Database, change_in, in_portions, rows_in, upsert

ANSWER = "answer"
"""The stage whose artifacts cost money, and which documents share."""

_REFERRING = """
DELETE FROM facts WHERE key IN (
    SELECT other.key FROM facts lost JOIN facts other ON other.document = lost.document
    WHERE lost.digest NOT IN (SELECT digest FROM objects) AND lost.stage NOT IN ('answer', 'source') AND (
        (other.stage = 'page' AND other.page = lost.page)
        OR (other.stage = lost.stage AND substr(lost.stage, 1, 10) = 'component/')
    )
)
"""
"""Forgets facts whose content refers to missing contents: the record of a page to its text and blocks, the output of a
flow component to its files and pages. An answer refers to nothing, and is not requested again."""


_UNREFERENCED = "digest NOT IN (SELECT digest FROM facts)"


class Fact(NamedTuple):
    """`digest` is the content that `stage` made for `key`; `used` the day of its last use, in days since 1970.

    It belongs to one document. An answer has a fact for each document that uses it, all with the same content.
    """

    key: ArtifactKey
    digest: Digest
    stage: str
    document: str
    page: int | None
    size: int
    used: int


class ContentPlace(NamedTuple):
    """The place of a content: a part of a pack, or a whole object of an older store."""

    pack: str
    start: int
    size: int


class KnownFact(NamedTuple):
    """The recorded content of a key, its place, and the day of its last use."""

    digest: Digest
    place: ContentPlace
    used: int


class Facts:
    """The tables `facts`, `objects` and `attempts`. Thread-safe; statements join the caller's transaction, if any."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, keys: Sequence[ArtifactKey]) -> dict[ArtifactKey, KnownFact]:
        """The facts of the keys whose content is recorded too."""
        found = {}
        query = (
            "SELECT facts.key, facts.digest, objects.pack, objects.start, objects.size, facts.used FROM facts "
            "JOIN objects ON objects.digest = facts.digest WHERE facts.key IN ({})"
        )
        for key, digest, pack, start, size, used in rows_in(self._database, query, keys):
            place = ContentPlace(str(pack), integer(start), integer(size))
            found[ArtifactKey(str(key))] = KnownFact(Digest(str(digest)), place, integer(used))
        return found

    def places(self, digests: Sequence[Digest]) -> dict[Digest, ContentPlace]:
        rows = rows_in(self._database, "SELECT digest, pack, start, size FROM objects WHERE digest IN ({})", digests)
        return {
            Digest(str(digest)): ContentPlace(str(pack), integer(start), integer(size))
            for digest, pack, start, size in rows
        }

    def hold(self, digests: Collection[Digest]) -> bool:
        """Whether all these contents are recorded; locks them until the end of the caller's transaction."""
        # Garbage collection waits for the locks, and so does another process that records the same contents.
        query = "SELECT digest FROM objects WHERE digest IN ({}) ORDER BY digest"
        portions = in_portions(sorted(digests))
        return sum(len(self._database.locked(query.format(marks), some)) for some, marks in portions) == len(digests)

    def record(self, facts: Sequence[Fact], places: Mapping[Digest, ContentPlace]) -> None:
        """Record facts in sorted order, so that two processes that record the same cannot deadlock."""
        self._database.change_many(
            upsert("objects", "digest", "digest, pack, start, size"),
            sorted((digest, *place) for digest, place in places.items()),
        )
        self._database.change_many(
            "UPDATE facts SET digest = ?, size = ? WHERE key = ?",  # for all documents that use it
            [(fact.digest, fact.size, fact.key) for fact in sorted(facts) if fact.stage == ANSWER],
        )
        self._database.change_many(upsert("facts", "key, document", ", ".join(Fact._fields)), sorted(facts))

    def share(self, key: ArtifactKey, digest: Digest, document: str, page: int | None, day: int) -> bool:
        """Record that a document uses an artifact made for another one; False if that no longer exists."""
        known = "SELECT 1 FROM facts WHERE key = ? AND document = ?"
        if self._database.rows(known, (key, document)):
            return True
        with self._database.transaction():
            return self.hold([digest]) and bool(
                self._database.change(
                    "INSERT INTO facts (key, digest, stage, document, page, size, used) "
                    "SELECT key, digest, stage, ?, ?, size, ? FROM facts WHERE key = ? AND digest = ? LIMIT 1 "
                    "ON CONFLICT (key, document) DO UPDATE SET used = excluded.used",
                    (document, page, day, key, digest),
                )
            )

    def touch(self, keys: Collection[ArtifactKey], day: int) -> None:
        """Record that these were used on that day."""
        with self._database.transaction():
            for some, marks in in_portions(sorted(keys)):
                query = f"SELECT key FROM facts WHERE key IN ({marks}) ORDER BY key, document"
                self._database.locked(query, some)
                self._database.change(f"UPDATE facts SET used = ? WHERE key IN ({marks})", (day, *some))

    def contents(self, pack: str) -> dict[Digest, ContentPlace]:
        """The contents of a pack."""
        rows = self._database.rows("SELECT digest, start, size FROM objects WHERE pack = ? ORDER BY start", (pack,))
        return {Digest(str(digest)): ContentPlace(pack, integer(start), integer(size)) for digest, start, size in rows}

    def forget(self, places: Mapping[Digest, ContentPlace]) -> None:
        """Forget missing contents, and what refers to them: both are made again."""
        with self._database.transaction():
            self._database.change_many(
                "DELETE FROM objects WHERE digest = ? AND pack = ? AND start = ?",
                sorted((digest, place.pack, place.start) for digest, place in places.items()),
            )
            self.forget_referring()

    def forget_referring(self) -> int:
        """Forget facts that refer to missing contents; returns how many."""
        return self._database.change(_REFERRING)

    def move(self, places: Mapping[Digest, ContentPlace], to: Mapping[Digest, ContentPlace]) -> None:
        """Record new places of contents; one that was moved or removed meanwhile stays as it is."""
        self._database.change_many(
            "UPDATE objects SET pack = ?, start = ? WHERE digest = ? AND pack = ? AND start = ?",
            [(to[d].pack, to[d].start, d, places[d].pack, places[d].start) for d in sorted(to)],
        )

    def known_bytes(self) -> dict[str, int]:
        """How many bytes of each pack are referenced."""
        rows = self._database.rows("SELECT pack, sum(size) FROM objects GROUP BY pack")
        return {str(pack): integer(size) for pack, size in rows}

    def documents_with(self, stage: str) -> set[str]:
        """The documents that have an artifact of a stage."""
        rows = self._database.rows("SELECT DISTINCT document FROM facts WHERE stage = ?", (stage,))
        return {str(document) for (document,) in rows}

    def forget_packs(self, names: Collection[str]) -> int:
        """Forget the contents of missing packs, and what refers to them; returns how many facts."""
        self._database.change_many("DELETE FROM objects WHERE pack = ?", [(name,) for name in names])
        dangling = self.forget_referring()
        return dangling + self._database.change("DELETE FROM facts WHERE digest NOT IN (SELECT digest FROM objects)")

    def forget_unused(self, before: int, today: int, *, answers: bool) -> int:
        """Forget documents last used before a day; engine answers only with `answers`."""
        self._database.change(
            "UPDATE facts SET used = ? WHERE used = 0", (today,)
        )  # from an older store: unknown counts from today
        # Artifacts of a document refer to each other, and only the first of them is looked up: they are forgotten
        # together. An answer does not count for its document: another document may have used it.
        unused = "document NOT IN (SELECT document FROM facts WHERE used >= ? AND stage <> ?)"
        return self._database.change(
            f"DELETE FROM facts WHERE used < ? AND stage <> ? AND {unused}",
            (before, "" if answers else ANSWER, before, ANSWER),
        )

    def remove_unreferenced(self) -> int:
        """Forget contents that no fact refers to, in the caller's transaction; returns how many."""
        # A process that saves the same content now has locked its row, or waits for ours: the second statement sees
        # its fact.
        query = f"SELECT digest FROM objects WHERE {_UNREFERENCED} ORDER BY digest"
        locked = [str(digest) for (digest,) in self._database.locked(query)]
        return change_in(self._database, f"DELETE FROM objects WHERE digest IN ({{}}) AND {_UNREFERENCED}", locked)

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        of_page = document, page
        with self._database.transaction():
            last = "SELECT coalesce(max(noted), 0) FROM attempts WHERE document = ? AND page = ?"
            ((noted,),) = self._database.rows(last, of_page)
            rows = [
                (*of_page, reading, integer(noted) + 1, number, made.engine, made.outcome, made.reason, made.ms)
                for number, made in enumerate(attempts, start=1)
            ]
            # The first row waits for a process that records the same; its rows are visible to the delete after it.
            columns = "document, page, reading, noted, number, engine, outcome, reason, ms"
            self._database.change_many(upsert("attempts", "document, page, reading, number", columns), rows)
            before = "DELETE FROM attempts WHERE document = ? AND page = ? AND reading = ? AND number > ?"
            self._database.change(before, (*of_page, reading, len(rows)))

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        query = (
            "SELECT engine, outcome, reason, ms FROM attempts WHERE document = ? AND page = ? AND reading = ? "
            "ORDER BY number"
        )
        rows = self._database.rows(query, (document, page, reading))
        return tuple(Attempt(*row) for row in rows)  # type: ignore[arg-type]

    def paths(self, document: str) -> dict[int, tuple[Attempt, ...]]:
        query = (
            "SELECT page, reading FROM attempts WHERE document = ? AND number = 1 ORDER BY page, noted"  # the last wins
        )
        last = {integer(page): str(reading) for page, reading in self._database.rows(query, (document,))}
        return {page: self.path(document, page, reading) for page, reading in last.items()}


def integer(value: object) -> int:
    """A number from a row."""
    return int(value)  # type: ignore[call-overload, no-any-return]
