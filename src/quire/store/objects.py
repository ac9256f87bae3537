"""The interface for the bytes of a store: named objects in a folder or a bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol


class ListedObject(NamedTuple):
    """An existing object."""

    name: str
    size: int
    modified: float


class Objects(Protocol):
    """Objects by name: parts joined with `/`. Thread-safe.

    Writes are atomic, and durable when `write` returns. Raises StoreError, with advice, when the place cannot be
    written or read.
    """

    @property
    def place(self) -> str:
        """Its name in messages: a folder, or an address without its secrets."""
        ...

    def write(self, name: str, data: bytes) -> None: ...

    def write_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Write several concurrently, with only a few in memory; after a failure no further write is started."""
        ...

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """The object, or a part of it; None when it does not exist."""
        ...

    def exists(self, name: str) -> bool: ...

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects; missing ones are ignored."""
        ...

    def list(self, prefix: str) -> Iterator[ListedObject]:
        """All whose name begins with a folder's name and `/`."""
        ...

    def close(self) -> None: ...
