"""Compaction: live contents of packs with holes are written into new packs, and the old ones are removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from quire.core.keys import Digest, digest_bytes
from quire.database.database import Database
from quire.database.facts import ContentPlace, Facts
from quire.store.objects import Objects
from quire.store.packs import LOOSE, PACKS, packed

ROUND_BYTES = 8_000_000
"""Contents moved in one batch."""


class Pack(NamedTuple):
    """An object with contents: its size, and how many of its bytes the database knows."""

    name: str
    size: int
    modified: float
    live: int


def packs_of(objects: Objects, database: Database) -> list[Pack]:
    """Every object with contents. An unknown one may just be in the process of being written."""
    there = [
        *objects.list(PACKS),
        *objects.list(LOOSE),
    ]  # before the query: everything that is known then has been written
    known = Facts(database).known_bytes()
    return [Pack(*one, known.get(one.name, 0)) for one in there]


def rewrite(objects: Objects, database: Database, packs: Sequence[Pack]) -> None:
    """Merge the live contents of these packs into new ones, and remove the old ones.

    Concurrent look-ups succeed: the database changes before an old pack is removed. A process that ends in between
    leaves an orphaned pack, which the next garbage collection removes.
    """
    facts = Facts(database)
    for some in _rounds(packs):
        places = {digest: place for pack in some for digest, place in facts.contents(pack.name).items()}
        contents = _contents(objects, places)
        moved: dict[Digest, ContentPlace] = {}
        for name, data, new in packed(contents):
            objects.write(name, data)
            moved.update(new)
        with database.transaction(lasting=True):
            facts.forget({digest: place for digest, place in places.items() if digest not in contents})
            facts.move(places, moved)
        objects.delete([pack.name for pack in some])


def _rounds(packs: Iterable[Pack]) -> Iterator[list[Pack]]:
    """Packs whose live contents fit into memory together."""
    some: list[Pack] = []
    for pack in packs:
        if some and sum(one.live for one in some) + pack.live > ROUND_BYTES:
            yield some
            some = []
        some.append(pack)
    if some:
        yield some


def _contents(objects: Objects, places: Mapping[Digest, ContentPlace]) -> dict[Digest, bytes]:
    """The contents that pass verification."""
    read = ((digest, objects.read(*place)) for digest, place in places.items())
    return {digest: data for digest, data in read if data is not None and digest_bytes(data) == digest}
