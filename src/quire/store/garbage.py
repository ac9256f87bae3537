"""Garbage collection: removes what is unreachable, and what has passed its retention time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from quire.core.errors import StoreError
from quire.core.keys import ArtifactKey
from quire.database.facts import Facts
from quire.database.leases import forget_owners
from quire.database.runs import forget_ended_runs
from quire.store.artifacts import DAY_S, ArtifactStore
from quire.store.compaction import Pack, packs_of, rewrite
from quire.store.images import DOCUMENTS, document_of
from quire.store.images import STAGE as IMAGE_STAGE
from quire.store.local import STALE_S, WAITING
from quire.store.objects import ListedObject
from quire.store.packs import LOOSE

RUN_DAYS = 30
"""How long ended runs are kept."""
POLL_S = 0.05
"""Seconds between checks whether another process has removed the objects to be removed."""
SMALL = 64_000
"""Packs up to this size are merged."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Settings of a collection: garbage besides unreachable contents."""

    unused_days: int | None = None
    """Artifacts of documents not used for this many days; None keeps them."""
    answers: bool = False
    """Engine answers too, which cost money."""
    run_days: int = RUN_DAYS
    """Runs that ended this many days ago."""
    grace_s: float = STALE_S
    """Unknown objects younger than this belong to a process that is writing."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The result of a collection: counts of everything that was removed, or would be."""

    facts: int = 0
    """Facts whose content was missing, or that had expired."""
    contents: int = 0
    """Contents that no fact refers to."""
    packs: int = 0
    """Orphaned objects, without any known content."""
    rewritten: int = 0
    """Packs rewritten into new ones: they were mostly holes, or small."""
    unfinished: int = 0
    """Files of processes that ended while writing."""
    images: int = 0
    """Page images of documents without any recorded image."""
    runs: int = 0
    bytes: int = 0
    """On the disk or in the bucket, without the database."""


class _Undo(Exception):
    """Rolls back the transaction of a dry run."""


def collect(
    store: ArtifactStore,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    *,
    dry_run: bool = False,
    clock: Callable[[], float] = time.time,
) -> Collected:
    """Remove garbage; with `dry_run` only report what would be removed. Other processes may work meanwhile."""
    objects, database, now = store.objects, store.database, clock()
    old = now - limits.grace_s
    store.flush()
    if not dry_run:
        store.leftovers.sweep()
    with alone(store):
        packs = packs_of(objects, database)
        found, live, pictured = _forget(store, packs, limits, now, dry_run=dry_run)
        dead = [pack for pack in packs if pack.name not in live and (pack.live or pack.modified < old)]
        left = [pack._replace(live=live[pack.name]) for pack in packs if pack.name in live]
        worn = _worn(left, old)
        unfinished = [one for one in objects.list(f"{WAITING}/") if one.modified < old]
        images = [
            one for one in objects.list(DOCUMENTS) if one.modified < old and document_of(one.name) not in pictured
        ]
        gone: list[Pack | ListedObject] = [*dead, *unfinished, *images]
        if not dry_run:
            objects.delete([one.name for one in gone])
            rewrite(objects, database, worn)
    size = sum(one.size for one in gone) + sum(pack.size - pack.live for pack in worn)
    counts = {"packs": len(dead), "rewritten": len(worn), "unfinished": len(unfinished), "images": len(images)}
    return replace(found, **counts, bytes=size)


@contextmanager
def alone(store: ArtifactStore, *, patience_s: float = 0.0) -> Iterator[None]:
    """A lock: one at a time removes data from a store. Raises StoreError when another one takes longer."""
    until = time.monotonic() + patience_s
    while (claim := store.claim(ArtifactKey("store/removing"))) is None:
        if time.monotonic() >= until:
            raise StoreError(f"another process is removing data from {store.place}; wait until it is done")
        time.sleep(POLL_S)
    try:
        yield
    finally:
        store.release(claim)


def _forget(
    store: ArtifactStore, packs: Sequence[Pack], limits: Limits, now: float, *, dry_run: bool
) -> tuple[Collected, Mapping[str, int], set[str]]:
    """Remove garbage rows; returns how many, the known bytes of each remaining pack, and the documents with images."""
    database, facts = store.database, Facts(store.database)
    there = {pack.name for pack in packs}
    missing = [name for name in facts.known_bytes() if name not in there and not store.objects.exists(name)]
    today = int(now // DAY_S)
    forgotten = 0
    with suppress(_Undo), database.transaction():
        if limits.unused_days is not None:
            forgotten = facts.forget_unused(today - limits.unused_days, today, answers=limits.answers)
        forgotten += facts.forget_packs(missing)
        contents = facts.remove_unreferenced()
        runs = forget_ended_runs(database, before=now - limits.run_days * DAY_S)
        forget_owners(database, DAY_S)
        live, pictured = facts.known_bytes(), facts.documents_with(IMAGE_STAGE)
        if dry_run:
            raise _Undo
    return Collected(facts=forgotten, contents=contents, runs=runs), live, pictured


def _worn(packs: Sequence[Pack], old: float) -> list[Pack]:
    """Packs that are mostly holes, and small ones, because packs never grow: many files for few bytes."""
    own = [pack for pack in packs if not pack.name.startswith(LOOSE)]
    holes = [pack for pack in own if pack.live * 2 < pack.size]
    small = [pack for pack in own if pack.live * 2 >= pack.size and pack.size < SMALL and pack.modified < old]
    return holes + (small if len(small) > 1 else [])
