"""Runs and documents of a tenant: found in the database and the store, and described as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.core.context import Json, RunState, RunStatus
from quire.core.errors import StoreError, UsageError
from quire.core.keys import Digest
from quire.database.runs import ENDED
from quire.durable.review.review_queue import REVIEW
from quire.reading.messages import DocumentReference, TaskArgument, TaskDocument, TaskResult, TaskSource
from quire.service.api.errors import ApiError
from quire.service.run_progress import PageTally, RunTally
from quire.service.service import FLOW, Service

PORTION = 100
"""Runs fetched at a time; those of other tenants are left out afterwards."""
MOST_PORTIONS = 50
"""Portions looked at for one request: with many other tenants, a page of a list may be shorter than requested."""
DELETED = "its result was deleted from the store; read it again"


class DocumentId(NamedTuple):
    """`run.number`: one source of one run. Numbers start at 1."""

    run: str
    number: int

    @classmethod
    def parse(cls, text: str) -> DocumentId:
        run, dot, number = text.rpartition(".")
        if not dot or not number.isascii() or not number.isdigit() or len(number) > 9 or int(number) < 1:
            raise ApiError(404, f"there is no document {text[:100]}")
        return cls(run, int(number))

    def __str__(self) -> str:
        return f"{self.run}.{self.number}"


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document of a run: its source, and what became of it once it has ended."""

    id: DocumentId
    status: RunStatus
    source: TaskSource
    ended: TaskDocument | None
    tally: PageTally | None
    gone: bool = False

    @property
    def deleted(self) -> bool:
        """Whether it was deleted by itself: its run has others."""
        return self.source.get("deleted", False) or (self.ended is not None and self.ended.get("deleted", False))

    @property
    def name(self) -> str:
        if self.ended is not None:
            return self.ended["name"]
        stored = self.source.get("stored")
        return stored["name"] if stored else (self.source.get("uri") or self.source.get("url") or "")

    @property
    def reference(self) -> DocumentReference:
        """Raises ApiError while it is being read, and if it could not be read."""
        if self.ended is not None and "reference" in self.ended:
            return self.ended["reference"]
        summary = self.summary()
        if self.gone:
            raise ApiError(404, DELETED, document=str(self.id))
        if summary["state"] in ENDED:
            reason = summary["error"] or f"the run is {self.status.state}"
            raise ApiError(
                409, f"the document was not read: {reason}", document=str(self.id), category=summary["category"]
            )
        raise ApiError(409, f"the document is {summary['state']}; wait for the end of its run", document=str(self.id))

    @property
    def extraction(self) -> Digest:
        """The digest of what was extracted. Raises ApiError when nothing was, or its run has not ended."""
        self.reference  # noqa: B018 - checks that it was read
        if self.ended is None or "extraction" not in self.ended:
            reason = self._error()[0] or "its run only read it; extract from it with POST /api/extract"
            raise ApiError(404, f"nothing was extracted from the document: {reason}", document=str(self.id))
        return self.ended["extraction"]

    def again(self) -> TaskSource:
        """Its source, for another run. Raises ApiError where the server has neither its bytes nor its whole address."""
        if self.ended is not None and "reference" in self.ended:
            return {"stored": self.ended["reference"]["source"], "uri": self.name}
        if "stored" in self.source:
            return self.source
        address = self.source.get("uri", "")
        if address.startswith(("http://", "https://")) and "?" not in address:  # see `shown_url`
            return {"url": address, "headers": {}, "uri": address}
        kept = "its address has secrets, which are not kept" if address.startswith("http") else "its bytes are not kept"
        raise ApiError(409, f"{self.name} cannot be read again: {kept}; submit it anew", document=str(self.id))

    def counts(self) -> tuple[int, int, int]:
        """Pages in total, done and failed so far."""
        if self.ended is not None and "reference" in self.ended:
            ledger = self.ended["reference"]["ledger"]
            return ledger["pages"], ledger["pages"] - ledger["failed"], ledger["failed"]
        return (self.tally.total, *self.tally.done_and_failed) if self.tally else (0, 0, 0)

    def summary(self) -> dict[str, Json]:
        """A `DocumentSummary`."""
        reference = self.ended.get("reference") if self.ended else None
        stored = reference["source"] if reference else self.source.get("stored")
        error, category = self._error()
        return {
            "id": str(self.id),
            "run": self.status.run,
            "name": self.name,
            "sha256": stored["id"] if stored else None,
            "media_type": reference.get("media_type") if reference else None,
            "state": self._state(),
            "status": reference["status"] if reference else None,
            "pages": self.counts()[0] or None,
            "ledger": reference["ledger"] if reference else None,
            "submitted": self.status.submitted,
            "error": error,
            "category": category,
            "extraction": f"/api/documents/{self.id}/extraction" if self.ended and "extraction" in self.ended else None,
            "review": f"/api/review/{self.ended['review']}" if self.ended and "review" in self.ended else None,
        }

    def _state(self) -> RunState:
        if self.gone:
            return "failed"
        if self.ended is not None:
            return "failed" if self.ended["status"] in ("failure", "skipped") else "finished"
        if self.status.state == "running" and self.tally is None:
            return "waiting"
        return self.status.state

    def _error(self) -> tuple[str | None, Json]:
        if self.gone:
            return DELETED, "input"
        if self.ended is not None:
            fault = next(iter(self.ended["faults"]), None) if self._state() == "failed" else None
            return (fault["message"], fault["category"]) if fault else (None, None)
        return self.status.error, self.status.category


class RunFinder:
    """Finds runs and documents. Its methods block: call them in a thread. They raise ApiError for what a tenant does
    not have, which includes everything of others."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._runtime = service.runtime
        self._tallies = service.tallies

    def status(self, run: str, tenant: str) -> RunStatus:
        try:
            status = self._runtime.status(run)
        except UsageError:
            status = None
        if status is None or status.flow != FLOW or status.inputs["tenant"] != tenant:
            raise ApiError(404, f"there is no run {run[:100]}")
        return status

    def runs(self, tenant: str, before: str | None, limit: int) -> tuple[list[RunStatus], str | None]:
        """The latest runs of a tenant, and where the next page begins."""
        if before is not None:
            self.status(before, tenant)
        listed: list[RunStatus] = []
        for _ in range(MOST_PORTIONS):
            some = self._runtime.runs(flow=FLOW, before=before, limit=PORTION)
            for status in some:
                if status.inputs["tenant"] == tenant:
                    if len(listed) == limit:
                        return listed, listed[-1].run
                    listed.append(status)
            if len(some) < PORTION:
                return listed, None
            before = some[-1].run
        return listed, listed[-1].run if listed else None

    def run_json(self, status: RunStatus) -> dict[str, Json]:
        """A `Run`."""
        documents = self.documents(status)
        summaries = [document.summary() for document in documents]
        pages = [document.counts() for document in documents]
        states = [summary["state"] for summary in summaries]
        return {
            "id": status.run,
            "type": status.inputs["type"],
            "state": status.state,
            "submitted": status.submitted,
            "finished": status.finished,
            "error": status.error,
            "category": status.category,
            "progress": {
                "documents": {
                    "total": len(documents),
                    "done": states.count("finished"),
                    "failed": states.count("failed"),
                },
                "pages": {name: sum(row[at] for row in pages) for at, name in enumerate(("total", "done", "failed"))},
            },
            "documents": summaries,
        }

    def documents(self, status: RunStatus) -> list[FoundDocument]:
        """The documents of a run, in order, without those that were deleted."""
        argument: TaskArgument = status.inputs
        sources: Sequence[TaskSource] = argument["sources"]
        ended, gone = self._listed(status) if status.state == "finished" else (None, False)
        tally = None
        if ended is None:
            tally = self._tallies.of(status.run, status.last_event)
            ended = tally.ended
        total = max([len(sources), *ended])
        documents = [
            FoundDocument(
                DocumentId(status.run, number),
                status,
                sources[number - 1] if number <= len(sources) else {},
                ended.get(number),
                _tally_of(tally, sources[number - 1]) if tally and number <= len(sources) else None,
                gone,
            )
            for number in range(1, total + 1)
        ]
        return [document for document in documents if not document.deleted]

    def document(self, id: str, tenant: str) -> FoundDocument:
        document_id = DocumentId.parse(id)
        if (reviewed := self._reviewed(document_id, tenant)) is not None:
            return reviewed
        try:
            documents = self.documents(self.status(document_id.run, tenant))
        except ApiError:
            documents = []
        found = next((one for one in documents if one.id == document_id), None)
        if found is None:
            raise ApiError(404, f"there is no document {id[:100]}: it is unknown here, or was deleted")
        return found

    def _reviewed(self, id: DocumentId, tenant: str) -> FoundDocument | None:
        """The document of a review: its pages are shown while its run still waits, and when the run was removed."""
        review = self._service.reviews.tables.find(id.run, tenant) if id.run.startswith(REVIEW) else None
        if review is None or review.reference is None or id.number != 1:
            return None
        reference: DocumentReference = review.reference
        inputs = {"type": "extract", "tenant": tenant, "sources": []}
        status = RunStatus(id.run, FLOW, "", "finished", inputs, review.opened)
        ended: TaskDocument = {
            "name": review.name,
            "uri": review.name,
            "status": "success",
            "faults": [],
            "reference": reference,
        }
        return FoundDocument(id, status, {}, ended, None)

    def latest(self, tenant: str, before: str | None, limit: int) -> tuple[list[FoundDocument], str | None]:
        """The documents of the latest runs, and where the next page begins."""
        documents: list[FoundDocument] = []
        for document in self._following(tenant, before, limit):
            if len(documents) == limit:
                return documents, str(documents[-1].id)
            documents.append(document)
        return documents, None

    def trace(self, document: FoundDocument, page: int) -> list[dict[str, Json]]:
        """The trace of a page in the run of the document: what each stage did."""
        status = document.status
        tally = self._tallies.of(status.run, status.last_event)
        pages = tally.documents.get(document.reference["source"]["id"])
        return pages.trace.get(page, []) if pages else []

    def _following(self, tenant: str, before: str | None, limit: int) -> Iterator[FoundDocument]:
        run = None
        if before is not None:
            last = DocumentId.parse(before)
            run = last.run
            yield from (one for one in self.documents(self.status(run, tenant)) if one.id.number > last.number)
        while True:
            statuses, run = self.runs(tenant, run, limit)
            for status in statuses:
                yield from self.documents(status)
            if run is None:
                return

    def _listed(self, status: RunStatus) -> tuple[Mapping[int, TaskDocument], bool]:
        """The documents of a finished run by number, and whether they are gone from the store."""
        result: TaskResult = status.result
        listed, store = result["documents"], self._service.store
        if isinstance(listed, str):
            try:
                listed = json.loads(store.load(listed))
            except StoreError:
                if store.has_contents([listed]):
                    raise
                return {}, True
        return dict(enumerate(listed, start=1)), False


def _tally_of(tally: RunTally, source: TaskSource) -> PageTally | None:
    stored = source.get("stored")
    return tally.documents.get(stored["id"]) if stored else None
