"""The interface of an embedder: texts become vectors. It is asked like an engine (`quire.asking`), in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from quire.engine import Policy
from quire.keys import Profile

VectorFamily = Literal["dense", "sparse"]
"""`dense`: a number for each dimension. `sparse`: weights of a few words of a vocabulary."""
TextRole = Literal["passage", "query"]
"""Some models take a different prefix for what is searched and for what it is searched with."""


class Embedder(Protocol):
    """A light, picklable description of an embedder; models are loaded by the first `embed` and kept.

    `embed` runs in a worker process (`cpu`, `gpu`) or in a thread of the parent (`io`). It returns the vectors as bytes
    (`quire.embed.codec`), which are saved before anything reads them, and raises EngineError with a reason.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changed whenever the vectors of the same texts may change: code, model."""
        ...

    @property
    def family(self) -> VectorFamily: ...

    @property
    def dimension(self) -> int:
        """Numbers of a dense vector; size of the vocabulary of a sparse one, 0 where it is not known."""
        ...

    @property
    def max_tokens(self) -> int:
        """What is longer is cut off."""
        ...

    @property
    def batch(self) -> int:
        """Texts in one call."""
        ...

    @property
    def policy(self) -> Policy: ...

    @property
    def profile(self) -> Profile: ...

    @property
    def timeout_s(self) -> float: ...

    @property
    def max_concurrency(self) -> int: ...

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes: ...
