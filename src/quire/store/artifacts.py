"""Artifacts over any objects and any database: bytes in packs, facts in tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock, RLock
from types import TracebackType
from typing import Self

from quire.core.context import Claim
from quire.core.engine import Attempt
from quire.core.errors import FencedError, StoreError
from quire.core.keys import ArtifactKey, Digest, digest_bytes
from quire.database.database import Database
from quire.database.facts import ContentPlace, Fact, Facts, KnownFact
from quire.database.leases import LEASE_S, Claims
from quire.store.objects import Objects
from quire.store.packs import LARGE, LOOSE, packed
from quire.store.scratch import Scratch

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
        self.leftovers = Scratch(objects, self._claims)
        """Files of processes on this machine, of which killed ones leave theirs behind."""
        self._lock = RLock()
        self._flushing = Lock()  # taken before `_lock`
        self._closed = False
        self._pending: dict[ArtifactKey, Fact] = {}  # to be recorded
        self._contents: dict[Digest, bytes] = {}  # to be written before their facts
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
            of_another = key in self._pending and self._pending[key].document != document
        if of_another:
            self._flush()
        with self._lock:
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
        fact = Fact(key, digest, stage, document, page, len(data), self._today())
        if self._is_full(len(data)):
            self._flush()  # before this one is taken, so that a full disk does not fill the memory too
        if claim is not None:
            self._save_claimed(fact, data, claim)
            return digest
        with self._lock:
            self._add(fact, data)
        if len(data) >= LARGE:
            self.flush()
        return digest

    def claim(self, key: ArtifactKey) -> Claim | None:
        return self._claims.claim(key)

    def release(self, claim: Claim) -> None:
        self._claims.release(claim)

    def flush(self, *, lasting: bool = True) -> None:
        """Write and record everything saved so far; with `lasting`, it survives a power failure."""
        self._flush(lasting=lasting)

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        self._facts.note_path(document, page, reading, attempts)

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        return self._facts.path(document, page, reading)

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        return self._facts.paths(document)

    def scratch(self) -> Path:
        return self.leftovers.folder()

    def close(self) -> None:
        """Record what is pending, release claims and close the database. Artifacts can still be loaded."""
        if self._closed:
            return
        try:
            self._flush(lasting=True)
        finally:
            self._end()

    def _end(self) -> None:
        with self._lock:
            if self._closed:
                return
            try:
                self._flush_use()
            finally:
                self._closed = True
                self.leftovers.close()
                with suppress(StoreError):  # an expiring lease does it too
                    self._claims.close()
                self.database.close()
                self.objects.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()

    def _flush(self, *, lasting: bool = False) -> None:
        """Write a pack, then record its facts. If this raises, everything stays pending for the next flush.

        One thread flushes at a time, for all: what others save meanwhile is in the next pack.
        """
        with self._flushing:
            with self._lock:
                facts, late = dict(self._pending), set(self._late)
                contents = {
                    fact.digest: self._contents[fact.digest] for fact in facts.values() if fact.digest in self._contents
                }
            self._record(facts, contents, late=late, lasting=lasting)

    def _save_claimed(self, fact: Fact, data: bytes, claim: Claim) -> None:
        """Write and record one artifact that was made under a claim. Raises FencedError when the claim is lost."""
        with self._lock:
            self._check_open()
            self._contents[fact.digest] = data  # so that it can be loaded
        with self._flushing:
            try:
                self._record({fact.key: fact}, {fact.digest: data}, claim=claim, lasting=True)
            except FencedError:
                with self._lock:
                    self._drop({fact.digest})
                raise
            except BaseException:  # it was expensive: the next flush records it, unless another process has by then
                with self._lock:
                    self._add(fact, data)
                    self._late.add(fact.key)
                raise

    def _record(
        self,
        facts: dict[ArtifactKey, Fact],
        contents: Mapping[Digest, bytes],
        *,
        late: Collection[ArtifactKey] = (),
        claim: Claim | None = None,
        lasting: bool,
    ) -> None:
        """Write the contents, then record the facts. `late` facts are not recorded where another process was faster."""
        while facts:
            digests = {fact.digest for fact in facts.values()}
            stored = self._stored([digest for digest in contents if digest in digests and digest not in self._written])
            self._write(
                {d: data for d, data in contents.items() if d in digests and d not in stored | self._written.keys()}
            )
            places = {digest: place for digest, place in self._written.items() if digest in digests}
            with self.database.transaction(lasting=lasting):
                if claim is not None:
                    self._claims.check(claim)
                known = self._facts.find(sorted(late))
                if not self._facts.hold(stored):
                    continue  # garbage collection just removed some of it: write it after all
                self._facts.record([fact for key, fact in facts.items() if key not in known], places)
            with self._lock:
                self._forget_pending(facts, places)
            return

    def _forget_pending(self, facts: Mapping[ArtifactKey, Fact], places: Mapping[Digest, ContentPlace]) -> None:
        """Forget recorded facts. One that was replaced meanwhile is still pending, and so is its content."""
        self._remember(places)
        for key, fact in facts.items():
            if self._pending.get(key) is fact:
                del self._pending[key]
                self._late.discard(key)
        self._drop({fact.digest for fact in facts.values()})

    def _drop(self, digests: set[Digest]) -> None:
        """Forget contents that no pending fact needs. What was written of them without a fact is garbage."""
        for digest in digests - {fact.digest for fact in self._pending.values()}:
            self._written.pop(digest, None)
            self._contents.pop(digest, None)

    def _add(self, fact: Fact, data: bytes) -> None:
        self._check_open()
        if fact.digest not in self._contents and fact.digest not in self._written:
            self._contents[fact.digest] = data
        self._pending[fact.key] = fact
        self._late.discard(fact.key)

    def _is_full(self, size: int) -> bool:
        with self._lock:
            return len(self._pending) >= BATCH or sum(map(len, self._contents.values())) + size > BATCH_BYTES

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"the store {self.place} is closed")

    def _stored(self, digests: Sequence[Digest]) -> set[Digest]:
        """The digests whose content exists already."""
        places = self._facts.places(digests)
        packs = self._seen({place.pack for place in places.values()})
        return {digest for digest, place in places.items() if place.pack in packs}

    def _write(self, contents: Mapping[Digest, bytes]) -> None:
        for name, data, places in packed(contents):
            self.objects.write(name, data)
            with self._lock:
                self._written.update(places)
                for digest in places:
                    self._contents.pop(digest, None)

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
