"""Authorisation: the API key, the tenant, and where a server without a key may listen."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress

from starlette.requests import HTTPConnection

from quire.core.errors import UsageError
from quire.docling_serve.contract.refusals import RequestRefused
from quire.service.settings import ServiceSettings
from quire.store.scoped import DEFAULT_TENANT, scope_of

KEY_HEADER = "x-api-key"
KEY_PARAMETER = "api_key"
NO_KEY = "Api key is required as the ?api_key=SECRET query parameter."
LONGEST_TENANT = 200
UNREADABLE = "\ufffd"
"""Stands for bytes that are not UTF-8: in a name it would make different names equal."""
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


def check_bearer(connection: HTTPConnection, settings: ServiceSettings) -> None:
    """Raise a 401 unless the bearer token of the request is the key of the server."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if settings.api_key and not (scheme.lower() == "bearer" and same(token, settings.api_key)):
        raise RequestRefused(401, "Unauthorized")


def same(given: str, expected: str) -> bool:
    """Compare two secrets in constant time, whatever their lengths."""
    digests = [hashlib.sha256(secret.strip().encode("utf-8", "surrogatepass")).digest() for secret in (given, expected)]
    return hmac.compare_digest(*digests)


def tenant_of(connection: HTTPConnection, settings: ServiceSettings) -> str:
    """The part of the store that a request works in: "" for the default tenant, and where there are no tenants."""
    if not settings.tenants:
        return ""
    names = {_decoded(value) for value in connection.headers.getlist(settings.tenant_header)}
    name = (names.pop() if names else connection.query_params.get("tenant_id", "")).strip(" ") or DEFAULT_TENANT
    if names or len(name) > LONGEST_TENANT or UNREADABLE in name or not name.isprintable():
        raise RequestRefused(
            400,
            f"{settings.tenant_header} names no tenant: send one name in UTF-8, of at most {LONGEST_TENANT} characters "
            "that can be printed",
        )
    return scope_of(name)


def _decoded(header: str) -> str:
    """The value of a header in UTF-8; the bytes of headers come as latin-1."""
    return header.encode("latin-1").decode("utf-8", "replace")


def check_host(connection: HTTPConnection, settings: ServiceSettings) -> None:
    """Refuse a host name that is not the server's: a web site may let its name lead here (DNS rebinding).

    A server without a key on loopback is called by names of this machine; others are listed in `allowed_hosts`. Where
    names count, a request must have one.
    """
    host = _host_of(connection.headers.get("host", ""))
    guessed = not settings.api_key and not settings.allow_no_key and is_loopback(settings.host)
    if is_loopback(host) or not (settings.allowed_hosts or guessed):
        return
    if not any(_matches(host, allowed.lower()) for allowed in settings.allowed_hosts):
        if not host:
            raise RequestRefused(400, "the request has no Host: send the name of this server")
        advice = "list the name in QUIRE_SERVE_ALLOWED_HOSTS"
        raise RequestRefused(421, f"this server is not called {host[:100]}: {advice}, or set an API key")


def check_origin(connection: HTTPConnection, settings: ServiceSettings) -> None:
    """Refuse what another web site makes a browser send to a server without a key, unless the site is allowed.

    The page has the server's origin. Sites of this machine are allowed, as programs of this machine are.
    """
    if settings.api_key or "*" in settings.cors_origins:
        return
    host, origin = connection.headers.get("host", ""), connection.headers.get("origin")
    site = connection.headers.get("sec-fetch-site", "none")
    if origin is None:
        own = site in ("none", "same-origin") or (site == "same-site" and is_loopback(_host_of(host)))
    else:
        named = origin.partition("://")[2]
        own = site == "same-origin" or named == host or origin in settings.cors_origins or is_loopback(_host_of(named))
    if not own:
        shown = f"the web site {origin[:100]}" if origin else "other web sites"
        advice = "set one, or list the site in DOCLING_SERVE_CORS_ORIGINS"
        raise RequestRefused(403, f"requests from {shown} need a server with an API key: {advice}")


def _host_of(header: str) -> str:
    """The name in a header `Host`, without its port."""
    name = header.strip().lower()
    return name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0].rstrip(".")


def _matches(host: str, allowed: str) -> bool:
    return allowed in ("*", host) or (allowed.startswith("*.") and host.endswith(allowed[1:]))
