"""URLs and headers of callers: checked before they are used, and shown without their secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from quire.core.errors import UsageError
from quire.core.names import safe_name

OWN_HEADERS = frozenset(
    {
        *("host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade"),
        *("expect", "proxy-authorization", "proxy-connection", "accept-encoding"),
    }
)
"""Headers that belong to the connection: those of a caller are left out."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def check_url(url: str) -> SplitResult:
    """The parts of a URL. Raises UsageError for one that `fetch` refuses, whatever its host is."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - checks it
    except ValueError as error:
        raise UsageError(f"{shown_url(url)} is not a URL: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"{shown_url(url)} is neither http nor https: other URLs are not supported")
    if not parts.hostname:
        raise UsageError(f"{shown_url(url)} has no host")
    if parts.username or parts.password:
        raise UsageError(f"{shown_url(url)} contains a user name or password: download the document first")
    return parts


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of a URL that was checked."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def url_name(url: str) -> str:
    """The name of a document from its URL: the last part of the path, or else the host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "document"
    return (
        safe_name(unquote(parts.path.rstrip("/").rpartition("/")[2])) or safe_name(parts.hostname or "") or "document"
    )


def shown_url(url: str) -> str:
    """A URL for messages: without password and query, which may both be secrets."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return url
    return f"{parts.scheme}://{host}{parts.path}" + ("?…" if parts.query else "")


def sendable(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a caller that may be sent. Raises UsageError for one that would end the head of the request."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or _CONTROL.search(value) or not value.isascii():
            raise UsageError(
                f"the header {name[:50]!r} is not one of HTTP: letters, digits and hyphens, one line of ASCII"
            )
    return {name: value for name, value in headers.items() if name.lower() not in OWN_HEADERS}
