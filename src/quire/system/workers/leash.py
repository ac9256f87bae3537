"""The leash of a guard, from the parent's side: with it everything below the guard is ended."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess

from quire.system.workers.guard import STATUS
from quire.system.workers.procfs import descendants, kill

_ENDING_S = 10.0


class Leash:
    """A socket to a guard. Not thread-safe; only `cut` may be called from any thread."""

    def __init__(self, connection: socket.socket, guard: subprocess.Popen[bytes], folder: str) -> None:
        """`folder` is removed by the guard with what it guards, and by `end` if the guard is dead."""
        self._connection, self._guard, self._folder = connection, guard, folder
        self._code: int | None = None

    def fileno(self) -> int:
        """Readable when all descendants of the guard have ended, or the guard has."""
        return self._connection.fileno()

    @property
    def gone(self) -> bool:
        """Whether the guard has ended and was reaped."""
        return self._guard.returncode is not None

    def cut(self) -> None:
        """Make the guard kill its descendants. Returns at once; may be called from any thread."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)

    def end(self, grace_s: float = 0.0) -> int | None:
        """Kill all descendants of the guard, unless they end by themselves within the grace period, and wait for it.

        Returns the exit code of what it guards, negative for a signal; None when even the guard does not know it.
        """
        if self.gone:
            return self._code
        status = self._says(grace_s) if grace_s else b""
        if not status:
            self.cut()
            status = self._says(_ENDING_S)
        if not status:  # the guard is dead or stopped: do its work, before its pid can be reused
            kill({*descendants(self._guard.pid), self._guard.pid})
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._guard.pid, signal.SIGKILL)
            shutil.rmtree(self._folder, ignore_errors=True)
        self._code = STATUS.unpack(status)[0] if len(status) == STATUS.size else None
        self._guard.wait()
        self._connection.close()
        return self._code

    def _says(self, timeout_s: float) -> bytes:
        """The status from the guard, which holds the leash until all descendants have ended; empty if it sends none."""
        self._connection.settimeout(timeout_s)
        with contextlib.suppress(OSError):
            return self._connection.recv(STATUS.size)
        return b""


def connected(ours: contextlib.ExitStack, theirs: contextlib.ExitStack) -> tuple[socket.socket, socket.socket]:
    """A connection to a child: the parent's end, and the child's. Each is closed with its stack."""
    one, other = socket.socketpair()
    ours.callback(one.close)
    theirs.callback(other.close)
    return one, other
