"""Requests to a server, with retries where they are safe, and typed errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from email.message import Message
from typing import Protocol
from urllib.parse import quote, urlencode, urlsplit

from quire.core.context import Retry
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
from quire.net.transport import Body, Deadline, HttpError, HttpRequest, HttpResponse, Transport, repeated

RETRY = Retry(attempts=5, backoff_s=0.5, max_backoff_s=30.0)
RETRIED = frozenset({502, 503, 504})
"""Statuses of a server, or of a proxy before it, that is busy or restarting."""
IDLE = 4
"""Open connections that are kept for the next request."""


class ArrivingResponse(Protocol):
    """A response whose body is read as it arrives."""

    status: int

    @property
    def headers(self) -> Message: ...

    def read(self) -> bytes: ...

    def readline(self) -> bytes: ...


class RequestSender(Protocol):
    """Sends requests, blocking: over the network (`Transport`), or to an application in this process. Thread-safe."""

    def send(self, request: HttpRequest, deadline: Deadline) -> HttpResponse: ...

    def open(self, request: HttpRequest, deadline: Deadline) -> AbstractContextManager[ArrivingResponse]: ...

    def close(self) -> None: ...


class Server:
    """A server by its URL. Thread-safe."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        tenant: str | None = None,
        timeout_s: float,
        sender: RequestSender | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{url} is not the URL of a server; write one like http://localhost:5001")
        self.url = url.rstrip("/")
        self._timeout_s = timeout_s
        self._headers = {"X-Api-Key": api_key} if api_key else {}
        if tenant:
            self._headers["X-Tenant-Id"] = tenant.encode().decode("latin-1")  # the bytes are UTF-8
        self._sender: RequestSender = sender or Transport(idle=IDLE)

    def get(self, path: str, **parameters: object) -> HttpResponse:
        """GET, retried when the connection is lost or the server is busy."""
        return self.send("GET", with_parameters(path, parameters))

    def send(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: Body | None = None
    ) -> HttpResponse:
        """The response, after retries. Only for requests that may be repeated. Raises QuireError."""
        request, limit = self._request(method, path, headers or {}, body), Deadline(silence_s=self._timeout_s)
        try:
            response = repeated(lambda: self._sender.send(request, limit), RETRIED, limit, busy=RETRY, lost=RETRY)
        except HttpError as error:
            raise self.unreachable(error) from error
        if response.status >= 400:
            raise error_of(response)
        return response

    @contextmanager
    def open(
        self, path: str, headers: Mapping[str, str], *, silence_s: float, until: float = math.inf
    ) -> Iterator[ArrivingResponse]:
        """A response that is read as it arrives, until that time (`time.monotonic`) at the latest.

        Raises HttpError when the connection is lost or the time is over, and QuireError.
        """
        request = self._request("GET", path, headers)
        with self._sender.open(request, Deadline(until, silence_s)) as response:
            if response.status in RETRIED:
                raise HttpError(f"the server answered {response.status}", passing=True)
            if response.status != 200:
                raise error_of(HttpResponse(response.status, response.headers, response.read()))
            yield response

    def unreachable(self, error: HttpError) -> RunError:
        return RunError(f"{self.url}: {error}", category="network")

    def close(self) -> None:
        self._sender.close()

    def _request(self, method: str, path: str, headers: Mapping[str, str], body: Body | None = None) -> HttpRequest:
        return HttpRequest(method, self.url + path, {**self._headers, **headers}, body)


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


def error_of(response: HttpResponse) -> QuireError:
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
