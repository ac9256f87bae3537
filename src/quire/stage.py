"""The contract of a stage: a named, versioned function from artifacts to an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Literal, Protocol, TypeVar

from quire.events import EventKind
from quire.keys import ArtifactKey, Digest, Profile, artifact_key

Unit = Literal["document", "page", "region"]

I_contra = TypeVar("I_contra", contravariant=True)
O = TypeVar("O")  # noqa: E741 - the output of a stage


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


class Keyed(Generic[O]):
    """Computes the keys of one stage; the profile is digested once."""

    def __init__(self, stage: Stage[object, O]) -> None:
        self._name, self._version = stage.name, stage.version
        self._profile: Digest = stage.profile.digest()

    def key(self, *inputs: str) -> ArtifactKey:
        return artifact_key(self._name, self._version, inputs, self._profile)
