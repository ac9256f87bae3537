"""Bytes of the store as HTTP responses: the digest is the ETag, and a client that has it gets 304."""

from __future__ import annotations

import json
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from quire.core.keys import Digest, digest_bytes
from quire.durable.views.views import StoredFile

FOREVER = "private, max-age=31536000, immutable"
"""For what never changes under its address."""
CHECKED = "private, no-cache"
"""For what may change: a client asks again with the ETag."""


def etag_of(digest: Digest) -> str:
    return f'"{digest}"'


def headers_of(digest: Digest, cache: str) -> dict[str, str]:
    return {"ETag": etag_of(digest), "Cache-Control": cache, "Vary": "X-Api-Key, X-Tenant-Id"}


def is_known(request: Request, digest: Digest) -> bool:
    """Whether the client has the content already (RFC 9110, section 13.1.2)."""
    given = request.headers.get("if-none-match", "")
    tags = [tag.strip().removeprefix("W/") for tag in given.split(",")]
    return etag_of(digest) in tags or given.strip() == "*"


def not_modified(digest: Digest, cache: str) -> Response:
    return Response(status_code=304, headers=headers_of(digest, cache))


def stored_response(file: StoredFile, data: bytes, cache: str) -> Response:
    headers = headers_of(file.digest, cache) | {"X-Content-Type-Options": "nosniff"}
    if file.name:
        plain = file.name.encode("ascii", "replace").decode().replace('"', "'").replace("\\", "_")
        headers["Content-Disposition"] = (
            f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(file.name, safe='')}"
        )
        headers["Content-Security-Policy"] = "sandbox"  # an exported HTML page must not act as a page of this server
    return Response(data, media_type=file.media_type, headers=headers)


def file_response(request: Request, file: StoredFile, data: bytes, cache: str) -> Response:
    """A file that was made for this request."""
    known = is_known(request, file.digest)
    return not_modified(file.digest, cache) if known else stored_response(file, data, cache)


def json_bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8", "replace")


def json_response(request: Request, data: bytes) -> Response:
    """JSON that was put together for this request."""
    digest = digest_bytes(data)
    if is_known(request, digest):
        return not_modified(digest, CHECKED)
    return Response(data, media_type="application/json", headers=headers_of(digest, CHECKED))
