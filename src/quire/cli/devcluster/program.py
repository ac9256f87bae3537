"""A server process with its own folder and a log file."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from quire.core.errors import ConfigurationError

START_S = 60.0
STOP_S = 20.0
LOOK_EVERY_S = 0.02
PORTS = (12_000, 32_000)


class ServerProgram:
    """Runs from `start` to `stop`; can be killed and started again. Not thread-safe."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        folder: Path,
        answers: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> None:
        """`answers` returns whether it is ready. `user` is the user it runs as, for servers that refuse root."""
        self.name, self.folder = name, folder
        self._command = [str(part) for part in command]
        self._answers = answers
        self._environment = {**os.environ, **(environment or {})}
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None
        self._logged_before = 0

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def logged(self) -> str:
        """The log of the program since its last start."""
        return self.log.read_bytes()[self._logged_before :].decode(errors="replace")

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} does not run"
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Returns when it is ready. Raises ConfigurationError with the end of its log when it does not become ready."""
        self.launch()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_S
        while not self._answers():
            self.check()
            if time.monotonic() > deadline:
                self.stop()
                raise ConfigurationError(f"{self.name} did not become ready: {self._last_words()}")
            time.sleep(LOOK_EVERY_S)

    def check(self) -> None:
        """Raises ConfigurationError with the end of its log when it has ended."""
        if not self.running:
            raise ConfigurationError(f"{self.name} ended right after its start: {self._last_words()}")

    def launch(self) -> None:
        """Start it without waiting."""
        with self.log.open("ab") as log:
            self._logged_before = log.tell()
            self._process = subprocess.Popen(
                [*_ending_with_parent(), *self._command],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C goes to this process only, which stops the programs in order
                user=self._user,
            )

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it without a clean shutdown."""
        self.send(signal.SIGKILL)
        self.wait()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int | None:
        """Ask it to end and wait, kill it if it does not; returns its exit code."""
        self.send(number)
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.send(signal.SIGKILL)
            return self.wait()

    def wait(self) -> int | None:
        if self._process is None:
            return None
        code = self._process.wait(STOP_S)
        self._process = None
        return code

    def _last_words(self) -> str:
        text = self.logged().strip() if self.log.exists() else ""
        return f"{text[-1000:]} (the complete log is in {self.log})"


@cache
def _ending_with_parent() -> tuple[str, ...]:
    """A command prefix that makes a program end when this process is killed."""
    found = shutil.which("setpriv")  # Linux
    return (found, "--pdeathsig", "TERM") if found else ()


def free_ports(many: int) -> list[int]:
    """Free ports of 127.0.0.1, below the ephemeral range of the system."""
    ports: set[int] = set()
    while len(ports) < many:
        port = random.randrange(*PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            ports.add(port)
    return list(ports)


def remembered_ports(file: Path, many: int) -> list[int]:
    """Ports kept in a file, so that they stay the same: running invocations are pinned to the address of workers."""
    known: list[int] = json.loads(file.read_text()) if file.exists() else []
    ports = [*known, *free_ports(max(0, many - len(known)))]
    file.write_text(json.dumps(ports))
    return ports[:many]


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
