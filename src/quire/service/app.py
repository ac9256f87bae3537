"""The ASGI application: routes, the key in front of them, and errors in the shape that clients read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

import quire
from quire.durable.reads.steps import DocumentSteps
from quire.durable.views.views import DocumentViews
from quire.errors import QuireError, StoreError, UsageError
from quire.service import docling, probes
from quire.service.api.routes import api_routes
from quire.service.contract.refusing import RequestRefused
from quire.service.security import check_key, check_origin, is_public
from quire.service.service import Service
from quire.service.settings import ServiceSettings
from quire.service.webpage import web_routes

TITLE = "Quire"
RETRY_AFTER_S = "1"


def create_app(service: Service) -> FastAPI:
    """The application over a service, which is closed when the server stops."""
    settings = service.settings
    views = DocumentViews(DocumentSteps(service.store, workers=settings.workers))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.begin()
        try:
            yield
        finally:
            await service.call(views.close)
            await service.close()

    app = FastAPI(title=TITLE, version=quire.__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.include_router(probes.routes(service))
    app.router.routes.extend(docling.routes(service))
    app.include_router(api_routes(service, views))
    if settings.ui:
        app.include_router(web_routes())
    for kind, handler in ((RequestRefused, _refused), (RequestValidationError, _invalid), (HTTPException, _http)):
        app.add_exception_handler(kind, handler)  # type: ignore[arg-type]
    app.add_exception_handler(QuireError, _failed)  # type: ignore[arg-type]
    app.add_exception_handler(ClientDisconnect, _gone)  # type: ignore[arg-type]
    app.add_middleware(_Guard, settings=settings)
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(settings.cors_origins),
        allow_methods=list(settings.cors_methods),
        allow_headers=list(settings.cors_headers),
        allow_credentials=True,
    )
    return app


class _Guard:
    """Asks every request for the key, except those for what is public. A WebSocket is asked by its route."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope)
            try:
                if not is_public(scope["path"]):
                    check_key(request, self._settings)
                if scope["path"].startswith("/api/"):
                    check_origin(request, self._settings)
            except RequestRefused as refusal:
                await _answer(refusal)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _answer(refusal: RequestRefused) -> Response:
    headers = {"Retry-After": RETRY_AFTER_S} if refusal.status == 503 else None
    return JSONResponse(refusal.body(), refusal.status, headers)


async def _refused(_: Request, refusal: RequestRefused) -> Response:
    return _answer(refusal)


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    items = [{"type": one["type"], "loc": list(one["loc"]), "msg": one["msg"]} for one in error.errors()]
    return JSONResponse({"detail": items}, 422)


async def _http(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"detail": error.detail}, error.status_code, error.headers)


async def _failed(_: Request, error: QuireError) -> Response:
    """The database is away, or the disk is full: nothing that was accepted is lost."""
    if isinstance(error, UsageError):
        return JSONResponse({"detail": str(error), "category": error.category}, 422)
    if isinstance(error, StoreError):
        return JSONResponse({"detail": str(error), "category": error.category}, 503, {"Retry-After": RETRY_AFTER_S})
    return JSONResponse({"detail": str(error), "category": error.category}, 500)


async def _gone(_: Request, __: ClientDisconnect) -> Response:
    return Response(status_code=499)
