"""The contract of the bytes of a store: named objects in a folder or a bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol


class ListedObject(NamedTuple):
    """An object that is there."""

    name: str
    size: int
    modified: float


class Objects(Protocol):
    """Objects by name: parts joined with `/`. Any thread may use it.

    An object is there whole or not at all, and lasts when `write` returns. Raises StoreError, with what to do, when
    the place cannot be written or read.
    """

    @property
    def place(self) -> str:
        """What messages call it: a folder, or an address without its secrets."""
        ...

    def write(self, name: str, data: bytes) -> None: ...

    def write_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Several at a time, never more than a few in memory; when one fails, none of those after it is begun."""
        ...

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        """The object, or a part of it; None when it is not there."""
        ...

    def exists(self, name: str) -> bool: ...

    def delete(self, names: Sequence[str]) -> None:
        """Those that are there."""
        ...

    def list(self, prefix: str) -> Iterator[ListedObject]:
        """All whose name begins with a folder's name and `/`."""
        ...

    def close(self) -> None: ...
