"""Embedders: models on this machine and on servers, and the batches in which they are asked. Heavy modules are imported
lazily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quire.core.errors import UsageError
from quire.retrieval.embed.vector_options import LexicalOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quire.core.context import Store
    from quire.core.embedder import TextRole

__all__ = ["LexicalOptions", "embed_texts", "term_weights"]


def embed_texts(
    texts: Sequence[str], embedder: str = "all-minilm-l6-v2", *, role: TextRole = "passage", store: Store | None = None
) -> NDArray[np.float32]:
    """The dense vectors of texts, a row each, of length 1; in worker processes, or by a server.

    With a store, passages that were embedded before are not embedded again. Queries, which some models treat otherwise,
    are never stored. Raises UsageError or ConfigurationError for an embedder that is not here, EngineError when one
    fails.
    """
    from quire.retrieval.embed.batches import batches, dense_vectors
    from quire.retrieval.embed.codec import decode_dense
    from quire.retrieval.embed.embedder_registry import find_embedder
    from quire.retrieval.embed.families import quiet_asker
    from quire.store.temporary import TemporaryStore

    found = find_embedder(embedder)
    if found is None or found.family != "dense":
        raise UsageError(f"{embedder} gives no dense vectors; name the model, its folder, or its server")
    if role == "passage" or not texts:
        return dense_vectors(texts, found, quiet_asker(store or TemporaryStore(), ""))
    import numpy as np

    return np.concatenate([decode_dense(found.embed(batch, role)) for batch in batches(texts, found.batch)])


def term_weights(texts: Sequence[str], options: LexicalOptions | None = None) -> list[dict[str, float]]:
    """The BM25 weights of the terms of each text, against all of them, the largest first."""
    from quire.retrieval.embed.lexical import lexical_vectors

    return [dict(zip(*vector, strict=True)) for vector in lexical_vectors(texts, options)]
