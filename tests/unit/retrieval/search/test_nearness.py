"""How near to each other the words of a query are."""

from __future__ import annotations

import math

import pytest

from quire.retrieval.search.nearness import nearness, neighbouring

RARITY = {"inner": 2.0, "harbour": 3.0, "passenger": 1.0}


def test_pairs_are_neighbours_in_the_query_and_as_rare_as_the_commoner() -> None:
    pairs = neighbouring(["inner", "harbour", "unknown", "passenger"], RARITY)
    assert pairs == {("inner", "harbour"): 2.0}


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (" the inner harbour was full ", 1.0),
        (" the harbour inner wall ", 1.0),
        (" inner and outer harbour ", 1 / 3),
        (" inner a b c d e f g h harbour ", 0.0),
        (" inner a b c d e f g h harbour x inner ", 1 / 2),
        (" inner city ", 0.0),
        (" winner harbourmaster ", 0.0),
    ],
)
def test_words_side_by_side_count_most_and_far_ones_not_at_all(text: str, near: float) -> None:
    assert nearness({("inner", "harbour"): 2.0}, text) == pytest.approx(near)


def test_of_many_pairs_each_counts_less() -> None:
    pairs = neighbouring(["inner", "harbour", "passenger"], RARITY)
    whole = nearness(pairs, " inner harbour passenger ")
    assert whole == pytest.approx(1 / math.sqrt(2))
    assert nearness(pairs, " inner harbour ") == pytest.approx(whole * 2 / 3)
