"""A PostgreSQL server on this machine, as the database of a store."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from quire.cli.devcluster.program import ServerProgram, free_ports
from quire.core.errors import ConfigurationError

ADVICE = "install it with `apt install postgresql`"
OTHERS = 0o001
"""The permission bit for all users to enter a folder."""


@cache
def find_programs() -> Path | None:
    """The folder with `postgres` and `initdb`: in the PATH, or where Debian puts them."""
    found = shutil.which("postgres")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


HELD = "pre-existing shared memory block"
"""The log line of PostgreSQL when processes of a killed server have not ended yet."""


class PostgresProgram(ServerProgram):
    """A server on a port of 127.0.0.1 with its data in a folder; its user `quire` needs no password.

    `settings` are lines of `postgresql.conf`.
    """

    def __init__(self, folder: Path, *, port: int | None = None, settings: Mapping[str, str] | None = None) -> None:
        programs = find_programs()
        if programs is None:
            raise ConfigurationError(f"PostgreSQL is not installed; {ADVICE}")
        self._programs = programs
        self.port = port or free_ports(1)[0]
        folder.mkdir(parents=True, exist_ok=True)
        user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        if user is not None:
            _hand_over(folder, user)
        data = folder / "data"
        if not (data / "PG_VERSION").exists():
            _call([programs / "initdb", "-D", data, "-U", "quire", "-E", "UTF8", "--locale=C", "-A", "trust"], user)
        configured = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", **(settings or {})}
        options = [part for name, value in configured.items() for part in ("-c", f"{name}={value}")]
        super().__init__(
            "postgresql",
            [programs / "postgres", "-D", data, "-p", str(self.port), *options],
            folder=folder,
            answers=self._ready,
            user=user,
        )

    @property
    def url(self) -> str:
        return f"postgresql://quire@127.0.0.1:{self.port}/postgres"

    def check(self) -> None:
        """After a kill it refuses to start while a process of the old server still holds the shared memory: retry."""
        if not self.running and HELD in self._last_words():
            self.launch()
        else:
            super().check()

    def _ready(self) -> bool:
        command: list[str | Path] = [self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False, timeout=10).returncode == 0


def _hand_over(folder: Path, user: str) -> None:
    """Change the owner of a folder. Raises ConfigurationError when the user cannot access it."""
    closed = [parent for parent in folder.resolve().parents if not parent.stat().st_mode & OTHERS]
    if closed:
        raise ConfigurationError(
            f"PostgreSQL does not run as root, and the user {user} may not enter {closed[-1]}; "
            "choose another --folder, or run as another user"
        )
    shutil.chown(folder, user)


def _call(command: Sequence[str | Path], user: str | None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, user=user, cwd="/")
    if done.returncode:
        raise ConfigurationError(f"PostgreSQL could not be set up: {done.stderr.strip()}")
