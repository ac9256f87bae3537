"""A report on a store: sizes by stage, last use, and how much is shared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from quire.database.totals import totals_of
from quire.store.artifacts import ArtifactStore
from quire.store.compaction import packs_of

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class StageReport:
    """The artifacts of one stage; `last_used` is a day, None when unknown."""

    stage: str
    artifacts: int
    bytes: int
    last_used: str | None


@dataclass(frozen=True, slots=True)
class StoreReport:
    """Sizes in bytes."""

    place: str
    documents: int
    artifacts: int
    bytes: int
    """Sum over all artifacts."""
    contents: int
    content_bytes: int
    """Deduplicated: artifacts with equal content share it."""
    packs: int
    pack_bytes: int
    """On the disk or in the bucket."""
    holes: int
    """Unreferenced bytes of that; `quire store gc` removes them once they are many or old."""
    stages: tuple[StageReport, ...]
    runs: dict[str, int]
    """The number of runs by state."""

    @property
    def shared_bytes(self) -> int:
        """The bytes that deduplication saves."""
        return self.bytes - self.content_bytes


def report(store: ArtifactStore) -> StoreReport:
    totals = totals_of(store.database)
    packs = packs_of(store.objects, store.database)
    return StoreReport(
        place=store.place,
        **totals.counts,
        packs=len(packs),
        pack_bytes=sum(pack.size for pack in packs),
        holes=sum(max(0, pack.size - pack.live) for pack in packs),
        stages=tuple(StageReport(stage, many, size, _day(used)) for stage, many, size, used in totals.stages),
        runs=totals.runs,
    )


def _day(number: int) -> str | None:
    """A day by its number; 0 for a fact of an older store that was not used since."""
    return (EPOCH + timedelta(days=number)).isoformat() if number else None
