"""The worker program: `python -m quire.pool.worker`. It takes jobs from a socket, one at a time, until it closes.

It is started by `quire.pool.process` and imports little, so that it starts quickly; what a job needs is imported by
the job.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from quire.errors import UsageError
from quire.pool import frames
from quire.pool.errors import describe, rebuilt
from quire.pool.frames import BrokenFrame, Frame, FrameReader
from quire.pool.guard import split_off_guard
from quire.pool.work import Kept, Work

_CHUNK = 1 << 20


class Closed(BaseException):
    """The parent closed the pipe: there is nothing more to do. No job may catch it by accident."""


class Channel:
    """The worker's end of the pipe."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = FrameReader()
        self._sending = threading.Lock()

    def send(self, kind: bytes, header: Mapping[str, object], data: bytes = b"") -> None:
        head, data = frames.encoded(kind, header, data)
        try:
            with self._sending:
                self._connection.sendall(head)
                if data:
                    self._connection.sendall(data)
        except OSError:
            raise Closed from None

    def receive(self) -> Frame:
        while (frame := self._reader.next()) is None:
            try:
                chunk = self._connection.recv(_CHUNK)
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


def main(arguments: list[str]) -> None:
    channel_number, leash_number, parent, memory, folder = *map(int, arguments[:4]), arguments[4]
    # Whatever the parent's thread does with signals, a job and its child processes need them as usual.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    connection = socket.socket(fileno=channel_number)
    split_off_guard(socket.socket(fileno=leash_number), connection, parent, folder)
    _confine(memory)
    os.dup2(2, 1)  # what a library prints must not be lost in a buffer that nobody reads
    channel, kept = Channel(connection), Kept()
    with contextlib.suppress(Closed):
        _begin(channel.receive())
        channel.send(frames.READY, {})
        while True:
            _serve(channel.receive(), channel, kept)
            kept.trim()
    kept.trim(0)


def _begin(start: Frame) -> None:
    """Import from the same places as the parent."""
    path = start.header["path"]
    if not isinstance(path, list):
        raise BrokenFrame("no search path")
    sys.path[:] = path


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
    except BaseException as error:  # SystemExit of a library included: it ends the job, not the worker
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
    """No core files of documents, a bound on memory, and the first to go when the machine has none left."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


if __name__ == "__main__":
    main(sys.argv[1:])
