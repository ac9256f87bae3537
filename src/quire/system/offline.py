"""Offline mode: `QUIRE_OFFLINE` forbids the network. What would have needed it says so, and does not try.

Servers on this machine are still used.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit

VARIABLE = "QUIRE_OFFLINE"
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def is_offline() -> bool:
    return os.environ.get(VARIABLE, "").strip().lower() not in ("", "0", "false", "no")


def refusal(what: str, needs: str) -> str | None:
    """Why offline mode forbids `what`, which needs a URL or something else of the network; None when it does not."""
    if not is_offline():
        return None
    try:
        parts = urlsplit(needs)
        host, shown = parts.hostname, parts.netloc.rpartition("@")[2]
    except ValueError:  # malformed, and perhaps with a password in it
        host, shown = None, "a server"
    if host in _THIS_MACHINE:
        return None
    return f"{what} needs {shown or needs}, and offline mode ({VARIABLE}) forbids the network"
