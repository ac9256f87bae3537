"""All routes of the API."""

from __future__ import annotations

from fastapi import APIRouter

from quire.durable.views.views import DocumentViews
from quire.service.api.documents import document_routes
from quire.service.api.extracts import extract_routes
from quire.service.api.review_routes import review_routes
from quire.service.api.runs import run_routes
from quire.service.api.search_route import search_routes
from quire.service.api.solves import solve_routes
from quire.service.api.tenant_views import RunFinder
from quire.service.service import Service


def api_routes(service: Service, views: DocumentViews) -> APIRouter:
    """The router of `/api`, over the views of the service's store."""
    finder = RunFinder(service)
    router = APIRouter()
    router.include_router(run_routes(service, finder))
    router.include_router(document_routes(service, finder, views))
    router.include_router(extract_routes(service, finder))
    router.include_router(solve_routes(service, finder))
    router.include_router(search_routes(service, finder, views))
    router.include_router(review_routes(service, finder, views))
    return router
