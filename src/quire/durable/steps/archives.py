"""The parts of a worker's message: several contents in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def parts_of(data: bytes, sizes: Iterable[int]) -> Iterator[bytes]:
    """The parts that a message holds one after the other, by their sizes."""
    at = 0
    for size in sizes:
        yield data[at : at + size]
        at += size
