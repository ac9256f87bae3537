"""The reviews of a store: extractions with what was decided, samples, and reports to the runs that wait for the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from quire.core.context import Json, Runtime
from quire.core.errors import UsageError
from quire.core.keys import Digest, artifact_key, digest_bytes, digest_of
from quire.database.reviews import ReviewRow
from quire.durable.review.review_queue import ReviewQueue, signal_of
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.reading.messages import DocumentReference
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import document_in, scoped


class StoreReviews:
    """The reviews of a store. Its methods block.

    `every` makes a sample of each review in which nothing is left to decide, not only of those that are marked.
    """

    def __init__(self, store: ArtifactStore, runtime: Runtime, *, every: bool = False) -> None:
        self.queue = ReviewQueue(store.database)
        self._store, self._runtime, self._every = store, runtime, every

    def current(self, document: DocumentReference, extraction: Digest) -> Digest:
        """An extraction of the store in today's schema, with what people decided about it; itself if that is equal."""
        scope, sha256 = document.get("scope", ""), document["source"]["id"]
        reviews = self.queue.tables.latest(own := document_in(scope, sha256))
        store = scoped(self._store, scope)
        given = store.load(extraction)
        made = decode_extraction(given)
        data = encode_extraction(self.queue.applied(made, own) if reviews else made)
        if data == given:
            return extraction
        key = artifact_key("reviewed-extraction", "1", (extraction, digest_bytes(data)), digest_of({}))
        found = store.find(key)
        if found is None:
            found = store.save(key, data, stage="review", document=sha256)
            store.flush()  # else it would come back after the document is deleted
        return found

    def is_sample(self, review: ReviewRow) -> bool:
        return review.sample or (self._every and review.ended is not None)

    def samples(self, tenant: str) -> Iterator[tuple[ReviewRow, dict[str, Json]]]:
        return self.queue.samples(tenant, every=self._every)

    def report(self, id: str) -> None:
        """Let the runs that wait for a review go on, if the review has ended."""
        review = self.queue.tables.find(id)
        if review is not None and review.ended is not None and review.waiting:
            self._send(review)

    def report_all(self) -> None:
        """Do that for all reviews that ended while no server could."""
        for review in self.queue.tables.awaited():
            self._send(review)

    def _send(self, review: ReviewRow) -> None:
        for run in review.waiting:
            with suppress(UsageError):  # the run was removed
                self._runtime.send(run, signal_of(review.id), {"review": review.id})
        self.queue.tables.reported(review.id, review.waiting)
