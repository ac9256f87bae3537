"""Syncs a write-ahead log for many threads at a time."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Condition

from quire.core.errors import StoreError


class LogSync:
    """Makes commits survive a power failure. One sync serves every thread whose commit was written before it began."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._changed = Condition()
        self._begun = self._done = 0
        self._syncing = False

    def __call__(self) -> None:
        """Returns when everything that was committed before the call is on the disk. Raises StoreError."""
        with self._changed:
            needed = self._begun + 1  # one that runs now may have begun before the commit
            while self._syncing:
                self._changed.wait()
                if self._done >= needed:
                    return
            self._syncing = True
            self._begun += 1
            mine = self._begun
        try:
            self._sync()
            done = mine
        except OSError as error:
            done = 0
            raise StoreError(f"cannot sync {self._log}: {error.strerror}; check its disk") from error
        finally:
            with self._changed:
                self._syncing = False
                self._done = max(self._done, done)
                self._changed.notify_all()

    def _sync(self) -> None:
        try:
            file = os.open(self._log, os.O_RDONLY)
        except FileNotFoundError:
            return  # all of it is in the database already, and synced
        try:
            os.fsync(file)
        finally:
            os.close(file)
