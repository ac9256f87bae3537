"""A Restate server on this machine. It is licensed under the BSL and not part of Quire, which only starts it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from quire.cli.devcluster.program import ServerProgram, free_ports
from quire.core.errors import ConfigurationError
from quire.net.restate_server import RestateServer

PROGRAM = "restate-server"
ADVICE = "install it with `npm install --global @restatedev/restate-server`, or set QUIRE_RESTATE_SERVER to the program"


def find_program() -> Path | None:
    """The program in QUIRE_RESTATE_SERVER, in the PATH, or installed by the set-up of the tests."""
    named = os.environ.get("QUIRE_RESTATE_SERVER")
    if named:
        return Path(named) if Path(named).exists() else None
    found = shutil.which(PROGRAM)
    fetched = Path(sys.prefix, "restate").glob(f"node_modules/@restatedev/*/bin/{PROGRAM}")
    return Path(found) if found else next(fetched, None)


class RestateProgram(ServerProgram):
    """A single-node server, on ports of 127.0.0.1 for ingress, admin and node traffic, with its data in a folder.

    `scoped` enables limits on calls by scope, which are experimental in 1.7.
    """

    def __init__(
        self,
        folder: Path,
        *,
        ports: tuple[int, int, int] | None = None,
        program: Path | None = None,
        scoped: bool = False,
    ) -> None:
        program = program or find_program()
        if program is None:
            raise ConfigurationError(f"{PROGRAM} is not installed; {ADVICE}")
        ingress, admin, node = ports or free_ports(3)
        self.server = RestateServer(f"http://127.0.0.1:{ingress}", f"http://127.0.0.1:{admin}")
        folder.mkdir(parents=True, exist_ok=True)
        environment = {
            "RESTATE_BIND_IP": "127.0.0.1",  # by default it listens on all interfaces
            "RESTATE_LISTEN_MODE": "tcp",
            "RESTATE_BIND_PORT": str(node),
            "RESTATE_INGRESS__BIND_PORT": str(ingress),
            "RESTATE_ADMIN__BIND_PORT": str(admin),
            "RESTATE_BASE_DIR": str(folder),
            "RESTATE_DISABLE_TELEMETRY": "true",
            "DO_NOT_TRACK": "1",
            "RESTATE_LOG_FILTER": "warn",
            "RESTATE_LOG_DISABLE_ANSI_CODES": "true",
            "RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE": "256 MiB",
            "RESTATE_SHUTDOWN_TIMEOUT": "5s",
        }
        if scoped:
            environment |= {
                "RESTATE_EXPERIMENTAL_ENABLE_VQUEUES": "true",
                "RESTATE_EXPERIMENTAL_ENABLE_PROTOCOL_V7": "true",
            }
        super().__init__(
            "restate",
            [program, "--no-logo"],
            folder=folder,
            answers=self.server.ready,
            environment=environment,
        )
