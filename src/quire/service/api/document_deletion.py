"""Deletes a document of a tenant, with everything derived from it."""

from __future__ import annotations

from collections.abc import Sequence

from quire.database.runs import ENDED
from quire.database.task_sources import delete_sources
from quire.durable.deletion import delete_documents
from quire.service.api.errors import ApiError
from quire.service.api.schemas import DeletedDocument
from quire.service.api.tenant_views import FoundDocument, RunFinder
from quire.service.service import Service


class DocumentDeletion:
    """Deletes documents, for the tenant that asks alone. Its methods block. A document that a run still reads is
    refused with 409: the run would bring it back."""

    def __init__(self, service: Service, finder: RunFinder) -> None:
        self._service, self._finder = service, finder

    def delete(self, id: str, tenant: str) -> DeletedDocument:
        found = self._finder.document(id, tenant)
        if found.status.state not in ENDED:
            raise _still_read(found, [found.status.run])
        sha256 = found.summary()["sha256"]
        if sha256 is None:
            self._forget(found)
            return DeletedDocument(document=id, runs=1, samples=0, learned=[], unfinished=[])
        store = self._service.store
        (planned,) = delete_documents(store, [sha256], scopes=[tenant], dry_run=True)
        if planned.unfinished:
            raise _still_read(found, planned.unfinished)
        (deleted,) = delete_documents(store, [sha256], scopes=[tenant])
        return DeletedDocument(
            document=id,
            artifacts=deleted.facts,
            bytes=deleted.bytes,
            runs=deleted.runs,
            reviews=deleted.reviews,
            samples=deleted.samples,
            learned=self._service.learned.made_from(sha256, tenant),
            unfinished=list(deleted.unfinished),
        )

    def _forget(self, found: FoundDocument) -> None:
        """Remove a document of which nothing was fetched from its run."""
        database, status = self._service.store.database, found.status
        with database.transaction(lasting=True):
            listed = self._service.documents(status) if status.state == "finished" else []
            delete_sources(database, status.run, {found.id.number - 1}, listed)


def _still_read(found: FoundDocument, runs: Sequence[str]) -> ApiError:
    which = f"run {runs[0]} has" if len(runs) == 1 else f"the runs {', '.join(runs[:5])} have"
    advice = "cancel it with DELETE /api/runs/{run}" if len(runs) == 1 else "cancel each with DELETE /api/runs/{run}"
    return ApiError(
        409, f"{which} not ended and would read {found.name} again; {advice}, then delete", document=str(found.id)
    )
