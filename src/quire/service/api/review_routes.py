"""The routes of reviews: the queue, claims, decisions, history and samples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from quire.core.context import Json
from quire.core.errors import QuireError, UsageError
from quire.core.keys import digest_bytes
from quire.core.types import BBox
from quire.database.reviews import LEASE_S, OPEN, ItemRow, QueueFilter, ReviewRow, StaleItem
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import open_source
from quire.durable.views.views import DocumentViews, StoredFile
from quire.evidence.extract.extraction_json import alternative_json, evidence_json, extraction_json, extraction_of
from quire.evidence.extract.value_paths import part_of
from quire.evidence.learn.samples import Sample
from quire.evidence.review.decisions import UNDO, Decision
from quire.evidence.review.items import Doubt, ReviewItem
from quire.reading.messages import DocumentReference
from quire.service.api import stored_bytes as answering
from quire.service.api.errors import ApiError
from quire.service.api.review_schemas import (
    REVIEWER,
    ClaimedItems,
    ClaimLease,
    ClaimRequest,
    DecisionRequest,
    ReviewDetail,
    ReviewedItem,
    ReviewHistory,
    ReviewList,
    ReviewQueueView,
    ReviewRequest,
    ReviewSummary,
    SampleRequest,
    StaleFault,
)
from quire.service.api.router import api_router, request_body
from quire.service.api.runs import Before, Limit
from quire.service.api.schemas import ApiFault
from quire.service.api.task_requests import validated
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service
from quire.service.uploads import json_body
from quire.solving.evaluation.fixture import fixture_files
from quire.system.zip_archive import zip_archive

MOST_ITEMS = 100
ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}},
    304: {"description": "Not modified"},
}
EDGE = 1.001
"""The right and lower end of a page: sums of fractions are rounded."""
Doubts = Annotated[list[Doubt] | None, Query(description="Only values with these doubts.")]
Name = Annotated[str, Query(max_length=1000)]


def review_routes(service: Service, finder: RunFinder, views: DocumentViews) -> APIRouter:
    """The router of `/api/review`."""
    router = api_router("/api/review", "review", 404, 422)
    reviewing = _Reviewing(service, finder, views)

    async def body(request: Request, model: type[BaseModel]) -> Any:
        return validated(model, await json_body(request, service.settings.max_body_bytes))

    def tenant(request: Request) -> str:
        return tenant_of(request, service.settings)

    async def found(request: Request, review: str) -> ReviewRow:
        return await service.call(reviewing.found, review, tenant(request))

    @router.get("", response_model=ReviewList)
    async def listed(
        request: Request, limit: Limit = 50, before: Before = None, document: Name = "", run: Name = ""
    ) -> Response:
        """The reviews, the latest first: all, or those of a document or a run."""
        reviews, following = await service.call(
            reviewing.listed, tenant(request), document, run, before=before, limit=limit
        )
        return _json({"reviews": reviews, "next": following})

    @router.post("", status_code=201, response_model=ReviewSummary, openapi_extra=request_body(ReviewRequest))
    async def open_(request: Request) -> Response:
        """Put an extraction up for review. The same extraction of the same document is the same review."""
        submission = await body(request, ReviewRequest)
        return _json(await service.call(reviewing.open, submission, tenant(request)), 201)

    @router.get("/queue", response_model=ReviewQueueView)
    async def queue(
        request: Request,
        doubt: Doubts = None,
        field: Name = "",
        run: Name = "",
        review: Name = "",
        limit: Annotated[int, Query(ge=0, le=MOST_ITEMS)] = 20,
    ) -> Response:
        """The queue of values that wait for a decision, filtered: their number, and the first `limit` of them."""
        filters = QueueFilter(tenant(request), tuple(doubt or ()), field, run, review)
        return _json(await service.call(reviewing.queue, filters, limit))

    @router.post("/claims", response_model=ClaimedItems, openapi_extra=request_body(ClaimRequest))
    async def claim(request: Request) -> Response:
        """Claim the next open value, or the next list with open values. No two claims have the same value."""
        claiming = await body(request, ClaimRequest)
        claimed = await service.call(reviewing.claim, claiming, tenant(request))
        if claimed["claim"] and await request.is_disconnected():  # nobody would give it back before its lease expires
            await service.call(service.reviews.tables.release, claimed["claim"], tenant(request))
        return _json(claimed)

    @router.put("/claims/{claim}", response_model=ClaimLease)
    async def renew(request: Request, claim: str) -> Response:
        """The heartbeat of a claim: it holds again for its whole lease."""
        if not await service.call(service.reviews.tables.renew, claim, tenant(request)):
            raise ApiError(404, _LOST)
        return _json({"claim": claim, "lease_s": LEASE_S})

    @router.delete("/claims/{claim}", status_code=204, response_class=Response)
    async def release(request: Request, claim: str) -> Response:
        """Give the values back. A claim that has ended stays ended."""
        await service.call(service.reviews.tables.release, claim, tenant(request))
        return Response(status_code=204)

    @router.get("/samples", response_class=Response, responses={200: {"content": {"application/jsonl": {}}}})
    async def samples(request: Request) -> Response:
        """What was confirmed and corrected, as JSON lines to learn from: a line for each review that is a sample, with
        the text of its document."""
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return StreamingResponse(reviewing.samples(tenant(request)), media_type="application/jsonl", headers=headers)

    @router.get("/{review}", response_model=ReviewDetail)
    async def one(request: Request, review: str) -> Response:
        """A review with all its values, and the extraction as it is after the decisions."""
        data = answering.json_bytes(await service.call(reviewing.detail, await found(request, review)))
        return answering.json_response(request, data)

    @router.get("/{review}/history", response_model=ReviewHistory)
    async def history(request: Request, review: str) -> Response:
        """Who decided what, and when."""
        row = await found(request, review)
        entries = await service.call(service.reviews.tables.history, row.id)
        shown = ("path", "version", "action", "decision", "reviewer", "at")
        return _json({"history": [{name: getattr(one, name) for name in shown} for one in entries]})

    @router.get("/{review}/fixture", response_class=Response, responses={**ZIP, 409: {"model": ApiFault}})
    async def fixture(request: Request, review: str) -> Response:
        """A review that has ended as a fixture for `quire eval`: a zip archive with the fixture and its document."""
        name, data = await service.call(reviewing.fixture, await found(request, review))
        stored = StoredFile(digest_bytes(data), "application/zip", name)
        return answering.file_response(request, stored, data, answering.CHECKED)

    @router.post(
        "/{review}/decisions",
        response_model=ReviewedItem,
        openapi_extra=request_body(DecisionRequest),
        responses={409: {"model": StaleFault}},
    )
    async def decide(request: Request, review: str) -> Response:
        """Decide about a value, or withdraw the last decision; 409 if it is not in that version any more."""
        row = await found(request, review)
        decision = await body(request, DecisionRequest)
        try:
            return _json(await service.call(reviewing.decide, row, decision))
        except StaleItem as error:
            item = await service.call(reviewing.item, row, error.item)
            return _json({"detail": str(error), "item": item}, 409)

    @router.put("/{review}/sample", response_model=ReviewSummary, openapi_extra=request_body(SampleRequest))
    async def sample(request: Request, review: str) -> Response:
        """Mark a review as a sample to learn from, or take that back."""
        row = await found(request, review)
        marked = await body(request, SampleRequest)
        return _json(await service.call(reviewing.sampled, row, marked.sample))

    return router


_LOST = "there is no such claim: it was released, or its lease expired and another reviewer has the value"


class _Reviewing:
    """Reviews as JSON. Its methods block."""

    def __init__(self, service: Service, finder: RunFinder, views: DocumentViews) -> None:
        self._service, self._finder, self._views = service, finder, views
        self._queue = service.reviews

    def found(self, id: str, tenant: str) -> ReviewRow:
        row = self._queue.tables.find(id, tenant)
        if row is None:
            raise ApiError(404, f"there is no review {id[:100]}")
        return row

    def open(self, request: ReviewRequest, tenant: str) -> dict[str, Json]:
        document = self._finder.document(request.document, tenant)
        tree: Mapping[str, Json] | None = request.extraction
        schema: Json = request.schema_
        if tree is None:
            tree = json.loads(self._service.store.load(document.extraction))
            extract = ExtractRequest.from_json(document.status.inputs["extract"])
            schema = extract.schema or list(extract.fields)
        elif schema is None:
            raise ApiError(422, "schema: an extraction that was made elsewhere needs its schema", category="usage")
        try:
            extraction = extraction_of(tree)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ApiError(422, f"extraction: it is no extraction of Quire: {error}", category="usage") from error
        if extraction.document != document.reference["source"]["id"]:
            raise ApiError(422, "extraction: it is of another document", document=request.document, category="usage")
        try:
            row = self._queue.open(
                extraction if request.extraction is None else replace(extraction, name=document.name),
                schema,
                document.reference,
                run=document.status.run,
                place=str(document.id),
                doubts=request.doubts,
                below=request.below,
            )
        except ValueError as error:
            raise ApiError(422, f"extraction: {error}", category="usage") from error
        return self._summaries([row])[0]

    def listed(
        self, tenant: str, document: str, run: str, *, before: str | None, limit: int
    ) -> tuple[list[dict[str, Json]], str | None]:
        if before is not None:
            self.found(before, tenant)
        rows = self._queue.tables.listed(tenant, place=document, run=run, before=before, limit=limit + 1)
        return self._summaries(rows[:limit]), rows[limit - 1].id if len(rows) > limit else None

    def queue(self, filters: QueueFilter, limit: int) -> dict[str, Json]:
        doubts, fields = Counter[str](), Counter[str]()
        for _, field, doubt, count in self._queue.tables.counts(filters):
            doubts[doubt] += count
            fields[field] += count
        rows = self._queue.tables.queue(filters, limit) if limit else []
        items = [self.item(self.found(row.review, filters.tenant), row) for row in rows]
        return {"total": doubts.total(), "doubts": dict(doubts), "fields": dict(fields), "items": items}

    def claim(self, request: ClaimRequest, tenant: str) -> dict[str, Json]:
        part = part_of(request.path) if request.review else ""
        filters = QueueFilter(tenant, tuple(request.doubts), request.field, request.run, request.review, part)
        after = (request.after_review, request.after_path) if request.after_review else None
        claimed = self._queue.claim(
            filters, _name(request.reviewer), after=after, again=request.again, claim=request.claim
        )
        left = sum(count for *_, count in self._queue.tables.counts(filters))
        return {
            "claim": claimed and claimed.claim,
            "lease_s": LEASE_S,
            "review": claimed and self._summaries([claimed.review])[0],
            "part": claimed.part if claimed else "",
            "columns": self._columns(claimed.review, claimed.part) if claimed else [],
            "items": [self.item(claimed.review, row) for row in claimed.items] if claimed else [],
            "left": left,
            "held": self._queue.tables.held(filters) if claimed is None else {},
        }

    def decide(self, review: ReviewRow, request: DecisionRequest) -> dict[str, Json]:
        about = {"version": request.version, "claim": request.claim, "reviewer": _name(request.reviewer)}
        if request.action == UNDO:
            row = self._queue.undo(review, request.path, **about)  # type: ignore[arg-type]
        else:
            decision = _decision(request)
            if decision.action == "correct" and decision.page is not None:
                reference = cast("DocumentReference", review.reference)
                self._views.check_place(reference, decision.page, decision.blocks)
            row = self._queue.decide(review, request.path, decision, **about)  # type: ignore[arg-type]
        self._queue.report(self._service.runtime, review.id)
        return self.item(review, row)

    def detail(self, review: ReviewRow) -> dict[str, Json]:
        items = [self.item(review, row) for row in self._queue.tables.items(review.id)]
        extraction = extraction_json(self._queue.extraction(review))
        return {**self._summaries([review])[0], "items": items, "extraction": extraction}

    def sampled(self, review: ReviewRow, sample: bool) -> dict[str, Json]:
        self._queue.tables.set_sample(review.id, sample)
        return self._summaries([self.found(review.id, review.tenant)])[0]

    def samples(self, tenant: str) -> Iterator[bytes]:
        """A line for each sample. One whose document cannot be looked at any more has no content."""
        for review, sample in self._queue.samples(tenant):
            try:
                yield self._views.sample(cast("DocumentReference", review.reference), sample)
            except QuireError:
                if self._queue.tables.find(review.id, tenant) is not None:  # or it was deleted meanwhile
                    yield answering.json_bytes(sample) + b"\n"

    def fixture(self, review: ReviewRow) -> tuple[str, bytes]:
        """The fixture of a review with its document, and the name of the archive."""
        if review.ended is None:
            raise ApiError(409, "values of the review are still open; decide about them, then download the fixture")
        reference = cast("DocumentReference", review.reference)
        source, store = SourceRef.from_json(reference["source"]), self._service.store_of(review.tenant)
        with open_source(store, source) as document, document.open() as file:
            files = fixture_files(Sample.from_json(self._queue.sample(review)), review.name, file.read())
        *_, written = files
        return f"{written.removesuffix('.json')}.zip", zip_archive(files.items())

    def item(self, review: ReviewRow, row: ItemRow) -> dict[str, Json]:
        """A `ReviewedItem`."""
        item = self._queue.content(review).item(row.path)
        decision = row.decision and Decision.of(row.decision)
        return {
            "review": review.id,
            "path": row.path,
            "field": row.field,
            "part": row.part,
            **_described(item),
            "doubt": row.doubt,
            "state": row.state,
            "version": row.version,
            "reviewer": row.reviewer,
            "value": _current(item, decision),
            "extracted": item.value,
            "decision": row.decision,
        }

    def _columns(self, review: ReviewRow, part: str) -> list[dict[str, Json]]:
        """The fields of the rows of a list; none for a single value."""
        leaves = self._queue.content(review).schema.leaves
        inside = [leaf for leaf in leaves if leaf.path.startswith(f"{part}[]")]
        return [{"field": leaf.path, "title": leaf.title or leaf.name} for leaf in inside]

    def _summaries(self, rows: Sequence[ReviewRow]) -> list[dict[str, Json]]:
        states: dict[str, Counter[str]] = {row.id: Counter() for row in rows}
        doubts: dict[str, Counter[str]] = {row.id: Counter() for row in rows}
        for review, state, doubt, count in self._queue.tables.states(list(states)):
            states[review][state] += count
            if doubt and state == OPEN:
                doubts[review][doubt] += count
        return [
            {
                "id": row.id,
                "document": row.place or f"{row.id}.1",
                "pages": f"{row.id}.1",
                "run": row.run,
                "name": row.name,
                "opened": row.opened,
                "ended": row.ended,
                "sample": self._queue.is_sample(row),
                "open": dict(doubts[row.id]),
                "states": dict(states[row.id]),
            }
            for row in rows
        ]


def _described(item: ReviewItem) -> dict[str, Json]:
    """A value as the schema and the extraction describe it."""
    leaf, conflict, missing = item.leaf, item.conflict, item.missing
    values = conflict and {"values": [alternative_json(one) for one in conflict.values], "reason": conflict.reason}
    return {
        "title": (leaf.title or leaf.name) if leaf else item.path,
        "description": leaf.description if leaf else "",
        "type": leaf.type if leaf else "string",
        "kind": leaf.kind if leaf else None,
        "enum": list(leaf.enum) if leaf else [],
        "evidence": evidence_json(item.evidence),
        "conflict": values,
        "missing": missing and {"pages": list(missing.pages), "reason": missing.reason},
    }


def _current(item: ReviewItem, decision: Decision | None) -> Json:
    if decision is None or decision.action == "approve":
        return item.value
    return decision.value if decision.action == "correct" else None


def _decision(request: DecisionRequest) -> Decision:
    boxes = tuple(BBox(one.left, one.top, one.width, one.height) for one in request.bboxes)
    if not all(
        min(b.left, b.top) >= 0 < min(b.width, b.height) and max(b.left + b.width, b.top + b.height) <= EDGE
        for b in boxes
    ):
        raise UsageError("bboxes: a box is no part of the page: its numbers are fractions of the page")
    if (boxes or request.blocks) and request.page is None:
        raise UsageError("page: boxes and blocks need the number of their page")
    place = request.page, boxes, tuple(request.blocks)
    return Decision(cast("Any", request.action), request.value, request.quote, *place, request.note)


def _name(text: str) -> str:
    """The name of a reviewer, as it is recorded."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:REVIEWER]


def _json(value: object, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(answering.json_bytes(value), status, headers, "application/json")
