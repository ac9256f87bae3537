"""A document for a worker to open: where it lies and which bytes it must have."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from quire.document import Document
from quire.errors import ChangedError
from quire.keys import digest_bytes

T = TypeVar("T")


class WorkerWork(Protocol):
    """What a job may ask of its worker: emit events, ask the parent, and keep things loaded between jobs."""

    def emit(self, kind: str, payload: Mapping[str, object]) -> None: ...

    def request(
        self, name: str, header: Mapping[str, object], data: bytes = b""
    ) -> tuple[Mapping[str, object], bytes]: ...

    def kept(self, key: str, make: Callable[[], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """Sent to workers, which open the document once and keep it for the next job."""

    path: Path
    name: str
    id: str
    password: str | None = None

    def document(self, work: WorkerWork) -> Document:
        # With another password, or none, it is another document: a caller that has not named it gets no page.
        secret = digest_bytes((self.password or "").encode())
        document = work.kept(f"document {self.id} {self.path} {secret}", self.open)
        document.refresh()
        return document

    def open(self) -> Document:
        """Raises ChangedError when the file holds other bytes by now."""
        document = Document(self.path, name=self.name, password=self.password)
        if document.id != self.id:
            document.close()
            raise ChangedError("has changed since the read began; read it again", document=self.name)
        return document


class DiskCopy:
    """A document for workers: at its path, or in a temporary file for one that was given as bytes."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._copy: Path | None = None

    def opened(self) -> Opened:
        document = self._document
        path = document.path or self._copy
        if path is None:
            import tempfile  # workers, which share this module, do without

            assert document.data is not None
            handle, name = tempfile.mkstemp(prefix="quire-")
            with os.fdopen(handle, "wb") as file:
                file.write(document.data)
            path = self._copy = Path(name)
        return Opened(path.absolute(), document.name, document.id, document.password)

    def close(self) -> None:
        if self._copy is not None:
            self._copy.unlink(missing_ok=True)
