"""The route of the search over all documents of a tenant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from quire.core.types import BlockKind
from quire.durable.indexing.read_places import ReadPlace
from quire.durable.views.views import DocumentViews
from quire.reading.messages import DocumentReference
from quire.retrieval.search.hit_crops import crop_box
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.query import SearchFilter
from quire.service.api.errors import ApiError
from quire.service.api.router import api_router
from quire.service.api.schemas import FoundPlaces
from quire.service.api.tenant_views import DocumentId, FoundDocument, RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service

MOST = 100
TRIES = 3
"""Searches for one request: when hits are of documents that are gone, these are removed, and it searches again."""
DPI = 110


def search_routes(service: Service, finder: RunFinder, views: DocumentViews) -> APIRouter:
    """The router of `/api/search`."""
    router = api_router("/api/search", "documents", 422, 501)
    searching = _Searching(service, finder, views)

    @router.get("", response_model=FoundPlaces)
    async def search(
        request: Request,
        q: Annotated[str, Query(min_length=1, max_length=500, description='Words, "phrases", -not, page:1-3.')],
        k: Annotated[int, Query(ge=1, le=MOST, description="Number of hits.")] = 10,
        places: Annotated[
            list[str] | None, Query(alias="in", max_length=MOST, description="Only in these: a run, or a name.")
        ] = None,
        kind: Annotated[list[BlockKind] | None, Query(description="Only these kinds of blocks.")] = None,
        rerank: Annotated[bool, Query(description="Order the first hits anew by the reranker of the server.")] = False,
    ) -> Response:
        """The passages of all documents that fit a query best, by words and by meaning, each with its place."""
        filters = SearchFilter(folders=tuple(places or ()), kinds=tuple(kind or ()))
        hits = await service.call(searching.found, q, tenant_of(request, service.settings), k, filters, rerank)
        return JSONResponse({"query": q, "hits": hits}, headers={"Cache-Control": "no-store"})

    return router


class _Searching:
    """Searches, and leaves out what is gone. Its methods block."""

    def __init__(self, service: Service, finder: RunFinder, views: DocumentViews) -> None:
        self._search, self._finder, self._views = service.search, finder, views

    def found(self, query: str, tenant: str, k: int, filters: SearchFilter, rerank: bool) -> list[dict[str, object]]:
        found: list[tuple[SearchHit, FoundDocument]] = []
        for _ in range(TRIES):
            hits = self._search.search(query, tenant, k=k, filters=filters, rerank=rerank)
            first = {hit.document: hit for hit in hits}
            documents = {id: self._document(hit, tenant, filters.folders) for id, hit in first.items()}
            found = [(hit, document) for hit in hits if (document := documents[hit.document]) is not None]
            if len(found) == len(hits):
                break
            gone = [hit for id, hit in first.items() if documents[id] is None]
            self._search.look_again(tenant, gone, lambda place: self._reference(place, tenant))
        return [_described(hit, document) for hit, document in found]

    def _document(self, hit: SearchHit, tenant: str, runs: Sequence[str]) -> FoundDocument | None:
        """The document of a hit: of a run that was asked for, if its reading is the indexed one, else of the last run
        that has read it. None if that run, or what it has read, was deleted."""
        places = self._search.places(hit)
        if not places:
            return None
        latest, *earlier = places
        document = self._at(latest.place, tenant)
        same = (one.place for one in earlier if one.place.run in runs and one.reading == latest.reading)
        earlier_place = None if document is None or latest.place.run in runs else next(same, None)
        return document if earlier_place is None else self._at(earlier_place, tenant)

    def _reference(self, place: ReadPlace, tenant: str) -> DocumentReference | None:
        document = self._at(place, tenant)
        return document.reference if document is not None else None

    def _at(self, place: ReadPlace, tenant: str) -> FoundDocument | None:
        try:
            document = self._finder.document(str(DocumentId(*place)), tenant)
            return document if self._views.has(document.reference) else None
        except ApiError:
            return None


def _described(hit: SearchHit, document: FoundDocument) -> dict[str, object]:
    """A `FoundPlace`."""
    box, crop = crop_box(hit), None
    if box is not None:
        part = ",".join(f"{value:.5f}" for value in (box.left, box.top, box.width, box.height))
        crop = f"/api/documents/{document.id}/pages/{hit.page}/crop?box={part}&dpi={DPI}"
    run, number = document.id
    own = {
        "document": str(document.id),
        "name": document.name,
        "path": f"{run}/{number}/{PurePosixPath(hit.path).name}",
    }
    return {**hit.to_json(), **own, "sha256": document.reference["source"]["id"], "crop": crop}
