"""Searches over a small index: the order, what is folded, and what a hit says."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.core.errors import UsageError
from quire.retrieval.search.backend import IndexProfile
from quire.retrieval.search.index_search import SearchOptions, neighbours, search
from quire.retrieval.search.passages import passage
from quire.retrieval.search.query import SearchFilter
from quire.retrieval.search.sqlite_index import SqliteIndexes
from tests.unit.retrieval.search.made import DIMENSION, document, embed, index_of, row
from tests.unit.retrieval.search.test_statements import BALANCE, CASH, INCOME


def report(name: str, company: str) -> list:
    return [
        row(f"{company} capital expenditure was discussed at length.", page=1),
        row(f"Our balance is good. {company} grows.", page=2),
        row(BALANCE, page=3, kinds=["table"], section=["Consolidated Balance Sheets"]),
        row(INCOME, page=4, kinds=["table"], section=["Consolidated Statements of Income"]),
        row(CASH, page=5, kinds=["table"], section=["Consolidated Statements of Cash Flows"]),
    ]


def test_a_question_about_a_statement_finds_its_page(tmp_path: Path) -> None:
    index = index_of(tmp_path, document("acme.pdf", report("acme.pdf", "Acme")))
    question = "What is the capital expenditure of Acme? Use the cash flow statement."
    best = search(index, question, embed=embed)[0]
    assert (best.page, best.section) == (5, ("Consolidated Statements of Cash Flows",))
    assert "is part of the cash flow statement" in best.reason
    assert "same meaning" in best.reason


def test_the_name_of_a_document_chooses_among_documents(tmp_path: Path) -> None:
    names = ("acme.pdf", "globex.pdf", "initech.pdf")
    index = index_of(tmp_path, *(document(name, report(name, "It")) for name in names))
    assert search(index, "globex gross profit", embed=embed)[0].name == "globex.pdf"


def test_words_on_the_same_page_count_for_a_chunk(tmp_path: Path) -> None:
    rows = [
        row("Chargers of the fleet", page=1, kinds=["heading"]),
        row("The voltage is 230.", page=1),
        row("The voltage is 400.", page=2),
        row("Pumps", page=2, kinds=["heading"]),
    ]
    index = index_of(tmp_path, document("a.pdf", rows))
    assert [hit.page for hit in search(index, "voltage chargers", embed=embed)] == [1, 2]


def test_words_that_stand_together_come_before_the_same_words_apart(tmp_path: Path) -> None:
    apart = "The inner wall of the old fort was built long before anybody thought of a harbour on this coast."
    together = "A wall was built long before anybody of the old fort thought of the inner harbour on this coast."
    index = index_of(tmp_path, document("a.pdf", [row(apart, page=1), row(together, page=2)]))
    assert [hit.page for hit in search(index, "inner harbour")] == [2, 1]


def test_the_hit_of_a_page_is_what_says_most_of_the_query_not_a_line_below_a_headline(tmp_path: Path) -> None:
    section = ["The Formation of Black Holes"]
    names = row("Sari, Linial", page=1, section=section)
    abstract = row(
        "We show that black holes in galactic nuclei can form by collisions of stars.", page=1, section=section
    )
    index = index_of(tmp_path, document("paper.pdf", [names, abstract]))
    for embedded in (embed, None):
        [hit] = search(index, "formation of black holes by collisions", embed=embedded)
        assert hit.text.startswith("We show")


def test_an_identifier_is_meant_as_it_is(tmp_path: Path) -> None:
    similar = row("The error is shown in a message, and so is the code of the request.", page=1)
    meant = row("CFOL029 request not accepted, as the module is not on the file.", page=2)
    others = [row(f"An error message of {name}.", page=page) for page, name in enumerate(("tax", "plan"), 3)]
    index = index_of(tmp_path, document("manual.pdf", [similar, meant, *others]))
    assert search(index, "error message CFOL029", embed=embed)[0].page == 2


def test_the_same_text_in_several_documents_is_one_hit(tmp_path: Path) -> None:
    same = "Delivery within thirty days of the order."
    index = index_of(
        tmp_path, *(document(name, [row(same), row(name, page=2)]) for name in ("a.pdf", "b.pdf", "c.pdf"))
    )
    hits = search(index, "delivery within thirty days", embed=embed)
    assert [(hit.name, hit.also) for hit in hits if hit.page == 1] == [("a.pdf", ("b.pdf", "c.pdf"))]


def test_a_page_is_found_once_unless_more_are_wanted(tmp_path: Path) -> None:
    index = index_of(
        tmp_path, document("a.pdf", [row("A red valve."), row("Another red valve."), row("Blue.", page=2)])
    )
    assert len(search(index, "red valve", options=SearchOptions(per_page=1))) == 1
    assert len(search(index, "red valve", options=SearchOptions(per_page=2))) == 2


def test_the_best_of_each_document_alone(tmp_path: Path) -> None:
    texts = [row("red valve one"), row("red valve two", page=2)]
    other = [row("red valve three")]
    index = index_of(tmp_path, document("a.pdf", texts), document("b.pdf", other))
    assert len({hit.name for hit in search(index, "red valve", options=SearchOptions(per_document=1))}) == 2
    assert len(search(index, "red valve", options=SearchOptions(per_document=1))) == 2


def test_a_hit_is_on_the_page_that_holds_most_of_it(tmp_path: Path) -> None:
    index = index_of(tmp_path, document("a.pdf", [row("The red valve", page=8, also_on=7)]))
    [hit] = search(index, "valve")
    assert hit.page == 8
    assert hit.bbox is not None
    assert hit.bbox.height == pytest.approx(0.1)
    assert {place.page for place in hit.places} == {7, 8}


def test_matching_words_are_marked_below_the_headings(tmp_path: Path) -> None:
    index = index_of(tmp_path, document("a.pdf", [row("Two red valves.", section=["Valves"])]))
    [hit] = search(index, "valve")
    assert hit.text == "Two red valves."
    assert [hit.text[begin:end] for begin, end in hit.marks] == ["valves"]
    assert "has valve" in hit.reason


def test_phrases_and_exclusions_hold_for_every_source(tmp_path: Path) -> None:
    rows = [row("total assets of the plant"), row("assets in total", page=2), row("total assets, draft", page=3)]
    index = index_of(tmp_path, document("a.pdf", rows))
    assert [hit.page for hit in search(index, '"total assets" -draft', embed=embed)] == [1]


def test_a_question_that_quotes_what_is_nowhere_still_finds_something(tmp_path: Path) -> None:
    index = index_of(tmp_path, document("a.pdf", [row("The valve of the plant is red.")]))
    assert search(index, 'Which valve is "deep red"?', embed=embed)
    assert not search(index, 'valve "deep red"', embed=embed)


def test_filters_hold_for_words_and_vectors(tmp_path: Path) -> None:
    rows = [row("red valve"), row("red valve here", page=2, kinds=["table"])]
    index = index_of(tmp_path, document("a.pdf", rows), document("b.pdf", [row("red valve there")]))
    assert [hit.page for hit in search(index, "red valve kind:table", embed=embed)] == [2]
    assert [hit.page for hit in search(index, "red valve page:2", embed=embed)] == [2]
    assert {hit.name for hit in search(index, "red valve in:reports/b.pdf", embed=embed)} == {"b.pdf"}
    assert search(index, "red valve", embed=embed, filters=SearchFilter(tenant="other")) == []


def test_the_neighbours_of_a_hit_are_in_reading_order(tmp_path: Path) -> None:
    texts = ["one", "two", "three valve", "four", "five"]
    index = index_of(tmp_path, document("a.pdf", [row(text) for text in texts]))
    [hit] = search(index, "valve")
    assert [chunk.row["text"] for chunk in neighbours(index, hit)] == ["two", "three valve", "four"]


def test_a_removed_document_is_in_no_answer(tmp_path: Path) -> None:
    index = index_of(tmp_path, document("a.pdf", [row("red valve")]), document("b.pdf", [row("red valves, too")]))
    assert len(search(index, "valve", embed=embed)) == 2
    index.remove(["a.pdf"])
    assert [hit.name for hit in search(index, "valve", embed=embed)] == ["b.pdf"]


def test_too_many_hits_are_refused() -> None:
    with pytest.raises(UsageError, match="from 1 to 1000"):
        SearchOptions(k=5000)


def test_amounts_of_tables_are_not_embedded() -> None:
    table = "| | 2022 | Change |\n| --- | --- | --- |\n| Net sales | $ 1,234 | (5.1)% |"
    assert passage(row(table, section=["Results"])) == "Results\n2022, Change\nNet sales"


def test_a_version_that_is_dropped_leaves_nothing_for_the_next_one(tmp_path: Path) -> None:
    indexes = SqliteIndexes(tmp_path / "search.sqlite3")
    profile = IndexProfile("chunks", "1", "hashed", "1", DIMENSION)  # type: ignore[arg-type]
    indexes.make(profile, name="old").put([document("a.pdf", [row("red valve"), row("blue pump", page=2)])])
    old = indexes.open(name="old")
    assert old is not None
    assert search(old, "red valve", embed=embed)
    indexes.drop("old")
    new = indexes.make(profile, name="new")
    new.put([document("b.pdf", [row("green hose")])])
    assert [hit.name for hit in search(new, "valve hose", embed=embed)] == ["b.pdf"]
