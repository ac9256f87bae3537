"""The first hits in the order of a reranker, which knows little of tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.index_search import SearchOptions, search
from quire.retrieval.search.reranking import TOP, rerank_hits
from tests.unit.retrieval.search.made import document, index_of, row

TABLE = "| Fuel | 2031 |\n| --- | --- |\n| Cost | 4.5 |"


def hits_of(folder: Path, *rows, query: str = "fuel cost") -> list[SearchHit]:
    index = index_of(folder, document("report.pdf", list(rows)))
    return search(index, query, options=SearchOptions(k=30))


def by(**said: float):
    """Relevance by the first word of a text; 0 for the others."""

    def relevance(query: str, texts: Sequence[str]) -> list[float]:
        return [next((score for word, score in said.items() if text.startswith(word)), 0.0) for text in texts]

    return relevance


def test_a_passage_that_answers_comes_before_one_with_the_same_words(tmp_path: Path) -> None:
    hits = hits_of(tmp_path, row("Fuel cost rises.", page=1), row("Our fuel cost.", page=2))
    first, second = rerank_hits("fuel cost", hits, by(Our=6.0, Fuel=-6.0))
    assert (first.page, second.page) == (2, 1)
    assert first.scores["rerank"] > 0.99 > 0.01 > second.scores["rerank"]
    assert first.score > hits[-1].score and first.score == first.scores["total"]
    assert first.reason.endswith("the reranker says 1.00")


def test_what_the_model_says_of_a_table_counts_less(tmp_path: Path) -> None:
    prose, table = row("Fuel cost more.", page=1), row(TABLE, page=2, kinds=["table"])
    hits = hits_of(tmp_path, prose, table)
    gained = {
        hit.page: hit.score - next(one.score for one in hits if one.page == hit.page)
        for hit in rerank_hits("fuel cost", hits, by(**{"Fuel cost": 9.0, "Fuel, 2031": -9.0}))
    }
    assert round(gained[1], 3) == 0.1
    assert round(gained[2], 4) == 0.0125


def test_a_model_does_not_see_the_amounts_of_a_table(tmp_path: Path) -> None:
    hits = hits_of(tmp_path, row(TABLE, kinds=["table"], section=["Costs"]))
    seen: list[str] = []
    rerank_hits("fuel cost", hits, lambda _, texts: seen.extend(texts) or [0.0])
    assert seen == ["Costs\nFuel, 2031\nCost"]


def test_hits_beyond_the_first_keep_their_places(tmp_path: Path) -> None:
    hits = hits_of(tmp_path, *(row("fuel " * number + "cost " * number, page=number) for number in range(1, TOP + 5)))
    ranked = rerank_hits("fuel cost", hits, lambda _, texts: [float(number) for number, _ in enumerate(texts)])
    assert len(hits) == TOP + 4
    assert ranked[TOP:] == hits[TOP:]
    assert {hit.page for hit in ranked[:TOP]} == {hit.page for hit in hits[:TOP]}
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)


def test_without_hits_the_model_is_not_asked() -> None:
    assert rerank_hits("fuel", [], lambda *_: 1 / 0) == []
