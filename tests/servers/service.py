"""`quire serve` in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from quire.cli.devcluster.program import ServerProgram, listens
from tests.servers.ports import free_port
from tests.supervision import LOGS


class QuireServer(ServerProgram):
    """Runs from `start` to `stop`, with its documents in a folder."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        quire = Path(sys.executable).with_name("quire")
        command = [quire, "serve", "--port", str(self.port), "--store", folder / "store"]
        cold = {"QUIRE_SERVE_WARM_UP": "0"}
        super().__init__("quire-serve", command, folder=folder, answers=lambda: listens(self.port), environment=cold)
        LOGS.add(self.log)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"
