"""Robust standard output and standard error: they may be closed, on a full disk, or a broken pipe."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from quire.core.errors import StoreError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EXIT_BROKEN_PIPE = 141
"""The exit code that a shell reports for SIGPIPE."""


class _Output(io.FileIO):
    """Standard output. A failed write raises StoreError; a broken pipe ends the program, as SIGPIPE would."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # flushing the buffer at exit must not fail again
            os.close(nowhere)
            if isinstance(error, BrokenPipeError):
                raise SystemExit(EXIT_BROKEN_PIPE) from None
            why = "it is closed" if error.errno == errno.EBADF else error.strerror
            raise StoreError(f"cannot write to standard output: {why}") from error


class _Messages(io.FileIO):
    """Standard error. Messages that cannot be written are dropped: there is no other place for them."""

    def write(self, data: ReadableBuffer, /) -> int:
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def prepare_streams() -> None:
    """Replace the two streams for the rest of the program.

    The descriptor of a stream that the caller closed is reopened, so that no file opened later takes its number:
    writing to such a standard output fails, and messages are dropped.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # this is the lowest free descriptor
    sys.stdout = _text(_Output(1, "w", closefd=False), line_buffering=os.isatty(1))
    sys.stderr = _text(_Messages(2, "w", closefd=False), line_buffering=True)


def _text(raw: io.FileIO, *, line_buffering: bool) -> io.TextIOWrapper:
    """As text. A file name that is not valid text is escaped, in a form that is also valid in JSON."""
    encoding = sys.stdout.encoding if sys.stdout is not None else "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace", line_buffering=line_buffering
    )
