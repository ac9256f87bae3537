"""The bytes of a document: at its path, or in the store for machines without access to the path."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from threading import Lock
from typing import BinaryIO
from weakref import finalize

from quire.core.bundle import Bundle
from quire.core.context import Store
from quire.core.document import Document
from quire.core.errors import ChangedError, InputError
from quire.core.hashing import FileState, Hashed, hash_file
from quire.core.keys import ArtifactKey, Digest, Profile, artifact_key, digest_bytes
from quire.core.passwords import Password, password_of
from quire.durable.reads.read_request import SourceRef
from quire.store.scoped import document_in

NOTHING = Profile().digest()
KEPT = 8
"""Copies of documents that are cached for the next step."""
PIECE_BYTES = 8 << 20
"""A document is saved to the store and loaded from it in pieces of this size."""
REMEMBERED = 1000
"""Files whose id is cached."""


def source_key(document: str) -> ArtifactKey:
    """The key of the list of pieces that a document consists of."""
    return artifact_key("source", "2", (document,), NOTHING)


def keep_source(store: Store, source: SourceRef) -> int:
    """Save a document to the store unless it is there; returns the bytes saved. Raises ChangedError."""
    if store.find(source_key(source.id)) is not None:
        return 0
    with Document(source.path, name=source.name) as document, document.open() as file:
        if document.id != source.id:
            raise _changed(source)
        save_source(store, source.id, file, document.check_unchanged)
        return document.size


def save_source(
    store: Store,
    document: str,
    file: BinaryIO,
    check: Callable[[], object] = lambda: None,
    *,
    lasting: bool = True,
) -> None:
    """Save the bytes of a document, whose id is `document`, in pieces; `check` is called before each is saved.

    `lasting` is that of `Store.flush`.
    """
    pieces = []
    while piece := file.read(PIECE_BYTES):
        check()
        digest = digest_bytes(piece)
        pieces.append(digest)
        piece_key = artifact_key("source-piece", "1", (document, digest), NOTHING)
        store.save(piece_key, piece, stage="source", document=document)
    store.save(source_key(document), json.dumps(pieces).encode(), stage="source", document=document)
    store.flush(lasting=lasting)


def open_source(
    store: Store, source: SourceRef, *, password: Password = None, bundle: Digest | None = None
) -> Document:
    """The document, at its path or from the store. Raises ChangedError if the file has changed.

    `bundle` is the digest of its bundle, if it was converted.
    """
    stored = store.find(source_key(source.id)) if source.stored else None
    place = Path(source.path) if stored is None else b"".join(_pieces(store, stored))
    converted = None if bundle is None else Bundle.from_bytes(store.load(bundle))
    document = Document(place, name=source.name, password=password_of(password, source.path), bundle=converted)
    if document.id != source.id:
        raise _changed(source)
    return document


class Sources:
    """Paths of documents on this machine. Thread-safe. Copies are deleted with it, or with their document.

    `scope` is that of the store: copies are named by the ids that their tables have.
    """

    def __init__(self, store: Store, scope: str = "") -> None:
        self._store, self._scope = store, scope
        self._lock = Lock()
        self._own = token_hex(4)  # several in one process may have a copy of the same document
        self._copies: dict[str, Path] = {}  # least recently used first
        self._used: Counter[str] = Counter()
        self._known: dict[Path, Hashed] = {}

    @contextmanager
    def path(self, source: SourceRef) -> Iterator[Path]:
        """A path of the document, valid inside the context. Raises InputError when its bytes are not available."""
        path = Path(source.path)
        if not source.stored or (source.path and self._id(path) == source.id):
            yield path
            return
        with self._copy(source.id, lambda: self._copied(source)) as copy:
            yield copy

    @contextmanager
    def bundle(self, digest: Digest) -> Iterator[Path]:
        """A file with a bundle of the store, for workers, valid inside the context."""
        with self._copy(digest, lambda: self._written(digest, [self._store.load(digest)])) as copy:
            yield copy

    @contextmanager
    def _copy(self, name: str, make: Callable[[], Path]) -> Iterator[Path]:
        with self._lock:
            known = self._copies.pop(name, None)
            copy = known if known is not None and known.exists() else make()
            self._copies[name] = copy
            self._used[name] += 1
        try:
            yield copy
        finally:
            with self._lock:
                self._used[name] -= 1
                self._forget()

    def _id(self, path: Path) -> Digest | None:
        """The id of the document at a path, cached while size and times of the file stay the same."""
        known = self._known.get(path)
        try:
            if known is None or not known.holds(FileState.at(path)):
                known = hash_file(path)
        except OSError:
            return None
        self._remember(path, known)
        return known.digest

    def _remember(self, path: Path, hashed: Hashed | None) -> None:
        with self._lock:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            if hashed is not None:
                self._known[path] = hashed

    def _copied(self, source: SourceRef) -> Path:
        digest = self._store.find(source_key(source.id))
        if digest is None:
            raise InputError("is neither at its path nor in the store; submit it again", document=source.name)
        return self._written(source.id, _pieces(self._store, digest))

    def _written(self, name: str, pieces: Iterable[bytes]) -> Path:
        folder = self._store.scratch() / self._own
        if not folder.exists():
            folder.mkdir()
            finalize(self, rmtree, folder, ignore_errors=True)
        path = folder / document_in(self._scope, name)
        with path.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        return path

    def _forget(self) -> None:
        unused = [document for document in self._copies if not self._used[document]]
        for document in unused[: max(0, len(self._copies) - KEPT)]:
            self._copies.pop(document).unlink(missing_ok=True)
            del self._used[document]


def _pieces(store: Store, digest: Digest) -> Iterator[bytes]:
    return (store.load(Digest(piece)) for piece in json.loads(store.load(digest)))


def _changed(source: SourceRef) -> ChangedError:
    return ChangedError("has changed since it was planned; run it again", document=source.name)
