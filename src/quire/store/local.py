"""Objects in a folder: one file each, written under a temporary name, synced and renamed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EACCES, EEXIST, ENOENT, ENOTDIR, EPERM, EROFS
from itertools import count
from pathlib import Path
from secrets import token_hex

from quire.core.errors import StoreError
from quire.store.objects import ListedObject

WAITING = "waiting"
"""The folder of unfinished files."""
STALE_S = 86_400
"""Age from which an unfinished file counts as orphaned."""
_ALLOW = "give this user write permission there, or choose another folder for the store"
_ELSEWHERE = "choose another folder for the store"
_ADVICE = {EACCES: _ALLOW, EPERM: _ALLOW, EROFS: _ALLOW, ENOTDIR: _ELSEWHERE, EEXIST: _ELSEWHERE, ENOENT: _ELSEWHERE}


class LocalObjects:
    """The objects below a folder, which is created. Safe for several processes."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._root = str(self.folder)
        self._count = count(1)
        self._own = f"{WAITING}/{os.getpid()}-{token_hex(4)}"  # pids are not unique across machines
        with self._explained("write to"):
            (self.folder / WAITING).mkdir(parents=True, exist_ok=True)
            self._remove_stale()

    @property
    def place(self) -> str:
        return self._root

    def write(self, name: str, data: bytes) -> None:
        waiting = self._path(f"{self._own}-{next(self._count)}")
        with self._explained("write to"):
            try:
                _write_synced(waiting, data)
                _publish(waiting, self._path(name))
            except BaseException:  # an interrupt too
                waiting.unlink(missing_ok=True)
                raise

    def write_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        for name, data in objects:
            self.write(name, data)

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        with self._explained("read"):
            try:
                file = os.open(self._path(name), os.O_RDONLY)
            except FileNotFoundError:
                return None
            try:
                return _read_part(file, start, os.fstat(file).st_size - start if size is None else size)
            finally:
                os.close(file)

    def exists(self, name: str) -> bool:
        with self._explained("read"):
            return self._path(name).exists()

    def delete(self, names: Sequence[str]) -> None:
        with self._explained("write to"):
            for name in names:
                self._path(name).unlink(missing_ok=True)
            self._remove_empty({folder for name in names for folder in Path(name).parents if len(folder.parts) > 1})

    def list(self, prefix: str) -> Iterator[ListedObject]:
        with self._explained("read"):
            for folder, _, names in os.walk(self._path(prefix)):
                for name in names:
                    path = Path(folder, name)
                    with suppress(FileNotFoundError):  # just removed, or renamed
                        found = path.stat()
                        yield ListedObject(path.relative_to(self.folder).as_posix(), found.st_size, found.st_mtime)

    def close(self) -> None:
        pass  # nothing is kept open

    def _path(self, name: str) -> Path:
        return Path(f"{self._root}/{name}")  # joining texts is much faster than joining paths

    def _remove_empty(self, folders: set[Path]) -> None:
        """Remove empty folders below the first level: their names would reveal deleted documents."""
        for folder in sorted(folders, reverse=True):
            with suppress(OSError):  # not empty, or missing
                (self.folder / folder).rmdir()

    def _remove_stale(self) -> None:
        before = time.time() - STALE_S
        for path in (self.folder / WAITING).iterdir():
            with suppress(OSError):
                if path.stat().st_mtime < before:
                    path.unlink()

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        """Translate an OSError into a StoreError with the folder and advice."""
        try:
            yield
        except OSError as error:
            advice = _ADVICE.get(error.errno or 0, "make room or choose another folder for the store")
            raise StoreError(f"cannot {doing} the store {self._root}: {error.strerror}; {advice}") from error


def _write_synced(path: Path, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)


def _read_part(file: int, start: int, size: int) -> bytes:
    """Up to `size` bytes: fewer where the file ends before."""
    parts = []
    while size > 0 and (part := os.pread(file, size, start)):
        parts.append(part)
        start, size = start + len(part), size - len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _publish(waiting: Path, final: Path) -> None:
    try:
        waiting.replace(final)
    except FileNotFoundError:
        _make_folder(final.parent)
        waiting.replace(final)
    _sync(final.parent)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power failure."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
