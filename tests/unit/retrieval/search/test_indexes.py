"""One index, many engines: what holds on SQLite holds on PostgreSQL and on search engines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from threading import Barrier, Event

import pytest

from quire.core.errors import ConfigurationError, StoreError, UsageError
from quire.core.keys import digest_bytes
from quire.retrieval.search.postgres_index import PostgresIndexes
from quire.retrieval.search.query import SearchFilter, parse_query
from quire.retrieval.search.sqlite_index import SqliteIndexes
from tests.unit.retrieval.search.indexes import EMBEDDER, VECTORS, WORDS, contents, document, found, names

HARBOUR = "The harbour office collects a toll from every ship."
MARGIN = "Gross margin was 41.3% in 2022, and $1,234 million in FY2021."


@pytest.fixture
def index(indexes):
    return indexes.make(VECTORS)


def test_a_document_is_found_by_its_words_with_its_page(index):
    index.put([document("harbour.pdf", "Nothing here.", HARBOUR), document("margin.pdf", MARGIN)])
    (first, *_) = found(index, "harbour toll")
    assert (first.name, first.page, first.scores["lexical"] > 0) == ("harbour.pdf", 2, True)
    assert [first.text[begin:end] for begin, end in first.marks] == ["harbour", "toll"]


def test_phrases_must_be_there_and_excluded_words_must_not(index):
    index.put([document("a.pdf", "total assets of the group"), document("b.pdf", "assets in total of the group")])
    assert names(index, '"total assets"') == {"a.pdf"}
    assert names(index, 'assets -"total assets"') == {"b.pdf"}
    assert names(index, "group -total") == set()


def test_terms_with_marks_of_the_query_language_are_plain_words(index):
    index.put([document("odd.pdf", "invoice INV-2021/0042 of O'Neil & Sons: C++ | \\ (a) ! <-> 'quoted'")])
    for query in ("INV-2021/0042", "O'Neil", "C++", "quoted \\ | & ! ( ) <-> ' ''"):
        assert names(index, query) == {"odd.pdf"}, query


def test_a_word_of_any_length_does_no_harm(index):
    index.put([document("long.pdf", f"{'x' * 5000} and a ship")])
    assert names(index, f"ship {'x' * 5000}") == {"long.pdf"}


FILTERS = {
    "folders": ("/reports/2022",),
    "documents": ("mine.pdf",),
    "kinds": ("table",),
    "pages": "2-3",
    "since": "2024-01-31",
    "until": "2024-01-31",
    "metadata": (("author", "Ann"),),
}


@pytest.mark.parametrize("field", FILTERS)
def test_a_filter_lets_only_pass_what_fits(index, field):
    text = "A ship in the harbour."
    mine = document(
        "mine.pdf", "Empty.", text, path="/reports/2022/mine.pdf", kinds=["table"], metadata={"author": "Ann"}
    )
    other = document("other.pdf", text, "Empty.", path="/reports/20222/other.pdf", metadata={"author": "Anna"})
    days = {
        "since": ("2024-01-31T00:00:00", "2024-01-30T23:59:59"),
        "until": ("2024-01-31T23:59:59", "2024-02-01T00:00:00"),
    }
    first, second = days.get(field, ("", ""))
    index.put([replace(mine, modified=first), replace(other, modified=second)])
    hits = found(index, "ship harbour", SearchFilter(**{field: FILTERS[field]}))
    assert "mine.pdf" in {hit.name for hit in hits}
    if field == "pages":
        assert all(hit.page in (2, 3) for hit in hits)
    else:
        assert {hit.name for hit in hits} == {"mine.pdf"}


def test_folders_are_found_in_any_case(index):
    index.put([document("a.pdf", HARBOUR, path="/Reports/a.pdf")])
    assert names(index, "harbour", folders=("reports",)) == {"a.pdf"}


def test_no_tenant_finds_a_document_of_another(index):
    index.put([document("mine.pdf", HARBOUR, tenant="a"), document("theirs.pdf", HARBOUR, tenant="b")])
    assert names(index, "harbour", tenant="a") == {"mine.pdf"}
    assert names(index, "harbour", tenant="b", documents=("mine.pdf",)) == set()
    assert names(index, "harbour") == set()
    assert index.remove([digest_bytes(b"theirs.pdf")], tenant="a") == 0
    assert names(index, "harbour", tenant="b") == {"theirs.pdf"}
    assert index.around(digest_bytes(b"mine.pdf"), 0, 1, SearchFilter(tenant="b")) == []


def test_a_document_that_is_put_again_is_replaced(index, indexes):
    index.put([document("a.pdf", HARBOUR, MARGIN), document("b.pdf", MARGIN)])
    index.put([document("a.pdf", "Something else about a lighthouse.")])
    assert found(index, "lighthouse")[0].name == "a.pdf"
    assert all(hit.name == "b.pdf" or "lighthouse" in hit.text for hit in found(index, "harbour toll margin"))
    assert (indexes.versions()[0].documents, indexes.versions()[0].chunks) == (2, 2)
    assert index.statistics(["harbour", "margin", "lighthouse"]).frequencies == {"margin": 1, "lighthouse": 1}


def test_statistics_do_not_depend_on_what_was_removed(indexes):
    index, fresh = indexes.make(VECTORS), indexes.make(VECTORS)
    index.put([document(f"{number}.pdf", f"ship number {number} in the harbour") for number in range(9)])
    index.remove([digest_bytes(f"{number}.pdf".encode()) for number in range(0, 9, 2)])
    fresh.put([document(f"{number}.pdf", f"ship number {number} in the harbour") for number in range(1, 9, 2)])
    asked = ["ship", "number", "0", "1", "harbour"]
    assert index.statistics(asked) == fresh.statistics(asked)


def test_what_looking_for_a_word_costs_is_known_over_all_tenants(transactional_indexes):
    index = transactional_indexes.make(VECTORS)
    index.put([document("a.pdf", HARBOUR, MARGIN, tenant="a")])
    index.put([document(f"{number}.pdf", HARBOUR, tenant="b") for number in range(9)])
    assert index.statistics(["harbour", "margin"], tenant="a").everywhere == {"harbour": 10, "margin": 1}


def test_scores_of_a_tenant_do_not_depend_on_the_documents_of_others(indexes):
    index, alone = indexes.make(VECTORS), indexes.make(VECTORS)
    mine = [document("a.pdf", HARBOUR, MARGIN, tenant="a"), document("b.pdf", MARGIN, tenant="a")]
    others = [document(f"{number}.pdf", HARBOUR, "zanzibar", tenant="b") for number in range(9)]
    index.put([*mine, *others])
    alone.put(mine)
    asked = ["harbour", "margin", "zanzibar"]
    known = index.statistics(asked, tenant="a")
    assert known[:3] == alone.statistics(asked, tenant="a")[:3] == (3, known.mean_length, {"harbour": 1, "margin": 2})
    filters = SearchFilter(tenant="a")
    hits = [[(hit.name, hit.scores) for hit in found(one, "harbour margin", filters)] for one in (index, alone)]
    assert hits[0] == hits[1]
    index.remove([one.document for one in others])
    assert index.statistics(asked, tenant="b") == (0, 0.0, {}, {})


def test_neighbours_of_a_hit_are_in_reading_order(index):
    index.put([document("a.pdf", *(f"page {number} of the ship" for number in range(6)))])
    around = index.around(digest_bytes(b"a.pdf"), 3, 1, SearchFilter())
    assert [chunk.row["index"] for chunk in around] == [2, 3, 4]


def test_chunks_on_pages_are_those_of_the_document_and_the_tenant(index):
    index.put([document("a.pdf", HARBOUR, MARGIN), document("b.pdf", HARBOUR), document("a.pdf", MARGIN, tenant="t")])
    mine = digest_bytes(b"a.pdf")
    asked = [(mine, 1), (mine, 2), (mine, 9), (digest_bytes(b"c.pdf"), 1)]
    found = sorted(index.on_pages(asked, SearchFilter()), key=lambda chunk: chunk.first_page)
    assert [(chunk.document, chunk.first_page, chunk.last_page, chunk.kinds) for chunk in found] == [
        (mine, 1, 1, " text "),
        (mine, 2, 2, " text "),
    ]
    assert " harbour " in found[0].terms


def test_an_index_of_words_alone_needs_no_vectors(indexes):
    index = indexes.make(WORDS)
    index.put([document("a.pdf", HARBOUR, vectors=False), document("b.pdf", MARGIN, vectors=False)])
    assert names(index, "harbour") == {"a.pdf"}
    assert index.dense(EMBEDDER.vector("harbour"), None, 3) == []
    index.remove([digest_bytes(b"a.pdf")])
    assert names(index, "harbour") == set()


def test_vectors_of_another_dimension_are_refused_before_anything_is_written(indexes):
    index = indexes.make(replace(VECTORS, dimension=8))
    with pytest.raises(UsageError, match="a vector has 48 dimensions, the index has 8"):
        index.put([document("a.pdf", HARBOUR)])
    assert index.known() == {}


def test_versions_are_side_by_side_until_one_is_switched_to(indexes):
    old, new = indexes.make(VECTORS, name="old"), indexes.make(WORDS, name="new")
    old.put([document("a.pdf", HARBOUR)])
    new.put([document("b.pdf", HARBOUR, vectors=False)])
    assert names(indexes.open(), "harbour") == {"a.pdf"}
    assert names(indexes.open(name="new"), "harbour") == {"b.pdf"}
    with pytest.raises(UsageError, match="no version newer; choose from old, new"):
        indexes.switch("newer")
    assert indexes.open().name == "old"
    indexes.switch("new")
    assert names(indexes.open(), "harbour") == {"b.pdf"}
    indexes.drop("old")
    assert [(version.name, version.is_current) for version in indexes.versions()] == [("new", True)]
    with pytest.raises(StoreError):
        old.put([document("c.pdf", HARBOUR)])
    indexes.remove([digest_bytes(b"b.pdf")])
    assert contents(indexes) == {}


def test_a_profile_opens_the_version_that_is_searched(indexes):
    searched = indexes.make(VECTORS)
    later = indexes.make(VECTORS)
    assert indexes.open(VECTORS).name == searched.name != later.name
    indexes.switch(later.name)
    assert indexes.open(VECTORS).name == later.name
    assert indexes.open(WORDS) is None


def test_two_that_need_a_new_version_get_the_same(indexes):
    both = Barrier(2)

    def make(_: int) -> str:
        both.wait(60)
        return indexes.open_or_make(VECTORS).name

    with ThreadPoolExecutor(2) as threads:
        assert len({*threads.map(make, range(2))}) == 1
    assert len(indexes.versions()) == 1


@pytest.mark.slow
def test_two_writers_do_not_lose_each_others_documents(indexes, index):
    def put(numbers: range) -> None:
        for number in numbers:
            index.put([document(f"{number % 6}.pdf", f"ship {number} in the harbour", HARBOUR)])

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(put, [range(12), range(4, 20), range(18, 0, -1)]))
    assert len(index.known()) == 6
    assert index.statistics(["harbour"]).frequencies == {"harbour": 12}
    assert len(found(index, "harbour toll")) > 0


ABOUT_SHIP_77 = ("ship 77 harbour", '"ship 77"', "77 -toll", "in:reports ship 77", "page:1 77", "What is ship 77?")


def test_one_of_a_thousand_removed_documents_is_in_no_answer_from_then_on_while_others_search(
    transactional_indexes, indexes_elsewhere
):
    indexes, index = transactional_indexes, transactional_indexes.make(VECTORS)
    index.put([document(f"{number}.pdf", f"ship {number} in the harbour") for number in range(1000)])
    target = digest_bytes(b"77.pdf")
    leaving, removed, read = Event(), Event(), indexes_elsewhere.open()

    def look(query: str) -> int:
        """How often it was not found: at first it is."""
        after = 0
        while after < 3:
            gone = removed.is_set()
            hits = found(read, query)
            assert leaving.is_set() or hits[0].document == target
            assert not gone or all(hit.document != target and "77.pdf" not in hit.also for hit in hits)
            after += gone
        return after

    assert all(found(read, query)[0].document == target for query in ABOUT_SHIP_77)
    with ThreadPoolExecutor(2) as threads:
        looking = [threads.submit(look, query) for query in ABOUT_SHIP_77[:2]]
        leaving.set()
        indexes.remove([target])
        removed.set()
        assert all(future.result(60) for future in looking)
    for query in ABOUT_SHIP_77:
        assert all(hit.document != target and "77.pdf" not in hit.also for hit in found(index, query)), query
    assert names(index, "ship", documents=("77.pdf",)) == set()
    assert index.around(target, 0, 9, SearchFilter()) == index.on_pages([(target, 1)], SearchFilter()) == []
    assert index.statistics(["77", "ship"]).frequencies == {"ship": 999}
    assert len(index.known()) == 999


@pytest.mark.slow
def test_what_is_indexed_is_found_while_more_is_indexed(index):
    index.put([document("lighthouse.pdf", "A lighthouse stands at the harbour.", HARBOUR)])
    stop = Event()

    def look() -> int:
        times = 0
        while not stop.is_set() or not times:
            assert found(index, "lighthouse harbour")[0].name == "lighthouse.pdf"
            times += 1
        return times

    with ThreadPoolExecutor(2) as threads:
        looking = [threads.submit(look) for _ in range(2)]
        for number in range(20):
            index.put([document(f"{number}.pdf", f"ship {number} in the harbour", HARBOUR)])
        stop.set()
        assert all(future.result(60) for future in looking)


WORDS_OF_IT = (
    *("harbour", "ship", "toll", "office", "margin", "gross", "assets", "total"),
    *("income", "tax", "2021", "2022", "note", "table", "group", "report"),
)


def many(count: int) -> list:
    """Documents whose words overlap."""
    return [
        document(
            f"{number}.pdf",
            *(
                " ".join(
                    WORDS_OF_IT[(number * 7 + part * 3 + step * step) % len(WORDS_OF_IT)] for step in range(2 + part)
                )
                + f" item{number}"
                for part in range(4)
            ),
        )
        for number in range(count)
    ]


QUERIES = [
    "gross margin 2022",
    "toll of the harbour office",
    "income tax",
    '"ship toll" group',
    "item7 report",
    "assets -tax",
]


def test_both_engines_have_the_same_best_hits(sqlite_indexes, postgres_indexes):
    documents = many(60)
    for indexes in (sqlite_indexes, postgres_indexes):
        indexes.make(VECTORS).put(documents)
    assert contents(sqlite_indexes).keys() == contents(postgres_indexes).keys()
    for query in QUERIES:
        hits = [found(indexes.open(), query) for indexes in (sqlite_indexes, postgres_indexes)]
        first, second = ({(hit.document, hit.index) for hit in found} for found in hits)
        assert len(first & second) >= 0.8 * len(first | second), query
        assert hits[0][0].score == pytest.approx(hits[1][0].score, abs=0.01), query


def test_the_graph_finds_nearly_what_comparing_everything_finds(postgres_database):
    indexes, graph = PostgresIndexes(postgres_database), PostgresIndexes(postgres_database, exact=0)
    graph.make(VECTORS).put(many(60))
    for filters in (
        SearchFilter(),
        SearchFilter(pages="1-2"),
        SearchFilter(documents=("7.pdf",)),
        SearchFilter(documents=("none.pdf",)),
    ):
        for query in QUERIES:
            exact, near = (found(one.open(), query, filters) for one in (indexes, graph))
            same = {hit.chunk for hit in exact} & {hit.chunk for hit in near}
            assert len(same) >= 0.8 * len(exact), (query, filters)
            assert len(exact) == len(near), (query, filters)


def test_the_graph_is_made_once_comparing_everything_is_too_much(postgres_database):
    index = PostgresIndexes(postgres_database, exact=20).make(VECTORS)
    graphs = "SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'search_vectors_%' AND indexdef LIKE '%hnsw%'"
    made = []
    for one in many(25):
        index.put([one])
        made.append(postgres_database.rows(graphs)[0][0])
    assert (made[0], made[-1]) == (0, 1)


def test_a_server_without_pgvector_says_what_to_do_and_indexes_words(postgres_database):
    """As that of Debian 12; here it only denies that it has it."""

    class Without:
        def __getattr__(self, name: str) -> object:
            return getattr(postgres_database, name)

        def rows(self, statement, values=()):
            return [] if "extension" in statement else postgres_database.rows(statement, values)

    indexes = PostgresIndexes(Without())
    with pytest.raises(ConfigurationError, match=r"lacks pgvector.*--embedder none"):
        indexes.make(VECTORS)
    assert indexes.versions() == []
    index = indexes.make(WORDS)
    index.put([document("a.pdf", HARBOUR, vectors=False)])
    assert names(index, "harbour") == {"a.pdf"}


def test_a_version_made_after_one_was_dropped_elsewhere_has_vectors_of_its_own(tmp_path):
    """Another process keeps in memory what it loaded of the version that was dropped."""
    with closing(SqliteIndexes(tmp_path / "search")) as here, closing(SqliteIndexes(tmp_path / "search")) as there:
        first = here.make(VECTORS)
        first.put([document("ship.pdf", "a ship leaves the harbour", HARBOUR)])
        assert found(first, "ship leaves")[0].name == "ship.pdf"
        there.drop(first.name)
        there.make(VECTORS).put([document("bread.pdf", "bread from the oven", "butter and salt")])
        second = here.open(VECTORS)
        assert second is not None and second.name != first.name
        near = second.dense(EMBEDDER.vector("butter and salt"), parse_query("butter"), 1)
        assert [chunk.row["text"] for chunk in second.load(near)] == ["butter and salt"]
