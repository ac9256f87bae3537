"""Terms and vectors as PostgreSQL and pgvector write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quire.retrieval.search.query import Query

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST_TERM = 500
"""In characters: PostgreSQL takes up to 2046 bytes. No word is that long."""
LAST_POSITION = 16383
_HEADER = 4
"""Bytes before the numbers of a vector: its dimension, and two that are unused."""


def tsvector(terms: Sequence[str]) -> str:
    """Terms with their positions, taken as they are: no dictionary of the server changes them."""
    positions: dict[str, list[str]] = {}
    for position, term in enumerate(terms, 1):
        if _fits(term):
            positions.setdefault(term, []).append(str(min(position, LAST_POSITION)))
    return " ".join(f"{_quoted(term)}:{','.join(found)}" for term, found in positions.items())


def any_of(terms: Iterable[str]) -> str:
    """A query for chunks with any of the terms; "" if there is none to look for."""
    return " | ".join(_quoted(term) for term in terms if _fits(term))


def tsquery(terms: Iterable[str], query: Query) -> str:
    """Any of the terms, every phrase of the query, and none of what it excludes."""
    alternatives = any_of(terms)
    parts = [f"({alternatives})"] if alternatives else []
    parts += [f"({phrase})" for phrase in map(_phrase, query.phrases) if phrase]
    parts += [f"!({phrase})" for phrase in map(_phrase, query.excluded) if phrase]
    return " & ".join(parts)


def halfvec(vector: NDArray[np.float32]) -> str:
    return f"[{','.join(map(str, vector.astype(np.float16).tolist()))}]"


def halfvec_read(data: bytes) -> NDArray[np.float32]:
    """The numbers of what `halfvec_send` gives."""
    return np.frombuffer(data, ">f2", offset=_HEADER).astype(np.float32)


def _phrase(terms: Sequence[str]) -> str:
    return " <-> ".join(map(_quoted, filter(_fits, terms)))


def _fits(term: str) -> bool:
    return len(term) <= LONGEST_TERM


def _quoted(term: str) -> str:
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
