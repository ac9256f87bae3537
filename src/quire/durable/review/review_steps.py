"""Reviews as a part of durable work: a run puts an extraction up for review, waits for the end of it, and goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from quire.core.context import Json, Store
from quire.core.errors import ConfigurationError, UsageError
from quire.database.reviews import ReviewRow
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.review.review_queue import ReviewQueue, signal_of
from quire.durable.steps.services import WaitingService
from quire.evidence.extract.extraction_json import extraction_json, extraction_of
from quire.evidence.review.items import DOUBTS, Doubt
from quire.reading.messages import DocumentReference, OpenedReview
from quire.store.artifacts import ArtifactStore


def review_queue(store: Store) -> ReviewQueue:
    """The queue of a store. Raises ConfigurationError for a store that forgets."""
    if not isinstance(store, ArtifactStore):
        raise ConfigurationError("a review needs a store with a database: name one with --store")
    return ReviewQueue(store.database)


def opened_review(review: ReviewRow, run: str) -> OpenedReview:
    """The review, and the signal for which a run waits: none if nothing is in doubt, or all of it is decided."""
    waits = review.ended is None and run in review.waiting
    return {"review": review.id, "signal": signal_of(review.id) if waits else ""}


def reviewing(store: Store) -> WaitingService:
    """The service `review` of flows. Blocks."""

    def begin(
        run: str,
        document: DocumentReference,
        extraction: Mapping[str, Json],
        *,
        schema: Mapping[str, Json] | None,
        fields: Sequence[str],
        doubts: Sequence[str],
        below: float,
    ) -> OpenedReview:
        asked = ExtractRequest.of(schema, fields)
        if unknown := sorted({*doubts} - {*DOUBTS}):
            raise UsageError(f"there is no doubt {unknown[0]!r}; choose from {', '.join(DOUBTS)}")
        reasons = cast("Sequence[Doubt]", doubts) or DOUBTS
        given = asked.schema or list(asked.fields)
        made = extraction_of(extraction)
        review = review_queue(store).open(made, given, document, run=run, waits=True, doubts=reasons, below=below)
        return opened_review(review, run)

    def end(review: str, **_: object) -> dict[str, Json]:
        queue = review_queue(store)
        row = queue.tables.find(review)
        if row is None:
            raise UsageError(f"the review {review} was deleted with its document")
        return extraction_json(queue.extraction(row))

    return WaitingService(begin, end)
