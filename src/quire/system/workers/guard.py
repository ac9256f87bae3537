"""The guard of a worker or a program: a small process between it and the parent that leaves no orphans behind.

It holds the leash, a socket to the parent. When the leash is cut (by the parent, or because it died) or the worker
ends, the guard kills all its descendants. None can escape: the guard is their subreaper, so a process that changed
its session or lost its parent is still its descendant. It needs no cooperation of the worker, which may be stuck in
native code that holds the interpreter lock.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys
import time

from quire.system.workers.procfs import descendants, kill

STATUS = struct.Struct(">i")
"""The guard's last message: the exit code of the worker, negative for a signal."""

_KILLING_S = 5.0
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def split_off_guard(leash: int, channel: int | None, parent: int, folder: str) -> None:
    """Return in a new process, the worker; the calling process becomes its guard and never returns.

    `leash` and `channel` are file descriptors of sockets; a program has no channel. `folder` is the worker's folder
    for temporary files, which is removed with it.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    guard = os.getpid()
    worker = os.fork()
    if worker == 0:
        os.close(leash)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)
        return
    try:
        _let_go_of(channel)
        status = _watch(worker, leash, parent)
        status = _end_all(worker, status)
        _remove(folder)
        with contextlib.suppress(OSError):
            os.write(leash, STATUS.pack(status))
    finally:
        os._exit(0)


def _watch(worker: int, leash: int, parent: int) -> int | None:
    """Wait until the worker ends, and return its status, or until the leash is cut."""
    for ignored in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    while True:
        status = _reap(worker)
        if status is not None:
            return status
        # The timeout is for a dead parent whose other children keep its end of the leash open.
        ready, _, _ = select.select([leash, woken], [], [], 1.0)
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 4096)
        if leash in ready or os.getppid() != parent:
            return _reap(worker)


def _end_all(worker: int, status: int | None) -> int:
    """Kill and reap until this process has no descendants."""
    until = time.monotonic() + _KILLING_S
    while time.monotonic() < until:
        kill({*descendants(os.getpid()), *([worker] if status is None else [])})
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if pid == worker:
            status = os.waitstatus_to_exitcode(ended)
        if pid == 0:
            time.sleep(0.001)
    return -signal.SIGKILL if status is None else status


def _reap(worker: int) -> int | None:
    """Reap all ended processes; returns the status of the worker if it is one of them."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == worker:
                return os.waitstatus_to_exitcode(status)
            if pid == 0:
                break
    return None


def _let_go_of(channel: int | None) -> None:
    """Close the worker's pipes, so that the parent sees their end at once."""
    if channel is not None:
        os.close(channel)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)


def _remove(folder: str) -> None:
    import shutil  # imported lazily, so that the worker starts faster

    shutil.rmtree(folder, ignore_errors=True)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes  # imported lazily: the parent, which shares this module, does not need it

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
