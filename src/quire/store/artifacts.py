"""Artifacts over any objects and any database: bytes in packs, facts in tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import RLock
from types import TracebackType
from typing import Self

from quire.context import Claim
from quire.database.database import Database
from quire.database.facts import ContentPlace, Fact, Facts, KnownFact
from quire.database.leases import LEASE_S, Claims
from quire.engine import Attempt
from quire.errors import FencedError, StoreError
from quire.keys import ArtifactKey, Digest, digest_bytes
from quire.store.objects import Objects
from quire.store.packs import LARGE, LOOSE, packed

BATCH = 128
"""Artifacts written and recorded in one batch."""
BATCH_BYTES = 8_000_000
DAY_S = 86_400
KNOWN_PACKS = 16_384
"""How many existing packs are cached."""
ASKING = 16
"""Packs checked concurrently: in a bucket each check is a request."""
KNOWN_PLACES = 16_384
"""How many places of contents are cached: enough for the pages of a large document."""


class ArtifactStore:
    """Artifacts in packs, facts in a database. Safe for several threads and processes.

    Saved artifacts stay in memory until there are `BATCH` of them or `BATCH_BYTES`, or until `flush` or `close`; then
    they become one pack, and once that is synced the facts are committed. A process that crashes before that loses
    the batch, never a part of an artifact. A fact whose content is missing is ignored: the content was removed.

    `reopen` opens the database again for artifacts that are loaded after closing and whose place is not cached.
    """

    lasting = True

    def __init__(
        self,
        objects: Objects,
        database: Database,
        *,
        reopen: Callable[[], Database] | None = None,
        lease_s: float = LEASE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.objects = objects
        self.database = database
        self._reopen = reopen
        self._clock = clock
        self._facts = Facts(database)
        self._claims = Claims(database, lease_s=lease_s)
        self._lock = RLock()
        self._closed = False
        self._pending: dict[ArtifactKey, Fact] = {}  # to be recorded
        self._contents: dict[Digest, bytes] = {}  # to be written before their facts
        self._bytes = 0  # size of these contents
        self._late: set[ArtifactKey] = set()  # saved under a claim that may be lost by now
        self._written: dict[Digest, ContentPlace] = {}  # from a batch whose facts could not be recorded
        self._used: set[ArtifactKey] = set()  # found today for the first time
        self._there: set[str] = set()  # packs known to exist
        self._places: dict[Digest, ContentPlace] = {}  # cached places; contents may have been moved since

    @property
    def place(self) -> str:
        """Its name in messages."""
        return self.objects.place

    def find(self, key: ArtifactKey) -> Digest | None:
        return self.find_many((key,)).get(key)

    def find_many(self, keys: Sequence[ArtifactKey]) -> Mapping[ArtifactKey, Digest]:
        with self._lock:
            digests = {key: self._pending[key].digest for key in keys if key in self._pending}
            found = self._facts.find([key for key in dict.fromkeys(keys) if key not in digests])
            packs = self._seen({known.place.pack for known in found.values()})
            there = {key: known for key, known in found.items() if known.place.pack in packs}
            self._remember({known.digest: known.place for known in there.values()})
            self._note_use(there)
            return digests | {key: known.digest for key, known in there.items()}

    def has_contents(self, digests: Sequence[Digest]) -> set[Digest]:
        with self._lock:
            unwritten = {digest for digest in digests if digest in self._contents or digest in self._written}
            return unwritten | self._stored([digest for digest in set(digests) if digest not in unwritten])

    def share(self, key: ArtifactKey, *, document: str, page: int | None = None) -> Digest | None:
        digest = self.find(key)
        with self._lock:
            if key in self._pending and self._pending[key].document != document:
                self._flush()
            if digest is None or key in self._pending or self._facts.share(key, digest, document, page, self._today()):
                return digest
        return None  # deleted since it was found

    def load(self, digest: Digest) -> bytes:
        with self._lock:
            data, place = self._contents.get(digest), self._places.get(digest)
        if data is None:
            data = self._content(digest, place)
        while data is None:
            before, place = place, self._place(digest)
            if place is None or place == before:
                raise self._lost(digest, place)
            data = self._content(digest, place)  # garbage collection may have moved it
        return data

    def save(
        self,
        key: ArtifactKey,
        data: bytes,
        *,
        stage: str,
        document: str,
        page: int | None = None,
        claim: Claim | None = None,
    ) -> Digest:
        digest = digest_bytes(data)
        with self._lock:
            if self._closed:
                raise StoreError(f"the store {self.place} is closed")
            if len(self._pending) >= BATCH or self._bytes + len(data) > BATCH_BYTES:
                self._flush()  # before this one is taken, so that a full disk does not fill the memory too
            if digest not in self._contents and digest not in self._written:
                self._contents[digest] = data
                self._bytes += len(data)
            self._pending[key] = Fact(key, digest, stage, document, page, len(data), self._today())
            self._late.discard(key)
            if claim is not None or len(data) >= LARGE:
                self._save_now(key, claim)
        return digest

    def claim(self, key: ArtifactKey) -> Claim | None:
        return self._claims.claim(key)

    def release(self, claim: Claim) -> None:
        self._claims.release(claim)

    def flush(self) -> None:
        """Write and record everything saved so far; it survives a power failure."""
        with self._lock:
            self._flush(lasting=True)

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        self._facts.note_path(document, page, reading, attempts)

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        return self._facts.path(document, page, reading)

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        return self._facts.paths(document)

    def close(self) -> None:
        """Record what is pending, release claims and close the database. Artifacts can still be loaded."""
        with self._lock:
            if self._closed:
                return
            try:
                self._flush(lasting=True)
                self._flush_use()
            finally:
                self._closed = True
                with suppress(StoreError):  # an expiring lease does it too
                    self._claims.close()
                self.database.close()
                self.objects.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()

    def _flush(self, *, claim: Claim | None = None, lasting: bool = False) -> None:
        """Write a pack, then record its facts. If this raises, everything stays pending for the next flush."""
        while self._pending:
            wanted = {fact.digest for fact in self._pending.values()}
            stored = self._stored([digest for digest in wanted if digest in self._contents])
            self._write({d: data for d, data in self._contents.items() if d in wanted and d not in stored})
            places = {digest: place for digest, place in self._written.items() if digest in wanted}
            with self.database.transaction(lasting=lasting):
                if claim is not None:
                    self._claims.check(claim)
                for key in self._facts.find(sorted(self._late)):
                    del self._pending[key]  # another process was faster
                    self._late.remove(key)
                if not self._facts.hold(stored):
                    continue  # garbage collection just removed some of it: write it after all
                self._facts.record(list(self._pending.values()), places)
            self._remember(places)
            self._pending.clear()
            self._late.clear()
            self._contents.clear()
            self._written.clear()
            self._bytes = 0

    def _save_now(self, key: ArtifactKey, claim: Claim | None) -> None:
        try:
            self._flush(claim=claim, lasting=True)
        except FencedError:
            del self._pending[key]
            raise
        except BaseException:  # it was expensive: the next flush records it, unless another process has by then
            if claim is not None:
                self._late.add(key)
            raise

    def _stored(self, digests: Sequence[Digest]) -> set[Digest]:
        """The digests whose content exists already."""
        places = self._facts.places(digests)
        packs = self._seen({place.pack for place in places.values()})
        return {digest for digest, place in places.items() if place.pack in packs}

    def _write(self, contents: Mapping[Digest, bytes]) -> None:
        for name, data, places in packed(contents):
            self.objects.write(name, data)
            self._written.update(places)
            for digest in places:
                self._bytes -= len(self._contents.pop(digest))

    def _place(self, digest: Digest) -> ContentPlace | None:
        with self._lock:
            if digest in self._written:
                return self._written[digest]
            if not self._closed:
                return self._facts.places([digest]).get(digest)
        if self._reopen is None:
            raise StoreError(f"the store {self.place} is closed")
        with closing(self._reopen()) as database:
            return Facts(database).places([digest]).get(digest)

    def _remember(self, places: Mapping[Digest, ContentPlace]) -> None:
        if len(self._places) + len(places) > KNOWN_PLACES:
            self._places.clear()
        if len(places) <= KNOWN_PLACES:
            self._places.update(places)

    def _content(self, digest: Digest, place: ContentPlace | None) -> bytes | None:
        """The verified content at a place; None when it is missing."""
        if place is None:
            return None
        if place.pack.startswith(LOOSE):
            data = self.objects.read(place.pack)
        else:
            data = self.objects.read(place.pack, place.start, place.size)
        return data if data is not None and digest_bytes(data) == digest else None

    def _lost(self, digest: Digest, place: ContentPlace | None) -> StoreError:
        """The error for a missing content. Checks the whole pack: facts of everything missing from it are forgotten."""
        if place is None:
            if not self._closed:
                self._facts.forget_referring()
            return StoreError(f"artifact {digest} is missing from {self.place}; read the document again")
        with self._lock:
            self._there.discard(place.pack)
            self._places.pop(digest, None)
        what = "damaged" if self.objects.exists(place.pack) else "missing"
        if not self._closed:
            places = self._facts.contents(place.pack)
            self._facts.forget({d: p for d, p in places.items() if self._content(d, p) is None})
        return StoreError(f"artifact {digest} is {what} in {self.place}/{place.pack}; read the document again")

    def _seen(self, packs: set[str]) -> set[str]:
        """The packs that exist."""
        unknown = sorted(packs - self._there)
        if len(unknown) > 1:
            with ThreadPoolExecutor(min(len(unknown), ASKING)) as threads:
                answers = list(threads.map(self.objects.exists, unknown))
        else:
            answers = [self.objects.exists(pack) for pack in unknown]
        missing = {pack for pack, there in zip(unknown, answers, strict=True) if not there}
        if len(self._there) + len(unknown) > KNOWN_PACKS:
            self._there.clear()
        self._there.update(packs - missing)
        return packs - missing

    def _note_use(self, found: Mapping[ArtifactKey, KnownFact]) -> None:
        """Record the use of facts: once a day for each, in batches."""
        today = self._today()
        self._used.update(key for key, known in found.items() if known.used < today)
        if len(self._used) >= BATCH:
            self._flush_use()

    def _flush_use(self) -> None:
        # A look-up must work on a full disk: the day is recorded another time.
        with suppress(StoreError), self.database.transaction():
            self._facts.touch(self._used, self._today())
        self._used.clear()

    def _today(self) -> int:
        return int(self._clock() // DAY_S)
