"""Requests to a server: the standard library's HTTP, with retries where they are safe, and typed errors."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from quire.core.errors import (
    RETRYABLE,
    Category,
    ConfigurationError,
    InputError,
    LimitError,
    QuireError,
    RunError,
    UsageError,
)

ATTEMPTS = 5
BACKOFF_S, MAX_BACKOFF_S = 0.5, 30.0
RETRIED = frozenset({502, 503, 504})
"""Statuses of a server, or of a proxy before it, that is busy or restarting."""
LOST = (OSError, http.client.HTTPException)
IDLE = 4
"""Open connections that are kept for the next request."""

Body = Callable[[], Iterable[bytes]]
"""Makes the body of a request, again for each attempt."""


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """A whole response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request: its method, address below the server, headers, and body."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Body | None = None


class Server:
    """A server by its URL. Thread-safe."""

    def __init__(self, url: str, *, api_key: str | None = None, tenant: str | None = None, timeout_s: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{url} is not the URL of a server; write one like http://localhost:5001")
        self.url = url.rstrip("/")
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._timeout_s = timeout_s
        self._headers = {"User-Agent": "quire", "Accept-Encoding": "identity"}
        if api_key:
            self._headers["X-Api-Key"] = api_key
        if tenant:
            self._headers["X-Tenant-Id"] = tenant.encode().decode("latin-1")  # the bytes are UTF-8
        self._idle: deque[http.client.HTTPConnection] = deque(maxlen=IDLE)

    def get(self, path: str, **parameters: object) -> ServerResponse:
        """GET, retried when the connection is lost or the server is busy."""
        return self.send(Sent("GET", with_parameters(path, parameters)))

    def send(self, sent: Sent) -> ServerResponse:
        """The response, after retries. Only for requests that may be repeated. Raises QuireError."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                response = self._once(sent)
            except LOST as error:
                if attempt == ATTEMPTS:
                    raise self.unreachable(error) from error
                time.sleep(_pause_s(attempt))
                continue
            if response.status in RETRIED and attempt < ATTEMPTS:
                time.sleep(_pause_s(attempt, response.headers.get("Retry-After")))
                continue
            break
        if response.status >= 400:
            raise error_of(response)
        return response

    @contextmanager
    def open(self, path: str, headers: Mapping[str, str], *, silence_s: float) -> Iterator[http.client.HTTPResponse]:
        """A response that is read as it arrives. Raises OSError or HTTPException when the connection is lost, and
        QuireError."""
        connection = self._connection(silence_s)
        with closing(connection):
            connection.request("GET", self._base + path, headers={**self._headers, **headers})
            with closing(connection.getresponse()) as response:
                if response.status == 200:
                    yield response
                    return
                refused = ServerResponse(response.status, response.headers, response.read())
        if refused.status in RETRIED:
            raise ConnectionError(f"the server answered {refused.status}")
        raise error_of(refused)

    def unreachable(self, error: BaseException) -> RunError:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return RunError(f"the server {self.url} cannot be reached: {why}", category="network")

    def close(self) -> None:
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()

    def _once(self, sent: Sent) -> ServerResponse:
        try:
            connection, kept = self._idle.pop(), True
        except IndexError:
            connection, kept = self._connection(self._timeout_s), False
        try:
            response = self._received(connection, sent)
        except LOST:
            connection.close()
            if not kept:
                raise
            connection = self._connection(self._timeout_s)  # the server had closed the idle connection
            try:
                response = self._received(connection, sent)
            except BaseException:
                connection.close()
                raise
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:
            self._idle.append(connection)
        return response

    def _received(self, connection: http.client.HTTPConnection, sent: Sent) -> ServerResponse:
        body = None if sent.body is None else sent.body()
        try:
            connection.request(
                sent.method, self._base + sent.path, body=body, headers={**self._headers, **sent.headers}
            )
        except (BrokenPipeError, ConnectionResetError):
            if sent.body is None:
                raise  # a server that refuses a large body answers before it has read all of it
        with closing(connection.getresponse()) as response:
            return ServerResponse(response.status, response.headers, response.read())

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout_s, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout_s)


def with_parameters(path: str, parameters: Mapping[str, object]) -> str:
    given = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in parameters.items()
        if value is not None
    }
    return f"{path}?{urlencode(given)}" if given else path


def quoted(part: str) -> str:
    """Part of a path."""
    return quote(part, safe="")


def error_of(response: ServerResponse) -> QuireError:
    """The error that a server answered with."""
    try:
        answer = response.json()
        detail = answer["detail"]
        message = detail if isinstance(detail, str) else "; ".join(str(one["msg"]) for one in detail)
    except (ValueError, KeyError, TypeError):
        answer, message = {}, f"the server answered {response.status}"
    category: Category = (
        answer.get("category") if answer.get("category") in RETRYABLE else _category_of(response.status)
    )
    if response.status in (401, 403):
        return ConfigurationError(
            f"the server refuses the request: {message}; pass its key as api_key, --api-key or QUIRE_API_KEY"
        )
    if response.status == 413:
        return LimitError(message)
    return error_with(message, category, page=answer.get("page"))


def error_with(message: str, category: Category, *, page: int | None = None) -> QuireError:
    """The error of a class, as a local read would raise it."""
    match category:
        case "usage":
            return UsageError(message)
        case "config":
            return ConfigurationError(message)
        case "input":
            return InputError(message, page=page)
    return RunError(message, category=category)


def _category_of(status: int) -> Category:
    if status in RETRIED or status == 429:
        return "transient"
    return "usage" if status < 500 else "runtime"


def _pause_s(attempt: int, retry_after: str | None = None) -> float:
    if retry_after is not None and retry_after.isdigit():
        return min(float(retry_after), MAX_BACKOFF_S)
    return min(BACKOFF_S * 2.0 ** (attempt - 1), MAX_BACKOFF_S)
