"""What is in a store: how much, of which stage, how often it was of use, how much is shared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from quire.store.artifacts import ArtifactStore
from quire.store.compacting import packs_of
from quire.store.facts import integer

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class StageReport:
    """The artifacts of one stage; `last_used` is a day, None when that is not known."""

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
    """Of all artifacts, each counted for itself."""
    contents: int
    content_bytes: int
    """Of what is kept: artifacts with equal content share it."""
    packs: int
    pack_bytes: int
    """On the disk or in the bucket."""
    holes: int
    """Bytes of that which nobody knows; `quire store gc` removes them once they are many or old."""
    stages: tuple[StageReport, ...]
    runs: dict[str, int]
    """How many runs are in which state."""

    @property
    def shared_bytes(self) -> int:
        """What sharing saves."""
        return self.bytes - self.content_bytes


def report(store: ArtifactStore) -> StoreReport:
    database = store.database
    stages = database.rows(
        "SELECT stage, count(*), sum(size), max(used) FROM facts GROUP BY stage ORDER BY sum(size) DESC, stage"
    )
    ((artifacts, size, documents),) = database.rows(
        "SELECT count(*), coalesce(sum(size), 0), count(DISTINCT document) FROM facts"
    )
    ((contents, content_bytes),) = database.rows("SELECT count(*), coalesce(sum(size), 0) FROM objects")
    runs = database.rows("SELECT state, count(*) FROM runs GROUP BY state ORDER BY state")
    packs = packs_of(store.objects, database)
    return StoreReport(
        place=store.place,
        documents=integer(documents),
        artifacts=integer(artifacts),
        bytes=integer(size),
        contents=integer(contents),
        content_bytes=integer(content_bytes),
        packs=len(packs),
        pack_bytes=sum(pack.size for pack in packs),
        holes=sum(max(0, pack.size - pack.live) for pack in packs),
        stages=tuple(StageReport(str(stage), integer(n), integer(b), _day(used)) for stage, n, b, used in stages),
        runs={str(state): integer(number) for state, number in runs},
    )


def _day(used: object) -> str | None:
    """A day by its number; 0 for a fact of an older store that nobody has looked up since."""
    number = integer(used)
    return (EPOCH + timedelta(days=number)).isoformat() if number else None
