"""Texts ranked in memory, without an index."""

from __future__ import annotations

from quire.retrieval.search.lexical_ranking import LexicalRanking


def test_the_text_with_the_rarest_words_comes_first():
    ranking = LexicalRanking(["the total of the bill", "the bill of lading", "the harbour master"])
    scores = ranking.scores("total bill")
    assert scores[0] > scores[1] > scores[2] == 0


def test_words_that_say_nothing_and_no_texts_at_all_have_no_scores():
    assert LexicalRanking(["some text"]).scores("?!") == [0]
    assert LexicalRanking([]).scores("total") == []


def test_texts_without_spaces_between_words_are_ranked():
    scores = LexicalRanking(["請求書の合計金額", "港の管理事務所"]).scores("合計金額")
    assert scores[0] > scores[1]
