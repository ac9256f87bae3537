"""The contract of a stage: a named, versioned function from artifacts to an artifact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, Literal, Protocol, TypeVar

from quire.events import EventKind
from quire.keys import Digest, Profile

Unit = Literal["document", "page", "region"]

I_contra = TypeVar("I_contra", contravariant=True)
O = TypeVar("O")  # the output of a stage


class Work(Protocol):
    """What a running stage may ask of whoever runs it."""

    @property
    def cancelled(self) -> bool: ...

    def emit(self, kind: EventKind, payload: Mapping[str, object]) -> None: ...


class Stage(Protocol[I_contra, O]):
    """Plain and synchronous. `encode` and `decode` turn the output into its artifact and back."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changed whenever the output may change."""
        ...

    @property
    def unit(self) -> Unit: ...

    @property
    def profile(self) -> Profile: ...

    def run(self, inputs: I_contra, work: Work) -> O: ...

    def encode(self, output: O) -> bytes: ...

    def decode(self, data: bytes) -> O: ...


class Artifact(Generic[O]):
    """What a stage made: the digest of its bytes, and the value, taken from the store unless it is at hand."""

    __slots__ = ("_load", "_value", "digest")

    def __init__(self, digest: Digest, load: Callable[[], O], value: O | None = None) -> None:
        self.digest = digest
        self._load = load
        self._value = value

    @property
    def value(self) -> O:
        return self._load() if self._value is None else self._value

    def release(self) -> None:
        """Forget the value; who asks for it again gets it from the store."""
        self._value = None
