"""Vectors of many texts: batches, each asked once and stored as one artifact, found again by the texts themselves. What
a reranker says of texts is asked in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from quire.asking import Ask, Asker, Crashed, runs_here
from quire.core.embedder import Embedder, Reranker, TextModel
from quire.core.errors import EngineError
from quire.core.keys import ArtifactKey, artifact_key, digest_of
from quire.retrieval.embed.codec import SparseVector, decode_dense, decode_scores, decode_sparse
from quire.system.workers import Job, shared_pool

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

STAGE = "vectors"
VERSION = "1"


class JobWork(Protocol):
    """The worker of a job, as the job sees it: it answers requests for claims, places and saving."""

    def request(
        self, name: str, header: Mapping[str, object], data: bytes = b""
    ) -> tuple[Mapping[str, object], bytes]: ...


@dataclass(frozen=True, slots=True)
class BatchOfTexts:
    """One batch: the model, the key of its answer, and the call that makes it, which goes to a worker."""

    model: TextModel
    key: ArtifactKey
    call: Callable[[], bytes]


def batch_key(embedder: Embedder, texts: Sequence[str]) -> ArtifactKey:
    """The key of the vectors of a batch: by the embedder and the texts, in their order."""
    inputs = embedder.name, embedder.version, digest_of(list(texts))
    return artifact_key(STAGE, VERSION, inputs, embedder.profile.digest())


def batches(texts: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(texts[begin : begin + size]) for begin in range(0, len(texts), size)]


def dense_vectors(texts: Sequence[str], embedder: Embedder, asker: Asker) -> NDArray[np.float32]:
    """The vectors of passages, a row each. Batches that were embedded before are not embedded again.

    Raises EngineError for the batch that fails; those that were finished before are stored.
    """
    import numpy as np

    found = [decode_dense(answer) for answer in answers(texts, embedder, asker)]
    if not found:
        return np.empty((0, embedder.dimension), np.float32)
    for batch in found:
        if batch.shape[1] != embedder.dimension:
            raise EngineError(
                embedder.name, f"gave vectors of {batch.shape[1]} dimensions; {embedder.dimension} were expected"
            )
    vectors = np.concatenate(found)
    _check_count(embedder, len(vectors), len(texts))
    return vectors


def sparse_vectors(texts: Sequence[str], embedder: Embedder, asker: Asker) -> list[SparseVector]:
    """As `dense_vectors`, for an embedder of sparse vectors."""
    found = [vector for answer in answers(texts, embedder, asker) for vector in decode_sparse(answer)]
    _check_count(embedder, len(found), len(texts))
    return found


def relevances(query: str, texts: Sequence[str], reranker: Reranker, asker: Asker) -> list[float]:
    """The scores that a reranker gives texts as answers to a query. Raises EngineError when it fails."""
    listed = [
        BatchOfTexts(
            reranker,
            artifact_key(
                "relevance",
                VERSION,
                (reranker.name, reranker.version, digest_of([query, *batch])),
                reranker.profile.digest(),
            ),
            partial(reranker.rerank, query, batch),
        )
        for batch in batches(texts, reranker.batch)
    ]
    found = [score for answer in _answers(listed, asker) for score in decode_scores(answer)]
    if len(found) != len(texts):
        raise EngineError(reranker.name, f"gave {len(found)} numbers for {len(texts)} texts")
    return found


def answers(texts: Sequence[str], embedder: Embedder, asker: Asker) -> list[bytes]:
    """The stored answers for the batches of some passages, in their order."""
    listed = [
        BatchOfTexts(embedder, batch_key(embedder, batch), partial(embedder.embed, batch, "passage"))
        for batch in batches(texts, embedder.batch)
    ]
    return _answers(listed, asker)


def _answers(listed: Sequence[BatchOfTexts], asker: Asker) -> list[bytes]:
    """The answers for batches of one model; as many at once as there are workers or as the server takes."""
    if not listed:
        return []
    model = listed[0].model
    at_once = min(len(listed), model.max_concurrency if model.policy == "io" else shared_pool().workers)
    if at_once <= 1:
        return [_asked(batch, asker) for batch in listed]
    with ThreadPoolExecutor(at_once, thread_name_prefix="quire-embed") as threads:
        pending = [threads.submit(_asked, batch, asker) for batch in listed]
        try:
            return [one.result() for one in pending]
        except BaseException:
            for one in pending:
                one.cancel()
            raise


def _asked(batch: BatchOfTexts, asker: Asker) -> bytes:
    """The answer for one batch, asked a second time after a worker was killed: for its memory, or by hand."""
    try:
        return _answer(batch, asker)
    except Crashed:
        return _answer(batch, asker)


def _answer(batch: BatchOfTexts, asker: Asker) -> bytes:
    if runs_here(batch.model):
        return asker.ask(Ask(batch.key, batch.model, batch.call)).data
    return asker.ask(Ask(batch.key, batch.model, Job("quire.retrieval.embed.batches:answer", batch))).data


def _check_count(embedder: Embedder, count: int, expected: int) -> None:
    if count != expected:
        raise EngineError(embedder.name, f"gave {count} vectors for {expected} texts")


def answer(arguments: BatchOfTexts, work: JobWork) -> bytes:
    """The job in a worker: ask the model, unless the parent has the answer. The parent saves it."""
    key = arguments.key
    if work.request("claim", {"key": key})[0].get("found"):
        return b""
    work.request("place", {})
    try:
        made = arguments.call()
    except (EngineError, MemoryError):
        raise
    except Exception as error:
        raise EngineError(arguments.model.name, f"{type(error).__name__}: {error}") from error
    work.request("save", {"key": key}, made)
    return b""
