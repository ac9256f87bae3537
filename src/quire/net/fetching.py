"""Documents from URLs: http and https, within limits, and only from public addresses unless others are allowed.

The only place that fetches URLs of a caller (SSRF protection); `transport` says how addresses are checked.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from quire.core.errors import FetchError, LimitError, StoreError
from quire.core.fetch_policy import FetchPolicy
from quire.core.names import safe_name
from quire.net.transport import (
    PASSING,
    PIECE_BYTES,
    Deadline,
    HttpError,
    HttpRequest,
    Transport,
    allowed_addresses,
    pieces,
)
from quire.net.urls import check_url, origin, sendable, shown_url, url_name
from quire.system.offline import refusal


class Fetched(NamedTuple):
    """A temporary file, which the caller must remove, and the name of the document."""

    path: Path
    name: str


def fetch(
    url: str,
    policy: FetchPolicy | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Fetched:
    """Download a document to a temporary file in a folder, which is that of the system by default. `headers` go to the
    host of `url` only, not to those it redirects to.

    Raises UsageError for an invalid URL, FetchError when the download fails, LimitError when it is too large.
    Blocks; thread-safe.
    """
    policy = policy or FetchPolicy()
    transport = Transport(policy, redirects=policy.max_redirects, elsewhere=True)
    request = HttpRequest("GET", url, sendable(headers or {}))
    with _reporting(url, policy), transport.open(request, Deadline.after(policy.timeout_s)) as response:
        _check_status(response, response.status == 200)
        name = safe_name(response.headers.get_filename() or "") or url_name(response.url)
        return Fetched(_saved(response, url, policy.max_bytes, folder), name)


def send(
    method: Literal["POST", "PUT"],
    url: str,
    body: bytes,
    policy: FetchPolicy | None = None,
    *,
    headers: Mapping[str, str],
) -> int:
    """Send a body to a URL under the rules of `fetch`, and return the status of the answer. Redirects are not followed.

    Raises UsageError for an invalid URL, FetchError when the server cannot be reached or answers with an error.
    """
    policy = policy or FetchPolicy()
    request = HttpRequest(method, url, sendable(headers), body)
    with (
        _reporting(url, policy),
        Transport(policy, redirects=None).open(request, Deadline.after(policy.timeout_s)) as response,
    ):
        _check_status(response, 200 <= response.status < 300)
        return response.status


def check_host(url: str, policy: FetchPolicy) -> None:
    """Raise what `fetch` would raise for the host of a URL that another client connects to."""
    with _reporting(url, policy):
        check_url(url)
        allowed_addresses(*origin(url)[1:], policy, Deadline.after(policy.timeout_s))


@contextmanager
def _reporting(url: str, policy: FetchPolicy) -> Iterator[None]:
    """Turn the errors of an exchange into those of the document at a URL."""
    if reason := refusal("the document", url):
        raise FetchError(reason, document=shown_url(url))
    try:
        yield
    except HttpError as error:
        message = f"took longer than {policy.timeout_s:g} s; try again later" if error.late else str(error)
        raise FetchError(message, document=shown_url(url), passing=error.passing) from error


def _check_status(response: HTTPResponse, ok: bool) -> None:
    if not ok:
        reason = f"the server answered {response.status} {response.reason}".rstrip()
        raise HttpError(reason, passing=response.status in PASSING)


def _saved(response: HTTPResponse, url: str, limit: int, folder: Path | None) -> Path:
    most = f"{limit / 1e6:,.0f} MB" if limit >= 10**6 else f"{limit} bytes"
    too_large = LimitError(f"is larger than {most}, the limit for URLs; download it first", document=shown_url(url))
    if (response.length or 0) > limit:
        raise too_large
    with temporary_file(folder) as (path, file):
        for piece in _decoded(response):
            if file.tell() + len(piece) > limit:
                raise too_large
            try:
                file.write(piece)
            except OSError as error:
                raise StoreError(f"cannot save {shown_url(url)} to {path}: {error.strerror}") from error
    return path


def _decoded(response: HTTPResponse) -> Iterator[bytes]:
    """The decoded body in small chunks, also if a small body decompresses to a huge one."""
    coding = (response.headers.get("Content-Encoding") or "identity").strip().lower()
    if coding == "identity":
        yield from pieces(response)
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise HttpError(f"the server sent the content encoding {coding!r}, which was not requested")
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        for piece in pieces(response):
            while piece:
                yield unpacker.decompress(piece, PIECE_BYTES)
                piece = unpacker.unconsumed_tail
        yield unpacker.flush()
    except zlib.error as error:
        raise HttpError(f"the server sent corrupt data: {error}", passing=True) from error
    if not unpacker.eof:
        raise HttpError("the server sent truncated data", passing=True)


@contextmanager
def temporary_file(folder: Path | None = None) -> Iterator[tuple[Path, BinaryIO]]:
    """A file for a download, open in the block; removed if the block raises. By default where temporary files are."""
    handle, name = tempfile.mkstemp(prefix="quire-", dir=folder)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield path, file
    except BaseException:
        path.unlink(missing_ok=True)
        raise
