"""Reviews on the server: the queue, and the runs that wait for the end of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from quire.context import Json, Runtime
from quire.database.database import Database
from quire.database.reviews import ReviewRow
from quire.errors import QuireError, UsageError
from quire.review.queue import ReviewQueue, signal_of


class ReviewService:
    """The reviews of a store. Its methods block.

    `every` makes a sample of each review in which nothing is left to decide, not only of those that are marked.
    """

    def __init__(self, database: Database, runtime: Runtime, *, every: bool = False) -> None:
        self.queue = ReviewQueue(database)
        self._runtime, self._every = runtime, every

    def samples(self, tenant: str) -> Iterator[dict[str, Json]]:
        return self.queue.samples(tenant, every=self._every)

    def report(self, id: str) -> None:
        """Let the run that waits for a review go on, if the review has ended."""
        review = self.queue.tables.find(id)
        if review is not None and review.ended is not None and review.waiting:
            self._send(review)

    def report_all(self) -> None:
        """Do that for all reviews that ended while no server could."""
        with suppress(QuireError):  # the next decision, or the next start, does it
            for review in self.queue.tables.awaited():
                self._send(review)

    def _send(self, review: ReviewRow) -> None:
        with suppress(UsageError):  # the run was removed
            self._runtime.send(review.waiting, signal_of(review.id), {"review": review.id})
        self.queue.tables.reported(review.id)
