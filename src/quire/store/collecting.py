"""Garbage: what nobody can find any more, and what was asked to be forgotten after a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from quire.database.facts import Facts
from quire.database.leases import forget_owners
from quire.database.runs import forget_ended_runs
from quire.errors import StoreError
from quire.keys import ArtifactKey
from quire.store.artifacts import DAY_S, ArtifactStore
from quire.store.compacting import Pack, packs_of, rewrite
from quire.store.images import DOCUMENTS, document_of
from quire.store.images import STAGE as IMAGE_STAGE
from quire.store.local import STALE_S, WAITING
from quire.store.objects import ListedObject
from quire.store.packs import LOOSE

RUN_DAYS = 30
"""How long what is known of a run that has ended is kept."""
SMALL = 64_000
"""Bytes up to which packs are joined."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What counts as garbage beside what nobody can find."""

    unused_days: int | None = None
    """Artifacts of documents of which nobody has looked anything up for so many days; None keeps them."""
    answers: bool = False
    """Answers of engines too, which cost money."""
    run_days: int = RUN_DAYS
    """Runs that ended so many days ago."""
    grace_s: float = STALE_S
    """Younger objects that nobody knows belong to a process that is writing."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed, or would be."""

    facts: int = 0
    """Facts whose content was missing, or that were not used for long."""
    contents: int = 0
    """Contents that no fact leads to."""
    packs: int = 0
    """Objects in which nothing was known any more."""
    rewritten: int = 0
    """Packs whose remains went into new ones: they were mostly holes, or small."""
    unfinished: int = 0
    """Files of processes that ended while they wrote."""
    images: int = 0
    """Pictures of pages of documents that none is recorded of any more."""
    runs: int = 0
    bytes: int = 0
    """On the disk or in the bucket, without those of the database."""


class _Undo(Exception):
    """Ends a transaction that was only to be looked at."""


def collect(
    store: ArtifactStore,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    *,
    dry_run: bool = False,
    clock: Callable[[], float] = time.time,
) -> Collected:
    """Remove garbage; with `dry_run` only say what would go. Other processes may go on working meanwhile."""
    objects, database, now = store.objects, store.database, clock()
    old = now - limits.grace_s
    store.flush()
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
def alone(store: ArtifactStore) -> Iterator[None]:
    """One process at a time removes things from a store. Raises StoreError while another one does."""
    claim = store.claim(ArtifactKey("store/removing"))
    if claim is None:
        raise StoreError(f"another process is removing things from {store.place}; wait until it is done")
    try:
        yield
    finally:
        store.release(claim)


def _forget(
    store: ArtifactStore, packs: Sequence[Pack], limits: Limits, now: float, *, dry_run: bool
) -> tuple[Collected, Mapping[str, int], set[str]]:
    """Remove rows that are garbage; how many, and then the bytes known of each pack, and documents with pictures."""
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
    """Packs that are mostly holes, and small ones that nobody will add to: many files for few bytes."""
    own = [pack for pack in packs if not pack.name.startswith(LOOSE)]
    holes = [pack for pack in own if pack.live * 2 < pack.size]
    small = [pack for pack in own if pack.live * 2 >= pack.size and pack.size < SMALL and pack.modified < old]
    return holes + (small if len(small) > 1 else [])
