"""Search engines break off, refuse, forget to answer, and have several writers: no document is ever half there."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import pytest

from quire.core.errors import ConfigurationError, StoreError, UsageError
from quire.core.keys import ArtifactKey, digest_bytes
from quire.durable.deletion import delete_documents
from quire.net.search_engine import EngineAddress, EngineClient
from quire.retrieval.search import opensearch_engine, qdrant_engine
from quire.retrieval.search.engine_places import forget, open_engine, remember, remembered
from quire.retrieval.search.query import SearchFilter
from quire.store.opening import open_store
from tests.fakes.engine_server import EngineRequest
from tests.fakes.opensearch_server import FakeOpenSearch, opensearch_server
from tests.fakes.qdrant_server import FakeQdrant, qdrant_server
from tests.unit.retrieval.search.indexes import VECTORS, contents, document, found, names

OLD = [f"old page {number} of the harbour" for number in range(3)]
NEW = [f"new page {number} of the harbour" for number in range(3)]
MINE = digest_bytes(b"mine.pdf")


class Killed(BaseException):
    """The process ends: nothing that it would still have done is done."""


def texts(index) -> list[str]:
    """Of the document `mine.pdf`, as searches see it."""
    return [chunk.row["text"] for chunk in index.around(MINE, 0, 100, SearchFilter())]


@pytest.fixture
def index(engine_indexes):
    made = engine_indexes.make(VECTORS)
    made.put([document("mine.pdf", *OLD), document("other.pdf", "another harbour")])
    return made


@pytest.fixture
def single_bulks(monkeypatch):
    """Every chunk is in a request of its own."""
    monkeypatch.setattr(opensearch_engine, "BULK_ITEMS", 1)
    monkeypatch.setattr(qdrant_engine, "BATCH_ITEMS", 1)


def writes_chunks(method: str, path: str, body: object) -> bool:
    return method in ("PUT", "POST") and isinstance(body, bytes)


def killed_at(monkeypatch, number: int, *, of=writes_chunks) -> None:
    """Before the request of this number, among those of chunks."""
    ask, seen = EngineClient.ask, []

    def asking(self, method, path, body=None, **more):
        if of(method, path, body):
            seen.append(path)
            if len(seen) == number:
                raise Killed
        return ask(self, method, path, body, **more)

    monkeypatch.setattr(EngineClient, "ask", asking)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_writer_that_is_killed_between_two_bulks_leaves_the_document_as_it_was(
    index, engine_indexes, single_bulks, monkeypatch, number
):
    with monkeypatch.context() as patched, pytest.raises(Killed):
        killed_at(patched, number)
        index.put([document("mine.pdf", *NEW)])
    assert texts(index) == OLD
    assert all("new" not in hit.text for hit in found(index, "new page harbour"))
    index.put([document("mine.pdf", *NEW)])
    assert texts(index) == NEW
    assert engine_indexes.versions()[0].chunks == 4, "what the killed writer left is erased"
    assert index.statistics(["new", "old"]).frequencies == {"new": 3}


def test_a_document_that_is_new_is_not_there_until_all_of_it_is(engine_indexes, single_bulks, monkeypatch):
    index = engine_indexes.make(VECTORS)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        killed_at(patched, 3)
        index.put([document("mine.pdf", *NEW)])
    assert (texts(index), index.known(), index.tenants(), found(index, "new harbour")) == ([], {}, [], [])
    assert index.remove([MINE]) == 0, "it was never there"
    assert engine_indexes.versions()[0].chunks == 0, "and nothing of it is left"


def test_a_removal_that_is_killed_has_removed_the_document_and_can_be_repeated(index, engine_indexes, monkeypatch):
    def erases(method, path, body):
        return "delete" in path

    with monkeypatch.context() as patched, pytest.raises(Killed):
        killed_at(patched, 1, of=erases)
        engine_indexes.remove([MINE])
    assert names(index, "harbour page") == {"other.pdf"}
    assert MINE not in index.known()
    engine_indexes.remove([MINE])
    assert engine_indexes.versions()[0].chunks == 1


def test_a_writer_that_another_one_overtakes_writes_its_document_again(index, engine_indexes, monkeypatch):
    """Both are complete, in one order: of the one that ends last everything is there, of the other nothing."""
    engine, overtaken = type(index._engine), []
    write = engine.write

    def writing(self, version, items):
        write(self, version, items)
        if not overtaken:
            overtaken.append(True)
            index.put([document("mine.pdf", "of the other writer")])

    monkeypatch.setattr(engine, "write", writing)
    index.put([document("mine.pdf", *NEW)])
    assert texts(index) == NEW
    assert engine_indexes.versions()[0].chunks == 4


def test_a_document_removed_while_it_is_written_is_there_whole_or_not_at_all(index, engine_indexes, monkeypatch):
    engine, removed = type(index._engine), []
    write = engine.write

    def writing(self, version, items):
        write(self, version, items)
        if not removed:
            removed.append(True)
            engine_indexes.remove([MINE])
            assert texts(index) == []

    monkeypatch.setattr(engine, "write", writing)
    index.put([document("mine.pdf", *NEW)])
    assert texts(index) == NEW
    assert engine_indexes.versions()[0].chunks == 4


def test_two_that_write_one_document_at_the_same_time_leave_one_of_theirs(index, engine_indexes):
    written = [[f"{name} page {number}" for number in range(3)] for name in ("first", "second", "third")]
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda given: [index.put([document("mine.pdf", *given)]) for _ in range(3)], written))
    assert texts(index) in written
    assert engine_indexes.versions()[0].chunks == 4


def test_a_version_that_another_process_makes_just_then_is_opened(engine_indexes, monkeypatch):
    engine, others = type(engine_indexes._engine), []
    create = engine.create

    def creating(self, version):
        if not others:
            others.append("")
            others[0] = engine_indexes.open_or_make(VECTORS).name
            engine_indexes.make(replace(VECTORS, dimension=8))
        return create(self, version)

    monkeypatch.setattr(engine, "create", creating)
    assert engine_indexes.open_or_make(VECTORS).name == others[0]
    assert [version.is_current for version in engine_indexes.versions()] == [True, False]


def test_a_removed_document_is_in_no_answer_once_the_removal_has_returned(index, engine_indexes):
    removed, stop = Event(), Event()

    def look() -> int:
        after = 0
        while not stop.is_set() or not after:
            gone = removed.is_set()
            hits = found(index, "page harbour")
            assert not gone or all(hit.document != MINE for hit in hits)
            after += gone
        return after

    with ThreadPoolExecutor(2) as threads:
        looking = [threads.submit(look) for _ in range(2)]
        engine_indexes.remove([MINE])
        removed.set()
        stop.set()
        assert all(future.result(60) for future in looking)


def test_a_vector_that_does_not_fit_is_refused_before_a_request_is_sent(fake_qdrant, fake_opensearch, engine_indexes):
    index = engine_indexes.make(replace(VECTORS, dimension=8))
    before = len(fake_qdrant.requests) + len(fake_opensearch.requests)
    with pytest.raises(UsageError, match="a vector has 48 dimensions, the index has 8"):
        index.put([document("other.pdf", "a ship"), document("mine.pdf", *OLD)])
    assert len(fake_qdrant.requests) + len(fake_opensearch.requests) == before


def test_a_text_without_a_vector_is_found_by_its_words(engine_indexes):
    """Its vector is zero, which has no direction, and which engines refuse."""
    index = engine_indexes.make(VECTORS)
    empty = document("mine.pdf", *OLD)
    zero = [replace(chunk, vector=chunk.vector * 0) for chunk in empty.chunks]
    index.put([replace(empty, chunks=zero), document("other.pdf", "another harbour")])
    assert names(index, "page") == {"mine.pdf", "other.pdf"}


@pytest.fixture(params=[(opensearch_server, "opensearch"), (qdrant_server, "qdrant")], ids=["opensearch", "qdrant"])
def disturbed(request):
    """A server of its own, to be disturbed, and the address of the index in it."""
    start, speaks = request.param
    with start() as running:
        yield running, f"{speaks}+{running.url}/quire"


def is_record(request: EngineRequest) -> bool:
    return request.method == "PUT" and (b'"writing"' in request.body)


def test_an_answer_that_is_lost_changes_nothing(disturbed, monkeypatch):
    monkeypatch.setattr("quire.net.transport.time.sleep", lambda _: None)
    server, address = disturbed
    indexes = open_engine(address)
    index = indexes.make(VECTORS)
    records = []

    def loses(request: EngineRequest) -> bool:
        """The first answer to each new state of a record."""
        if is_record(request) and request.body not in records:
            records.append(request.body)
            return True
        return False

    server.lost.append(loses)
    index.put([document("mine.pdf", *OLD)])
    index.put([document("mine.pdf", *NEW)])
    assert texts(index) == NEW
    assert indexes.versions()[0].chunks == 3
    assert len(records) >= 4


def test_a_busy_server_is_asked_again(disturbed, monkeypatch):
    monkeypatch.setattr("quire.net.transport.time.sleep", lambda _: None)
    server, address = disturbed
    index = open_engine(address).make(VECTORS)
    answers = [429, 503, 429]
    server.faults.append(lambda request: (answers.pop(), {"error": "busy"}) if answers else None)
    index.put([document("mine.pdf", *OLD)])
    assert texts(index) == OLD
    assert answers == []


def test_a_server_that_is_down_is_an_error_with_its_address_and_without_the_key(disturbed, monkeypatch):
    monkeypatch.setattr("quire.net.transport.time.sleep", lambda _: None)
    monkeypatch.setenv("QUIRE_INDEX_KEY", "hush-hush")
    server, address = disturbed
    index = open_engine(address).make(VECTORS)
    assert any("hush-hush" in value for value in server.requests[-1].headers.values())
    server.faults.append(lambda request: (0, None))
    with pytest.raises(StoreError) as caught:
        index.put([document("mine.pdf", *OLD)])
    assert address in str(caught.value) and "is the server running?" in str(caught.value)
    server.faults.append(lambda request: (500, {"said": request.headers}))
    server.faults.reverse()
    with pytest.raises(StoreError, match="500") as caught:
        index.known()
    assert "hush" not in str(caught.value)


class Refusing(FakeOpenSearch):
    """Refuses one chunk, so many times; says how many chunks each bulk had."""

    def __init__(self, times: int, status: int) -> None:
        super().__init__()
        self.left, self.status, self.bulks = times, status, list[list[str]]()
        self.refuses = self._refuse

    def do_bulk(self, index, request):
        self.bulks.append([])
        return super().do_bulk(index, request)

    def _refuse(self, doc):
        self.bulks[-1].append(doc["row"]["text"])
        if doc["row"]["text"] != OLD[1] or not self.left:
            return None
        self.left -= 1
        return self.status


def test_of_a_bulk_only_the_chunks_that_were_refused_are_sent_again(monkeypatch):
    monkeypatch.setattr(opensearch_engine.time, "sleep", lambda _: None)
    engine = Refusing(2, 429)
    with opensearch_server(engine) as server:
        index = open_engine(f"opensearch+{server.url}").make(VECTORS)
        index.put([document("mine.pdf", *OLD)])
        assert texts(index) == OLD
    assert engine.bulks == [OLD, [OLD[1]], [OLD[1]]]


@pytest.mark.parametrize(("status", "said", "bulks"), [(429, "overloaded", 6), (400, "rejected execution", 1)])
def test_a_bulk_that_stays_refused_is_an_error_and_no_half_document(monkeypatch, status, said, bulks):
    monkeypatch.setattr(opensearch_engine.time, "sleep", lambda _: None)
    engine = Refusing(100, status)
    with opensearch_server(engine) as server:
        index = open_engine(f"opensearch+{server.url}").make(VECTORS)
        with pytest.raises(StoreError, match=f"of .*chunks, 1 were refused.*{said}"):
            index.put([document("mine.pdf", *OLD)])
        assert len(engine.bulks) == bulks
        assert (texts(index), index.known(), found(index, "page")) == ([], {}, [])


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://localhost:9200", "is no address of a search engine; write one like opensearch"),
        ("solr+http://localhost", "is no address of a search engine"),
        ("qdrant+http://localhost:6333/Quire", "the name of an index has a-z"),
        ("qdrant+http://me:secret@localhost:6333/quire", "contains a password: set it as the key"),
        ("qdrant+http://localhost:6333/quire?key=1", r"no part after \?"),
    ],
)
def test_an_address_that_is_none_says_what_to_write(address, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        open_engine(address)
    assert "secret" not in str(caught.value)


def test_an_address_may_have_a_path_before_the_name():
    parsed = EngineAddress.parse("elasticsearch+https://proxy/engines/reports")
    assert (parsed.url, parsed.name) == ("https://proxy/engines", "reports")
    assert str(EngineAddress.parse("qdrant+http://localhost:6333")) == "qdrant+http://localhost:6333/quire"


def test_a_server_of_another_kind_or_too_old_is_refused():
    with opensearch_server(FakeOpenSearch(number="1.3.0")) as old, qdrant_server(FakeQdrant(version="1.9.1")) as older:
        with pytest.raises(ConfigurationError, match=r"opensearch 1.3.0; Quire needs 2.4 or later"):
            open_engine(f"opensearch+{old.url}")
        with pytest.raises(ConfigurationError, match=r"Qdrant 1.9.1; Quire needs 1.16 or later"):
            open_engine(f"qdrant+{older.url}")
        with pytest.raises(ConfigurationError, match="not like Qdrant"):
            open_engine(f"qdrant+{old.url}")
        old.faults.append(lambda _: (401, {"error": "no"}))
        with pytest.raises(ConfigurationError, match="QUIRE_INDEX_KEY"):
            open_engine(f"opensearch+{old.url}")


def test_a_document_deleted_from_the_store_is_deleted_from_its_engines(tmp_path, disturbed, monkeypatch):
    monkeypatch.setattr("quire.net.transport.time.sleep", lambda _: None)
    server, address = disturbed
    indexes = open_engine(address)
    index = indexes.make(VECTORS)
    index.put([document("mine.pdf", *OLD), document("other.pdf", "another harbour")])
    with open_store(tmp_path / "store") as store:
        store.save(ArtifactKey("k" * 64), b"artifact", stage="s", document=MINE)
        store.flush()
        assert remembered(store.database) == []
        for _ in range(2):
            remember(store.database, address)
        assert remembered(store.database) == [address]
        server.faults.append(lambda _: (0, None))
        with pytest.raises(StoreError, match=f"is the server running.*--forget-index {re.escape(address)}"):
            delete_documents(store, [MINE])
        assert store.find(ArtifactKey("k" * 64)) is not None, "so that the deletion can be repeated"
        server.faults.clear()
        delete_documents(store, [MINE])
        assert names(index, "harbour") == {"other.pdf"}
        assert [*contents(indexes)] == [digest_bytes(b"other.pdf")]
        forget(store.database, address)
        assert remembered(store.database) == []
        with pytest.raises(UsageError, match="knows no search index in"):
            forget(store.database, address)


def test_elasticsearch_is_asked_for_vectors_in_its_own_words():
    with opensearch_server(FakeOpenSearch(distribution="", number="8.15.0")) as server:
        index = open_engine(f"elasticsearch+{server.url}").make(VECTORS)
        index.put([document("mine.pdf", *OLD), document("other.pdf", "another harbour", path="/else/other.pdf")])
        best = found(index, "old page 2 of the harbour")[0]
        assert (best.name, best.page, best.scores["dense"] > 0.9) == ("mine.pdf", 3, True)
        assert names(index, "harbour", folders=("else",)) == {"other.pdf"}
