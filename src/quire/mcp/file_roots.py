"""The folders from which files may be added: nothing outside of them is opened, listed or said to exist."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from io import BufferedReader
from itertools import islice
from pathlib import Path

from quire.client.multipart import FilePart
from quire.core.errors import UsageError
from quire.core.hashing import digest_file
from quire.core.keys import digest_of
from quire.core.regular_files import open_file

MOST_NAMES = 20
"""Names that an error about a wrong path lists."""


class FileRoots:
    """Folders on this machine, by paths that may be relative to any of them. Links that lead out are refused."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """Raises UsageError for a root that is no folder."""
        self._roots = [root.expanduser().resolve() for root in roots]
        for given, root in zip(roots, self._roots, strict=True):
            if not root.is_dir():
                raise UsageError(f"--root {given} is not a folder")

    def __bool__(self) -> bool:
        return bool(self._roots)

    def file(self, path: str) -> tuple[FilePart, str]:
        """A file to send, and the key of its content under its name. Raises UsageError with the names that exist."""
        found = self._resolved(path)
        if found.is_dir():
            raise UsageError(f"{path!r} is a folder; it has: {_names_in(found)}")
        try:
            with _opened(found) as file:
                digest, size = digest_file(file), os.fstat(file.fileno()).st_size
        except OSError as error:
            raise UsageError(f"{path!r} cannot be opened: {error.strerror}") from error
        return FilePart(found.name, size, lambda: _opened(found)), digest_of(["mcp", "add", digest, found.name])

    def _resolved(self, path: str) -> Path:
        if not self._roots:
            raise UsageError("no folder is open for files: start the server with --root FOLDER")
        if not path.strip() or "\0" in path:
            raise UsageError(f"the path is empty, or no path; there are: {self._names()}")
        inside = [found for root in self._roots if (found := Path(os.path.realpath(root / path))).is_relative_to(root)]
        if not inside:
            raise UsageError(f"{path!r} is not inside of the allowed folders; they have: {self._names()}")
        existing = next((one for one in inside if one.exists()), None)
        if existing is None:
            folder = next(parent for parent in inside[0].parents if parent.is_dir())
            raise UsageError(f"there is no file {path!r}; the nearest folder has: {_names_in(folder)}")
        return existing

    def _names(self) -> str:
        return "; ".join(map(_names_in, self._roots))


def _opened(path: Path) -> BufferedReader:
    """Open a resolved path, unless a link was put into it meanwhile. Raises OSError."""
    if os.path.realpath(path) != str(path):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return open_file(path)


def _names_in(folder: Path) -> str:
    with os.scandir(folder) as entries:
        names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in islice(entries, 1000))
    shown = ", ".join(names[:MOST_NAMES])
    return (shown or "nothing") + (", …" if len(names) > MOST_NAMES else "")
