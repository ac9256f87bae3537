"""Standard output and standard error as a program must treat them: closed, full, or read by somebody who leaves."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from quire.errors import StoreError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

EXIT_BROKEN_PIPE = 141
"""What a shell reports for a program whose reader went away."""


class _Output(io.FileIO):
    """Standard output. A write that fails is a StoreError; one that nobody reads ends the program, as SIGPIPE would."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())  # what is still buffered must not fail once more at exit
            os.close(nowhere)
            if isinstance(error, BrokenPipeError):
                raise SystemExit(EXIT_BROKEN_PIPE) from None
            why = "it is closed" if error.errno == errno.EBADF else error.strerror
            raise StoreError(f"cannot write to standard output: {why}") from error


class _Messages(io.FileIO):
    """Standard error. Messages that cannot be written are lost: there is no other place for them."""

    def write(self, data: ReadableBuffer, /) -> int:
        with suppress(OSError):
            return super().write(data)
        return memoryview(data).nbytes


def prepare_streams() -> None:
    """Replace the two streams for the rest of the program.

    A stream that the caller closed gets its number back, so that no file that is opened later takes it: nothing can
    be written to such a standard output, and messages go nowhere.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest free number is this one
    sys.stdout = _text(_Output(1, "w", closefd=False), line_buffering=os.isatty(1))
    sys.stderr = _text(_Messages(2, "w", closefd=False), line_buffering=True)


def _text(raw: io.FileIO, *, line_buffering: bool) -> io.TextIOWrapper:
    """As text. A name of a file that is no text is escaped, which JSON takes as well."""
    encoding = sys.stdout.encoding if sys.stdout is not None else "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace", line_buffering=line_buffering
    )
