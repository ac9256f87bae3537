"""Vectors as bytes: the answer of an embedder, as it is stored; and that of a reranker."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DENSE, _SPARSE, _SCORES = b"QVD1", b"QVS1", b"QVR1"
_SIZES = struct.Struct("<II")


class SparseVector(NamedTuple):
    """Weights, the largest first: by the word, or by its number in the vocabulary of a learned model."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]


def encode_dense(vectors: NDArray[np.float32]) -> bytes:
    """In half precision, which is finer than what a quantised model computes."""
    rows, width = vectors.shape
    return _DENSE + _SIZES.pack(rows, width) + np.ascontiguousarray(vectors, "<f2").tobytes()


def decode_dense(data: bytes) -> NDArray[np.float32]:
    """Raises ValueError for other bytes."""
    rows, width = _SIZES.unpack_from(data, len(_DENSE))
    if data[: len(_DENSE)] != _DENSE:
        raise ValueError("these are no dense vectors")
    return np.frombuffer(data, "<f2", offset=len(_DENSE) + _SIZES.size).reshape(rows, width).astype(np.float32)


def encode_sparse(vectors: Sequence[SparseVector]) -> bytes:
    return _SPARSE + json.dumps([[list(vector.terms), list(vector.weights)] for vector in vectors]).encode()


def decode_sparse(data: bytes) -> list[SparseVector]:
    """Raises ValueError for other bytes."""
    if data[: len(_SPARSE)] != _SPARSE:
        raise ValueError("these are no sparse vectors")
    return [SparseVector(tuple(terms), tuple(weights)) for terms, weights in json.loads(data[len(_SPARSE) :])]


def encode_scores(scores: NDArray[np.float32]) -> bytes:
    return _SCORES + np.ascontiguousarray(scores, "<f4").tobytes()


def decode_scores(data: bytes) -> list[float]:
    """Raises ValueError for other bytes."""
    if data[: len(_SCORES)] != _SCORES:
        raise ValueError("these are no scores of a reranker")
    return [float(score) for score in np.frombuffer(data, "<f4", offset=len(_SCORES))]


def pruned(weights: Mapping[str, float], top: int) -> SparseVector:
    """The `top` largest weights, of equal ones those that come first by name; nothing without weight."""
    kept = sorted(((term, weight) for term, weight in weights.items() if weight > 0), key=lambda one: (-one[1], one[0]))
    return SparseVector(tuple(term for term, _ in kept[:top]), tuple(weight for _, weight in kept[:top]))


def normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of length 1, so that the scalar product is the cosine."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled
