"""Facts: which content was made for which key, and where its bytes lie. Tables of the database of a store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from quire.database.database import Database, in_portions
from quire.engine import Attempt
from quire.keys import ArtifactKey, Digest

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
"""Forgets what names contents that are not there: the record of a page its text and blocks, what a component of a flow
gave its files and pages. An answer names nothing, and is not asked for again."""


_UNREFERENCED = "digest NOT IN (SELECT digest FROM facts)"


class Fact(NamedTuple):
    """`digest` is the content that `stage` made for `key`; `used` the day it was last of use, in days since 1970.

    It belongs to one document. Of an answer there is a fact for each document that uses it, all with one content.
    """

    key: ArtifactKey
    digest: Digest
    stage: str
    document: str
    page: int | None
    size: int
    used: int


class ContentPlace(NamedTuple):
    """Where a content lies: a part of a pack, or the whole of an older object of its own."""

    pack: str
    start: int
    size: int


class KnownFact(NamedTuple):
    """What is known of a key."""

    digest: Digest
    place: ContentPlace
    used: int


class Facts:
    """The tables `facts`, `objects` and `attempts`. Any thread may use it, and the statements are of one transaction
    where the caller has begun one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, keys: Sequence[ArtifactKey]) -> dict[ArtifactKey, KnownFact]:
        """Those of the keys whose content is recorded too."""
        found = {}
        for some, marks in in_portions(keys):
            asked = (
                "SELECT facts.key, facts.digest, objects.pack, objects.start, objects.size, facts.used FROM facts "
                f"JOIN objects ON objects.digest = facts.digest WHERE facts.key IN ({marks})"
            )
            for key, digest, pack, start, size, used in self._database.rows(asked, some):
                place = ContentPlace(str(pack), integer(start), integer(size))
                found[ArtifactKey(str(key))] = KnownFact(Digest(str(digest)), place, integer(used))
        return found

    def places(self, digests: Sequence[Digest]) -> dict[Digest, ContentPlace]:
        found = {}
        for some, marks in in_portions(digests):
            asked = f"SELECT digest, pack, start, size FROM objects WHERE digest IN ({marks})"
            for digest, pack, start, size in self._database.rows(asked, some):
                found[Digest(str(digest))] = ContentPlace(str(pack), integer(start), integer(size))
        return found

    def hold(self, digests: Collection[Digest]) -> bool:
        """Whether all of these contents are recorded; they stay so until the end of the caller's transaction."""
        # Changing nothing locks the rows, in PostgreSQL too: whoever collects garbage waits.
        held = "UPDATE objects SET size = size WHERE digest IN ({})"
        portions = in_portions(digests)
        return sum(self._database.change(held.format(marks), some) for some, marks in portions) == len(digests)

    def record(self, facts: Sequence[Fact], places: Mapping[Digest, ContentPlace]) -> None:
        """Sorted: two processes that record the same never wait for each other in a circle."""
        self._database.change_many(
            "INSERT INTO objects (digest, pack, start, size) VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET "
            "pack = excluded.pack, start = excluded.start, size = excluded.size",
            sorted((digest, *place) for digest, place in places.items()),
        )
        self._database.change_many(
            "UPDATE facts SET digest = ?, size = ? WHERE key = ?",  # for all documents that use it
            [(fact.digest, fact.size, fact.key) for fact in sorted(facts) if fact.stage == ANSWER],
        )
        self._database.change_many(
            "INSERT INTO facts (key, digest, stage, document, page, size, used) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (key, document) DO UPDATE SET digest = excluded.digest, stage = excluded.stage, "
            "page = excluded.page, size = excluded.size, used = excluded.used",
            sorted(facts),
        )

    def share(self, key: ArtifactKey, digest: Digest, document: str, page: int | None, day: int) -> bool:
        """Record that a document uses what was made for another one; False if that is not there any more."""
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
        """Note that these were of use on that day."""
        for some, marks in in_portions(sorted(keys)):
            self._database.change(f"UPDATE facts SET used = ? WHERE key IN ({marks})", (day, *some))

    def contents(self, pack: str) -> dict[Digest, ContentPlace]:
        """What lies in a pack."""
        rows = self._database.rows("SELECT digest, start, size FROM objects WHERE pack = ? ORDER BY start", (pack,))
        return {Digest(str(digest)): ContentPlace(pack, integer(start), integer(size)) for digest, start, size in rows}

    def forget(self, places: Mapping[Digest, ContentPlace]) -> None:
        """These contents are not there: they are made again, and so is what names them."""
        with self._database.transaction():
            self._database.change_many(
                "DELETE FROM objects WHERE digest = ? AND pack = ? AND start = ?",
                sorted((digest, place.pack, place.start) for digest, place in places.items()),
            )
            self.forget_referring()

    def forget_referring(self) -> int:
        """Forget what names contents that are not there; how many facts that were."""
        return self._database.change(_REFERRING)

    def move(self, places: Mapping[Digest, ContentPlace], to: Mapping[Digest, ContentPlace]) -> None:
        """These contents lie elsewhere now; one that has been moved or removed meanwhile stays as it is."""
        self._database.change_many(
            "UPDATE objects SET pack = ?, start = ? WHERE digest = ? AND pack = ? AND start = ?",
            [(to[d].pack, to[d].start, d, places[d].pack, places[d].start) for d in sorted(to)],
        )

    def known_bytes(self) -> dict[str, int]:
        """How many bytes of each pack are known."""
        rows = self._database.rows("SELECT pack, sum(size) FROM objects GROUP BY pack")
        return {str(pack): integer(size) for pack, size in rows}

    def documents_with(self, stage: str) -> set[str]:
        """The documents that have an artifact of a stage."""
        rows = self._database.rows("SELECT DISTINCT document FROM facts WHERE stage = ?", (stage,))
        return {str(document) for (document,) in rows}

    def forget_packs(self, names: Collection[str]) -> int:
        """Forget what lies in packs that are gone, and what refers to it; how many facts that were."""
        self._database.change_many("DELETE FROM objects WHERE pack = ?", [(name,) for name in names])
        dangling = self.forget_referring()
        return dangling + self._database.change("DELETE FROM facts WHERE digest NOT IN (SELECT digest FROM objects)")

    def forget_unused(self, before: int, today: int, *, answers: bool) -> int:
        """Forget documents that were last of use before a day; answers of engines only when asked to."""
        self._database.change("UPDATE facts SET used = ? WHERE used = 0", (today,))  # of an older store: from now on
        # Artifacts of a document name each other, and only the first of them is looked up: they go together. An
        # answer does not count for its document: another one may have used it.
        unused = "document NOT IN (SELECT document FROM facts WHERE used >= ? AND stage <> ?)"
        return self._database.change(
            f"DELETE FROM facts WHERE used < ? AND stage <> ? AND {unused}",
            (before, "" if answers else ANSWER, before, ANSWER),
        )

    def remove_unreferenced(self) -> int:
        """Forget contents that no fact refers to, in the caller's transaction; how many."""
        # A process that saves the same content now has locked its row, or waits here: the second statement sees its
        # fact.
        self._database.change(f"UPDATE objects SET size = size WHERE {_UNREFERENCED}")
        return self._database.change(f"DELETE FROM objects WHERE {_UNREFERENCED}")

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        of_page = document, page
        with self._database.transaction():
            last = "SELECT coalesce(max(noted), 0) FROM attempts WHERE document = ? AND page = ?"
            ((noted,),) = self._database.rows(last, of_page)
            rows = [
                (*of_page, reading, integer(noted) + 1, number, made.engine, made.outcome, made.reason, made.ms)
                for number, made in enumerate(attempts, start=1)
            ]
            # The first row waits for whoever notes the same just now, and what is deleted after it is known by then.
            self._database.change_many(
                "INSERT INTO attempts (document, page, reading, noted, number, engine, outcome, reason, ms) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document, page, reading, number) DO UPDATE SET "
                "noted = excluded.noted, engine = excluded.engine, outcome = excluded.outcome, "
                "reason = excluded.reason, ms = excluded.ms",
                rows,
            )
            before = "DELETE FROM attempts WHERE document = ? AND page = ? AND reading = ? AND number > ?"
            self._database.change(before, (*of_page, reading, len(rows)))

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        asked = (
            "SELECT engine, outcome, reason, ms FROM attempts WHERE document = ? AND page = ? AND reading = ? "
            "ORDER BY number"
        )
        rows = self._database.rows(asked, (document, page, reading))
        return tuple(Attempt(*row) for row in rows)  # type: ignore[arg-type]

    def paths(self, document: str) -> dict[int, tuple[Attempt, ...]]:
        asked = (
            "SELECT page, reading FROM attempts WHERE document = ? AND number = 1 ORDER BY page, noted"  # the last wins
        )
        last = {integer(page): str(reading) for page, reading in self._database.rows(asked, (document,))}
        return {page: self.path(document, page, reading) for page, reading in last.items()}


def integer(value: object) -> int:
    """A number as a database gives it."""
    return int(value)  # type: ignore[call-overload, no-any-return]
