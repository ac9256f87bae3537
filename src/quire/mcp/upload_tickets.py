"""Addresses for one upload: signed, so that any replica with the same key accepts them, and valid for a short time."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from typing import NamedTuple

from quire.core.errors import UsageError

VALID_S = 900
LONGEST_NAME = 200


class UploadTicket(NamedTuple):
    """The right to add one file: `key` is the idempotency key of its run, so that only the first upload counts."""

    key: str
    name: str


class UploadTickets:
    """Makes and checks tickets. `secret` is shared by the replicas: the API key; without one, of this process."""

    def __init__(self, secret: str) -> None:
        self._secret = hashlib.sha256(b"quire-mcp-upload:" + (secret or secrets.token_hex(32)).encode()).digest()

    def make(self, name: str) -> str:
        """A ticket for a file of that name."""
        content = {"key": secrets.token_hex(16), "name": name[:LONGEST_NAME], "until": int(time.time()) + VALID_S}
        body = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
        return f"{body}.{self._signed(body)}"

    def check(self, ticket: str) -> UploadTicket:
        """Raises UsageError for a ticket that was not made here, or is too old."""
        body, _, signature = ticket.partition(".")
        if not hmac.compare_digest(signature.encode(), self._signed(body).encode()):
            raise UsageError("this is no address for an upload: ask the tool documents for one")
        content = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if content["until"] < time.time():
            raise UsageError("this address has expired: ask the tool documents for another one")
        return UploadTicket(f"mcp-upload-{content['key']}", content["name"])

    def _signed(self, body: str) -> str:
        return hmac.new(self._secret, body.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
