"""A document for a worker to open: its path and the digest of its bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from quire.core.document import Document
from quire.core.errors import ChangedError
from quire.core.keys import digest_bytes

T = TypeVar("T")


class WorkerWork(Protocol):
    """The abilities of a job in a worker: emit events, send requests to the parent, cache objects between jobs."""

    @property
    def deadline(self) -> float:
        """When the job will be killed, on the clock of `time.monotonic`."""
        ...

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
    bundle: Path | None = None
    """The converted document, of one that was converted."""

    def document(self, work: WorkerWork) -> Document:
        # With another password, or none, it is another document: a caller without the password gets no page.
        secret = digest_bytes((self.password or "").encode())
        document = work.kept(f"document {self.id} {self.path} {secret} {self.bundle}", self.open)
        document.refresh()
        return document

    def open(self) -> Document:
        """Raises ChangedError when the file's content has changed."""
        bundle = None
        if self.bundle is not None:
            from quire.core.bundle import Bundle

            bundle = Bundle.from_bytes(self.bundle.read_bytes())
        document = Document(self.path, name=self.name, password=self.password, bundle=bundle)
        if document.id != self.id:
            document.close()
            raise ChangedError("has changed since the read began; read it again", document=self.name)
        return document


class DiskCopy:
    """A document for workers: at its path, or in a temporary file if it was passed as bytes."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._copy: Path | None = None

    def opened(self) -> Opened:
        document = self._document
        path = document.path or self._copy
        if path is None:
            import tempfile  # lazy: workers import this module too and do not need it

            assert document.data is not None
            handle, name = tempfile.mkstemp(prefix="quire-")
            with os.fdopen(handle, "wb") as file:
                file.write(document.data)
            path = self._copy = Path(name)
        return Opened(path.absolute(), document.name, document.id, document.password)

    def close(self) -> None:
        if self._copy is not None:
            self._copy.unlink(missing_ok=True)
