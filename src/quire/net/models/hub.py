"""Files of a model hub, over HTTP in the layout of Hugging Face: `<hub>/<repository>/resolve/<revision>/<path>`.

The hub is the one of `HF_ENDPOINT`, as for other programs: Hugging Face itself, or a mirror. Without it none is asked.
"""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from urllib.parse import quote

from quire.core.errors import ConfigurationError
from quire.core.fetch_policy import FetchPolicy
from quire.net.fetching import fetch
from quire.net.models.table import HubFile
from quire.net.urls import check_url

VARIABLE = "HF_ENDPOINT"
TOKEN = "HF_TOKEN"
REACHABLE_S = 5.0
"""Timeout of a connection in seconds: where there is none, the package is the quicker way."""
PATIENCE_S = 3600.0
MAX_BYTES = 4 << 30


class ModelHub:
    """A hub by its address. Raises UsageError for what is no URL, ConfigurationError when it cannot be reached."""

    def __init__(self, address: str, token: str | None) -> None:
        self._address = address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        parts = check_url(self._address)
        self.host = parts.netloc
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), REACHABLE_S).close()
        except OSError as error:
            raise ConfigurationError(f"{self.host} cannot be reached ({error.strerror or error})") from error

    @classmethod
    def configured(cls) -> ModelHub | None:
        """The hub of the environment; None without one."""
        address = os.environ.get(VARIABLE, "").strip()
        return cls(address, os.environ.get(TOKEN) or None) if address else None

    def download(self, file: HubFile, target: Path) -> None:
        """Download a file. The token goes to the hub alone, not to where it redirects. Raises FetchError."""
        path = quote(f"{file.repository}/resolve/{file.revision}/{file.path}")
        policy = FetchPolicy(allow_private=True, max_bytes=MAX_BYTES, timeout_s=PATIENCE_S)
        fetched = fetch(f"{self._address}/{path}", policy, headers=self._headers)
        shutil.move(fetched.path, target)
