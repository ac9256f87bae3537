"""The ASGI application: routes, the key in front of them, and errors in the shape that clients read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.routing import Match

import quire
from quire.core.errors import QuireError, StoreError, UsageError
from quire.core.events import reason_of
from quire.docling_serve.contract.refusals import RequestRefused
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.views.views import DocumentViews
from quire.service import docling_routes as docling
from quire.service import probes
from quire.service.api.routes import api_routes
from quire.service.apidocs import describe
from quire.service.log_redaction import redact_logs
from quire.service.metrics_port import measured, metrics_route
from quire.service.request_guard import Guard
from quire.service.request_log import Observer
from quire.service.service import Service
from quire.service.settings import ServiceSettings
from quire.service.shutdown import noticing_signals
from quire.service.traffic import Traffic
from quire.service.webpage import web_routes

TITLE = "Quire"
RETRY_AFTER_S = "1"
NOT_ALLOWED = 405
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def create_app(service: Service, traffic: Traffic | None = None) -> FastAPI:
    """The application over a service, which is closed when the server stops. `traffic` is shared by its processes."""
    settings, traffic = service.settings, traffic or Traffic()
    views = DocumentViews(DocumentSteps(service.store, workers=settings.workers))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.begin()
        try:
            with noticing_signals(service.drain), measured(service, traffic):
                yield
        finally:
            await service.call(views.close)
            await service.close()

    text = "/openapi.json" if settings.api_docs else None
    app = FastAPI(
        title=TITLE, version=quire.__version__, lifespan=lifespan, openapi_url=text, docs_url=None, redoc_url=None
    )
    app.router.routes.extend(docling.routes(service))  # first: routes are tried in this order
    app.include_router(probes.routes(service))
    if settings.metrics and settings.metrics_port is None:
        app.router.routes.append(metrics_route(service, traffic))
    app.include_router(api_routes(service, views))
    if settings.api_docs:
        describe(app)
    if settings.ui:
        app.include_router(web_routes())
    for kind, handler in ((RequestRefused, _refused), (RequestValidationError, _invalid), (HTTPException, _http)):
        app.add_exception_handler(kind, handler)  # type: ignore[arg-type]
    app.add_exception_handler(QuireError, _failed)  # type: ignore[arg-type]
    app.add_exception_handler(ClientDisconnect, _gone)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, partial(_unexpected, settings))
    app.add_middleware(Guard, settings=settings)
    origins = list(settings.cors_origins) or ["*"]
    app.add_middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=list(settings.cors_methods),
        allow_headers=list(settings.cors_headers),
        allow_credentials="*" not in origins,  # what a proxy in front takes for a login is not for every site
    )
    app.add_middleware(Observer, traffic=traffic, prefix=settings.log_header_prefix)
    redact_logs(settings.api_key)
    return app


def _answer(refusal: RequestRefused) -> Response:
    headers = {"Retry-After": RETRY_AFTER_S} if refusal.status == 503 else None
    return JSONResponse(refusal.body(), refusal.status, headers)


async def _refused(_: Request, refusal: RequestRefused) -> Response:
    return _answer(refusal)


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    items = [{"type": one["type"], "loc": list(one["loc"]), "msg": one["msg"]} for one in error.errors()]
    return JSONResponse({"detail": items}, 422)


async def _http(request: Request, error: HTTPException) -> Response:
    headers = {"Allow": _allowed(request)} if error.status_code == NOT_ALLOWED else error.headers
    return JSONResponse({"detail": error.detail}, error.status_code, headers)


def _allowed(request: Request) -> str:
    """The methods of a path, which may have several routes; Starlette names those of the first one alone."""
    asked = ({**request.scope, "method": method} for method in METHODS)
    routes = request.app.router.routes
    return ", ".join(one["method"] for one in asked if any(route.matches(one)[0] == Match.FULL for route in routes))


async def _failed(_: Request, error: QuireError) -> Response:
    """The database is away, or the disk is full: nothing that was accepted is lost."""
    if isinstance(error, UsageError):
        return JSONResponse({"detail": str(error), "category": error.category}, 422)
    if isinstance(error, StoreError):
        return JSONResponse({"detail": str(error), "category": error.category}, 503, {"Retry-After": RETRY_AFTER_S})
    return JSONResponse({"detail": str(error), "category": error.category}, 500)


async def _unexpected(settings: ServiceSettings, _: Request, error: Exception) -> Response:
    """A bug. Starlette raises it again, so that it is logged."""
    detail = f"Internal Server Error: {reason_of(error)}" if settings.error_details else "Internal Server Error"
    return JSONResponse({"detail": detail}, 500)


async def _gone(_: Request, __: ClientDisconnect) -> Response:
    return Response(status_code=499)
