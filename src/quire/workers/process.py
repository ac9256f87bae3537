"""One worker program as its parent sees it: start it, speak to it, measure it, end it."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from quire.errors import ConfigurationError, too_few_descriptors
from quire.workers import frames
from quire.workers.environment import worker_environment
from quire.workers.errors import WorkerCrashed, clean
from quire.workers.frames import BrokenFrame, Frame, FrameReader
from quire.workers.guard import STATUS
from quire.workers.procfs import descendants, kill, resident_bytes

_CHUNK = 1 << 18
_TAIL = 8192
_BACKSTOP = 1 << 30
"""How far the worker may reserve memory beyond its limit, which counts what it holds: then allocations fail."""
_ENDING_S = 10.0
START_S = 60.0


_PROGRAM = "import gc; gc.disable(); import quire.workers.worker as w; w.main()"
"""Looking for garbage among the modules that it imports takes a tenth of its start."""


class WorkerProcess:
    """A running worker with its guard. Used by one thread; only `cut` may be called from others."""

    def __init__(self) -> None:
        if not sys.executable:
            raise ConfigurationError("worker programs need a Python interpreter, and sys.executable names none")
        self.jobs = 0
        self.begun = False
        self.ready = False
        self._reader = FrameReader()
        self._tail = b""
        self._code: int | None = None
        with ExitStack() as unused, ExitStack() as passed:
            try:
                self._folder = folder = tempfile.mkdtemp(prefix="quire-worker-")
                unused.callback(shutil.rmtree, folder, ignore_errors=True)
                (self._channel, channel), (self._leash, leash) = (_pair(unused, passed) for _ in range(2))
                numbers = [channel.fileno(), leash.fileno()]
                arguments = [*map(str, [*numbers, os.getpid()]), folder]
                self._guard = subprocess.Popen(
                    # -P: a file in the current directory must not pass for a module of the worker.
                    [sys.executable, "-P", "-c", _PROGRAM, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    pass_fds=numbers,
                    start_new_session=True,
                    env=worker_environment(os.environ, path=sys.path, folder=folder),
                )
            except OSError as error:
                raise too_few_descriptors(error) or WorkerCrashed(f"no worker can be started: {error}") from error
            unused.pop_all()
        assert self._guard.stderr is not None
        self._stderr = self._guard.stderr
        os.set_blocking(self._stderr.fileno(), False)
        self._poll = select.poll()
        for number in (self._channel.fileno(), self._leash.fileno(), self._stderr.fileno()):
            self._poll.register(number, select.POLLIN)

    @property
    def gone(self) -> bool:
        """Whether it has ended and was reaped."""
        return self._guard.returncode is not None

    def begin(self, memory_limit: int | None, modules: Sequence[str] = ()) -> None:
        """Tell it how much memory it may have, where to import from, and what to import before its first job.

        Raises what `send` raises.
        """
        self.begun = True
        limit = memory_limit + _BACKSTOP if memory_limit else 0
        self.send(frames.START, {"memory": limit, "path": sys.path, "import": modules}, timeout_s=START_S)

    def send(self, kind: bytes, header: Mapping[str, object], data: bytes = b"", *, timeout_s: float) -> None:
        """Raises TimeoutError, or another OSError when the worker is gone."""
        self._channel.settimeout(max(timeout_s, 0.001))
        for piece in frames.encoded(kind, header, data):
            self._channel.sendall(piece)

    def receive(self, timeout_s: float) -> Frame | None:
        """The next message, None if there was none in time. Raises EOFError when the worker is gone."""
        frame = self._reader.next()
        if frame is not None:
            return frame
        ready = {number for number, _ in self._poll.poll(max(0, timeout_s) * 1000)}
        if self._stderr.fileno() in ready:
            self._listen()
        if self._channel.fileno() in ready:
            self._channel.settimeout(0)
            with contextlib.suppress(BlockingIOError):
                chunk = self._channel.recv(_CHUNK)
                if not chunk:
                    raise EOFError
                self._reader.feed(chunk)
        elif self._leash.fileno() in ready:
            raise EOFError
        return self._reader.next()

    def fit(self) -> bool:
        """Whether an idle worker is still there: the machine may have ended it for its memory."""
        try:
            while frame := self.receive(0):  # said at its start, or by a thread of an earlier job, after its end
                self.ready = self.ready or frame.kind == frames.READY
        except (EOFError, OSError, BrokenFrame):
            self.end(0.1)
            return False
        return True

    def resident(self) -> int:
        """Bytes of memory that the worker and everything it started hold."""
        return resident_bytes(descendants(self._guard.pid))

    def last_words(self) -> str:
        """The last line that the worker wrote to its standard error."""
        lines = clean(self._tail.decode(errors="replace"), _TAIL).split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def cut(self) -> None:
        """Have the guard kill the worker and all it started. Returns at once; may be called from any thread."""
        with contextlib.suppress(OSError):
            self._leash.shutdown(socket.SHUT_WR)

    def stop(self, grace_s: float) -> None:
        """Let an idle worker close what it keeps and leave; past the grace it is killed."""
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self.end(grace_s)

    def end(self, grace_s: float = 0.0) -> int | None:
        """Kill the worker and all it started, unless it ends by itself within the grace, and wait until it is gone.

        Gives its exit code, negative for a signal; None when even the guard could not tell.
        """
        if self.gone:
            return self._code
        status = self._leash_says(grace_s) if grace_s else b""
        if not status:
            self.cut()
            status = self._leash_says(_ENDING_S)
        if not status:  # the guard is dead or stopped: do its work, before its number can be given to another
            kill({*descendants(self._guard.pid), self._guard.pid})
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._guard.pid, signal.SIGKILL)
            shutil.rmtree(self._folder, ignore_errors=True)
        self._code = STATUS.unpack(status)[0] if len(status) == STATUS.size else None
        self._guard.wait()
        self._listen()
        for end in (self._channel, self._leash, self._stderr):
            end.close()
        return self._code

    def _leash_says(self, timeout_s: float) -> bytes:
        """The status from the guard, which keeps the leash until everything is gone; empty if it says nothing."""
        self._leash.settimeout(timeout_s)
        with contextlib.suppress(OSError):
            return self._leash.recv(STATUS.size)
        return b""

    def _listen(self) -> None:
        """Take what was written to standard error, for the reason of a crash; only the end of it is kept."""
        until = time.monotonic() + 0.1  # a worker that never stops writing must not hold us here
        with contextlib.suppress(BlockingIOError):
            while time.monotonic() < until and (chunk := os.read(self._stderr.fileno(), _CHUNK)):
                self._tail = (self._tail + chunk)[-_TAIL:]
            if time.monotonic() < until:  # closed by the worker: it would be ready for ever
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._stderr.fileno())


def _pair(ours: ExitStack, theirs: ExitStack) -> tuple[socket.socket, socket.socket]:
    """A connection to a worker: our end, and the one that it gets. Each is closed with its stack."""
    one, other = socket.socketpair()
    ours.callback(one.close)
    theirs.callback(other.close)
    return one, other
