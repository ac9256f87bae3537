"""The interfaces of models of text: an embedder makes vectors of texts, a reranker compares them with a query. Both are
asked like an engine (`quire.asking`), in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from quire.core.engine import Costly
from quire.core.keys import Profile

VectorFamily = Literal["dense", "sparse"]
"""`dense`: a number for each dimension. `sparse`: weights of a few words of a vocabulary."""
TextRole = Literal["passage", "query"]
"""Some models take a different prefix for what is searched and for what it is searched with."""


class TextModel(Costly, Protocol):
    """A light, picklable description of a model; it is loaded by the first call and kept.

    Calls run in a worker process (`cpu`, `gpu`) or in a thread of the parent (`io`). They return bytes
    (`quire.retrieval.embed.codec`), which are saved before anything reads them, and raise EngineError with a reason.
    """

    @property
    def version(self) -> str:
        """Changed whenever the answer for the same texts may change: code, model."""
        ...

    @property
    def max_tokens(self) -> int:
        """The longest text, in tokens; the rest of a longer one is cut off."""
        ...

    @property
    def batch(self) -> int:
        """Texts in one call."""
        ...

    @property
    def profile(self) -> Profile: ...


class Embedder(TextModel, Protocol):
    """Texts become vectors."""

    @property
    def family(self) -> VectorFamily: ...

    @property
    def dimension(self) -> int:
        """Numbers of a dense vector; size of the vocabulary of a sparse one, 0 where it is not known."""
        ...

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes: ...


class Reranker(TextModel, Protocol):
    """Says how well texts answer a query: a number for each, the larger the better, 0 where it is undecided (the
    logit of the probability that it does)."""

    def rerank(self, query: str, texts: Sequence[str]) -> bytes: ...
