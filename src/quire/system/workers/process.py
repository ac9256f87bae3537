"""A worker process from the parent's side: start it, exchange messages, measure its memory, end it."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from quire.core.errors import ConfigurationError, too_few_descriptors
from quire.system.workers import frames
from quire.system.workers.environment import import_path, worker_environment
from quire.system.workers.frames import BrokenFrame, Frame, FrameReader
from quire.system.workers.job_errors import WorkerCrashed, clean
from quire.system.workers.leash import Leash, connected
from quire.system.workers.procfs import descendants, resident_bytes

_CHUNK = 1 << 18
_TAIL = 8192
_BACKSTOP = 1 << 30
"""Address space that a worker may reserve beyond its limit, which counts resident memory: then allocations fail."""
START_S = 60.0


_PROGRAM = "import gc; gc.disable(); import quire.system.workers.worker as w; w.main()"
"""Garbage collection during the imports would take a tenth of the start-up time."""


class WorkerProcess:
    """A running worker with its guard. Not thread-safe; only `cut` may be called from any thread."""

    def __init__(self) -> None:
        if not sys.executable:
            raise ConfigurationError("worker processes need a Python interpreter, but sys.executable is empty")
        self.jobs = 0
        self.begun = False
        self.ready = False
        self._reader = FrameReader()
        self._tail = b""
        with ExitStack() as unused, ExitStack() as passed:
            try:
                folder = tempfile.mkdtemp(prefix="quire-worker-")
                unused.callback(shutil.rmtree, folder, ignore_errors=True)
                (self._channel, channel), (ours, leash) = (connected(unused, passed) for _ in range(2))
                numbers = [channel.fileno(), leash.fileno()]
                arguments = [*map(str, [*numbers, os.getpid()]), folder]
                self._guard = subprocess.Popen(
                    # -P: a file in the current directory must not be imported as a module of the worker.
                    [sys.executable, "-P", "-c", _PROGRAM, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=numbers,
                    start_new_session=True,
                    env=worker_environment(os.environ, folder=folder),
                )
            except OSError as error:
                raise too_few_descriptors(error) or WorkerCrashed(f"cannot start a worker: {error}") from error
            unused.pop_all()
        self._leash = Leash(ours, self._guard, folder)
        assert self._guard.stderr is not None
        self._stderr = self._guard.stderr
        os.set_blocking(self._stderr.fileno(), False)
        self._poll = select.poll()
        for number in (self._channel.fileno(), self._leash.fileno(), self._stderr.fileno()):
            self._poll.register(number, select.POLLIN)

    @property
    def gone(self) -> bool:
        """Whether it has ended and was reaped."""
        return self._leash.gone

    def begin(self, memory_limit: int | None, modules: Sequence[str] = ()) -> None:
        """Send it its memory limit, the import path, and the modules to import before its first job.

        Raises the errors of `send`.
        """
        self.begun = True
        limit = memory_limit + _BACKSTOP if memory_limit else 0
        self.send(frames.START, {"memory": limit, "path": import_path(), "import": modules}, timeout_s=START_S)

    def send(self, kind: bytes, header: Mapping[str, object], data: bytes = b"", *, timeout_s: float) -> None:
        """Raises TimeoutError, or another OSError when the worker has ended."""
        self._channel.settimeout(max(timeout_s, 0.001))
        for piece in frames.encoded(kind, header, data):
            self._channel.sendall(piece)

    def receive(self, timeout_s: float) -> Frame | None:
        """The next message, None if none came in time. Raises EOFError when the worker has ended."""
        frame = self._reader.next()
        if frame is not None:
            return frame
        ready = {number for number, _ in self._poll.poll(max(0, timeout_s) * 1000)}
        if self._stderr.fileno() in ready:
            self._listen()
        ended = self._leash.fileno() in ready
        if ended or self._channel.fileno() in ready:  # what it sent last may have come after the poll looked at it
            self._channel.settimeout(0)
            chunk: bytes | None = None
            with contextlib.suppress(BlockingIOError):
                chunk = self._channel.recv(_CHUNK)
            if chunk:
                self._reader.feed(chunk)
            elif ended or chunk is not None:
                raise EOFError
        return self._reader.next()

    def fit(self) -> bool:
        """Whether an idle worker is still alive: the kernel may have killed it for its memory."""
        try:
            while frame := self.receive(0):  # from its start, or from a thread that an earlier job left behind
                self.ready = self.ready or frame.kind == frames.READY
        except (EOFError, OSError, BrokenFrame):
            self.end(0.1)
            return False
        return True

    def resident(self) -> int:
        """Resident memory of the worker and its descendants, in bytes."""
        return resident_bytes(descendants(self._guard.pid))

    def forget_words(self) -> None:
        """Forget what an earlier job wrote to standard error: it is no reason for a later crash."""
        self._listen()
        self._tail = b""

    def last_words(self) -> str:
        """The last line that the worker wrote to its standard error."""
        lines = clean(self._tail.decode(errors="replace"), _TAIL).split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def cut(self) -> None:
        """Make the guard kill the worker and its descendants. Returns at once; may be called from any thread."""
        self._leash.cut()

    def stop(self, grace_s: float) -> None:
        """Let an idle worker close what it keeps and exit; after the grace period it is killed."""
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self.end(grace_s)

    def end(self, grace_s: float = 0.0) -> int | None:
        """Kill the worker and its descendants, unless it ends by itself within the grace period, and wait for its end.

        Returns its exit code, negative for a signal; None when even the guard does not know it.
        """
        if self.gone:
            return self._leash.end()
        code = self._leash.end(grace_s)
        self._listen()
        for end in (self._channel, self._stderr):
            end.close()
        return code

    def _listen(self) -> None:
        """Read the worker's standard error, for the reason of a crash; only the end of it is kept."""
        until = time.monotonic() + 0.1  # a worker that never stops writing must not block this loop
        with contextlib.suppress(BlockingIOError):
            while time.monotonic() < until and (chunk := os.read(self._stderr.fileno(), _CHUNK)):
                self._tail = (self._tail + chunk)[-_TAIL:]
            if time.monotonic() < until:  # closed by the worker: it would stay readable for ever
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._stderr.fileno())
