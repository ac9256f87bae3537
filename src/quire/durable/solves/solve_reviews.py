"""What stays open about an answer goes to people: a review for each document that values are from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.errors import UsageError
from quire.durable.review.review_queue import ReviewQueue
from quire.durable.review.review_steps import opened_review, review_queue
from quire.durable.solves.solve_request import SolveRequest
from quire.durable.solves.solve_steps import SolveSteps
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.values import Extraction
from quire.evidence.review.decisions import Decision
from quire.evidence.review.reviewed import reviewed
from quire.reading.messages import DocumentReference, OpenedReview, SolveState
from quire.solving.joined_catalog import short_names


class SolveReviews:
    """Reviews of answers over one store. Thread-safe; its methods block."""

    def __init__(self, steps: SolveSteps) -> None:
        self._steps = steps

    def opened(
        self,
        request: SolveRequest,
        references: Sequence[DocumentReference],
        state: SolveState,
        run: str,
        waits: bool,
    ) -> list[OpenedReview]:
        """Open the reviews of an answer, and say for which signals to wait."""
        queue, answer = self._queue(), decode_extraction(self._steps.answer(references, state))
        parts = zip(references, short_names(len(references)), strict=True)
        return [
            opened_review(
                queue.open(part, dict(request.schema), reference, run=run, place=f"{run}.{number}", waits=waits), run
            )
            for number, (reference, short) in enumerate(parts, start=1)
            if (part := _part(answer, reference, short, first=number == 1)) is not None
        ]

    def decided(
        self,
        request: SolveRequest,
        references: Sequence[DocumentReference],
        state: SolveState,
        reviews: Sequence[str],
    ) -> SolveState:
        """The answer after what people decided."""
        queue = self._queue()
        decisions: dict[str, Decision] = {}
        for id in reviews:
            row = queue.tables.find(id)
            if row is None:
                raise UsageError(f"the review {id} was deleted with its document")
            decisions |= queue.decisions(row)
        answer = reviewed(decode_extraction(self._steps.answer(references, state)), decisions)
        digest = self._steps.save_answer(references, encode_extraction(answer))
        return {**state, "answer": digest, "open": 0, "decided": True}

    def _queue(self) -> ReviewQueue:
        return review_queue(self._steps.store)


def _part(answer: Extraction, reference: DocumentReference, short: str, *, first: bool) -> Extraction | None:
    """The values of an answer that are from one document; those from none are looked for in the first."""
    own = {
        path: one for path, one in answer.evidence.items() if (one.document == short if one.page is not None else first)
    }
    if not own:
        return None
    return replace(
        answer,
        document=reference["source"]["id"],
        name=reference["source"]["name"],
        evidence=own,
        conflicts=tuple(one for one in answer.conflicts if one.path in own),
        not_found=tuple(one for one in answer.not_found if one.path in own),
    )
