"""The store of a single read: one anonymous temporary file, which is removed with the last reference to the result."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from quire.core.errors import StoreError
from quire.core.keys import ArtifactKey, Digest, digest_bytes

if TYPE_CHECKING:
    from quire.core.context import Claim
    from quire.core.engine import Attempt


class TemporaryStore:
    """Artifacts concatenated in an anonymous file; keys and places in memory. Thread-safe.

    Contents are not verified on reading: no other process can reach the file.
    """

    lasting = False

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as file:
            self._file = os.dup(file.fileno())
        self._end = 0
        self._lock = Lock()
        self._places: dict[Digest, tuple[int, int]] = {}
        self._facts: dict[ArtifactKey, Digest] = {}
        self._claims: dict[str, Claim] = {}
        self._paths: dict[tuple[str, int, str], tuple[Attempt, ...]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._finalizer = weakref.finalize(self, os.close, self._file)

    def find(self, key: ArtifactKey) -> Digest | None:
        return self._facts.get(key)

    def find_many(self, keys: Sequence[ArtifactKey]) -> Mapping[ArtifactKey, Digest]:
        return {key: self._facts[key] for key in keys if key in self._facts}

    def has_contents(self, digests: Sequence[Digest]) -> set[Digest]:
        return {digest for digest in digests if digest in self._places}

    def share(self, key: ArtifactKey, *, document: str, page: int | None = None) -> Digest | None:
        return self.find(key)  # nothing is ever deleted from it

    def load(self, digest: Digest) -> bytes:
        try:
            place, size = self._places[digest]
        except KeyError:
            raise StoreError(f"artifact {digest} is not in the temporary store") from None
        self._check_open()
        return os.pread(self._file, size, place)

    def save(
        self,
        key: ArtifactKey,
        data: bytes,
        *,
        stage: str,
        document: str,
        page: int | None = None,
        claim: Claim | None = None,
    ) -> Digest:
        digest = digest_bytes(data)
        with self._lock:
            self._check_open()
            if digest not in self._places:
                self._append(data)
                self._places[digest] = (self._end, len(data))
                self._end += len(data)
            self._facts[key] = digest
        return digest

    def claim(self, key: ArtifactKey) -> Claim | None:
        """Only threads of this process share it: a claim is never taken over."""
        with self._lock:
            if key in self._claims:
                return None
            from quire.core.context import Claim  # only for shared work

            self._claims[key] = Claim(key, 1)
            return self._claims[key]

    def release(self, claim: Claim) -> None:
        with self._lock:
            self._claims.pop(claim.key, None)

    def flush(self, *, lasting: bool = True) -> None:
        pass  # nothing outlives the process

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        with self._lock:
            self._paths.pop((document, page, reading), None)  # the last one recorded comes last
            self._paths[document, page, reading] = tuple(attempts)

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        return self._paths.get((document, page, reading), ())

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        with self._lock:
            return {page: path for (of, page, _), path in self._paths.items() if of == document}

    def scratch(self) -> Path:
        with self._lock:
            self._check_open()
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="quire-")
            return Path(self._folder.name)

    def close(self) -> None:
        self._finalizer()
        if self._folder is not None:
            self._folder.cleanup()

    def _check_open(self) -> None:
        if not self._finalizer.alive:
            raise StoreError("the temporary store is closed; keep it open as long as its artifacts are needed")

    def _append(self, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                written += os.pwrite(self._file, memoryview(data)[written:], self._end + written)
        except OSError as error:
            raise StoreError(
                f"cannot write to the temporary folder {tempfile.gettempdir()}: {error.strerror}; free some space, "
                "set TMPDIR to another folder, or name a store"
            ) from error
