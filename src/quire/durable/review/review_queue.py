"""The queue of reviews over a database: opened, claimed, decided, and read afterwards."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import digest_of
from quire.database.database import Database
from quire.database.reviews import HistoryRow, ItemRow, QueueFilter, ReviewRow, ReviewTables
from quire.evidence.extract.extraction_json import extraction_json, extraction_of
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import SURE, Extraction
from quire.evidence.review.decision_checks import Reviewed
from quire.evidence.review.decisions import UNDO, Decision, in_force
from quire.evidence.review.items import DOUBTS, Doubt, items_of
from quire.evidence.review.reviewed import reviewed
from quire.evidence.review.reviewed_samples import sample_of

REVIEW = "review-"
"""How the ids of reviews begin."""
LEASE_S = 120.0
"""How long a claim holds without a heartbeat: browsers slow the timers of tabs in the background."""
KEPT = 32
"""Extractions kept in memory: those that are being reviewed."""


@dataclass(frozen=True, slots=True)
class ReviewClaim:
    """A part of a review that one reviewer has."""

    claim: str
    review: ReviewRow
    part: str
    items: Sequence[ItemRow]


class ReviewQueue:
    """Reviews of extractions, all of them in the database: any number of processes serve the same. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self.tables = ReviewTables(database)
        self._loaded = lru_cache(KEPT)(self._load)

    def open(  # noqa: PLR0913 - what is reviewed, of whom, and what for
        self,
        extraction: Extraction,
        schema: Json,
        *,
        tenant: str = "",
        document: str,
        reference: Json = None,
        place: str = "",
        run: str = "",
        doubts: Collection[Doubt] = DOUBTS,
        below: float = SURE,
        waiting: str = "",
    ) -> ReviewRow:
        """Put an extraction up for review, once: the same extraction of the same document is the same review.

        Args:
            document: Its id in the store, with which the review is deleted.
            reference: What was read of it, to show its pages.
            place: Its id in the API, if it has one.
            doubts: The reasons for which a value needs a decision.
            below: A supported value that answers its field with a lower probability is in doubt as well.
            waiting: The run that goes on when every doubt is decided.

        Raises ValueError for numbers that JSON does not have.
        """
        content = {"schema": schema, "extraction": extraction_json(extraction), "doubts": list(doubts), "below": below}
        text = json.dumps(content, allow_nan=False)  # in ASCII: texts of documents may have what a database refuses
        listed = _reviewed(content).items.values()
        id = f"{REVIEW}{digest_of([tenant, document, content])[:20]}"
        rows = [
            ItemRow(id, item.path, number, item.part, item.field, item.doubt or "")
            for number, item in enumerate(listed)
        ]
        runs = (waiting,) if waiting else ()
        row = ReviewRow(id, tenant, document, reference, place, run, extraction.name, waiting=runs)
        self.tables.add(row, text, rows)
        found = self.tables.find(id)
        assert found is not None
        return found

    def find(self, id: str, tenant: str) -> ReviewRow | None:
        """The review of a tenant; None if it has none of that id."""
        row = self.tables.find(id)
        return row if row is not None and row.tenant == tenant else None

    def content(self, review: ReviewRow) -> Reviewed:
        """What the review is about. Raises UsageError when it was deleted meanwhile."""
        return self._loaded(review.id)

    def claim(
        self,
        wanted: QueueFilter,
        reviewer: str,
        *,
        after: tuple[str, str] | None = None,
        again: bool = True,
        claim: str | None = None,
    ) -> ReviewClaim | None:
        """Claim the next open values that are wanted; None if there are none that another reviewer does not have.

        Those behind `after` come first, and the others after them if it begins `again`. `claim` names the claim,
        unguessably; otherwise it gets a name.
        """
        claim = claim or uuid.uuid4().hex
        found = self.tables.claim(wanted, claim, reviewer, LEASE_S, after=after, again=again)
        if found is None:
            return None
        id, part = found
        review = self.tables.find(id)
        if review is None:
            raise UsageError("the review was deleted meanwhile")
        return ReviewClaim(claim, review, part, self.tables.items(id, part=part))

    def renew(self, claim: str, tenant: str) -> bool:
        """Extend a claim; False if it has ended, or is of another tenant."""
        return self.tables.tenant_of_claim(claim) == tenant and self.tables.renew(claim, LEASE_S)

    def release(self, claim: str, tenant: str) -> None:
        """End a claim; does nothing if it has ended, or is of another tenant."""
        if self.tables.tenant_of_claim(claim) == tenant:
            self.tables.release(claim)

    def decide(
        self, review: ReviewRow, path: str, decision: Decision, *, version: int, claim: str, reviewer: str
    ) -> ItemRow:
        """Decide about a value as it was in a version. Raises StaleItem when it has another by now or another reviewer
        has it, UsageError for a path that the document cannot have and for a value that the schema does not allow."""
        content = self.content(review)
        item = content.item(path)
        known = ItemRow(review.id, path, 0, item.part, item.field, "", version=version)
        with self.tables.deciding(review.id):  # all of it or nothing
            part = {one.path: one for one in self.tables.items(review.id, part=item.part)}
            decided = {one.path: Decision.of(one.decision) if one.decision else None for one in part.values()}
            decision = content.checked(path, decision, decided)
            if path not in part:
                self.tables.insert(known)
            made = self._changed(known, decision, claim, reviewer)
            for whole in part.values():
                if whole.path == whole.part != path and whole.state == "open":  # a list that lacked rows has one now
                    self._changed(whole, Decision("approve"), claim, reviewer)
        return made

    def _changed(self, item: ItemRow, decision: Decision, claim: str, reviewer: str) -> ItemRow:
        return self.tables.change(
            item,
            action=decision.action,
            state=decision.state,
            decision=decision.to_json(),
            claim=claim,
            reviewer=reviewer,
        )

    def undo(self, review: ReviewRow, path: str, *, version: int, claim: str, reviewer: str) -> ItemRow:
        """Withdraw the decision that counts: the one before it does again. Raises StaleItem as `decide` does."""
        history = sorted(self.tables.history(review.id, path), key=lambda one: one.version)  # clocks may differ
        rows = [(one.action, one.decision) for one in history if one.version <= version]
        if in_force(rows) is None:
            raise UsageError(f"there is no decision about {path[:200]} to withdraw")
        before = in_force([*rows, (UNDO, None)])
        known = ItemRow(review.id, path, 0, "", "", "", version=version)
        state = Decision.of(before).state if before is not None else "open"
        return self.tables.change(known, action=UNDO, state=state, decision=before, claim=claim, reviewer=reviewer)

    def history(self, review: ReviewRow) -> list[HistoryRow]:
        return self.tables.history(review.id)

    def decisions(self, review: ReviewRow) -> dict[str, Decision]:
        """The decisions that count, by path."""
        return {one.path: Decision.of(one.decision) for one in self.tables.items(review.id) if one.decision}

    def extraction(self, review: ReviewRow) -> Extraction:
        """The extraction as it is after the decisions so far."""
        return reviewed(self.content(review).extraction, self.decisions(review))

    def applied(self, extraction: Extraction, document: str) -> Extraction:
        """An extraction with what people decided about it in any review of it, the later the stronger.

        `document` is its id in the store.
        """
        found: dict[str, Decision] = {}
        for review in self.tables.latest(document):
            if self.content(review).extraction == extraction:
                found |= self.decisions(review)
        return reviewed(extraction, found)

    def samples(self, tenant: str, *, every: bool) -> Iterator[tuple[ReviewRow, dict[str, Json]]]:
        """The reviews to learn from, with their samples: those marked as such; with `every`, all in which nothing is
        left to decide.

        Of several with the same document and schema, the latest.
        """
        known: set[tuple[str, str]] = set()
        for review in self.tables.samples(tenant, every=every):
            try:
                content, decisions = self.content(review), self.decisions(review)
            except UsageError:  # it was deleted meanwhile
                continue
            same = content.extraction.document, content.schema.digest
            if same not in known:
                known.add(same)
                extraction = reviewed(content.extraction, decisions)
                yield review, sample_of(content.extraction.document, content.given, extraction, decisions)

    def _load(self, id: str) -> Reviewed:
        text = self.tables.content(id)
        if not text:
            raise UsageError(f"the review {id} was deleted with its document")
        return _reviewed(json.loads(text))


def signal_of(review: str) -> str:
    """The signal for which a run waits until a review has ended."""
    return f"review/{review}"


def _reviewed(content: Mapping[str, Json]) -> Reviewed:
    schema, extraction = ExtractSchema.of(content["schema"]), extraction_of(content["extraction"])
    items = items_of(extraction, schema, doubts=cast("Collection[Doubt]", content["doubts"]), below=content["below"])
    return Reviewed(extraction, content["schema"], schema, {item.path: item for item in items})
