"""A document for a worker to open: where it lies and which bytes it must have."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from quire.document import Document
from quire.errors import InputError
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
        return work.kept(f"document {self.id} {self.path} {secret}", self.open)

    def open(self) -> Document:
        """Raises InputError when the file holds other bytes by now."""
        document = Document(self.path, name=self.name, password=self.password)
        if document.id != self.id:
            document.close()
            raise InputError("has changed since the read began; read it again", document=self.name)
        return document


@contextmanager
def on_disk(document: Document) -> Iterator[Opened]:
    """A document for workers. One that is only in memory is written to a temporary file for as long as this lasts."""
    copy: Path | None = None
    path = document.path
    if path is None:
        assert document.data is not None
        handle, name = tempfile.mkstemp(prefix="quire-")
        path = copy = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(document.data)
    try:
        yield Opened(path.absolute(), document.name, document.id, document.password)
    finally:
        if copy is not None:
            copy.unlink(missing_ok=True)
