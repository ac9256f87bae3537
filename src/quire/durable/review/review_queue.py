"""The queue of reviews over a database: opened, claimed, decided, reported to runs, and learnt from."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from quire.core.context import Json, Runtime, Store
from quire.core.errors import UsageError
from quire.core.keys import Digest, artifact_key, digest_bytes, digest_of
from quire.database.database import Database
from quire.database.reviews import ItemRow, QueueFilter, ReviewRow, ReviewTables
from quire.evidence.extract.extraction_json import (
    decode_extraction,
    encode_extraction,
    extraction_json,
    extraction_of,
)
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import SURE, Extraction
from quire.evidence.review.decision_checks import Reviewed
from quire.evidence.review.decisions import UNDO, Decision, in_force
from quire.evidence.review.items import DOUBTS, Doubt, items_of
from quire.evidence.review.reviewed import reviewed
from quire.evidence.review.reviewed_samples import sample_of
from quire.reading.messages import DocumentReference
from quire.store.scoped import document_in, scoped

REVIEW = "review-"
"""The prefix of the ids of reviews."""
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

    def __init__(self, database: Database, *, every: bool = False) -> None:
        """`every` makes a sample of each review in which nothing is left to decide, not only of those that are
        marked."""
        self.tables = ReviewTables(database)
        self._every = every
        self._loaded = lru_cache(KEPT)(self._load)

    def open(
        self,
        extraction: Extraction,
        schema: Json,
        document: DocumentReference,
        *,
        run: str = "",
        place: str = "",
        waits: bool = False,
        doubts: Collection[Doubt] = DOUBTS,
        below: float = SURE,
    ) -> ReviewRow:
        """Put an extraction up for review, once: the same extraction of the same document is the same review.

        Args:
            document: What was read of it, to show its pages; the review is deleted with it.
            run: The run that made the extraction.
            place: The id of the document in the API, if it has one.
            waits: Whether the run goes on when every doubt is decided.
            doubts: The reasons for which a value needs a decision.
            below: A supported value that answers its field with a lower probability is in doubt as well.

        Raises ValueError for numbers that JSON does not have.
        """
        tenant, own = document.get("scope", ""), _stored_id(document)
        content = {"schema": schema, "extraction": extraction_json(extraction), "doubts": list(doubts), "below": below}
        text = json.dumps(content, allow_nan=False)  # in ASCII: texts of documents may have what a database refuses
        id = f"{REVIEW}{digest_of([tenant, own, content])[:20]}"
        rows = [
            ItemRow(id, item.path, number, item.part, item.field, item.doubt or "")
            for number, item in enumerate(_reviewed(content).items.values())
        ]
        runs = (run,) if waits else ()
        self.tables.add(ReviewRow(id, tenant, own, document, place, run, extraction.name, waiting=runs), text, rows)
        found = self.tables.find(id)
        assert found is not None
        return found

    def content(self, review: ReviewRow) -> Reviewed:
        """The content of a review. Raises UsageError when it was deleted meanwhile."""
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
        found = self.tables.claim(wanted, claim, reviewer, after=after, again=again)
        if found is None:
            return None
        id, part = found
        review = self.tables.find(id)
        if review is None:
            raise UsageError("the review was deleted meanwhile")
        return ReviewClaim(claim, review, part, self.tables.items(id, part=part))

    def decide(
        self, review: ReviewRow, path: str, decision: Decision, *, version: int, claim: str, reviewer: str
    ) -> ItemRow:
        """Decide about a value as it was in a version. Raises StaleItem when it has another by now or another reviewer
        has it, UsageError for a path that the document cannot have and for a value that the schema does not allow."""
        content = self.content(review)
        item = content.item(path)
        known = ItemRow(review.id, path, 0, item.part, item.field, "", version=version, claim=claim, reviewer=reviewer)
        with self.tables.deciding(review.id):  # all of it or nothing
            part = {one.path: one for one in self.tables.items(review.id, part=item.part)}
            decided = {one.path: Decision.of(one.decision) if one.decision else None for one in part.values()}
            decision = content.checked(path, decision, decided)
            if path not in part:
                self.tables.insert(known)
            made = self._changed(known, decision)
            for whole in part.values():
                if whole.path == whole.part != path and whole.state == "open":  # a list that lacked rows has one now
                    self._changed(replace(whole, claim=claim, reviewer=reviewer), Decision("approve"))
        return made

    def _changed(self, item: ItemRow, decision: Decision) -> ItemRow:
        return self.tables.change(replace(item, state=decision.state, decision=decision.to_json()), decision.action)

    def undo(self, review: ReviewRow, path: str, *, version: int, claim: str, reviewer: str) -> ItemRow:
        """Withdraw the decision that counts: the one before it does again. Raises StaleItem as `decide` does."""
        history = sorted(self.tables.history(review.id, path), key=lambda one: one.version)  # clocks may differ
        rows = [(one.action, one.decision) for one in history if one.version <= version]
        if in_force(rows) is None:
            raise UsageError(f"there is no decision about {path[:200]} to withdraw")
        before = in_force([*rows, (UNDO, None)])
        state = Decision.of(before).state if before is not None else "open"
        return self.tables.change(
            ItemRow(review.id, path, 0, "", "", "", state, version, before, claim, reviewer), action=UNDO
        )

    def decisions(self, review: ReviewRow) -> dict[str, Decision]:
        """The decisions that count, by path."""
        return {one.path: Decision.of(one.decision) for one in self.tables.items(review.id) if one.decision}

    def extraction(self, review: ReviewRow) -> Extraction:
        """The extraction as it is after the decisions so far."""
        return reviewed(self.content(review).extraction, self.decisions(review))

    def current(self, store: Store, document: DocumentReference, extraction: Digest) -> Digest:
        """An extraction of a store in today's schema, with what people decided about it in any review of it, the later
        the stronger; itself if that is equal."""
        store, reviews = scoped(store, document.get("scope", "")), self.tables.latest(_stored_id(document))
        data = store.load(extraction)
        made, decisions = decode_extraction(data), dict[str, Decision]()
        for review in reviews:
            if self.content(review).extraction == made:
                decisions |= self.decisions(review)
        after = encode_extraction(reviewed(made, decisions))
        if after == data:
            return extraction
        key = artifact_key("reviewed-extraction", "1", (extraction, digest_bytes(after)), digest_of({}))
        found = store.find(key)
        if found is None:
            found = store.save(key, after, stage="review", document=document["source"]["id"])
            store.flush()  # else it would come back after the document is deleted
        return found

    def is_sample(self, review: ReviewRow) -> bool:
        return review.sample or (self._every and review.ended is not None)

    def samples(self, tenant: str) -> Iterator[tuple[ReviewRow, dict[str, Json]]]:
        """The reviews to learn from, with their samples. Of several with the same document and schema, the latest."""
        known: set[tuple[str, str]] = set()
        for review in self.tables.samples(tenant, every=self._every):
            try:
                content = self.content(review)
                same = content.extraction.document, content.schema.digest
                if same not in known:
                    known.add(same)
                    yield review, self.sample(review)
            except UsageError:  # it was deleted meanwhile
                continue

    def sample(self, review: ReviewRow) -> dict[str, Json]:
        """The sample of a review. Raises UsageError if it was deleted."""
        content, decisions = self.content(review), self.decisions(review)
        extraction = reviewed(content.extraction, decisions)
        return sample_of(content.extraction.document, content.given, extraction, decisions)

    def report(self, runtime: Runtime, id: str) -> None:
        """Let the runs that wait for a review go on, if the review has ended."""
        review = self.tables.find(id)
        if review is not None and review.ended is not None and review.waiting:
            self._send(runtime, review)

    def report_all(self, runtime: Runtime) -> None:
        """Do that for all reviews that ended while no server could."""
        for review in self.tables.awaited():
            self._send(runtime, review)

    def _send(self, runtime: Runtime, review: ReviewRow) -> None:
        for run in review.waiting:
            with suppress(UsageError):  # the run was removed
                runtime.send(run, signal_of(review.id), {"review": review.id})
        self.tables.reported(review.id, review.waiting)

    def _load(self, id: str) -> Reviewed:
        text = self.tables.content(id)
        if not text:
            raise UsageError(f"the review {id} was deleted with its document")
        return _reviewed(json.loads(text))


def signal_of(review: str) -> str:
    """The signal for which a run waits until a review has ended."""
    return f"review/{review}"


def _stored_id(document: DocumentReference) -> str:
    return document_in(document.get("scope", ""), document["source"]["id"])


def _reviewed(content: Mapping[str, Json]) -> Reviewed:
    schema, extraction = ExtractSchema.of(content["schema"]), extraction_of(content["extraction"])
    items = items_of(extraction, schema, doubts=cast("Collection[Doubt]", content["doubts"]), below=content["below"])
    return Reviewed(extraction, content["schema"], schema, {item.path: item for item in items})
