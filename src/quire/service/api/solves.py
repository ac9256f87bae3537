"""The routes of solves: what can be asked for, submit, follow, and fetch the answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import JSONResponse, Response

from quire.core.keys import digest_bytes
from quire.durable.solves.solve_request import LONGEST_TASK, MOST_ATTEMPTS, MOST_ROUNDS
from quire.durable.views.views import StoredFile
from quire.service.api import stored_bytes as answering
from quire.service.api.router import api_router, submission_body
from quire.service.api.schemas import Run, RunOptions
from quire.service.api.solve_schemas import MOST_DOCUMENTS, SolveChoices, SolveSubmission, SolveView
from quire.service.api.solve_submission import SolveSubmitting
from quire.service.api.solve_views import FILES, SolveFinder
from quire.service.api.task_requests import MOST_ATTACHED
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service

FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {}}},
    304: {"description": "Not modified"},
}
_SUBMISSION = submission_body(
    SolveSubmission, "solve", attached=("template",), solve=SolveSubmission, options=RunOptions
)


def solve_routes(service: Service, finder: RunFinder) -> APIRouter:
    """The router of `/api/solve`, and of the answers of runs that solve."""
    router = api_router("/api", "solves", 404, 409, 422)
    submitting, solves = SolveSubmitting(service, finder), SolveFinder(service, finder)

    @router.get("/solve", response_model=SolveChoices)
    async def choices(request: Request) -> Response:
        """The runners that a request can name, and how large it may be."""
        settings = service.settings
        return JSONResponse(
            {
                "runners": await service.call(lambda: list(service.runners.described())),
                "max_bytes": settings.max_body_bytes,
                "max_file_bytes": settings.max_file_bytes,
                "max_template_bytes": MOST_ATTACHED,
                "max_documents": MOST_DOCUMENTS,
                "max_task": LONGEST_TASK,
                "max_rounds": MOST_ROUNDS,
                "max_attempts": MOST_ATTEMPTS,
            }
        )

    @router.post("/solve", status_code=201, response_model=Run, openapi_extra=_SUBMISSION)
    async def submit(
        request: Request, idempotency_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> Response:
        """Solve a task over documents: files as multipart/form-data, URLs or documents that were read as JSON.

        It is a run; `/api/runs/{run}/solve` has its progress and, when it has ended, the answer.
        """
        return await submitting.submit(request, idempotency_key)

    @router.get("/runs/{run}/solve", response_model=SolveView)
    async def view(request: Request, run: str) -> Response:
        """How far a solve is, and its answer with the evidence of each value once it has finished."""
        made = await service.call(solves.view, run, tenant_of(request, service.settings))
        return answering.json_response(request, answering.json_bytes(made))

    @router.get("/runs/{run}/solve/files/{name}", response_class=Response, responses=FILE)
    async def file(request: Request, run: str, name: str) -> Response:
        """A file of the answer."""
        data = await service.call(solves.file, run, name, tenant_of(request, service.settings))
        stored = StoredFile(digest_bytes(data), FILES[name], name)
        return answering.file_response(request, stored, data, answering.CHECKED)

    @router.get("/runs/{run}/solve/trace", response_class=Response, responses=FILE)
    async def trace(request: Request, run: str) -> Response:
        """The trace of a solve that has finished: everything about it in one file, for `quire replay`."""
        data = await service.call(solves.trace, run, tenant_of(request, service.settings))
        stored = StoredFile(digest_bytes(data), "application/json", f"{run}.trace.json")
        return answering.file_response(request, stored, data, answering.CHECKED)

    return router
