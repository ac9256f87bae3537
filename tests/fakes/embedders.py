"""Embedders without a model: the words of a text, hashed to a few dimensions."""

from __future__ import annotations

import os
import signal
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import NDArray

from quire.core.embedder import TextRole, VectorFamily
from quire.core.engine import Policy
from quire.core.keys import Profile
from quire.retrieval.embed.codec import encode_dense, normalised


def hashed(text: str, dimension: int) -> NDArray[np.float32]:
    vector = np.zeros(dimension, np.float32)
    for word in text.lower().split():
        vector[zlib.crc32(word.encode()) % dimension] += 1
    return vector


@dataclass(frozen=True)
class HashedProfile(Profile):
    size: int = 8


@dataclass(frozen=True)
class HashedWords:
    """Counts its calls in a file, a line each, wherever it runs."""

    calls: str = ""
    dimension: int = 8
    batch: int = 4
    policy: Policy = "io"
    name: str = "hashed"
    version: str = "1"
    family: VectorFamily = "dense"
    max_tokens: int = 64
    timeout_s: float = 60.0
    max_concurrency: int = 4

    @property
    def profile(self) -> Profile:
        return HashedProfile(self.dimension)

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        if self.calls:
            with Path(self.calls).open("a") as file:
                file.write(f"{len(texts)}\n")
        return encode_dense(normalised(np.stack([hashed(text, self.dimension) for text in texts])))


@dataclass(frozen=True)
class HashedSlowly(HashedWords):
    """Waits until it may answer, in a thread of the tests."""

    may: Event = None  # type: ignore[assignment]
    begun: Event = None  # type: ignore[assignment]

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        self.begun.set()
        assert self.may.wait(60)
        return super().embed(texts, role)


@dataclass(frozen=True)
class KilledOnce(HashedWords):
    """Kills its worker in the first call, like a system that runs out of memory."""

    marker: str = ""
    policy: Policy = "cpu"

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        vectors = super().embed(texts, role)
        marker = Path(self.marker)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return vectors
