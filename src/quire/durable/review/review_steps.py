"""Reviews as a part of durable work: a run puts an extraction up for review, waits for the end of it, and goes on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from quire.core.context import Json, Store
from quire.core.errors import ConfigurationError, UsageError
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.review.review_queue import ReviewQueue, signal_of
from quire.durable.steps.services import WaitingService
from quire.evidence.extract.extraction_json import extraction_json, extraction_of
from quire.evidence.review.items import DOUBTS, Doubt
from quire.reading.messages import DocumentReference, OpenedReview
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import document_in


class ReviewSteps:
    """Steps over one store. Thread-safe; its methods block."""

    def __init__(self, store: Store) -> None:
        self._queue = ReviewQueue(store.database) if isinstance(store, ArtifactStore) else None

    @property
    def queue(self) -> ReviewQueue:
        """Raises ConfigurationError for a store that forgets."""
        if self._queue is None:
            raise ConfigurationError("a review needs a store with a database: name one with --store")
        return self._queue

    def opened(
        self,
        document: DocumentReference,
        extraction: Mapping[str, Json],
        schema: Json,
        *,
        run: str,
        place: str = "",
        waits: bool = True,
        doubts: Collection[Doubt] = DOUBTS,
        below: float | None = None,
    ) -> OpenedReview:
        """Put an extraction up for review. The signal is empty when nothing is in doubt, or all of it is decided."""
        scope, sha256 = document.get("scope", ""), document["source"]["id"]
        review = self.queue.open(
            extraction_of(extraction),
            schema,
            tenant=scope,
            document=document_in(scope, sha256),
            reference=document,
            place=place,
            run=run,
            doubts=doubts,
            **({} if below is None else {"below": below}),
            waiting=run if waits else "",
        )
        return {"review": review.id, "signal": signal_of(review.id) if waits and review.ended is None else ""}

    def reviewed(self, review: str) -> dict[str, Json]:
        """The extraction after the review, as JSON."""
        row = self.queue.tables.find(review)
        if row is None:
            raise UsageError(f"the review {review} was deleted with its document")
        return extraction_json(self.queue.extraction(row))


def reviewing(store: Store) -> WaitingService:
    """The service `review` of flows."""
    steps = ReviewSteps(store)

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
        given = ExtractRequest.of(schema, fields)
        if unknown := sorted({*doubts} - {*DOUBTS}):
            raise UsageError(f"there is no doubt {unknown[0]!r}; choose from {', '.join(DOUBTS)}")
        wanted = cast("Sequence[Doubt]", doubts) or DOUBTS
        return steps.opened(
            document, extraction, given.schema or list(given.fields), run=run, doubts=wanted, below=below
        )

    def end(review: str, **_: object) -> dict[str, Json]:
        return steps.reviewed(review)

    return WaitingService(begin, end)
