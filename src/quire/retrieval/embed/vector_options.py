"""The options of vectors: their families, the formats of their files, and the settings of BM25."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from quire.core.errors import UsageError
from quire.retrieval.search.ranking import K1, B

DatasetFamily = Literal["dense", "sparse", "lexical"]
FAMILIES: tuple[DatasetFamily, ...] = get_args(DatasetFamily)
VectorFormat = Literal["parquet", "jsonl"]
VECTOR_FORMATS: tuple[VectorFormat, ...] = get_args(VectorFormat)


@dataclass(frozen=True)
class LexicalOptions:
    """`k1`: how soon more of a term adds little; `b`: how much long chunks are discounted. Terms in fewer than `min_df`
    chunks, or in more than `max_df_ratio` of them, are left out."""

    k1: float = K1
    b: float = B
    min_df: int = 1
    max_df_ratio: float = 1.0

    def __post_init__(self) -> None:
        if not (self.k1 >= 0 and 0 <= self.b <= 1 and self.min_df >= 1 and 0 < self.max_df_ratio <= 1):
            raise UsageError("BM25 takes k1 from 0, b from 0 to 1, min_df from 1, and max_df_ratio above 0 up to 1")
