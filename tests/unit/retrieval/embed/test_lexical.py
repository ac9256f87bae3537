"""BM25 weights of the terms of chunks."""

from __future__ import annotations

import math

import pytest

from quire.core.errors import UsageError
from quire.retrieval.embed.lexical import lexical_vectors
from quire.retrieval.embed.vector_options import LexicalOptions

TEXTS = ["the ferry left on 12 March 2021", "the boat and the ferry, the ferry", "revenue of $1,200.50", "the boats"]


def test_weights_are_those_of_the_formula():
    vectors = [dict(zip(*vector, strict=True)) for vector in lexical_vectors(TEXTS, LexicalOptions(k1=1.5, b=0.5))]
    lengths = {1: 7, "mean": sum(map(len, ([1] * 8, [1] * 7, [1] * 4, [1] * 2))) / 4}
    rarity = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    spread = 1.5 * (1 - 0.5 + 0.5 * lengths[1] / lengths["mean"])
    assert vectors[1]["ferry"] == pytest.approx(rarity * 2 * 2.5 / (2 + spread), abs=1e-6)
    assert {"usd", "1200.5"} <= vectors[2].keys()
    assert "2021-03-12" in vectors[0]
    assert "boat" in vectors[3], "plurals are folded"


def test_the_largest_weight_comes_first():
    for vector in lexical_vectors(TEXTS):
        assert list(vector.weights) == sorted(vector.weights, reverse=True)


def test_rare_and_common_terms_can_be_left_out():
    found = [set(vector.terms) for vector in lexical_vectors(TEXTS, LexicalOptions(min_df=2))]
    assert set.union(*found) == {"the", "ferry", "boat"}
    found = [set(vector.terms) for vector in lexical_vectors(TEXTS, LexicalOptions(max_df_ratio=0.5))]
    assert "the" not in set.union(*found)
    assert "ferry" in found[0]


@pytest.mark.parametrize("wrong", [{"k1": -1}, {"b": 1.1}, {"min_df": 0}, {"max_df_ratio": 0}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError, match="BM25 takes"):
        LexicalOptions(**wrong)


def test_a_text_without_terms_has_an_empty_vector():
    assert lexical_vectors(["", "boat"])[0] == ((), ())
    assert lexical_vectors([]) == []
