"""The worker program, started by `workers.process`. It takes jobs from a socket, one at a time, until it closes.

It imports little, so that it starts quickly; a job imports what it needs.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import signal
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from quire.core.errors import UsageError
from quire.system.workers import frames
from quire.system.workers.frames import BrokenFrame, Frame, FrameReader
from quire.system.workers.guard import split_off_guard
from quire.system.workers.job import Kept, Work
from quire.system.workers.job_errors import describe, rebuilt

_CHUNK = 1 << 20
_GARBAGE = 20_000
"""New objects after which garbage is collected: a page makes thousands that are no garbage, and 700 is soon reached."""


class Closed(BaseException):
    """The parent closed the pipe: the worker ends. Not an Exception, so that no job catches it by accident."""


class Channel:
    """The worker's end of the pipe."""

    def __init__(self, number: int) -> None:
        self._number = number  # the file descriptor of the socket; the module `socket` takes time to import
        self._reader = FrameReader()
        self._sending = threading.Lock()

    def send(self, kind: bytes, header: Mapping[str, object], data: bytes = b"") -> None:
        head, data = frames.encoded(kind, header, data)
        try:
            with self._sending:
                for piece in (head, data):
                    left = memoryview(piece)
                    while left:
                        left = left[os.write(self._number, left) :]
        except OSError:
            raise Closed from None

    def receive(self) -> Frame:
        while (frame := self._reader.next()) is None:
            try:
                chunk = os.read(self._number, _CHUNK)
            except OSError:
                raise Closed from None
            if not chunk:
                raise Closed
            self._reader.feed(chunk)
        return frame

    def tell(self, kind: str, payload: Mapping[str, object]) -> None:
        self.send(frames.EVENT, {"kind": kind, "payload": payload})

    def ask(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[Mapping[str, object], bytes]:
        self.send(frames.QUESTION, {"name": name, "header": header}, data)
        reply = self.receive()
        if reply.kind == frames.REFUSAL:
            raise rebuilt(reply.header)
        return reply.header, reply.data


def main() -> None:
    """Runs in the main thread, with garbage collection still disabled."""
    connection, leash, parent, folder = *map(int, sys.argv[1:4]), sys.argv[4]
    # Reset the parent's signal handling: a job and its child processes need the defaults.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    split_off_guard(leash, connection, parent, folder)
    os.dup2(2, 1)  # output of libraries goes to stderr, which the parent reads
    channel, kept = Channel(connection), Kept()
    with contextlib.suppress(Closed):
        start = channel.receive()
        _begin(start)
        channel.send(frames.READY, {})
        _import_ahead(start)
        while True:
            _serve(channel.receive(), channel, kept)
            kept.trim()
    kept.trim(0)


def _begin(start: Frame) -> None:
    """Apply the memory limit, and import from the same paths as the parent."""
    memory, path = start.header["memory"], start.header["path"]
    if not isinstance(memory, int) or not isinstance(path, list):
        raise BrokenFrame("no memory limit or no search path")
    _confine(memory)
    sys.path[:] = path


def _import_ahead(start: Frame) -> None:
    """Import what the first job needs while the parent prepares it. Import errors surface in the job."""
    modules = start.header["import"]
    if not isinstance(modules, list):
        raise BrokenFrame("no list of modules")
    for module in modules:
        with contextlib.suppress(Exception):
            import_module(module)
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    gc.enable()


def _serve(job: Frame, channel: Channel, kept: Kept) -> None:
    work = Work(channel, kept, float(str(job.header["timeout_s"])))
    try:
        try:
            answer = _call(str(job.header["call"]), job.data, work)
        finally:
            work.finish()
        header, data = answer if isinstance(answer, tuple) else ({}, answer)
        channel.send(frames.ANSWER, header, data)
    except Closed:
        raise
    except BaseException as error:  # including SystemExit of a library: it ends the job, not the worker
        channel.send(frames.FAILURE, describe(error))


def _call(name: str, pickled: bytes, work: Work) -> tuple[dict[str, object], bytes] | bytes:
    module, _, function = name.partition(":")
    found = getattr(import_module(module), function)
    return cast("tuple[dict[str, object], bytes] | bytes", found(_arguments(pickled), work))


def _arguments(pickled: bytes) -> object:
    try:
        return pickle.loads(pickled)
    except AttributeError as error:
        what, found, where = str(error).partition(" on ")
        if not found or where != repr(sys.modules["__main__"]):
            raise
        advice = "a worker does not run your script again: move what a job needs into a module that can be imported"
        raise UsageError(f"{what} in a worker; {advice}") from error


def _confine(memory: int) -> None:
    """No core dumps with contents of documents, a memory limit, and the first to be killed when memory runs out."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
