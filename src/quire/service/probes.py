"""Routes about the server itself: health, versions, what it can do, and how much memory it uses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

import quire
from quire.core.errors import QuireError
from quire.docling_serve.contract import schemas
from quire.docling_serve.contract.refusals import RequestRefused
from quire.docling_serve.responses import task_states
from quire.service.service import Service
from quire.system.supervisor import restarts
from quire.system.workers.procfs import descendants, resident_bytes

OK = {"status": "ok"}
AWAY: Mapping[int | str, dict[str, Any]] = {
    503: {"model": schemas.HTTPValidationError, "description": "It does not work at the moment."}
}
HIDDEN: Mapping[int | str, dict[str, Any]] = {
    status: {"model": schemas.HTTPValidationError, "description": "The settings of the server hide this."}
    for status in (403, 404)
}
PACKAGES = ("docling-jobkit", "docling", "docling-core", "docling-ibm-models", "docling-parse", "docling-slim")


def routes(service: Service) -> APIRouter:
    router = APIRouter(tags=["server"])
    settings = service.settings

    @router.get("/health", responses={200: {"model": schemas.HealthCheckResponse}})
    @router.get("/api", responses={200: {"model": schemas.HealthCheckResponse}})
    async def health() -> dict[str, Any]:
        """Threads and tasks of this process that were started again after an error are named, if there are any."""
        restarted = restarts()
        return OK | {"restarts": restarted} if restarted else OK

    @router.get("/livez", responses={**AWAY})
    async def live() -> dict[str, str]:
        if service.trouble is not None:
            raise RequestRefused(503, f"Background queue processor is not running. {service.trouble}")
        return OK

    @router.get("/ready", responses={**AWAY})
    @router.get("/readyz", responses={**AWAY})
    async def ready() -> dict[str, str]:
        if service.draining:
            raise RequestRefused(503, "the server is stopping")
        if service.trouble is not None:
            raise RequestRefused(503, f"Background queue processor is not running. {service.trouble}")
        if service.awaited:
            raise RequestRefused(503, f"not ready yet: {service.awaited}")
        try:
            await service.call(service.store.database.now)
            await service.call(service.runtime.check)
        except QuireError as error:
            raise RequestRefused(503, str(error)) from error
        return OK

    @router.get("/version", responses={403: HIDDEN[403]})
    async def versions() -> dict[str, Any]:
        if not settings.version_info:
            raise RequestRefused(403, "Forbidden. The server is configured for not showing version details.")
        return task_states.versions(installed(), quire.__version__)

    @router.get("/v1/capabilities", responses={200: {"model": schemas.CapabilitiesResponse}, 404: HIDDEN[404]})
    async def capabilities() -> dict[str, Any]:
        if not settings.capabilities:
            raise RequestRefused(404, "Not Found")
        found = task_states.versions(installed(), quire.__version__)
        return task_states.capabilities(service.policy, found, api_key_required=bool(settings.api_key))

    @router.get("/v1/memory/stats", responses={403: HIDDEN[403]})
    async def memory_stats() -> Response:
        _check_managed(service)
        return JSONResponse(await service.call(_memory))

    @router.get("/v1/memory/counts", responses={403: HIDDEN[403]})
    async def memory_counts() -> Response:
        _check_managed(service)
        return JSONResponse(await service.call(_counts))

    return router


@cache
def installed() -> dict[str, str]:
    """The versions of the packages that clients ask about."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _check_managed(service: Service) -> None:
    if not service.settings.management:
        raise RequestRefused(403, "Forbidden. The server is configured for not allowing management endpoints.")


def _memory() -> dict[str, int]:
    """Resident bytes of this process and of its workers."""
    return {"process": resident_bytes([os.getpid()]), "workers": resident_bytes(descendants(os.getpid()))}


def _counts() -> dict[str, int]:
    """Objects of this process by type, the most frequent first."""
    import gc
    from collections import Counter

    return dict(Counter(type(one).__name__ for one in gc.get_objects()).most_common(100))
