"""Several correctors as one."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.engine import Recognition
from quire.core.keys import Profile
from quire.pipelines.roles import Corrector
from quire.system.awaited import settled


@dataclass(frozen=True, slots=True)
class ChainProfile(Profile):
    steps: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Correctors one after the other, as one."""

    correctors: tuple[Corrector, ...]
    name: str = "pipe"
    version: str = "1"

    @property
    def profile(self) -> ChainProfile:
        return ChainProfile(tuple((one.name, one.version, one.profile.digest()) for one in self.correctors))

    def correct(self, recognition: Recognition) -> Recognition:
        for corrector in self.correctors:
            recognition = settled(corrector.correct(recognition))
        return recognition


def pipe(*correctors: Corrector) -> Chain:
    """Several correctors as one, in their order."""
    return Chain(correctors)
