"""Reviews: the values of extractions that people look at, who has which of them, and every decision about them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.database.database import Database
from quire.database.facts import integer

LEASE_S = 120.0
"""The lease of a claim without a heartbeat: browsers slow the timers of tabs in the background."""
OPEN = "open"
"""The state of an item without a decision."""
TRIED = 20
"""Parts that a claim tries at a time: others may get them first."""
_ITEM = "review, path, number, part, field, doubt, state, version, decision, claim, reviewer, boot, expires"
_REVIEW = "id, tenant, document, reference, place, run, name, opened, ended, sample, waiting"
_CLAIMED = "claim = ? AND review IN (SELECT id FROM reviews WHERE tenant = ?)"
_FREE = "(i.claim = '' OR i.boot <> ? OR i.expires <= ?)"


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A review. `document` is its id in the store, `reference` what was read of it, `place` its id in the API if it has
    one, `waiting` the runs that wait for the end. Times are seconds of the wall clock.
    """

    id: str
    tenant: str
    document: str
    reference: Json
    place: str
    run: str
    name: str
    opened: float = 0.0
    ended: float | None = None
    sample: bool = False
    waiting: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A value of a review. Those of one `part` are claimed together: a list with all its rows.

    `doubt` is why it needs a decision, "" if it does not. `held` says whether a claim on it is alive.
    """

    review: str
    path: str
    number: int
    part: str
    field: str
    doubt: str
    state: str = OPEN
    version: int = 0
    decision: Json = None
    claim: str = ""
    reviewer: str = ""
    held: bool = False


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A decision about a value, or its withdrawal, and the version of the item that it made."""

    review: str
    path: str
    version: int
    action: str
    decision: Json
    reviewer: str
    at: float


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """A filter of the open items of a tenant. Empty members allow all."""

    tenant: str
    doubts: Sequence[str] = ()
    field: str = ""
    run: str = ""
    review: str = ""
    part: str = ""

    def condition(self) -> tuple[str, list[object]]:
        """SQL about `reviews r` and `review_items i`, and its values."""
        parts, values = ["r.tenant = ?", "i.state = ?"], [self.tenant, OPEN]
        if self.doubts:
            parts.append(f"i.doubt IN ({', '.join('?' * len(self.doubts))})")
            values += self.doubts
        named = {"i.field": self.field, "r.run": self.run, "r.id": self.review, "i.part": self.part}
        for column, wanted in named.items():
            if wanted:
                parts.append(f"{column} = ?")
                values.append(wanted)
        return " AND ".join(parts), list(values)


class StaleItem(UsageError):
    """The item has another version by now, or another reviewer has it. `item` is how it is."""

    def __init__(self, message: str, item: ItemRow) -> None:
        super().__init__(message)
        self.item = item


class ReviewTables:
    """The tables of reviews. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, review: ReviewRow, content: str, items: Sequence[ItemRow]) -> None:
        """Record a review, unless it is there already; the runs that wait for it are added to those of before."""
        ended = None if any(one.doubt for one in items) else time.time()
        with self._database.transaction(lasting=True):
            added = self._database.change(
                "INSERT INTO reviews (id, tenant, document, reference, place, run, name, content, opened, ended) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (
                    *(review.id, review.tenant, review.document, json.dumps(review.reference), review.place),
                    *(review.run, review.name, content, time.time(), ended),
                ),
            )
            for run in review.waiting:
                self._database.change(
                    "UPDATE reviews SET waiting = waiting || ? WHERE id = ? AND ended IS NULL AND waiting NOT LIKE ?",
                    (f"{run} ", review.id, f"%{run} %"),
                )
            if added:
                self._database.change_many(
                    "INSERT INTO review_items (review, path, document, number, part, field, doubt, state, version) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
                    [
                        (review.id, one.path, review.document, one.number, one.part, one.field, one.doubt, OPEN)
                        for one in items
                    ],
                )

    def insert(self, item: ItemRow) -> None:
        """Add an item to a review behind all others, unless it is there already. If a reviewer has its part, that
        reviewer has the item too."""
        self._database.change(
            "INSERT INTO review_items "
            "(review, path, document, number, part, field, doubt, state, version, claim, reviewer, boot, expires) "
            "SELECT r.id, ?, r.document, (SELECT coalesce(max(number), 0) + 1 FROM review_items WHERE review = r.id), "
            "?, ?, ?, ?, 0, coalesce(i.claim, ''), coalesce(i.reviewer, ''), coalesce(i.boot, ''), "
            "coalesce(i.expires, 0) FROM reviews r LEFT JOIN review_items i ON i.review = r.id AND i.part = ? "
            "WHERE r.id = ? ORDER BY coalesce(i.expires, 0) DESC LIMIT 1 ON CONFLICT DO NOTHING",
            (item.path, item.part, item.field, item.doubt, OPEN, item.part, item.review),
        )

    @contextmanager
    def deciding(self, review: str) -> Iterator[None]:
        """A transaction in which nothing else is decided about a review."""
        with self._database.transaction(lasting=True):
            self._database.locked("SELECT id FROM reviews WHERE id = ?", (review,))
            yield

    def find(self, id: str, tenant: str | None = None) -> ReviewRow | None:
        """The review; None if there is none of that id, or it is of another tenant than the one that is named."""
        rows = self._database.rows(f"SELECT {_REVIEW} FROM reviews WHERE id = ?", (id,))
        found = _review(rows[0]) if rows else None
        return found if found is None or tenant in (None, found.tenant) else None

    def content(self, id: str) -> str:
        rows = self._database.rows("SELECT content FROM reviews WHERE id = ?", (id,))
        return str(rows[0][0]) if rows else ""

    def listed(
        self, tenant: str, *, place: str = "", run: str = "", before: str | None = None, limit: int = 50
    ) -> list[ReviewRow]:
        """The reviews of a tenant, the latest first; `before` continues after that one."""
        condition, values = "tenant = ?", [tenant]
        for column, wanted in (("place", place), ("run", run)):
            if wanted:
                condition, values = f"{condition} AND {column} = ?", [*values, wanted]
        if before is not None:
            condition += " AND (opened, id) < (SELECT opened, id FROM reviews WHERE id = ?)"
            values = [*values, before]
        query = f"SELECT {_REVIEW} FROM reviews WHERE {condition} ORDER BY opened DESC, id DESC LIMIT ?"
        return [_review(row) for row in self._database.rows(query, (*values, limit))]

    def samples(self, tenant: str, *, every: bool) -> list[ReviewRow]:
        """The reviews of a tenant that are samples, the latest first; with `every` also all that have ended."""
        condition = "(sample = 1 OR ended IS NOT NULL)" if every else "sample = 1"
        query = f"SELECT {_REVIEW} FROM reviews WHERE tenant = ? AND {condition} ORDER BY opened DESC, id DESC"
        return [_review(row) for row in self._database.rows(query, (tenant,))]

    def latest(self, document: str) -> list[ReviewRow]:
        """The reviews of a document by its id in the store, the oldest first."""
        query = f"SELECT {_REVIEW} FROM reviews WHERE document = ? ORDER BY opened, id"
        return [_review(row) for row in self._database.rows(query, (document,))]

    def items(self, review: str, *, part: str | None = None) -> list[ItemRow]:
        """The items of a review in their order: all, or those of a part."""
        condition, values = ("review = ?", [review]) if part is None else ("review = ? AND part = ?", [review, part])
        rows = self._database.rows(f"SELECT {_ITEM} FROM review_items WHERE {condition} ORDER BY number", values)
        return [self._item(row) for row in rows]

    def counts(self, wanted: QueueFilter) -> list[tuple[str, str, str, int]]:
        """The number of open items by review, field and doubt."""
        condition, values = wanted.condition()
        rows = self._database.rows(
            "SELECT i.review, i.field, i.doubt, count(*) FROM review_items i JOIN reviews r ON r.id = i.review "
            f"WHERE {condition} GROUP BY i.review, i.field, i.doubt ORDER BY i.review, min(i.number)",
            values,
        )
        return [(str(review), str(field), str(doubt), integer(count)) for review, field, doubt, count in rows]

    def held(self, wanted: QueueFilter) -> dict[str, int]:
        """The number of open items that reviewers have, by their names."""
        condition, values = wanted.condition()
        rows = self._database.rows(
            "SELECT i.reviewer, count(*) FROM review_items i JOIN reviews r ON r.id = i.review "
            f"WHERE {condition} AND NOT {_FREE} GROUP BY i.reviewer ORDER BY i.reviewer",
            (*values, self._database.epoch, self._database.now()),
        )
        return {str(reviewer): integer(count) for reviewer, count in rows}

    def states(self, reviews: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """The number of items of some reviews by review, state and doubt."""
        marks = ", ".join("?" * len(reviews))
        query = (
            f"SELECT review, state, doubt, count(*) FROM review_items WHERE review IN ({marks}) "
            "GROUP BY review, state, doubt"
        )
        rows = self._database.rows(query, reviews) if reviews else []
        return [(str(review), str(state), str(doubt), integer(count)) for review, state, doubt, count in rows]

    def queue(self, wanted: QueueFilter, limit: int) -> list[ItemRow]:
        """The first open items that are wanted, the oldest review first."""
        condition, values = wanted.condition()
        columns = ", ".join(f"i.{name}" for name in _ITEM.split(", "))
        rows = self._database.rows(
            f"SELECT {columns} FROM review_items i JOIN reviews r ON r.id = i.review "
            f"WHERE {condition} ORDER BY r.opened, i.review, i.number LIMIT ?",
            (*values, limit),
        )
        return [self._item(row) for row in rows]

    def claim(
        self,
        wanted: QueueFilter,
        claim: str,
        reviewer: str,
        *,
        after: tuple[str, str] | None = None,
        again: bool = True,
    ) -> tuple[str, str] | None:
        """Claim the next part with an item that is wanted, and return its review and name; None if none is free.

        `after` is a review and a path: those behind it come first, and the others after them if it begins `again`.
        """
        for review, part in self._candidates(wanted, after, again=again):
            with self._database.transaction():
                query = f"SELECT {_ITEM} FROM review_items WHERE review = ? AND part = ? ORDER BY path"
                items = [self._item(row) for row in self._database.locked(query, (review, part))]
                if any(one.held for one in items) or not any(_is_wanted(one, wanted) for one in items):
                    continue  # another reviewer was faster
                self._database.change(
                    "UPDATE review_items SET claim = ?, reviewer = ?, boot = ?, expires = ? "
                    "WHERE review = ? AND part = ?",
                    (claim, reviewer, self._database.epoch, self._database.now() + LEASE_S, review, part),
                )
            return review, part
        return None

    def renew(self, claim: str, tenant: str) -> bool:
        """Extend a claim of a tenant; False if it was released, or another reviewer has taken the items over."""
        values = (self._database.epoch, self._database.now() + LEASE_S, claim, tenant)
        return self._database.change(f"UPDATE review_items SET boot = ?, expires = ? WHERE {_CLAIMED}", values) > 0

    def release(self, claim: str, tenant: str) -> None:
        """End a claim of a tenant; does nothing if it has ended."""
        self._database.change(f"UPDATE review_items SET claim = '', expires = 0 WHERE {_CLAIMED}", (claim, tenant))

    def change(self, item: ItemRow, action: str) -> ItemRow:
        """Decide about an item, append that to its history, and end the review with its last doubt. `item` has the new
        state and decision, who decides with which claim, and the version about which is decided.

        Raises StaleItem if the item has another version, or another reviewer has it.
        """
        where = "review = ? AND path = ?"
        with self.deciding(item.review):  # two decisions about its last two items must see each other
            rows = self._database.locked(f"SELECT {_ITEM} FROM review_items WHERE {where}", (item.review, item.path))
            if not rows:
                raise UsageError(f"{item.path} was deleted with its document")
            found = self._item(rows[0])
            if found.version != item.version:
                raise StaleItem(f"{item.path} has changed: {found.reviewer or 'another reviewer'} was faster", found)
            if found.held and found.claim != item.claim:
                raise StaleItem(f"{item.path} is being reviewed by {found.reviewer or 'another reviewer'}", found)
            text = None if item.decision is None else json.dumps(item.decision, allow_nan=False)
            self._database.change(
                f"UPDATE review_items SET state = ?, decision = ?, version = version + 1, reviewer = ? WHERE {where}",
                (item.state, text, item.reviewer, item.review, item.path),
            )
            self._database.change(
                "INSERT INTO review_history (review, path, version, document, action, decision, reviewer, at) "
                "SELECT id, ?, ?, document, ?, ?, ?, ? FROM reviews WHERE id = ?",
                (item.path, found.version + 1, action, text, item.reviewer, time.time(), item.review),
            )
            left = "SELECT count(*) FROM review_items WHERE review = ? AND state = ? AND doubt <> ''"
            ((open_,),) = self._database.rows(left, (item.review, OPEN))
            ended = None if open_ else time.time()
            self._database.change("UPDATE reviews SET ended = ? WHERE id = ?", (ended, item.review))
            rows = self._database.rows(f"SELECT {_ITEM} FROM review_items WHERE {where}", (item.review, item.path))
        return self._item(rows[0])

    def history(self, review: str, path: str | None = None) -> list[HistoryRow]:
        """The decisions about a review, or one value of it, in the order of time."""
        condition, values = ("review = ?", [review]) if path is None else ("review = ? AND path = ?", [review, path])
        rows = self._database.rows(
            "SELECT review, path, version, action, decision, reviewer, at FROM review_history "
            f"WHERE {condition} ORDER BY at, path, version",
            values,
        )
        return [
            HistoryRow(
                *(str(review), str(path), integer(version), str(action)),
                *(json.loads(str(decision)) if decision is not None else None, str(reviewer), float(str(at))),
            )
            for review, path, version, action, decision, reviewer, at in rows
        ]

    def set_sample(self, review: str, sample: bool) -> None:
        """Say whether a review is a sample to learn from."""
        self._database.change("UPDATE reviews SET sample = ? WHERE id = ?", (int(sample), review))

    def awaited(self) -> list[ReviewRow]:
        """The ended reviews that runs still wait for."""
        query = f"SELECT {_REVIEW} FROM reviews WHERE waiting <> '' AND ended IS NOT NULL ORDER BY opened"
        return [_review(row) for row in self._database.rows(query)]

    def reported(self, review: str, runs: Sequence[str]) -> None:
        """These runs know that the review has ended. Others may wait by now: it was open again meanwhile."""
        for run in runs:
            self._database.change(
                "UPDATE reviews SET waiting = replace(waiting, ?, '') WHERE id = ?", (f"{run} ", review)
            )

    def _candidates(
        self, wanted: QueueFilter, after: tuple[str, str] | None, *, again: bool
    ) -> Iterator[tuple[str, str]]:
        condition, values = wanted.condition()
        condition, values = f"{condition} AND {_FREE}", [*values, self._database.epoch, self._database.now()]
        if after is not None and (place := self._place(*after)):
            yield from self._parts(f"{condition} AND (r.opened, i.review, i.number) > (?, ?, ?)", [*values, *place])
            if not again:
                return
        yield from self._parts(condition, values)

    def _parts(self, condition: str, values: Sequence[object]) -> list[tuple[str, str]]:
        rows = self._database.rows(
            "SELECT i.review, i.part FROM review_items i JOIN reviews r ON r.id = i.review "
            f"WHERE {condition} GROUP BY r.opened, i.review, i.part ORDER BY r.opened, i.review, min(i.number) LIMIT ?",
            (*values, TRIED),
        )
        return [(str(review), str(part)) for review, part in rows]

    def _place(self, review: str, path: str) -> tuple[object, ...] | None:
        """The end of the part of an item in the queue."""
        rows = self._database.rows(
            "SELECT r.opened, r.id, max(i.number) FROM review_items i JOIN reviews r ON r.id = i.review "
            "WHERE r.id = ? AND i.part = (SELECT part FROM review_items WHERE review = ? AND path = ?) "
            "GROUP BY r.opened, r.id",
            (review, review, path),
        )
        return rows[0] if rows else None

    def _item(self, row: Sequence[object]) -> ItemRow:
        review, path, number, part, field, doubt, state, version, decision, claim, reviewer, boot, expires = row
        return ItemRow(
            *(str(review), str(path), integer(number), str(part), str(field), str(doubt), str(state)),
            integer(version),
            json.loads(str(decision)) if decision is not None else None,
            *(str(claim), str(reviewer)),
            bool(claim) and boot == self._database.epoch and float(str(expires)) > self._database.now(),
        )


def _is_wanted(item: ItemRow, wanted: QueueFilter) -> bool:
    return (
        item.state == OPEN
        and (not wanted.doubts or item.doubt in wanted.doubts)
        and (not wanted.field or item.field == wanted.field)
    )


def _review(row: Sequence[object]) -> ReviewRow:
    id, tenant, document, reference, place, run, name, opened, ended, sample, waiting = row
    return ReviewRow(
        *(str(id), str(tenant), str(document), json.loads(str(reference)), str(place), str(run), str(name)),
        float(str(opened)),
        None if ended is None else float(str(ended)),
        bool(sample),
        str(waiting).split(),
    )
