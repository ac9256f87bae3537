"""The routes of extractions: what can be asked for, and submit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import JSONResponse, Response

from quire.service.api.router import api_router, submission_body
from quire.service.api.schemas import ExtractChoices, ExtractOptions, ExtractSubmission, Run, RunOptions
from quire.service.api.task_requests import Submitting
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service

_SUBMISSION = submission_body(ExtractSubmission, "extract", extract=ExtractOptions, options=RunOptions)


def extract_routes(service: Service, finder: RunFinder) -> APIRouter:
    """The router of `/api/extract`."""
    router = api_router("/api/extract", "extractions", 404, 409, 422)
    submitting = Submitting(service, finder)

    @router.get("", response_model=ExtractChoices)
    async def choices(request: Request) -> Response:
        """The models that a request can name, and how large it may be."""
        names = await service.call(service.learned.names, tenant_of(request, service.settings))
        settings = service.settings
        limits = {"max_bytes": settings.max_body_bytes, "max_file_bytes": settings.max_file_bytes}
        return JSONResponse({"learned": names, **limits})

    @router.post("", status_code=201, response_model=Run, openapi_extra=_SUBMISSION)
    async def submit(
        request: Request, idempotency_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> Response:
        """Extract values from documents: files as multipart/form-data, URLs or a document that was read as JSON.

        It is a run; when it has ended, `/api/documents/{id}/extraction` has the values of each document.
        """
        return await submitting.extract(request, idempotency_key)

    return router
