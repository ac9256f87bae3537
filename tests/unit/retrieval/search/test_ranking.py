"""BM25 and the join of scores."""

from __future__ import annotations

from quire.retrieval.search.hits import Statistics
from quire.retrieval.search.query import parse_query
from quire.retrieval.search.ranking import RankOptions, bm25, selective, weights

KNOWN = Statistics(1000, 10.0, {"margin": 5, "year": 900, "gross": 50})


def test_rare_terms_count_more_than_common_ones() -> None:
    weighed = weights(parse_query("gross margin year"), KNOWN, RankOptions())
    assert weighed["margin"] > weighed["gross"] > weighed["year"] > 0


def test_repetitions_saturate_and_long_texts_are_held_back() -> None:
    def score(text: str) -> float:
        return bm25({"margin": 1.0}, text, 10.0, RankOptions())

    once, twice, often = (score(" margin " + "margin " * more + "x " * (9 - more)) for more in (0, 1, 8))
    assert 0 < once < twice < often < 2.5
    assert twice - once > (often - twice) / 7
    assert score(" margin " + "x " * 50) < once


def test_neighbouring_repetitions_share_a_space_and_still_count() -> None:
    text = " margin margin margin "
    assert bm25({"margin": 1.0}, text, 3.0, RankOptions(b=0.0)) == 3 * 2.5 / (3 + 1.5)


def test_a_term_is_not_found_inside_another() -> None:
    assert bm25({"net": 1.0}, " internet netto ", 3.0, RankOptions()) == 0


def test_terms_below_min_df_are_ignored_and_common_ones_find_no_candidates() -> None:
    assert "margin" not in weights(parse_query("gross margin"), KNOWN, RankOptions(min_df=10))
    assert selective(["margin", "year"], KNOWN, RankOptions(), 10_000) == ["margin"]


def test_common_terms_find_candidates_when_there_are_no_others() -> None:
    assert selective(["year"], KNOWN, RankOptions(), 10_000) == ["year"]


def test_the_rarest_terms_find_candidates_until_there_are_enough() -> None:
    assert selective(["gross", "margin"], KNOWN, RankOptions(), 20) == ["margin"]
