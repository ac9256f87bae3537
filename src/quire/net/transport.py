"""HTTP: how every client here connects, sends a request, follows redirects, retries and receives the response.

A host is resolved once and connected to at the address that the policy allows, so that DNS rebinding cannot change the
address in between; each redirect is checked like the first URL. All connections of an exchange share a deadline,
however slowly the server sends. Proxies of the environment are not used: they would resolve names again.
"""

from __future__ import annotations

import json
import math
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse
from itertools import count
from threading import Thread
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from quire.core.context import Retry
from quire.core.fetch_policy import FetchPolicy
from quire.net.urls import check_url, origin, shown_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Status codes of transient failures, worth a retry."""
PIECE_BYTES = 1 << 16
SAFE = "/%:@!$&'()*+,;=~?"
"""Characters of paths and queries that are not percent-encoded."""

Body = bytes | Callable[[], Iterable[bytes]]
"""The body of a request, or what makes it again for each attempt."""
Received = Callable[[bytes], None]
"""Called with each piece of a body as it arrives."""


class HttpError(Exception):
    """There is no whole response. `passing`: it may come after a retry; `late`: not in time."""

    def __init__(self, message: str, *, passing: bool = False, late: bool = False) -> None:
        super().__init__(message)
        self.passing, self.late = passing, late


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request. Its headers go to the host of its URL only, not to others that it is redirected to."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Body | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response."""

    status: int
    headers: Message
    body: bytes

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def retry_after_s(self) -> float | None:
        """The value of Retry-After, in seconds or as a date; None without one."""
        value = str(self.headers.get("Retry-After") or "").strip()
        if value.isdigit():
            return float(value[:9])
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Deadline:
    """When an exchange must have ended (`time.monotonic`), and how long the server may be silent until then."""

    at: float = math.inf
    silence_s: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def left_s(self) -> float | None:
        """The seconds that an operation may take; None for any. Raises TimeoutError when no time is left."""
        left_s = min(self.at - time.monotonic(), self.silence_s)
        if left_s <= 0:
            raise TimeoutError
        return None if left_s == math.inf else left_s


class Transport:
    """Sends requests, blocking. Thread-safe.

    With a `policy`, only to addresses that it allows. Up to `redirects` are followed, to another host only with
    `elsewhere`, and never from https to http; with None, a redirect is a response. `idle` connections at most are kept
    for the next request, for a single server and requests that may be sent twice: it may have closed them.
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        redirects: int | None = 3,
        elsewhere: bool = False,
        idle: int = 0,
    ) -> None:
        self._policy, self._redirects, self._elsewhere = policy, redirects, elsewhere
        self._idle: deque[_Connection] = deque(maxlen=idle)

    def send(
        self,
        request: HttpRequest,
        deadline: Deadline,
        *,
        max_bytes: int | None = None,
        received: Received | None = None,
    ) -> HttpResponse:
        """The whole response; `received` hears the pieces of a successful one. Raises HttpError."""
        with self.open(request, deadline) as response:
            body = bytearray()
            for piece in pieces(response):
                body += piece
                if max_bytes is not None and len(body) > max_bytes:
                    raise HttpError(f"the answer is longer than {max_bytes >> 20} MB")
                if received is not None and response.status == 200:
                    received(piece)
            return HttpResponse(response.status, response.headers, bytes(body))

    @contextmanager
    def open(self, request: HttpRequest, deadline: Deadline) -> Iterator[HTTPResponse]:
        """The response, its body still unread: see `pieces`. Raises HttpError, or UsageError for an invalid URL."""
        try:
            with ExitStack() as stack:
                yield self._followed(request, deadline, stack)
        except (OSError, HTTPException) as error:
            raise _failure(error) from error

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()

    def _followed(self, request: HttpRequest, deadline: Deadline, stack: ExitStack) -> HTTPResponse:
        url = request.url
        for _ in range((self._redirects or 0) + 1):
            response, connection = self._response(request, url, deadline)
            stack.callback(self._release, connection, response)
            redirected = response.status in REDIRECTS and (response.status != 303 or request.method == "GET")
            if not redirected or self._redirects is None:
                return response
            stack.close()
            there = urljoin(url, response.headers.get("Location") or "")
            if urlsplit(url).scheme == "https" and urlsplit(there).scheme == "http":
                raise HttpError(f"redirects from https to {shown_url(there)}, which is not encrypted")
            if not self._elsewhere and origin(url) != origin(there):
                raise HttpError("the server redirects to another host, which is not followed; set its URL")
            url = there
        raise HttpError(f"too many redirects: the server redirects more than {self._redirects} times")

    def _response(self, request: HttpRequest, url: str, deadline: Deadline) -> tuple[HTTPResponse, _Connection]:
        check_url(url)
        with suppress(IndexError, OSError, HTTPException):  # there is none, or the server had closed it
            return self._sent(self._idle.pop(), request, url, deadline)
        scheme, host, port = origin(url)
        addresses = allowed_addresses(host, port, self._policy, deadline)
        return self._sent(_Connection(host, port, addresses, encrypted=scheme == "https"), request, url, deadline)

    def _sent(
        self, connection: _Connection, request: HttpRequest, url: str, deadline: Deadline
    ) -> tuple[HTTPResponse, _Connection]:
        parts, own = urlsplit(url), {"Accept-Encoding": "identity", "User-Agent": "quire"}
        target = quote(parts.path or "/", safe=SAFE) + (f"?{quote(parts.query, safe=SAFE)}" if parts.query else "")
        own_headers = request.headers if origin(url) == origin(request.url) else {}
        if not self._idle.maxlen:
            own["Connection"] = "close"
        body = request.body() if callable(request.body) else request.body
        try:
            connection.use(deadline)
            try:
                connection.request(request.method, target, body, headers={**own, **own_headers})
            except (BrokenPipeError, ConnectionResetError):
                if body is None:
                    raise  # a server that refuses a large body answers before it has read all of it
            response = connection.getresponse()
        except BaseException:
            connection.close()
            raise
        response.url = url
        return response, connection

    def _release(self, connection: _Connection, response: HTTPResponse) -> None:
        """Keep the connection when its response was read to the end, else close it."""
        whole = response.isclosed() or response.length == 0
        response.close()  # it may hold the last reference to the socket
        if whole and connection.sock is not None and len(self._idle) < (self._idle.maxlen or 0):
            self._idle.append(connection)
        else:
            connection.close()


def allowed_addresses(host: str, port: int, policy: FetchPolicy | None, deadline: Deadline) -> Sequence[str]:
    """The addresses of a host that may be connected to. Raises HttpError when there are none.

    A look-up cannot be interrupted, so it has a thread of its own.
    """
    future: Future[list[tuple[Any, ...]]] = Future()

    def look_up() -> None:
        try:
            future.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=look_up, name="quire-dns", daemon=True).start()
    try:
        found = [str(one[4][0]) for one in future.result(deadline.left_s)]
    except TimeoutError as error:
        raise _failure(error) from error
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise HttpError(f"cannot resolve the host {host}: {why}", passing=True) from None
    allowed = [one for one in found if policy is None or policy.allows(one)]
    if policy is not None and not allowed:
        what = f"{host} is a private address of this machine or its network"  # which one is no business of a caller
        raise HttpError(f"URL is not allowed: {what}; allow such addresses with {policy.allowed_by}")
    return allowed


def pieces(response: HTTPResponse) -> Iterator[bytes]:
    """The body of a response as it arrives. Raises HttpError when it ends early."""
    announced, received = response.length, 0
    while piece := response.read1(PIECE_BYTES):
        received += len(piece)
        yield piece
    if announced is not None and received != announced:
        reason = f"the connection was closed after {received} of {announced} bytes"
        raise HttpError(f"the answer ended early: {reason}", passing=True)


def repeated(
    send: Callable[[], HttpResponse], statuses: Collection[int], deadline: Deadline, *, busy: Retry, lost: Retry
) -> HttpResponse:
    """The response of the last attempt.

    A request is sent again after the back-off of `busy`, or the time that the server asks for, while the status is one
    of `statuses`, and after that of `lost` while there is no whole response. Raises HttpError, also when the server
    asks to wait for longer than there is time.
    """
    for attempt in count(1):
        try:
            response = send()
        except HttpError as error:
            pause_s = lost.pause_s(attempt, 0)
            if not error.passing or attempt >= lost.attempts or time.monotonic() + pause_s >= deadline.at:
                raise
        else:
            if response.status not in statuses or attempt >= busy.attempts:
                return response
            asked_s = response.retry_after_s
            pause_s = busy.pause_s(attempt, 0) if asked_s is None else min(asked_s, busy.max_backoff_s)
            if time.monotonic() + pause_s >= deadline.at:
                reason = response.body[:100].decode(errors="replace") or str(response.status)
                raise HttpError(f"{reason}; it asks to wait for longer than the timeout")
        time.sleep(pause_s)
    raise AssertionError("the last attempt returns or raises")


class _Connection(HTTPConnection):
    """A connection to one of the checked addresses, even if DNS has changed since."""

    def __init__(self, host: str, port: int, addresses: Sequence[str], *, encrypted: bool) -> None:
        super().__init__(host, port)
        self._addresses, self._encrypted, self._deadline = addresses, encrypted, Deadline()
        if encrypted:
            self.default_port = 443  # omitted in the Host header

    def use(self, deadline: Deadline) -> None:
        """Give up at a deadline: from now on, or once it is connected."""
        self._deadline = deadline
        if isinstance(self.sock, _TimedSocket):
            self.sock.deadline = deadline

    def connect(self) -> None:
        connected = self._connected()
        if self._encrypted:
            context = ssl.create_default_context()
            context.sslsocket_class = _TimedTlsSocket
            secure = context.wrap_socket(connected, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = secure
            secure.settimeout(self._deadline.left_s)
            secure.do_handshake()
        else:
            self.sock = _TimedSocket(fileno=connected.detach())
        self.use(self._deadline)

    def _connected(self) -> socket.socket:
        """A socket to the first address that accepts; those that are silent share the time. Raises the last error."""
        for left, address in zip(range(len(self._addresses), 1, -1), self._addresses, strict=False):
            with suppress(OSError):
                left_s = self._deadline.left_s
                return socket.create_connection((address, self.port), left_s and left_s / left)
        return socket.create_connection((self._addresses[-1], self.port), self._deadline.left_s)


class _TimedSocket(socket.socket):
    """A socket whose operations end at a deadline, also when the server sends a byte now and then."""

    deadline = Deadline()

    def recv_into(self, *args: Any, **options: Any) -> int:
        self.settimeout(self.deadline.left_s)
        return super().recv_into(*args, **options)

    def send(self, *args: Any) -> int:
        self.settimeout(self.deadline.left_s)
        return super().send(*args)

    def sendall(self, *args: Any) -> None:
        self.settimeout(self.deadline.left_s)
        super().sendall(*args)


class _TimedTlsSocket(_TimedSocket, ssl.SSLSocket):
    pass


def _failure(error: OSError | HTTPException) -> HttpError:
    if isinstance(error, TimeoutError):
        return HttpError("the server did not answer in time; try again later", passing=True, late=True)
    if isinstance(error, ssl.SSLError):
        return HttpError(f"no secure connection: {getattr(error, 'verify_message', '') or error.reason or error}")
    if isinstance(error, OSError):
        return HttpError(f"the server cannot be reached: {error.strerror or error}", passing=True)
    return HttpError(f"the server sent an invalid HTTP response: {type(error).__name__}", passing=True)
