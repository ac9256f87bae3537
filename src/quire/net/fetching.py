"""Documents from URLs: http and https, within limits, and only from public addresses unless others are allowed.

The only place that fetches URLs of a caller (SSRF protection). A host is resolved once and connected to at the address
that was checked, so that DNS rebinding cannot change the address in between; each redirect is checked like the first
URL. Proxies of the environment are not used: they would resolve names again.
"""

from __future__ import annotations

import http.client
import os
import re
import socket
import ssl
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread, Timer
from typing import Any, BinaryIO, Literal, NamedTuple, TypeVar
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from quire.core.errors import FetchError, LimitError, StoreError, UsageError
from quire.core.fetch_policy import FetchPolicy
from quire.core.names import safe_name
from quire.system.offline import refusal

T = TypeVar("T")

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Status codes of transient failures, worth a retry."""

OWN_HEADERS = frozenset(
    {
        *("host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade"),
        *("expect", "proxy-authorization", "proxy-connection", "accept-encoding"),
    }
)
"""Headers that belong to the connection: those of a caller are left out."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
PIECE_BYTES = 1 << 16
OK = 200
MORE_THAN_OK = 300
SAFE = "/%:@!$&'()*+,;=~?"
"""Characters of paths and queries that are not percent-encoded."""


class Fetched(NamedTuple):
    """A temporary file, which the caller must remove, and the name of the document."""

    path: Path
    name: str


def url_name(url: str) -> str:
    """The name of a document from its URL: the last part of the path, or else the host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "document"
    return (
        safe_name(unquote(parts.path.rstrip("/").rpartition("/")[2])) or safe_name(parts.hostname or "") or "document"
    )


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
    exchange = _Exchange(url, policy or FetchPolicy(), headers=headers, folder=folder)
    return exchange.run(exchange.fetched)


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
    exchange = _Exchange(url, policy or FetchPolicy(), headers=headers, method=method, body=body)
    return exchange.run(exchange.sent)


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


def check_host(url: str, policy: FetchPolicy) -> None:
    """Raise what `fetch` would raise for the host of a URL that another client connects to."""
    exchange = _Exchange(url, policy)
    exchange.run(exchange.checked)


def checked_connection(url: str, policy: FetchPolicy) -> http.client.HTTPConnection:
    """A connection, not yet opened, to an address of the host that was checked as `fetch` does, for another client.

    It gives up at the deadline of the policy, counted from now. Raises what `fetch` would raise for the host.
    """
    exchange = _Exchange(url, policy)
    return exchange.run(lambda: exchange.connection(url))


class _Exchange:
    """One download or upload: all connections of its redirects share a deadline."""

    def __init__(
        self,
        url: str,
        policy: FetchPolicy,
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        body: bytes | None = None,
        folder: Path | None = None,
    ) -> None:
        self._url, self._policy, self._folder = url, policy, folder
        self._headers, self._method, self._body = sendable(headers or {}), method, body
        self._connection: _Connection | None = None
        self._deadline = time.monotonic() + policy.timeout_s
        self._late = False

    def run(self, work: Callable[[], T]) -> T:
        if reason := refusal("the document", self._url):
            raise self._error(reason)
        timer = Timer(self._policy.timeout_s, self._expire)
        timer.daemon = True
        timer.start()
        try:
            return work()
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            # After the deadline its socket is shut down in the middle of any operation.
            raise self._failed(error) from error
        finally:
            timer.cancel()

    def checked(self) -> None:
        parts = check_url(self._url)
        self._addresses(parts.hostname or "", parts.port or 443)

    def sent(self) -> int:
        with ExitStack() as stack:
            response = self._requested(self._url, stack)
            if not OK <= response.status < MORE_THAN_OK:
                said = f"the server answered {response.status} {response.reason}".rstrip()
                raise self._error(said, passing=response.status in PASSING)
            return response.status

    def fetched(self) -> Fetched:
        url = self._url
        for _ in range(self._policy.max_redirects + 1):
            with ExitStack() as stack:
                response = self._requested(url, stack)
                if response.status not in REDIRECTS:
                    return self._saved(url, response)
                there = urljoin(url, response.headers.get("Location") or "")
                if urlsplit(url).scheme == "https" and urlsplit(there).scheme == "http":
                    raise self._error(f"redirects from https to {shown_url(there)}, which is not encrypted")
                url = there
        raise self._error(f"redirects more than {self._policy.max_redirects} times")

    def connection(self, url: str) -> _Connection:
        parts = check_url(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        addresses = self._addresses(host, port)
        return _Connection(host, port, addresses, self._deadline, encrypted=parts.scheme == "https")

    def _requested(self, url: str, stack: ExitStack) -> http.client.HTTPResponse:
        self._connection = connection = self.connection(url)
        stack.callback(connection.close)
        parts = urlsplit(url)
        target = quote(parts.path or "/", safe=SAFE) + (f"?{quote(parts.query, safe=SAFE)}" if parts.query else "")
        self._check_time()
        own = {"Accept-Encoding": "identity", "User-Agent": "quire"}
        given = self._headers if _origin(url) == _origin(self._url) else {}
        connection.request(self._method, target, self._body, headers={**own, **given})
        response = connection.getresponse()
        stack.callback(response.close)  # it may hold the last reference to the socket
        return response

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        """The addresses of the host that may be connected to."""
        try:
            found = _resolved(host, port, _left(self._deadline))
        except TimeoutError:
            raise
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise self._error(f"cannot resolve the host {host}: {why}", passing=True) from None
        addresses = [str(one[4][0]) for one in found]
        allowed = [one for one in addresses if self._policy.allows(one)]
        if not allowed:
            what = f"{host} is a private address of this machine or its network"  # which one is no business of a caller
            advice = f"allow such addresses with {self._policy.allowed_by}"
            raise self._error(f"URL is not allowed: {what}; {advice}")
        return allowed

    def _saved(self, url: str, response: http.client.HTTPResponse) -> Fetched:
        if response.status != OK:
            said = f"the server answered {response.status} {response.reason}".rstrip()
            raise self._error(said, passing=response.status in PASSING)
        limit = self._policy.max_bytes
        if response.length is not None and response.length > limit:
            raise self._too_large()
        name = safe_name(response.headers.get_filename() or "") or url_name(url)
        with temporary_file(self._folder) as (path, file):
            size = 0
            for piece in self._decoded(response):
                size += len(piece)
                if size > limit:
                    raise self._too_large()
                try:
                    file.write(piece)
                except OSError as error:
                    raise StoreError(f"cannot save {shown_url(self._url)} to {path}: {error.strerror}") from error
        return Fetched(path, name)

    def _decoded(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        """The decoded body in small chunks, also if a small body decompresses to a huge one."""
        coding = (response.headers.get("Content-Encoding") or "identity").strip().lower()
        if coding == "identity":
            yield from self._received(response)
            return
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise self._error(f"the server sent the content encoding {coding!r}, which was not requested")
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        try:
            for piece in self._received(response):
                while piece:
                    yield unpacker.decompress(piece, PIECE_BYTES)
                    piece = unpacker.unconsumed_tail
            yield unpacker.flush()
        except zlib.error as error:
            raise self._error(f"the server sent corrupt data: {error}", passing=True) from error
        if not unpacker.eof:
            raise self._error("the server sent truncated data", passing=True)

    def _received(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        announced, received = response.length, 0
        while piece := response.read(PIECE_BYTES):
            self._check_time()
            received += len(piece)
            yield piece
        self._check_time()
        if announced is not None and received != announced:
            raise self._error(f"the connection was closed after {received} of {announced} bytes", passing=True)

    def _expire(self) -> None:
        """Callback in the timer thread."""
        self._late = True
        if self._connection is not None:
            self._connection.shut()

    def _check_time(self) -> None:
        if self._late:
            raise TimeoutError

    def _failed(self, error: Exception) -> Exception:
        if self._late or isinstance(error, TimeoutError):
            return self._error(f"took longer than {self._policy.timeout_s:g} s; try again later", passing=True)
        if isinstance(error, ssl.SSLError):
            why = getattr(error, "verify_message", "") or error.reason or error
            return self._error(f"no secure connection: {why}")
        if isinstance(error, OSError):
            return self._error(f"the server cannot be reached: {error.strerror or error}", passing=True)
        if isinstance(error, http.client.HTTPException):
            return self._error(f"the server sent an invalid HTTP response: {type(error).__name__}", passing=True)
        return error  # a bug

    def _too_large(self) -> LimitError:
        size = (
            f"{self._policy.max_bytes / 1e6:,.0f} MB"
            if self._policy.max_bytes >= 10**6
            else f"{self._policy.max_bytes} bytes"
        )
        message = f"is larger than {size}, the limit for URLs; download it first"
        return LimitError(message, document=shown_url(self._url))

    def _error(self, message: str, *, passing: bool = False) -> FetchError:
        return FetchError(message, document=shown_url(self._url), passing=passing)


class _Connection(http.client.HTTPConnection):
    """A connection to one of the checked addresses, even if DNS has changed since."""

    def __init__(self, host: str, port: int, addresses: Sequence[str], deadline: float, *, encrypted: bool) -> None:
        super().__init__(host, port)
        self._addresses, self._deadline, self._encrypted = addresses, deadline, encrypted
        if encrypted:
            self.default_port = 443  # omitted in the Host header

    def connect(self) -> None:
        self.sock = self._connected()
        if self._encrypted:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock.do_handshake()

    def _connected(self) -> socket.socket:
        """A socket to the first address that accepts; those that are silent share the time. Raises the last error."""
        for left, address in zip(range(len(self._addresses), 1, -1), self._addresses, strict=False):
            with suppress(OSError):
                return self._socket(address, _left(self._deadline) / left)
        return self._socket(self._addresses[-1], _left(self._deadline))

    def _socket(self, address: str, timeout_s: float) -> socket.socket:
        connected = socket.create_connection((address, self.port), timeout_s)
        connected.settimeout(_left(self._deadline))
        return connected

    def shut(self) -> None:
        """Interrupt another thread that uses the connection."""
        if self.sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)  # an SSLSocket would discard its state first


def _left(deadline: float) -> float:
    """The seconds until then. Raises TimeoutError when there are none."""
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _resolved(host: str, port: int, timeout_s: float) -> list[tuple[Any, ...]]:
    """The addresses of a host. A look-up cannot be interrupted, so it has a thread of its own."""
    found: Future[list[tuple[Any, ...]]] = Future()

    def look_up() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except BaseException as error:
            found.set_exception(error)

    Thread(target=look_up, name="quire-dns", daemon=True).start()
    return found.result(timeout_s)


def sendable(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a caller that may be sent. Raises UsageError for one that would end the head of the request."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or _CONTROL.search(value) or not value.isascii():
            raise UsageError(
                f"the header {name[:50]!r} is not one of HTTP: letters, digits and hyphens, one line of ASCII"
            )
    return {name: value for name, value in headers.items() if name.lower() not in OWN_HEADERS}


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


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


def shown_url(url: str) -> str:
    """A URL for messages: without password and query, which may both be secrets."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return url
    return f"{parts.scheme}://{host}{parts.path}" + ("?…" if parts.query else "")
