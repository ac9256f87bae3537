"""Who may call: the API key, the tenant, and where a server without a key may listen."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress

from starlette.requests import HTTPConnection

from quire.errors import UsageError
from quire.keys import digest_of
from quire.service.contract.refusing import RequestRefused
from quire.service.settings import ServiceSettings

KEY_HEADER = "x-api-key"
KEY_PARAMETER = "api_key"
NO_KEY = "Api key is required as the ?api_key=SECRET query parameter."
LONGEST_TENANT = 200
PUBLIC = frozenset(
    {
        *("/", "/ui", "/favicon.ico", "/health", "/ready", "/readyz", "/livez", "/api", "/version", "/metrics"),
        *("/openapi.json", "/docs", "/swagger", "/scalar"),
        *("/v1/capabilities", "/v1/memory/stats", "/v1/memory/counts"),
    }
)


def check_binding(settings: ServiceSettings) -> None:
    """Raises UsageError when a server without a key would be reachable from other machines."""
    if settings.api_key or settings.allow_no_key or is_loopback(settings.host):
        return
    raise UsageError(
        f"listening on {settings.host} without an API key would open the server, and every document it has read, to "
        "the network: set one with --api-key or QUIRE_SERVE_API_KEY, or say --allow-no-key if something protects it"
    )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def is_public(path: str) -> bool:
    """Whether a path needs no key: probes, the texts about the API, and the files of the page."""
    return path in PUBLIC or path.startswith("/web/")


def check_key(connection: HTTPConnection, settings: ServiceSettings, *, parameter: bool = False) -> None:
    """Raise a 401 unless the key of the request is the server's. A WebSocket sends it as a parameter of its URL."""
    if not settings.api_key:
        return
    given = connection.query_params.get(KEY_PARAMETER) if parameter else connection.headers.get(KEY_HEADER)
    if not same(given or "", settings.api_key):
        raise RequestRefused(401, NO_KEY if parameter else "Unauthorized")


def same(given: str, expected: str) -> bool:
    """Compare two secrets in constant time, whatever their lengths."""
    digests = [hashlib.sha256(secret.strip().encode("utf-8", "surrogatepass")).digest() for secret in (given, expected)]
    return hmac.compare_digest(*digests)


def tenant_of(connection: HTTPConnection, settings: ServiceSettings) -> str:
    """The part of the store that a request works in: "" for the default tenant, and where there are no tenants."""
    if not settings.tenants:
        return ""
    header = settings.tenant_header.lower()
    name = (connection.headers.get(header) or connection.query_params.get("tenant_id") or "default").strip()
    if len(name) > LONGEST_TENANT or not name.isprintable():
        raise RequestRefused(
            422, f"the tenant in {settings.tenant_header} is not a name of at most {LONGEST_TENANT} characters"
        )
    return "" if name == "default" else f"tenant-{digest_of(['tenant', name])[:32]}"


def check_host(connection: HTTPConnection, settings: ServiceSettings) -> None:
    """Refuse a request for another host than those of the settings, if they name any. `*.example.org` is any below."""
    if not settings.allowed_hosts:
        return
    given = connection.headers.get("host", "").rpartition("@")[2]
    name = given[: given.index("]") + 1] if given.startswith("[") and "]" in given else given.partition(":")[0]
    for allowed in settings.allowed_hosts:
        if allowed in ("*", name.lower()) or (allowed.startswith("*.") and name.lower().endswith(allowed[1:].lower())):
            return
    raise RequestRefused(400, "Invalid host header")


def check_origin(connection: HTTPConnection, settings: ServiceSettings) -> None:
    """Refuse what another web site makes a browser send to a server without a key. The page has the server's origin."""
    origin = connection.headers.get("origin")
    if settings.api_key or origin is None or origin.partition("://")[2] == connection.headers.get("host", ""):
        return
    raise RequestRefused(403, f"requests from the web site {origin} need an API key")
