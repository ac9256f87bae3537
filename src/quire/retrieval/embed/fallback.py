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
_OF_FIRST = ("name", "version", "family", "dimension", "policy", "profile", "max_concurrency")


@dataclass(frozen=True)
class FallbackEmbedder:
    """Asks `second` for a batch for which `first` fails. Both must have the same profile: vectors of two models in one
    index find nothing. Thread-safe; the name and the keys are those of `first`."""

    first: Embedder
    second: Embedder
    name: str = field(init=False)
    version: str = field(init=False)
    family: VectorFamily = field(init=False)
    dimension: int = field(init=False)
    max_tokens: int = field(init=False)
    batch: int = field(init=False)
    policy: Policy = field(init=False)
    profile: Profile = field(init=False)
    timeout_s: float = field(init=False)
    max_concurrency: int = field(init=False)
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
        own = {name: getattr(first, name) for name in _OF_FIRST}
        least = {name: min(getattr(first, name), getattr(second, name)) for name in ("max_tokens", "batch")}
        for name, value in {**own, **least, "timeout_s": first.timeout_s + second.timeout_s}.items():
            object.__setattr__(self, name, value)

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        if time.monotonic() >= self._avoided_until[0]:
            try:
                return self.first.embed(texts, role)
            except EngineError as error:
                logging.getLogger(__name__).warning("%s; asks the fallback", error)
                self._avoided_until[0] = time.monotonic() + AVOIDED_S
        return self.second.embed(texts, role)
