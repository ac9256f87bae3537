"""Vectors of many texts: batches, each asked once and stored as one artifact, found again by the texts themselves."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from quire.asking import Ask, Asker, Crashed, runs_here
from quire.embed.codec import SparseVector, decode_dense, decode_sparse
from quire.embedder import Embedder
from quire.errors import EngineError
from quire.keys import ArtifactKey, artifact_key, digest_of
from quire.workers import Job, shared_pool

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

STAGE = "vectors"
VERSION = "1"


class JobWork(Protocol):
    """What a job uses of its worker."""

    def request(
        self, name: str, header: Mapping[str, object], data: bytes = b""
    ) -> tuple[Mapping[str, object], bytes]: ...


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    """The arguments of a job that embeds one batch."""

    embedder: Embedder
    texts: tuple[str, ...]
    key: ArtifactKey


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


def answers(texts: Sequence[str], embedder: Embedder, asker: Asker) -> list[bytes]:
    """The stored answers for the batches of some passages, in their order; as many batches at once as there are workers
    or as the server takes."""
    listed = batches(texts, embedder.batch)
    at_once = min(len(listed), embedder.max_concurrency if embedder.policy == "io" else shared_pool().workers)
    if at_once <= 1:
        return [_asked(batch, embedder, asker) for batch in listed]
    with ThreadPoolExecutor(at_once, thread_name_prefix="quire-embed") as threads:
        asked = [threads.submit(_asked, batch, embedder, asker) for batch in listed]
        try:
            return [one.result() for one in asked]
        except BaseException:
            for one in asked:
                one.cancel()
            raise


def _asked(texts: tuple[str, ...], embedder: Embedder, asker: Asker) -> bytes:
    """The answer for one batch, asked a second time after a worker was killed: for its memory, or by hand."""
    try:
        return _answer(texts, embedder, asker)
    except Crashed:
        return _answer(texts, embedder, asker)


def _answer(texts: tuple[str, ...], embedder: Embedder, asker: Asker) -> bytes:
    key = batch_key(embedder, texts)
    if runs_here(embedder):
        return asker.ask(Ask(key, embedder, lambda: embedder.embed(texts, "passage"))).data
    return asker.ask(Ask(key, embedder, Job("quire.embed.batches:embed", EmbedRequest(embedder, texts, key)))).data


def _check_count(embedder: Embedder, found: int, wanted: int) -> None:
    if found != wanted:
        raise EngineError(embedder.name, f"gave {found} vectors for {wanted} texts")


def embed(arguments: EmbedRequest, work: JobWork) -> bytes:
    """The job in a worker: embed, unless the parent has the vectors. The parent saves them; nothing is returned."""
    key = arguments.key
    if work.request("claim", {"key": key})[0].get("found"):
        return b""
    work.request("place", {})
    try:
        vectors = arguments.embedder.embed(arguments.texts, "passage")
    except (EngineError, MemoryError):
        raise
    except Exception as error:
        raise EngineError(arguments.embedder.name, f"{type(error).__name__}: {error}") from error
    work.request("save", {"key": key}, vectors)
    return b""
