"""The contract of a store: artifacts under their key, and the facts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from quire.engine import Attempt
from quire.keys import ArtifactKey, Digest


class Store(Protocol):
    """Where artifacts and facts live. Any thread may use it.

    A fact maps a key to the digest of the content made for it; two keys with the same content share its bytes.
    """

    @property
    def lasting(self) -> bool:
        """Whether a later run can find what is saved now."""
        ...

    def find(self, key: ArtifactKey) -> Digest | None:
        """The digest of the artifact made for `key`, None when there is none."""
        ...

    def load(self, digest: Digest) -> bytes:
        """The content, verified against its digest. Raises StoreError when it is missing or damaged."""
        ...

    def save(self, key: ArtifactKey, data: bytes, *, stage: str, document: str, page: int | None = None) -> Digest:
        """Store the content and record the fact that it was made for `key`."""
        ...

    def flush(self) -> None:
        """Make everything saved so far last."""
        ...

    def note_path(self, document: str, page: int, reading: str, attempts: Sequence[Attempt]) -> None:
        """Remember how a page came to a reading, instead of how it did before; "" for a page that nobody could read."""
        ...

    def path(self, document: str, page: int, reading: str) -> tuple[Attempt, ...]:
        """How a page came to a reading; nothing when that was not noted."""
        ...

    def paths(self, document: str) -> Mapping[int, tuple[Attempt, ...]]:
        """How each recognised page of a document was read last."""
        ...

    def close(self) -> None: ...
