"""A second server for the same model, asked while the first one fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from quire.core.embedder import Embedder, TextRole, VectorFamily
from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import Profile

AVOIDED_S = 30.0
"""Seconds for which a server that failed is not asked again."""


@dataclass(frozen=True)
class FallbackEmbedder:
    """Asks `second` for a batch for which `first` fails. Both must have the same profile: vectors of two models in one
    index find nothing. Thread-safe; the name and the keys are those of `first`."""

    first: Embedder
    second: Embedder
    _avoided_until: list[float] = field(default_factory=lambda: [0.0], compare=False, repr=False)

    def __post_init__(self) -> None:
        first, second = self.first, self.second
        if first.dimension != second.dimension:
            raise ConfigurationError(
                f"{second.name} cannot replace {first.name}: its vectors have {second.dimension} dimensions instead of "
                f"{first.dimension}"
            )
        if first.profile.digest() != second.profile.digest() or first.version != second.version:
            raise ConfigurationError(
                f"{second.name} cannot replace {first.name}: the fallback must be another server of the same model"
            )

    @property
    def name(self) -> str:
        return self.first.name

    @property
    def version(self) -> str:
        return self.first.version

    @property
    def family(self) -> VectorFamily:
        return self.first.family

    @property
    def dimension(self) -> int:
        return self.first.dimension

    @property
    def max_tokens(self) -> int:
        return min(self.first.max_tokens, self.second.max_tokens)

    @property
    def batch(self) -> int:
        return min(self.first.batch, self.second.batch)

    @property
    def policy(self) -> Policy:
        return self.first.policy

    @property
    def profile(self) -> Profile:
        return self.first.profile

    @property
    def timeout_s(self) -> float:
        return self.first.timeout_s + self.second.timeout_s

    @property
    def max_concurrency(self) -> int:
        return self.first.max_concurrency

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        if time.monotonic() >= self._avoided_until[0]:
            try:
                return self.first.embed(texts, role)
            except EngineError as error:
                logging.getLogger(__name__).warning("%s; asks the fallback", error)
                self._avoided_until[0] = time.monotonic() + AVOIDED_S
        return self.second.embed(texts, role)
