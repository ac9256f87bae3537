"""`quire serve` as a process of a benchmark, on a free port and a fresh store."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from benchmarks.family import cpu_seconds, memory_mb
from quire.system.workers.procfs import descendants

READY_S = 60.0
LOOK_S = 0.01


class ServerProcess:
    """A server with its store in a temporary folder; `ready_s` is how long it took from its start to be ready."""

    def __init__(self, *arguments: str, program: tuple[str, ...] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="quire-bench-")
        self.port = _free_port()
        quire = program or (str(Path(sys.executable).with_name("quire")), "serve")
        command = [*quire, "--port", str(self.port), "--store", self._folder.name + "/store", *arguments]
        begun = time.perf_counter()
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self._process.pid
        self.ready_s = self._wait(begun)

    @property
    def folder(self) -> Path:
        return Path(self._folder.name)

    def memory_mb(self) -> float:
        """Resident memory of the process that answers requests."""
        return _resident_mb(self.pid)

    def workers_mb(self) -> list[float]:
        """Resident memory of each process below it: workers, and their guards, which share their pages."""
        return [_resident_mb(pid) for pid in descendants(self.pid)]

    def total_mb(self) -> float:
        return memory_mb(self.pid)

    def cpu_s(self) -> float:
        """Of the server and its workers."""
        return cpu_seconds(self.pid)

    def own_cpu_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/task").iterdir()))

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(60)
        finally:
            self._process.kill()
            self._process.wait()
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, begun: float) -> float:
        while time.perf_counter() - begun < READY_S:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended with code {self._process.returncode}")
            if _is_ready(self.port):
                return time.perf_counter() - begun
            time.sleep(LOOK_S)
        self.close()
        raise RuntimeError(f"the server was not ready within {READY_S:g} s")


def _is_ready(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as asked:
            asked.sendall(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return asked.recv(1 << 12).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
