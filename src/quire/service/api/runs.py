"""The routes of runs: submit, list, follow, cancel."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import JSONResponse, Response

from quire.core.context import RunStatus
from quire.core.errors import UsageError
from quire.database.runs import ENDED
from quire.service.api.event_streams import EventStream, RunEvents
from quire.service.api.router import api_router, submission_body
from quire.service.api.schemas import Run, RunList, RunOptions, RunRequest
from quire.service.api.task_requests import Submitting
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service

Limit = Annotated[int, Query(ge=1, le=200)]
Before = Annotated[str | None, Query(max_length=100, description="`next` of the page before.")]


def run_routes(service: Service, finder: RunFinder) -> APIRouter:
    """The router of `/api/runs`."""
    router = api_router("/api/runs", "runs", 404, 422)
    submitting = Submitting(service, finder)
    events = RunEvents(service.runtime, service.call, lambda: service.draining)

    async def found(request: Request, run: str) -> RunStatus:
        return await service.call(finder.status, run, tenant_of(request, service.settings))

    @router.post("", status_code=201, response_model=Run, openapi_extra=submission_body(RunRequest, options=RunOptions))
    async def submit(
        request: Request, idempotency_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> Response:
        """Read documents: files as multipart/form-data, URLs as JSON, or a document again, such as one that failed.

        The same `Idempotency-Key` is the same run.
        """
        return await submitting.read(request, idempotency_key)

    @router.get("", response_model=RunList)
    async def listed(request: Request, limit: Limit = 50, before: Before = None) -> Response:
        """The latest runs first."""
        tenant = tenant_of(request, service.settings)
        statuses, following = await service.call(finder.runs, tenant, before, limit)
        runs = [await service.call(finder.run_json, status) for status in statuses]
        return JSONResponse({"runs": runs, "next": following})

    @router.get("/{run}", response_model=Run)
    async def one(request: Request, run: str) -> Response:
        """The state of a run, its progress and its documents."""
        return JSONResponse(await service.call(finder.run_json, await found(request, run)))

    @router.delete("/{run}", status_code=202, response_model=Run)
    async def cancel(request: Request, run: str) -> Response:
        """Cancel a run. What it has read is kept; one that has ended stays as it is."""
        status = await found(request, run)
        if status.state not in ENDED:
            await service.call(service.runtime.cancel, run)
            status = await found(request, run)
        return JSONResponse(await service.call(finder.run_json, status), 202)

    @router.get("/{run}/events", response_class=Response, responses={200: {"content": {"text/event-stream": {}}}})
    async def follow(
        request: Request,
        run: str,
        after: Annotated[int | None, Query(ge=0, description="Only events after this sequence number.")] = None,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        """What happens, as server-sent events: those so far, then as they come, and at last `end` with the run.

        Continues after the header `Last-Event-ID`. A comment every 15 seconds keeps the connection alive.
        """
        await found(request, run)
        tenant = tenant_of(request, service.settings)

        def end() -> str:
            return json.dumps(finder.run_json(finder.status(run, tenant)))

        begin = after if after is not None else _sequence(last_event_id)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # a proxy must not collect events
        return EventStream(events.stream(run, begin, end), headers=headers)

    return router


def _sequence(last_event_id: str | None) -> int:
    if not last_event_id:
        return 0
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 19):
        raise UsageError("Last-Event-ID is not the id of an event: a whole number")
    return int(last_event_id)
