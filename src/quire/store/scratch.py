"""Files of one process beside a store: copies of documents for its workers. They end with the process, also if it is
killed: the next one removes them."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from threading import Lock
from weakref import finalize

from quire.core.errors import StoreError
from quire.core.keys import digest_of
from quire.database.leases import Claims
from quire.store.local import LocalObjects
from quire.store.objects import Objects

FOLDER = "scratch"
"""The folder of these files in a store."""


class Scratch:
    """A folder with the files of this process: below the store if that is a folder, else in the temporary folder.

    A claim on its name says that the process lives, so that another one on the same database can tell. Thread-safe.
    """

    def __init__(self, objects: Objects, claims: Claims) -> None:
        self._claims, self._lock = claims, Lock()
        self._prefix = f"quire-{digest_of([objects.place])[:12]}-"
        self._parent = objects.folder / FOLDER if isinstance(objects, LocalObjects) else Path(tempfile.gettempdir())
        self._removed: finalize[[Path, bool], Scratch] | None = None
        self._own: Path | None = None

    def folder(self) -> Path:
        """The folder of this process, made on first use."""
        with self._lock:
            if self._own is None:
                self.sweep()
                own = self._parent / f"{self._prefix}{token_hex(8)}"
                self._claims.claim(_key(own))  # before it exists: another process that finds it knows whose it is
                self._removed = finalize(self, rmtree, own, True)
                self._own = own
            try:
                self._parent.mkdir(exist_ok=True)
                self._own.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise StoreError(f"cannot write to {self._parent}: {error.strerror}; free some space there") from error
            return self._own

    def sweep(self) -> None:
        """Remove the folders of processes that were killed."""
        for folder in self._folders():
            claim = self._claims.claim(_key(folder))
            if claim is not None:
                rmtree(folder, ignore_errors=True)
                self._claims.release(claim)

    def remove(self, names: Collection[str]) -> None:
        """Remove files by their names from the folders of all processes: a deleted document has no copy."""
        for folder in self._folders():
            for path in folder.rglob("*"):
                if path.name in names:
                    with suppress(OSError):  # its process has removed it
                        path.unlink()

    def close(self) -> None:
        if self._removed is not None:
            self._removed()

    def _folders(self) -> Iterator[Path]:
        return self._parent.glob(f"{self._prefix}*")


def _key(folder: Path) -> str:
    return f"{FOLDER}/{folder.name}"
