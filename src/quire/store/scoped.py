"""A part of a store for one tenant: its keys and documents are unrelated to those of any other part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from quire.core.context import Claim, Store
from quire.core.engine import Attempt
from quire.core.keys import ArtifactKey, Digest, digest_of

DEFAULT_TENANT = "default"
"""The tenant of those who name none, and of the command line."""


class ScopedStore:
    """A store in which every key and every document id is derived from those given and the name of the scope.

    Equal work of two scopes is done twice: neither can find out, not even by its speed, what the other has read. Only
    equal contents share their bytes, which are loaded by digest.
    """

    def __init__(self, store: Store, scope: str) -> None:
        self._store, self._scope = store, scope

    @property
    def lasting(self) -> bool:
        return self._store.lasting

    def document(self, document: str) -> str:
        """The id under which the facts of a document are recorded."""
        return document_in(self._scope, document)

    def find(self, key: ArtifactKey) -> Digest | None:
        return self._store.find(self._key(key))

    def load(self, digest: Digest) -> bytes:
        return self._store.load(digest)

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
        own, held = self.document(document), None if claim is None else self._held(claim)
        return self._store.save(self._key(key), data, stage=stage, document=own, page=page, claim=held)

    def find_many(self, keys: Sequence[ArtifactKey]) -> Mapping[ArtifactKey, Digest]:
        keys_by_own = {self._key(key): key for key in keys}
        return {keys_by_own[key]: digest for key, digest in self._store.find_many(list(keys_by_own)).items()}

    def has_contents(self, digests: Sequence[Digest]) -> set[Digest]:
        return self._store.has_contents(digests)

    def share(self, key: ArtifactKey, *, document: str, page: int | None = None) -> Digest | None:
        return self._store.share(self._key(key), document=self.document(document), page=page)

    def claim(self, key: ArtifactKey) -> Claim | None:
        claim = self._store.claim(self._key(key))
        return None if claim is None else claim._replace(key=key)

    def release(self, claim: Claim) -> None:
        self._store.release(self._held(claim))

    def flush(self, *, lasting: bool = True) -> None:
        self._store.flush(lasting=lasting)

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        self._store.note_path(self.document(document), page, reading, attempts)

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        return self._store.path(self.document(document), page, reading)

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        return self._store.paths(self.document(document))

    def scratch(self) -> Path:
        return self._store.scratch()

    def close(self) -> None:
        self._store.close()

    def _held(self, claim: Claim) -> Claim:
        """The claim as the whole store knows it: callers have it with the key that they asked for."""
        return claim._replace(key=self._key(ArtifactKey(claim.key)))

    def _key(self, key: ArtifactKey) -> ArtifactKey:
        """A key that is no digest of work, like that of a slot of an engine, belongs to the whole store."""
        return key if "/" in key else ArtifactKey(digest_of([self._scope, key]))


def scoped(store: Store, scope: str) -> Store:
    """The part of a store for a scope; the store itself without one."""
    return ScopedStore(store, scope) if scope else store


def scope_of(tenant: str) -> str:
    """The part of a store that a tenant works in, by its name."""
    return "" if tenant == DEFAULT_TENANT else f"tenant-{digest_of(['tenant', tenant])[:32]}"


def document_in(scope: str, document: str) -> str:
    """The id under which a document of a scope is recorded in the tables of the store."""
    return digest_of([scope, document]) if scope else document
