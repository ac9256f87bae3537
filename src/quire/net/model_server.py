"""Servers of models and of search indexes: a request to one that may be slow, overloaded, unreachable or hostile,
limited in time and size, without leaking the key."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Timer
from urllib.parse import SplitResult, urljoin, urlsplit

from quire.core.errors import ConfigurationError, EngineError, FetchError, printable
from quire.core.fetch_policy import FetchPolicy
from quire.net.fetching import checked_connection
from quire.system.offline import refusal

MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_REDIRECTS = 3
MAX_TRIES = 6
CHUNK = 64 * 1024
SUCCESSFUL = range(200, 300)
BUSY = (429, 503)
"""HTTP status codes of a server that has too much to do."""
PASSING = (*BUSY, 500, 502, 504)
"""HTTP status codes after which a request without effect on the server is sent again."""

Received = Callable[[bytes], None]
"""Called with each chunk of a body as it arrives."""


class Refused(EngineError):
    """The server refused the request. `status` and `message` say why."""

    def __init__(self, engine: str, status: int, message: str) -> None:
        super().__init__(engine, f"the server answered {status}" + (f": {message}" if message else ""))
        self.status = status
        self.message = message


class Broken(EngineError):
    """The server did not answer, or with half an answer."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The server of a model, or of a search index. The key and the headers are secrets and never appear in messages.

    `model` says in messages what it is the server of. With a `policy`, the server is named by a caller who is not
    trusted: it is connected to only where `fetch` would.
    """

    url: str
    api_key: str | None = field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    model: str = "the model"
    policy: FetchPolicy | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"the URL of {self.model} must begin with https:// or http://")
        if parts.username or parts.password:
            raise ConfigurationError(f"the URL of {self.model} contains a password: set it as the key instead")
        secrets = [self.api_key or "", *(part for header in self.headers for part in header)]
        if any(not secret.isprintable() or not secret.isascii() for secret in secrets):
            raise ConfigurationError(f"the key or a header of {self.model} has characters that no header may have")
        if reason := refusal(self.model, self.url):
            raise ConfigurationError(f"{reason}; use one on this machine, or switch offline mode off")

    @property
    def address(self) -> str:
        """The host and port of the server."""
        return urlsplit(self.url).netloc.lower()

    def endpoint(self, path: str, *, base: str = "") -> str:
        """The URL for `path`, from the URL of the server, with or without `base`, or from the complete one."""
        parts = urlsplit(self.url)
        given = parts.path.rstrip("/")
        if not given.endswith(f"/{path}"):
            given = f"{given or base}/{path}"
        return parts._replace(path=given, fragment="").geturl()

    def post(
        self,
        engine: str,
        url: str,
        body: bytes | None,
        deadline: float,
        received: Received | None = None,
        *,
        retried: Collection[int] = BUSY,
        mended: bool = False,
        method: str | None = None,
    ) -> bytes:
        """The body of the response to a POST, or to a GET where there is no body, or to another `method`.

        Backs off and retries while time is left: for the status codes `retried`, after the time that the server asks
        for; with `mended` also when the connection breaks, for requests that have no effect on the server.
        """
        for attempt in range(MAX_TRIES):
            last = attempt == MAX_TRIES - 1
            try:
                status, retry_after, answer = self._send(engine, url, body, deadline, received, method)
            except Broken:
                wait_s = 0.1 * 2**attempt
                if last or not mended or time.monotonic() + wait_s >= deadline:
                    raise
                time.sleep(wait_s)
                continue
            if status in SUCCESSFUL:
                return answer
            refused = Refused(engine, status, self._shown(answer))
            if status not in retried or last:
                raise refused
            wait_s = 2.0**attempt if retry_after is None else retry_after
            if time.monotonic() + wait_s >= deadline:
                raise EngineError(engine, f"{refused.message or status}; it asks to wait for longer than the timeout")
            time.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def _send(
        self,
        engine: str,
        url: str,
        body: bytes | None,
        deadline: float,
        received: Received | None,
        method: str | None,
    ) -> tuple[int, float | None, bytes]:
        """Status, seconds to wait, body. Follows redirects within the same host only."""
        for _ in range(MAX_REDIRECTS + 1):
            parts = urlsplit(url)
            with self._answered(engine, parts, body, deadline, method) as response:
                if response.status not in (301, 302, 307, 308):
                    heard = received if response.status == 200 else None
                    wait_s = _seconds(response.headers.get("Retry-After"))
                    return response.status, wait_s, _read(engine, response, deadline, heard)
                target = urljoin(url, response.headers.get("Location") or "")
            if _origin(urlsplit(target)) != _origin(parts):
                raise EngineError(engine, "the server redirects to another host, which is not followed; set its URL")
            url = target
        raise EngineError(engine, "too many redirects")

    @contextmanager
    def _answered(
        self, engine: str, parts: SplitResult, body: bytes | None, deadline: float, method: str | None
    ) -> Iterator[HTTPResponse]:
        """The response with its body still unread; at the deadline the socket is shut down in any state."""
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise EngineError(engine, "no time was left for the request")
        with closing(self._connection(engine, parts, left_s)) as connection:
            alarm: Timer | None = None
            try:
                connection.connect()
                # The connection drops its socket once the response has begun, so the timer keeps a reference.
                alarm = Timer(left_s, _shut, [connection.sock])
                alarm.daemon = True
                alarm.start()
                method = method or ("GET" if body is None else "POST")
                connection.request(method, f"{parts.path}?{parts.query}".rstrip("?"), body, self._headers())
                with closing(connection.getresponse()) as response:  # it may hold the last reference to the socket
                    yield response
            except (OSError, HTTPException) as error:
                late = time.monotonic() >= deadline
                reason = "no complete answer in time" if late else f"no answer: {self._shown(str(error).encode())}"
                raise Broken(engine, reason) from None  # the cause may quote the request
            finally:
                if alarm is not None:
                    alarm.cancel()

    def _connection(self, engine: str, parts: SplitResult, left_s: float) -> HTTPConnection:
        if self.policy is not None:
            try:
                return checked_connection(parts.geturl(), replace(self.policy, timeout_s=left_s))
            except FetchError as error:
                raise EngineError(engine, str(error)) from None
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=left_s)

    def _headers(self) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return {"Content-Type": "application/json", "Connection": "close", **key, **dict(self.headers)}

    def _shown(self, answer: bytes) -> str:
        """The server's response, short enough for a message and without our secrets, which some servers echo."""
        text = printable(" ".join(answer[:CHUNK].decode(errors="replace").split()))
        for secret in sorted([self.api_key or "", *(value for _, value in self.headers)], key=len, reverse=True):
            text = text.replace(secret, "***") if secret else text
        return text[:200]


def _shut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _read(engine: str, response: HTTPResponse, deadline: float, received: Received | None) -> bytes:
    parts, size, promised = [], 0, response.length
    while size != promised and (part := response.read1(CHUNK)):
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise EngineError(engine, f"the answer is longer than {MAX_ANSWER_BYTES // 1024 // 1024} MB")
        parts.append(part)
        if received is not None:
            received(part)
    if promised not in (None, size) or time.monotonic() >= deadline:
        raise HTTPException("the answer ended early")  # shut down at the deadline
    return b"".join(parts)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port


def _seconds(retry_after: str | None) -> float | None:
    """The value of Retry-After, in seconds or as a date; None without one."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after[:9])
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
