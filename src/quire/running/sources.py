"""Where the bytes of a document are: at its path, or in the store for machines that cannot reach it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from weakref import finalize

from quire.context import Store
from quire.document import Document
from quire.errors import InputError
from quire.keys import ArtifactKey, Digest, Profile, artifact_key, digest_bytes
from quire.records.files import Hashed, Seen
from quire.running.request import SourceRef

KEPT = 8
"""Copies of documents that stay for the next step."""
REMEMBERED = 1000
"""Files whose id is remembered."""


def source_key(document: str) -> ArtifactKey:
    """The key of the bytes of a document."""
    return artifact_key("source", "1", (document,), Profile().digest())


def keep_source(store: Store, source: SourceRef) -> None:
    """Put a document into the store, unless it is there. Raises InputError when it is another one by now."""
    key = source_key(source.id)
    if store.find(key) is None:
        data = _bytes(source)
        if digest_bytes(data) != source.id:
            raise _changed(source)
        store.save(key, data, stage="source", document=source.id)
        store.flush()


def open_source(store: Store, source: SourceRef, *, password: str | None = None) -> Document:
    """The document, at its path or from the store. Raises InputError when it is another one by now."""
    stored = store.find(source_key(source.id)) if source.stored else None
    place = Path(source.path) if stored is None else store.load(stored)
    document = Document(place, name=source.name, password=password)
    if document.id != source.id:
        raise _changed(source)
    return document


class Sources:
    """Paths of documents on this machine. Any thread may use it; copies go with it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._folder: Path | None = None
        self._copies: dict[str, Path] = {}  # the one used last comes last
        self._used: Counter[str] = Counter()
        self._known: dict[tuple[Path, Seen], Digest] = {}

    @contextmanager
    def path(self, source: SourceRef) -> Iterator[Path]:
        """A path of the document, good until the end. Raises InputError when its bytes are nowhere."""
        path = Path(source.path)
        if not source.stored or self._id(path) == source.id:
            yield path
            return
        with self._lock:
            copy = self._copies.pop(source.id) if source.id in self._copies else self._copied(source)
            self._copies[source.id] = copy
            self._used[source.id] += 1
        try:
            yield copy
        finally:
            with self._lock:
                self._used[source.id] -= 1
                self._forget()

    @contextmanager
    def opened(self, source: SourceRef, *, password: str | None = None) -> Iterator[Document]:
        """The document, which a step for each of its pages may open without reading all of it each time."""
        with self.path(source) as path:
            if (self._id(path) or Document(path).id) != source.id:  # the latter says what is wrong with it
                raise _changed(source)
            with Document(path, name=source.name, password=password, id=Digest(source.id)) as document:
                yield document

    def _id(self, path: Path) -> Digest | None:
        """The id of the document that lies there, remembered as long as the file looks the same."""
        try:
            seen, began = Seen.of(path.stat()), time.time_ns()
            known = self._known.get((path, seen)) or Document(path).id
        except (OSError, InputError):
            return None
        if Hashed(str(path), seen, known, began).settled:
            with self._lock:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[path, seen] = known
        return known

    def _copied(self, source: SourceRef) -> Path:
        digest = self._store.find(source_key(source.id))
        if digest is None:
            raise InputError("is neither at its path nor in the store; submit it again", document=source.name)
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="quire-sources-"))
            finalize(self, rmtree, self._folder, ignore_errors=True)
        path = self._folder / f"{source.id}{Path(source.path).suffix}"
        path.write_bytes(self._store.load(digest))
        return path

    def _forget(self) -> None:
        unused = [document for document in self._copies if not self._used[document]]
        for document in unused[: max(0, len(self._copies) - KEPT)]:
            self._copies.pop(document).unlink(missing_ok=True)
            del self._used[document]


def _bytes(source: SourceRef) -> bytes:
    try:
        return Path(source.path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", document=source.name) from error


def _changed(source: SourceRef) -> InputError:
    return InputError("has changed since it was planned; run it again", document=source.name)
