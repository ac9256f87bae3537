"""`quire serve` in a process of its own."""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

from quire.devcluster.program import ServerProgram
from tests.servers.ports import free_port

INHERITED = ("DOCLING", "UVICORN_", "QUIRE_SERVE_", "OTEL_")


class QuireServer(ServerProgram):
    """Runs from `start` to `stop`, with a store in its folder and no settings but those given."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        unset = [part for name in os.environ if name.startswith(INHERITED) for part in ("-u", name)]
        given = [f"{name}={value}" for name, value in (settings or {}).items()]
        quire = [sys.executable, "-m", "quire", "serve", "--port", str(self.port), "--store", str(folder / "store")]
        command = ["env", *unset, *given, *quire]
        super().__init__("serve", command, folder=folder, answers=self._ready)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Any:
        """The JSON of an answer."""
        request = urllib.request.Request(self.url + path, headers=dict(headers or {}))
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def _ready(self) -> bool:
        with suppress(OSError, HTTPException):
            return self.get("/ready") == {"status": "ok"}
        return False
