"""The routes of extractions: what can be asked for, and submit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import JSONResponse, Response

from quire.service.api.errors import ApiRoute
from quire.service.api.schemas import ApiFault, ExtractChoices, ExtractSubmission, Run
from quire.service.api.task_requests import Submitting
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service

_SUBMITTING: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": ExtractSubmission.model_json_schema(ref_template="#/components/schemas/{model}")
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files", "extract"],
                    "properties": {
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                        "extract": {"type": "string", "description": "`ExtractOptions` as JSON."},
                        "options": {"type": "string", "description": "`RunOptions` as JSON."},
                    },
                }
            },
        },
    }
}


def extract_routes(service: Service, finder: RunFinder) -> APIRouter:
    """The router of `/api/extract`."""
    failures: dict[int | str, dict[str, Any]] = {code: {"model": ApiFault} for code in (404, 409, 422)}
    router = APIRouter(prefix="/api/extract", tags=["extractions"], route_class=ApiRoute, responses=failures)
    submitting = Submitting(service)

    @router.get("", response_model=ExtractChoices)
    async def choices(request: Request) -> Response:
        """The models that a request can name, and how large it may be."""
        names = await service.call(service.learned.names, tenant_of(request, service.settings))
        settings = service.settings
        limits = {"max_bytes": settings.max_body_bytes, "max_file_bytes": settings.max_file_bytes}
        return JSONResponse({"learned": names, **limits})

    @router.post("", status_code=201, response_model=Run, openapi_extra=_SUBMITTING)
    async def submit(
        request: Request, idempotency_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> Response:
        """Extract values from documents: files as multipart/form-data, URLs or a document that was read as JSON.

        It is a run; when it has ended, `/api/documents/{id}/extraction` has the values of each document.
        """
        run = await submitting.extract(request, finder, idempotency_key)
        status = await service.call(finder.status, run, tenant_of(request, service.settings))
        return JSONResponse(await service.call(finder.run_json, status), 201, {"Location": f"/api/runs/{run}"})

    return router
