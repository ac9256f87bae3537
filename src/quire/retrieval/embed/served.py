"""Embedders on servers: an OpenAI-compatible `/embeddings`, and text-embeddings-inference (TEI); rerankers of TEI."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from quire.core.embedder import TextRole, VectorFamily
from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import Profile
from quire.net.model_server import PASSING, ModelServer
from quire.net.transport import Deadline
from quire.retrieval.embed.codec import SparseVector, encode_dense, encode_scores, encode_sparse, normalised, pruned

Speaks = Literal["openai", "tei"]
PROBE = "quire"
"""A text whose vector says how many dimensions there are."""
TIMEOUT_S = 60.0
OPENAI_BATCH, OPENAI_TOKENS = 64, 8192
TEI_BATCH, TEI_TOKENS = 32, 512


@dataclass(frozen=True, slots=True)
class ServedProfile(Profile):
    """The settings that decide the output of a model. Its address is none: it gives the same on any server."""

    model: str


@dataclass(frozen=True, slots=True)
class ServedModelProfile(ServedProfile):
    """The settings that decide the vectors of an embedder on a server."""

    family: VectorFamily
    dimension: int
    passage_prefix: str = ""
    query_prefix: str = ""
    top: int = 0
    """Weights that are kept of a sparse vector, the largest; 0 for dense ones."""


@dataclass(frozen=True, slots=True)
class ServedRerankerProfile(ServedProfile):
    """The settings that decide the scores of a reranker on a server."""


ProfileT = TypeVar("ProfileT", bound=ServedProfile)


@dataclass(frozen=True, slots=True)
class ServedModel(Generic[ProfileT]):
    """A model behind HTTP. It is asked again when the server is busy or breaks off. Thread-safe."""

    server: ModelServer
    profile: ProfileT
    batch: int
    max_tokens: int
    version: str = "1"
    policy: Policy = "io"
    timeout_s: float = TIMEOUT_S
    max_concurrency: int = 4

    @property
    def name(self) -> str:
        """By the model alone, so that another server with the same one finds the same answers in a store."""
        return f"served:{self.profile.model}"

    def answer(self, path: str, request: object, *, base: str) -> Any:
        """The JSON that the server returns."""
        url = self.server.endpoint(path, base=base)
        body = json.dumps(request, separators=(",", ":")).encode()
        deadline = Deadline.after(self.timeout_s)
        return _parsed(self.name, self.server.post(self.name, url, body, deadline, retried=PASSING, mended=True))


@dataclass(frozen=True, slots=True)
class ServedReranker(ServedModel[ServedRerankerProfile]):
    """A reranker behind the `/rerank` of TEI."""

    @property
    def limit_name(self) -> str:
        return f"rerank@{self.server.address}"

    def rerank(self, query: str, texts: Sequence[str]) -> bytes:
        request = {"query": query, "texts": list(texts), "truncate": True, "raw_scores": True}
        answer = self.answer("rerank", request, base="")
        try:
            scores = {int(one["index"]): float(one["score"]) for one in answer}
        except (ValueError, TypeError, KeyError) as error:
            raise EngineError(self.name, f"gave something that is no scores: {error!r}") from error
        found = np.array([scores.get(number, np.nan) for number in range(len(texts))], np.float32)
        if len(scores) != len(texts) or not np.isfinite(found).all():
            raise EngineError(self.name, f"gave something that is no scores: {len(texts)} finite numbers were expected")
        return encode_scores(found)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Texts that some models want before a passage and before a query."""

    passage: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class ServedEmbedder(ServedModel[ServedModelProfile]):
    """An embedder behind HTTP."""

    speaks: Speaks = "tei"
    shortened: bool = False
    """Whether the server is asked for vectors of `dimension`, which some models can shorten."""

    @property
    def limit_name(self) -> str:
        return f"embed@{self.server.address}"

    @property
    def family(self) -> VectorFamily:
        return self.profile.family

    @property
    def dimension(self) -> int:
        return self.profile.dimension

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        prefix = self.profile.query_prefix if role == "query" else self.profile.passage_prefix
        prefixed = [prefix + text for text in texts]
        if self.family == "sparse":
            return encode_sparse(_sparse(self, prefixed))
        vectors = _dense(self, prefixed)
        if self.dimension and vectors.shape[1] != self.dimension:
            raise EngineError(self.name, f"gave vectors of {vectors.shape[1]} dimensions instead of {self.dimension}")
        return encode_dense(normalised(vectors))


def openai_embedder(server: ModelServer, model: str, prefixes: Prefixes, *, dimension: int = 0) -> ServedEmbedder:
    """A model behind `/embeddings`. With a `dimension`, shorter vectors are asked for; else a first text tells it."""

    def described(size: int) -> ServedEmbedder:
        profile = ServedModelProfile(model, "dense", size, prefixes.passage, prefixes.query)
        return ServedEmbedder(server, profile, OPENAI_BATCH, OPENAI_TOKENS, speaks="openai", shortened=bool(dimension))

    return _with_dimension(described, dimension)


def tei_embedder(server: ModelServer, prefixes: Prefixes, *, top: int) -> ServedEmbedder:
    """The model of a TEI server, dense or sparse, as its `/info` says."""
    info = _info(server)
    kind = info.get("model_type")
    pooling = (kind.get("embedding") or {}).get("pooling") if isinstance(kind, dict) else None

    def described(size: int) -> ServedEmbedder:
        family: VectorFamily = "sparse" if pooling == "splade" else "dense"
        kept = top if family == "sparse" else 0
        profile = ServedModelProfile(info["model_id"], family, size, prefixes.passage, prefixes.query, kept)
        return ServedEmbedder(server, profile, _tei_batch(info), _tei_tokens(info))

    return described(0) if pooling == "splade" else _with_dimension(described, 0)


def tei_reranker(server: ModelServer) -> ServedReranker:
    """The model of a TEI server. Raises ConfigurationError when its `/info` says that it is no reranker."""
    info = _info(server)
    kind = info.get("model_type")
    if isinstance(kind, dict) and "reranker" not in kind:
        raise ConfigurationError(f"{server.address} has {info['model_id']}, which is no reranker")
    return ServedReranker(server, ServedRerankerProfile(info["model_id"]), _tei_batch(info), _tei_tokens(info))


def _info(server: ModelServer) -> dict[str, Any]:
    """The description of the model of a TEI server, with its `model_id`."""
    name = f"tei:{server.address}"
    deadline = Deadline.after(TIMEOUT_S)
    info = _parsed(name, server.post(name, server.endpoint("info"), None, deadline, retried=PASSING, mended=True))
    if not isinstance(info, dict) or not isinstance(info.get("model_id"), str):
        raise ConfigurationError(f"{server.address} does not answer like TEI: its /info names no model_id")
    return info


def _tei_batch(info: dict[str, Any]) -> int:
    return min(_whole(info.get("max_client_batch_size"), TEI_BATCH), TEI_BATCH)


def _tei_tokens(info: dict[str, Any]) -> int:
    return _whole(info.get("max_input_length"), TEI_TOKENS)


def _with_dimension(described: Callable[[int], ServedEmbedder], dimension: int) -> ServedEmbedder:
    return described(dimension or _dense(described(0), [PROBE]).shape[1])


def _dense(embedder: ServedEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    if embedder.speaks == "tei":
        answer = embedder.answer("embed", {"inputs": texts, "truncate": True, "normalize": True}, base="")
        listed = answer if isinstance(answer, list) else []
    else:
        request: dict[str, object] = {"model": embedder.profile.model, "input": texts, "encoding_format": "base64"}
        if embedder.shortened:
            request["dimensions"] = embedder.dimension
        listed = _openai_vectors(embedder.answer("embeddings", request, base="/v1"))
    try:
        rows = [_floats(vector) for vector in listed]
        vectors = np.stack(rows) if rows else np.empty((0, 0), np.float32)
    except (ValueError, TypeError, binascii.Error) as error:
        raise EngineError(embedder.name, f"gave something that is no vectors: {error}") from error
    _check_count(embedder, len(rows), len(texts))
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        raise EngineError(embedder.name, "gave something that is no vectors: numbers are missing or not finite")
    return vectors


def _sparse(embedder: ServedEmbedder, texts: Sequence[str]) -> list[SparseVector]:
    """TEI names words by their number in the vocabulary of the model."""
    answer = embedder.answer("embed_sparse", {"inputs": texts, "truncate": True}, base="")
    try:
        found = [
            pruned({str(int(one["index"])): float(one["value"]) for one in vector}, embedder.profile.top)
            for vector in answer
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise EngineError(embedder.name, f"gave something that is no sparse vectors: {error!r}") from error
    _check_count(embedder, len(found), len(texts))
    return found


def _openai_vectors(answer: Any) -> list[object]:
    """The vectors in the order of the texts, which `index` says."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        return []
    ordered = sorted(enumerate(data), key=lambda pair: _whole(pair[1].get("index"), pair[0], least=0))
    return [one.get("embedding") for _, one in ordered]


def _floats(vector: object) -> NDArray[np.float32]:
    """Numbers, or little-endian floats in base64. Raises ValueError or TypeError for anything else."""
    if isinstance(vector, str):
        return np.frombuffer(base64.b64decode(vector, validate=True), "<f4").astype(np.float32)
    if not isinstance(vector, list):
        raise TypeError(f"a vector is {type(vector).__name__}")
    return np.array(vector, np.float32)


def _check_count(embedder: ServedEmbedder, count: int, expected: int) -> None:
    if count != expected:
        raise EngineError(embedder.name, f"gave {count} vectors for {expected} texts")


def _parsed(name: str, answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise EngineError(name, "the answer is not JSON") from error


def _whole(value: object, default: int, *, least: int = 1) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else default
