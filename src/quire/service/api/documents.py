"""The routes of documents: list, look at pages, export, search, delete. Everything heavy is done in workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import JSONResponse, Response

from quire.core.errors import QuireError, StoreError, UsageError
from quire.core.keys import digest_bytes
from quire.core.types import BBox
from quire.durable.views.views import DPI, DocumentViews, StoredFile, TableFormat
from quire.evidence.catalog.box_text import box_of
from quire.evidence.extract.reports import ReportFormat
from quire.output.export import format_names
from quire.reading.messages import DocumentReference
from quire.service.api import stored_bytes as answering
from quire.service.api.document_deletion import DocumentDeletion
from quire.service.api.errors import ApiError
from quire.service.api.router import api_router
from quire.service.api.runs import Before, Limit
from quire.service.api.schemas import (
    DeletedDocument,
    DocumentDetail,
    DocumentLedger,
    DocumentList,
    PageView,
    SearchResult,
    TableSummary,
)
from quire.service.api.tenant_views import FoundDocument, RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service

THREADS = 8
"""Threads that wait for views: separate from those of the other routes, which must not wait for workers."""
PNG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}, 304: {"description": "Not modified"}}
FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {}}},
    304: {"description": "Not modified"},
}

PageNumber = Annotated[int, Path(ge=1, le=10**7)]
Dpi = Annotated[int, Query(ge=DPI.start, le=DPI.stop - 1)]
T = TypeVar("T")


def document_routes(service: Service, finder: RunFinder, views: DocumentViews) -> APIRouter:
    """The router of `/api/documents`."""
    router = api_router("/api/documents", "documents", 404, 409, 422)
    looking, deletion = _Looking(service, finder, views), DocumentDeletion(service, finder)

    @router.get("", response_model=DocumentList)
    async def listed(request: Request, limit: Limit = 50, before: Before = None) -> Response:
        """The documents of the latest runs first."""
        tenant = tenant_of(request, service.settings)
        documents, following = await service.call(finder.latest, tenant, before, limit)
        return JSONResponse({"documents": [one.summary() for one in documents], "next": following})

    @router.get("/{id}", response_model=DocumentDetail)
    async def one(request: Request, id: str) -> Response:
        """A document, with its pages once it was read."""
        document = await looking.found(request, id)
        pages: list[dict[str, Any]] = []
        if document.ended is not None and "reference" in document.ended:
            pages = (await looking.look(document, views.pages)).pages
        return answering.json_response(request, answering.json_bytes({**document.summary(), "page_list": pages}))

    @router.delete("/{id}", response_model=DeletedDocument)
    async def delete(request: Request, id: str) -> Response:
        """Delete a document with everything derived from it, in all runs that have read the same file."""
        deleted = await service.call(deletion.delete, id, tenant_of(request, service.settings))
        return JSONResponse(deleted.model_dump())

    @router.get("/{id}/ledger", response_model=DocumentLedger)
    async def ledger(request: Request, id: str) -> Response:
        """The outcome of every page."""
        document = await looking.found(request, id)
        pages = (await looking.look(document, views.pages)).pages
        shown = ("status", "reason", "characters", "tables", "confidence")
        rows = [{"page": page["number"], **{name: page.get(name) for name in shown}} for page in pages]
        reference = document.reference
        answer = {"status": reference["status"], "ledger": reference["ledger"], "pages": rows}
        return answering.json_response(request, answering.json_bytes(answer))

    @router.get("/{id}/pages/{number}", response_model=PageView)
    async def page(request: Request, id: str, number: PageNumber, words: bool = False) -> Response:
        """A page: the blocks that begin or continue on it, optionally with their words, and how it was read."""
        document = await looking.found(request, id)
        view = await looking.loaded(document, partial(views.page, number=number, words=words), page=number)
        trace = await service.call(finder.trace, document, number)
        return answering.json_response(request, view[:-1] + b',"events":' + answering.json_bytes(trace) + b"}")

    @router.get("/{id}/pages/{number}/image", response_class=Response, responses=PNG)
    async def image(request: Request, id: str, number: PageNumber, dpi: Dpi = 100) -> Response:
        """The picture of a page; at a lower resolution if it would be too large."""
        make = partial(views.picture, number=number, dpi=dpi)
        return await looking.stored(request, id, make, answering.FOREVER, page=number)

    @router.get("/{id}/pages/{number}/crop", response_class=Response, responses=PNG)
    async def crop(
        request: Request,
        id: str,
        number: PageNumber,
        box: Annotated[str, Query(max_length=200, description="left,top,width,height as fractions of the page")],
        dpi: Dpi = 150,
    ) -> Response:
        """The part of a page inside a box."""
        make = partial(views.crop, number=number, box=_box(box), dpi=dpi)
        data = await looking.look(await looking.found(request, id), make, page=number)
        return answering.file_response(request, StoredFile(digest_bytes(data), "image/png"), data, answering.FOREVER)

    @router.get("/{id}/exports/{format}", response_class=Response, responses=FILE)
    async def export(
        request: Request, id: str, format: str, words: bool = False, trace: bool = False, figures: bool = False
    ) -> Response:
        """The document in a format of `quire read --to`: one file, or a zip archive of several."""
        if format not in format_names():
            raise ApiError(404, f"there is no format {format[:50]!r}; choose from {', '.join(format_names())}")
        make = partial(views.export, format=format, words=words, trace=trace, figures=figures)
        return await looking.stored(request, id, make, answering.CHECKED)

    @router.get("/{id}/catalog", response_class=Response, responses=FILE)
    async def catalog(request: Request, id: str) -> Response:
        """Everything of the document that a value can cite: a line of JSON for each chunk, block and cell."""
        return await looking.stored(request, id, views.catalog, answering.CHECKED)

    @router.get("/{id}/extraction", response_class=Response, responses=FILE)
    async def extraction(request: Request, id: str, to: ReportFormat = "json") -> Response:
        """What was extracted from the document, with its evidence; also as a report."""
        document = await looking.found(request, id)
        made = await looking.look(
            document, partial(service.reviews.current, service.store, extraction=document.extraction)
        )
        return await looking.stored(request, id, partial(views.report, extraction=made, format=to), answering.CHECKED)

    @router.get("/{id}/search", response_model=SearchResult)
    async def search(
        request: Request,
        id: str,
        q: Annotated[str, Query(min_length=1, max_length=500)],
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """Where a text is in the document: without regard to case, accents and line breaks."""
        document = await looking.found(request, id)
        if not q.strip():
            raise ApiError(422, "q: the text to search for is empty", category="usage")
        found = await looking.look(document, partial(views.search, query=q, limit=limit))
        return Response(found, media_type="application/json", headers={"Cache-Control": "no-store"})

    @router.get("/{id}/tables", response_model=list[TableSummary])
    async def tables(request: Request, id: str) -> Response:
        """The tables of the document."""
        listed = await looking.look(await looking.found(request, id), views.pages)
        return answering.json_response(request, answering.json_bytes(listed.tables))

    @router.get("/{id}/tables/{block}", response_class=Response, responses=FILE)
    async def table(request: Request, id: str, block: str, to: TableFormat = "csv") -> Response:
        """One table as a file."""
        return await looking.stored(request, id, partial(views.table, block=block, format=to), answering.CHECKED)

    return router


class _Looking:
    """Finds documents for requests, and looks at them in threads."""

    def __init__(self, service: Service, finder: RunFinder, views: DocumentViews) -> None:
        self._service, self._finder, self._views = service, finder, views
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="quire-views")

    async def found(self, request: Request, id: str) -> FoundDocument:
        return await self._service.call(self._finder.document, id, tenant_of(request, self._service.settings))

    async def look(
        self, document: FoundDocument, work: Callable[[DocumentReference], T], *, page: int | None = None
    ) -> T:
        """Run something about a document that was read. Raises ApiError, with what it is about."""
        reference, id = document.reference, str(document.id)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, reference)
        except UsageError as error:  # a page, a table that does not exist
            raise ApiError(404, str(error), document=id, page=page, category=error.category) from error
        except StoreError as error:
            if await self._service.call(self._views.has, reference):
                raise ApiError.of(error, document=id, page=page) from error
            gone = "the document was deleted from the store; read it again"
            raise ApiError(404, gone, document=id, page=page, category="input") from error
        except QuireError as error:
            raise ApiError.of(error, document=id, page=page) from error

    async def loaded(
        self, document: FoundDocument, make: Callable[[DocumentReference], StoredFile], *, page: int | None = None
    ) -> bytes:
        def load(reference: DocumentReference) -> bytes:
            return self._views.load(reference, make(reference).digest)

        return await self.look(document, load, page=page)

    async def stored(
        self,
        request: Request,
        id: str,
        make: Callable[[DocumentReference], StoredFile],
        cache: str,
        *,
        page: int | None = None,
    ) -> Response:
        document = await self.found(request, id)
        file = await self.look(document, make, page=page)
        if answering.is_known(request, file.digest):
            return answering.not_modified(file.digest, cache)
        data = await self.look(document, partial(self._views.load, digest=file.digest), page=page)
        return answering.stored_response(file, data, cache)


def _box(text: str) -> BBox:
    """`left,top,width,height`. Raises ApiError unless it is a part of the page."""
    try:
        return box_of(text)
    except UsageError as error:
        raise ApiError.of(error) from None
