"""Servers of models and of search indexes: a request to one that may be slow, overloaded, unreachable or hostile,
limited in time and size, without leaking the key."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from quire.core.context import ONCE, Retry
from quire.core.errors import ConfigurationError, EngineError, printable
from quire.core.fetch_policy import FetchPolicy
from quire.net.transport import (
    PIECE_BYTES,
    Deadline,
    HttpError,
    HttpRequest,
    HttpResponse,
    Received,
    Transport,
    repeated,
)
from quire.system.offline import refusal

MAX_ANSWER_BYTES = 16 * 1024 * 1024
BUSY = (429, 503)
"""HTTP status codes of a server that has too much to do."""
PASSING = (*BUSY, 500, 502, 504)
"""HTTP status codes after which a request without effect on the server is sent again."""
PATIENT = Retry(attempts=6, backoff_s=1.0, max_backoff_s=3600.0)
"""For a busy server, which may say itself how long to wait."""
QUICK = Retry(attempts=6, backoff_s=0.1)
"""For a connection that breaks."""


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

    def with_header(self, name: str, value: str) -> ModelServer:
        """The server with another header in each request."""
        return replace(self, headers=(*self.headers, (name, value)))

    def endpoint(self, path: str, *, base: str = "") -> str:
        """The URL for `path`, from the URL of the server, with or without `base`, or from the complete one."""
        parts = urlsplit(self.url)
        whole = parts.path.rstrip("/")
        if not whole.endswith(f"/{path}"):
            whole = f"{whole or base}/{path}"
        return parts._replace(path=whole, fragment="").geturl()

    def post(
        self,
        engine: str,
        url: str,
        body: bytes | None,
        deadline: Deadline,
        received: Received | None = None,
        *,
        retried: Collection[int] = BUSY,
        mended: bool = False,
        method: str | None = None,
    ) -> bytes:
        """The body of the response to a POST, or to a GET where there is no body, or to another `method`. `received`
        hears it as it arrives.

        Backs off and retries while time is left: for the status codes `retried`, after the time that the server asks
        for; with `mended` also when the connection breaks, for requests that have no effect on the server.
        """
        transport = Transport(self.policy)
        request = HttpRequest(method or ("GET" if body is None else "POST"), url, self._headers(), body)

        def send() -> HttpResponse:
            return transport.send(request, deadline, max_bytes=MAX_ANSWER_BYTES, received=received)

        try:
            response = repeated(send, retried, deadline, busy=PATIENT, lost=QUICK if mended else ONCE)
        except HttpError as error:
            reason = "no complete answer in time" if error.late else f"no answer: {self._shown(str(error).encode())}"
            raise (Broken if error.passing else EngineError)(
                engine, reason
            ) from None  # the cause may quote the request
        if not response.ok:
            raise Refused(engine, response.status, self._shown(response.body))
        return response.body

    def _headers(self) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        return {"Content-Type": "application/json", **key, **dict(self.headers)}

    def _shown(self, answer: bytes) -> str:
        """The server's response, short enough for a message and without our secrets, which some servers echo."""
        text = printable(" ".join(answer[:PIECE_BYTES].decode(errors="replace").split()))
        for secret in sorted([self.api_key or "", *(value for _, value in self.headers)], key=len, reverse=True):
            text = text.replace(secret, "***") if secret else text
        return text[:200]
