"""The interface of a stage: a named, versioned function from artifacts to an artifact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

from quire.core.keys import Digest, Profile
from quire.core.types import PageInfo

I_contra = TypeVar("I_contra", contravariant=True)
O = TypeVar("O")  # the output of a stage

Took = Callable[[float], None]
"""Called by a stage whose work was done in another process, with the milliseconds that it took there."""


class Encoded(NamedTuple):
    """An output made and encoded in another process; `info` is the ledger entry of a page."""

    data: bytes
    info: PageInfo | None = None


class Stage(Protocol[I_contra, O]):
    """Synchronous. `encode` and `decode` serialise and deserialise the output."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changed whenever the output may change."""
        ...

    @property
    def profile(self) -> Profile: ...

    def run(self, inputs: I_contra, took: Took) -> O | Encoded: ...

    def encode(self, output: O) -> bytes: ...

    def decode(self, data: bytes) -> O: ...


class DerivedStage:
    """The part that derived stages share: no settings, and the version of the code that makes the output."""

    name: str
    profile = Profile()

    @property
    def version(self) -> str:
        from quire.system.stage_versions import stage_version  # lazy: workers, which import this, make no keys

        return stage_version(self.name)


class Artifact(Generic[O]):
    """The output of a stage: the digest of its bytes, and the value, loaded lazily from the store unless in memory."""

    __slots__ = ("_load", "_value", "digest")

    def __init__(self, digest: Digest, load: Callable[[], O], value: O | None = None) -> None:
        self.digest = digest
        self._load = load
        self._value = value

    @property
    def value(self) -> O:
        return self._load() if self._value is None else self._value

    def release(self) -> None:
        """Drop the value from memory; it is loaded from the store when needed again."""
        self._value = None
