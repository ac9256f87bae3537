"""A client of the Restate server: its ingress, which accepts work, and its admin interface, which reports on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from quire.core.context import Json
from quire.core.errors import ConfigurationError, RunError, UsageError
from quire.net.transport import Deadline, HttpError, HttpRequest, HttpResponse, Transport

INGRESS = "http://127.0.0.1:8080"
"""The address at which a server listens by default."""
ADMIN_PORT = 9070
TIMEOUT_S = 30.0


class Unreachable(RunError):
    """No server answers, or not in time. Retryable."""

    def __init__(self, message: str) -> None:
        super().__init__(message, category="network")


@dataclass(frozen=True, slots=True)
class ServerInvocation:
    """The state of an invocation, as the server knows it."""

    id: str
    status: str
    result: str | None = None
    failure: str | None = None
    last_failure: str | None = None


class RestateServer:
    """A server by its two addresses; the second defaults to port 9070 on the host of the first. Thread-safe: each call
    is a separate request."""

    def __init__(self, ingress: str | None = None, admin: str | None = None) -> None:
        self.ingress = (ingress or INGRESS).rstrip("/")
        if admin is None:
            parts = urlsplit(self.ingress)
            admin = f"{parts.scheme}://{parts.hostname}:{ADMIN_PORT}"
        self.admin = admin.rstrip("/")
        self._transport = Transport()

    def send(self, service: str, handler: str, data: bytes, *, key: str) -> str:
        """Start an invocation, or find the one with that idempotency key; returns its id."""
        answer = self._ask(
            "POST", f"{self.ingress}/{service}/{quote(handler)}/send", data, headers={"idempotency-key": key}
        )
        if answer.status == 404:
            raise ConfigurationError(
                f"no worker serves {service}/{handler} on {self.ingress}; start one and register it: "
                f"quire worker --register {self.admin}"
            )
        return str(self._right(answer, f"{service}/{handler} was not accepted").json()["invocationId"])

    def attach(self, invocation: str, timeout_s: float) -> HttpResponse | None:
        """Wait for the end of an invocation; None when it has not ended in time."""
        try:
            return self._ask("GET", f"{self.ingress}/restate/invocation/{invocation}/attach", timeout_s=timeout_s)
        except _Overdue:
            return None

    def invocation(self, invocation: str) -> ServerInvocation | None:
        """The state of an invocation; None when it is unknown, or was removed."""
        found = self.query(
            "SELECT id, status, completion_result, completion_failure, last_failure "
            f"FROM sys_invocation WHERE id = '{_plain(invocation)}'"
        )
        if not found:
            return None
        row = found[0]
        return ServerInvocation(
            row["id"],
            row["status"],
            row.get("completion_result"),
            row.get("completion_failure"),
            row.get("last_failure"),
        )

    def children(self, invocation: str) -> list[str]:
        """All invocations called by an invocation, directly or indirectly, as far as the server still knows them."""
        found: list[str] = []
        parents = [invocation]
        while parents:
            callers = ", ".join(f"'{_plain(one)}'" for one in parents)
            rows = self.query(f"SELECT id FROM sys_invocation WHERE invoked_by_id IN ({callers})")
            parents = [row["id"] for row in rows if row["id"] not in found]
            found += parents
        return found

    def cancel(self, invocation: str) -> None:
        self._change(invocation, "cancel")

    def kill(self, invocation: str) -> None:
        self._change(invocation, "kill")

    def purge(self, invocation: str) -> None:
        """Remove what the server keeps of an invocation that has ended; does nothing if it does not exist."""
        self._change(invocation, "purge")

    def resume(self, invocation: str) -> None:
        """Resume a paused invocation."""
        self._change(invocation, "resume")

    def resolve(self, awakeable: str, value: Json) -> None:
        """Resolve the awakeable that a workflow awaits."""
        answer = self._ask("POST", f"{self.ingress}/restate/awakeables/{awakeable}/resolve", json.dumps(value).encode())
        self._right(answer, "the answer was not accepted")

    def query(self, statement: str) -> Sequence[Mapping[str, Json]]:
        answer = self._ask(
            "POST",
            f"{self.admin}/query",
            json.dumps({"query": statement}).encode(),
            headers={"accept": "application/json"},
        )
        rows: list[Mapping[str, Json]] = self._right(answer, "the server refused a query").json()["rows"]
        return rows

    def features(self) -> frozenset[str]:
        """The optional features enabled in this server."""
        version = self._right(self._ask("GET", f"{self.admin}/version"), "the server did not report its version").json()
        features = version.get("features") or ()
        return frozenset(name for name in features if not isinstance(features, dict) or features[name])

    def limit(self, concurrency: Mapping[str, int]) -> None:
        """Limit how many calls of each scope run concurrently, over all workers."""
        rules = [{"pattern": scope, "limits": {"concurrency": many}} for scope, many in concurrency.items()]
        answer = self._ask("PUT", f"{self.admin}/limits/rules", json.dumps(rules).encode())
        self._right(answer, "the limits were not accepted")

    def deploy(self, uri: str, *, force: bool) -> HttpResponse:
        return self._ask(
            "POST", f"{self.admin}/deployments", json.dumps({"uri": uri, "force": force}).encode(), timeout_s=TIMEOUT_S
        )

    def check(self) -> None:
        """Raises RunError when the ingress does not answer."""
        answer = self._ask("GET", f"{self.ingress}/restate/health", timeout_s=5)
        self._right(answer, f"{self.ingress} is not the ingress of a Restate server, or not ready")

    def ready(self) -> bool:
        """Whether both interfaces answer."""
        try:
            return (
                self._ask("GET", f"{self.admin}/health", timeout_s=2).ok
                and self._ask("GET", f"{self.ingress}/restate/health", timeout_s=2).ok
            )
        except RunError:
            return False

    def _change(self, invocation: str, how: str) -> None:
        answer = self._ask("PATCH", f"{self.admin}/invocations/{invocation}/{how}")
        if answer.status not in (404, 409):  # removed, or ended already
            self._right(answer, f"Restate could not {how} {invocation}")

    def _right(self, answer: HttpResponse, otherwise: str) -> HttpResponse:
        if not answer.ok:
            raise RunError(f"{otherwise}: {message_of(answer)} (HTTP {answer.status})")
        return answer

    def _ask(
        self,
        method: str,
        url: str,
        data: bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> HttpResponse:
        if not url.startswith(("http://", "https://")):
            raise UsageError(f"{url} is not the address of a Restate server; write one like {INGRESS}")
        sent = {**({"content-type": "application/json"} if data is not None else {}), **(headers or {})}
        try:
            return self._transport.send(HttpRequest(method, url, sent, data), Deadline.after(timeout_s))
        except HttpError as error:
            if error.late:
                raise _Overdue(f"the Restate server at {url} did not answer in {timeout_s:.0f} s") from error
            advice = "is it running? `quire up` starts one here"
            raise Unreachable(f"no Restate server answers at {url} ({error}); {advice}") from error


class _Overdue(Unreachable):
    pass


def message_of(reply: HttpResponse) -> str:
    """The error message of the server."""
    try:
        body = reply.json()
    except ValueError:
        body = None
    return str(body["message"]) if isinstance(body, dict) and "message" in body else reply.body.decode(errors="replace")


def _plain(name: str) -> str:
    """A name that is safe in a query."""
    if not all(letter.isalnum() or letter == "_" for letter in name):
        raise UsageError(f"{name!r} is not an invocation id")
    return name
