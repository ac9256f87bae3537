"""Opens regular files only: pipes, sockets and devices are rejected before a read can block on them."""

from __future__ import annotations

import errno
import os
from io import BufferedReader
from pathlib import Path
from stat import S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFMT, S_IFSOCK, S_ISREG

_KINDS = {S_IFIFO: "a pipe", S_IFSOCK: "a socket", S_IFCHR: "a device", S_IFBLK: "a device", S_IFDIR: "a folder"}


def open_file(path: str | Path) -> BufferedReader:
    """Open a file for reading. Raises OSError, also for a pipe, a socket or a device: one may never end."""
    # Non-blocking: opening a named pipe waits for a writer.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if kind := kind_of(os.fstat(file.fileno())):
        file.close()
        raise OSError(errno.EINVAL, f"{kind}, not a file", str(path))
    return file


def kind_of(status: os.stat_result) -> str:
    """The kind of a path that is no regular file: "a pipe", "a folder"; empty for a file."""
    return "" if S_ISREG(status.st_mode) else _KINDS.get(S_IFMT(status.st_mode), "something else")
