"""Packs: many small contents concatenated in one object. The database records the offset of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from uuid import uuid4

from quire.core.keys import Digest
from quire.database.facts import ContentPlace

PACKS = "packs/"
LOOSE = "objects/"
"""The folder in which stores of schema version 1 and 2 kept each content under its digest."""
LARGE = 1_000_000
"""Contents of at least this size get a separate pack."""


def packed(contents: Mapping[Digest, bytes]) -> Iterator[tuple[str, bytes, dict[Digest, ContentPlace]]]:
    """Packs for the contents: the name, the bytes, and the place of each content.

    Names are always new, so that one process never removes what another has just written.
    """
    small = {digest: data for digest, data in contents.items() if len(data) < LARGE}
    if small:
        yield _pack(small)
    for digest, data in contents.items():
        if digest not in small:
            yield _pack({digest: data})


def _pack(contents: Mapping[Digest, bytes]) -> tuple[str, bytes, dict[Digest, ContentPlace]]:
    name = f"{PACKS}{uuid4().hex}"
    places, start = {}, 0
    for digest, data in contents.items():
        places[digest] = ContentPlace(name, start, len(data))
        start += len(data)
    return name, b"".join(contents.values()), places
