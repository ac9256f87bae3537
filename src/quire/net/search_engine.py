"""The address of an index in a search engine: `opensearch+http://localhost:9200/quire`, and the requests to it.

The key is never part of an address, because addresses are stored with runs and printed: `QUIRE_INDEX_KEY` has it.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from quire.core.errors import ConfigurationError, EngineError, StoreError
from quire.net.model_server import BUSY, ModelServer, Refused
from quire.net.transport import Deadline

KEY = "QUIRE_INDEX_KEY"
Speaks = Literal["opensearch", "elasticsearch", "qdrant"]
DEFAULT_NAME = "quire"
TIMEOUT_S = 120.0
PASSING = (*BUSY, 502, 504)
"""HTTP status codes after which a request is sent again."""
DENIED = (401, 403)
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """A search engine, and the name of the index in it, which is also the alias of the version that is searched."""

    speaks: Speaks
    url: str
    name: str

    @classmethod
    def parse(cls, text: str) -> EngineAddress:
        """Raises ConfigurationError with what to write."""
        speaks, plus, url = text.partition("+")
        parts = urlsplit(url)
        if not plus or speaks not in get_args(Speaks) or parts.scheme not in ("http", "https"):
            shown = "it" if "@" in text else text
            raise ConfigurationError(
                f"{shown} is no address of a search engine; write one like opensearch+http://localhost:9200/quire, "
                "elasticsearch+https://… or qdrant+http://localhost:6333/quire"
            )
        if parts.query or parts.fragment:
            raise ConfigurationError("the address of a search engine has no part after ? or #")
        base, _, name = parts.path.rpartition("/")
        if name and not _NAME.fullmatch(name):
            raise ConfigurationError(
                f"the name of an index has a-z, 0-9, - and _, and begins with a letter: not {name}"
            )
        return cls(cast(Speaks, speaks), parts._replace(path=base.rstrip("/")).geturl(), name or DEFAULT_NAME)

    def __str__(self) -> str:
        return f"{self.speaks}+{self.url}/{self.name}"


class EngineClient:
    """Requests to a search engine, as JSON. Thread-safe. Every request may be sent twice."""

    def __init__(self, address: EngineAddress) -> None:
        self.address = address
        self._server = ModelServer(
            address.url, headers=_headers(address.speaks, os.environ.get(KEY, "")), model="the search index"
        )

    def ask(self, method: str, path: str, body: object = None, *, expected: Collection[int] = ()) -> Any:
        """The answer; None for a status code that the caller expects.

        Raises StoreError when the engine refuses or does not answer, ConfigurationError when it needs a key.
        """
        data = None if body is None else body if isinstance(body, bytes) else encoded(body)
        place, deadline = str(self.address), Deadline.after(TIMEOUT_S)
        try:
            answer = self._server.post(
                place,
                f"{self.address.url}/{path}",
                data,
                deadline,
                retried=[code for code in PASSING if code not in expected],
                mended=True,
                method=method,
            )
            return json.loads(answer) if answer else {}
        except Refused as refused:
            if refused.status in expected:
                return None
            if refused.status in DENIED:
                raise ConfigurationError(f"{refused}; set {KEY} to its key, or to user:password") from None
            raise StoreError(str(refused)) from None
        except (ValueError, RecursionError):
            raise StoreError(
                f"{place}: the answer is not JSON; is this the address of {self.address.speaks}?"
            ) from None
        except EngineError as error:
            raise StoreError(f"{error}; is the server running?") from None


def encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def portions(items: Sequence[bytes], *, most: int, size: int) -> list[list[bytes]]:
    """Items in the same order, in portions of so many items and bytes at most; a larger item is alone."""
    found: list[list[bytes]] = []
    held = 0
    for item in items:
        if not found or len(found[-1]) == most or held + len(item) > size:
            found.append([])
            held = 0
        found[-1].append(item)
        held += len(item)
    return found


def _headers(speaks: Speaks, key: str) -> tuple[tuple[str, str], ...]:
    if not key:
        return ()
    if speaks == "qdrant":
        return (("api-key", key),)
    if ":" in key:
        return (("Authorization", f"Basic {base64.b64encode(key.encode()).decode()}"),)
    return (("Authorization", f"ApiKey {key}"),)
