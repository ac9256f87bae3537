"""The page in the browser: its files, which are in the package, with the headers that keep foreign code out of it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from quire.core.keys import Digest, digest_bytes
from quire.docling_serve.contract.refusals import RequestRefused
from quire.service.api.stored_bytes import CHECKED, headers_of, is_known, not_modified

INDEX, ICON = "index.html", "icon.svg"
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",  # pictures of pages are fetched with the key, and shown from memory
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",  # a text of a document can never be assigned as HTML
        "trusted-types 'none'",
    )
)
SAFETY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class WebFile:
    """A file of the page, in memory."""

    data: bytes
    media_type: str
    digest: Digest


def load_files() -> dict[str, WebFile]:
    """The files of the page by name: all that are served, whatever a request asks for."""
    found = {}
    for file in files("quire.service").joinpath("web").iterdir():
        media_type = MEDIA_TYPES.get(file.name.rpartition(".")[2])
        if media_type is not None:
            data = file.read_bytes()
            found[file.name] = WebFile(data, media_type, digest_bytes(data))
    return found


def web_routes() -> APIRouter:
    """The router of the page, and of its files under `/web/`."""
    router = APIRouter(include_in_schema=False)
    known = load_files()

    def answer(request: Request, name: str) -> Response:
        file = known.get(name)
        if file is None:
            raise RequestRefused(404, "Not Found")
        if is_known(request, file.digest):
            response = not_modified(file.digest, CHECKED)
        else:
            response = Response(file.data, media_type=file.media_type, headers=headers_of(file.digest, CHECKED))
        response.headers.update(SAFETY)
        return response

    @router.get("/")
    @router.get("/ui")
    async def page(request: Request) -> Response:
        return answer(request, INDEX)

    @router.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return answer(request, ICON)

    @router.get("/web/{name}")
    async def file(request: Request, name: str) -> Response:
        return answer(request, name)

    return router
