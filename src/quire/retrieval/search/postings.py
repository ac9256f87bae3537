"""The order of chunks by the words of a query: BM25 from the chunks in which each word is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quire.retrieval.search.ranking import K1, B

if TYPE_CHECKING:
    from numpy.typing import NDArray


def scored(
    postings: Sequence[NDArray[np.int64]], ids: NDArray[np.int64], lengths: NDArray[np.uint64], mean: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Chunks with any word, in the order of their ids, and their scores.

    A posting has the id of a chunk as often as the word is in it, sorted. `ids` are all chunks, `lengths` are how many
    terms they have, `mean` how many on average.
    """
    found = [_counted(posting) for posting in postings]
    chunks, places = np.unique(np.concatenate([chunk for chunk, _ in found]), return_inverse=True)
    # A chunk that is older than what is in memory takes the length of its neighbour.
    own = lengths.take(np.searchsorted(ids, chunks), mode="clip") if len(ids) else np.full(len(chunks), mean)
    held = K1 * (1 - B + B * own / mean)
    scores = np.zeros(len(chunks))
    begin = 0
    for chunk, times in found:
        here = places[begin : begin + len(chunk)]
        weight = np.log(1 + (len(ids) - len(chunk) + 0.5) / (len(chunk) + 0.5))
        scores[here] += weight * times * (K1 + 1) / (times + held[here])
        begin += len(chunk)
    return chunks, scores


def _counted(posting: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The chunks of a posting, each once, and how often each is in it."""
    begins = np.flatnonzero(np.append(True, posting[1:] != posting[:-1])[: len(posting)])
    return posting[begins], np.diff(begins, append=len(posting))
