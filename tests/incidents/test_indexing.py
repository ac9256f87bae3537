"""Indexing is killed, repeated, and done twice at once; documents change, go, and are deleted."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import quire.durable.indexing.delivery as delivery
from quire.core.document import Document
from quire.core.errors import StoreError
from quire.durable.document_index import Index
from quire.durable.indexing.store_index import open_indexes
from quire.retrieval.search.backend import Indexes
from quire.store.opening import open_store
from tests import documents
from tests.changed_code import change_code
from tests.fakes.hashed_words import HashedWords, offer
from tests.fakes.small_disks import small_disk
from tests.marking import on_servers
from tests.unit.cli.batches import Desk
from tests.unit.retrieval.search.indexes import VECTORS, contents, document

pytestmark = pytest.mark.processes

EMBEDDER = HashedWords()
COUNT = 5


def ship(number: object) -> bytes:
    text = f"The ship number {number} pays a toll."
    return documents.placed([documents.Piece(60, 80, text)])


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    """A few documents, and an embedder without a model."""
    monkeypatch.chdir(tmp_path)
    offer(EMBEDDER, monkeypatch.setattr)
    desk = Desk(tmp_path)
    for number in range(COUNT):
        desk.add(f"{number}.pdf", ship(number))
    return desk


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def new_facts(request) -> Callable[[], str | None]:
    """Names a new place for facts each time; None stands for the folder of a store."""
    return request.getfixturevalue("postgres_server").create if request.param == "postgresql" else lambda: None


@pytest.fixture
def facts(new_facts) -> str | None:
    return new_facts()


def index(desk: Desk, *arguments: object, store: str = "store", facts: str | None = None) -> None:
    given = ["--facts", facts] if facts else []
    desk.quire("index", *arguments, "--store", store, *given, "--embedder", EMBEDDER.name)


@contextmanager
def opened(store: str | Path, facts: str | None = None) -> Iterator[Indexes]:
    with open_store(store, facts) as artifacts:
        indexes = open_indexes(artifacts)
        yield indexes
        indexes.close()


def indexed(store: str | Path, facts: str | None = None) -> object:
    with opened(store, facts) as indexes:
        return contents(indexes)


def found(query: str, facts: str | None = None) -> set[str]:
    with Index("store", facts=facts, embedder=EMBEDDER.name) as searched:
        return {hit.name for hit in searched.search(query)}


PROGRAM = """
import os, signal, sys
from pathlib import Path
from quire.durable.indexing import delivery
from quire.durable.document_index import Index
from quire.durable.runtimes import local_runtime
from quire.store.opening import open_store
from tests.fakes.hashed_words import HashedWords, offer

kill, facts = sys.argv[1], sys.argv[2] or None
calls, ended = {"embed": 0, "put": 0}, {"embed": 0, "put": 0}

def killed(what, work):
    def working(*arguments):
        calls[what] += 1
        if kill == f"before {what} {calls[what]}":
            os.kill(os.getpid(), signal.SIGKILL)
        done = work(*arguments)
        ended[what] += 1  # two at the same time do not end in the order of their beginnings
        if kill == f"after {what} {ended[what]}":
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    return working

HashedWords.embed = killed("embed", HashedWords.embed)
delivery.IndexDelivery.put = killed("put", delivery.IndexDelivery.put)
offer(HashedWords())
with Index("store", facts=facts, embedder="hashed-words") as index, open_store("store", facts, lease_s=1) as store:
    with local_runtime(store, workers=1) as runtime:
        print(index.follow(index.request(["in"]), runtime)[1].planned, calls["embed"], calls["put"])
"""


def start(desk: Desk, facts: str | None, kill: str = "never") -> subprocess.Popen[str]:
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", PROGRAM, kill, facts or ""]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=desk.folder, env=environment, stdout=pipe, stderr=pipe, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors


def test_an_index_whose_making_was_killed_twice_equals_one_made_undisturbed(desk, facts, new_facts):
    undisturbed = new_facts()
    index(desk, "in", store="undisturbed", facts=undisturbed)
    assert ended(start(desk, facts, "after put 2"))[0] == -signal.SIGKILL
    assert ended(start(desk, facts, "after put 1"))[0] == -signal.SIGKILL
    code, output, errors = ended(start(desk, facts))
    assert code == 0, errors
    assert int(output.split()[1]) <= COUNT - 2, "what was embedded is not embedded again"
    assert indexed("store", facts) == indexed("undisturbed", undisturbed)


def test_two_that_index_one_folder_at_the_same_time_make_one_index(desk, facts):
    for code, _, errors in [ended(process) for process in (start(desk, facts), start(desk, facts))]:
        assert code == 0, errors
    with opened("store", facts) as indexes:
        assert len(indexes.versions()) == 1
    together = indexed("store", facts)
    assert len(together) == COUNT
    index(desk, "--rebuild", facts=facts)
    assert indexed("store", facts) == together


def test_only_what_has_changed_is_indexed_again(desk, monkeypatch):
    index(desk, "in")
    put, puts = delivery.IndexDelivery.put, []
    monkeypatch.setattr(
        delivery.IndexDelivery, "put", lambda own, *given: puts.append(given[1].name) or put(own, *given)
    )
    before = indexed("store")
    index(desk, "in")
    assert (puts, indexed("store")) == ([], before)

    desk.add("0.pdf", ship("zero"))
    (desk.folder / "in" / "1.pdf").unlink()
    desk.add("copy.pdf", ship(2))
    (desk.folder / "in" / "2.pdf").unlink()
    index(desk, "in")
    assert sorted(puts) == ["0.pdf", "copy.pdf"]
    assert {path for (path, _), _ in indexed("store").values()} == {
        str(path) for path in (desk.folder / "in").iterdir()
    }
    index(desk, "in", store="fresh")
    assert indexed("store") == indexed("fresh")


def test_content_of_a_changed_file_stays_while_another_file_has_it(desk):
    desk.add("copy.pdf", ship(0))
    index(desk, "in")
    desk.add("0.pdf", ship("zero"))
    desk.add("copy.pdf", ship("copy"))
    desk.add("late.pdf", ship(0))
    index(desk, "in")
    known = {id: Path(path).name for id, ((path, _), _) in indexed("store").items()}
    assert known[Document(desk.folder / "in" / "late.pdf").id] == "late.pdf"
    assert sorted(known.values()) == ["0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf", "copy.pdf", "late.pdf"]


def test_a_rebuilt_index_has_the_same_content_and_takes_the_place_of_the_old_one(desk, monkeypatch):
    index(desk, "in")
    desk.add("elsewhere.pdf", ship("elsewhere")).rename("elsewhere.pdf")
    index(desk, "elsewhere.pdf")
    before = indexed("store")
    with opened("store") as indexes:
        (old,) = indexes.versions()

    def embedded(*_: object) -> bytes:
        raise AssertionError("vectors come from the store")

    with monkeypatch.context() as patched:
        patched.setattr(HashedWords, "embed", embedded)
        index(desk, "--rebuild", "--limit", "2")  # stands for one that ended early
        with opened("store") as indexes:
            assert [version.is_current for version in indexes.versions()] == [True, False]
        assert indexed("store") == before
        index(desk, "--rebuild")
    with opened("store") as indexes:
        (new,) = indexes.versions()
    assert new.is_current and new.name != old.name
    assert indexed("store") == before
    desk.add("0.pdf", ship("zero"))
    index(desk, "in")
    assert found("zero") >= {"0.pdf"}, "it goes on with the new version"


def test_a_rebuild_with_another_embedder_takes_the_documents_of_the_index(desk):
    index(desk, "in")
    desk.quire("index", "--rebuild", "--store", "store", "--embedder", "none")
    with opened("store") as indexes:
        versions = [(version.profile.embedder, version.is_current, version.documents) for version in indexes.versions()]
    assert versions == [(EMBEDDER.name, False, COUNT), ("", True, COUNT)]


def test_an_index_of_earlier_code_is_searched_and_then_carried_over_with_its_vectors(desk, monkeypatch, tmp_path):
    index(desk, "in")
    everything = {f"{number}.pdf" for number in range(COUNT)}
    change_code(monkeypatch, tmp_path / "upgraded", "lexicon/terms.py")
    assert found("ship number") == everything
    desk.add("elsewhere.pdf", ship("elsewhere")).rename("elsewhere.pdf")
    embedded, embed = [], HashedWords.embed
    monkeypatch.setattr(
        HashedWords, "embed", lambda self, texts, role: embedded.extend(texts) or embed(self, texts, role)
    )
    index(desk, "elsewhere.pdf")
    assert len(embedded) == 1 and "elsewhere" in embedded[0], "the other vectors are in the store"
    assert found("ship number") == everything | {"elsewhere.pdf"}
    with opened("store") as indexes:
        (version,) = indexes.versions()
    assert version.is_current and version.documents == COUNT + 1


def test_nothing_to_index_says_what_to_name(desk):
    result = desk.quire("index", "--store", "store", "--embedder", "none", code=2)
    assert "name documents or folders" in result.stderr


def test_a_deleted_document_is_gone_from_the_index_with_its_facts(desk, facts):
    given = ["--facts", facts] if facts else []
    index(desk, "in", facts=facts)
    assert found("ship number 3", facts) == {f"{number}.pdf" for number in range(COUNT)}
    assert (Path("store") / "search.sqlite3").exists() == (facts is None)
    desk.quire("store", "delete", "in/3.pdf", "--yes", "--store", "store", *given)
    assert "3.pdf" not in found("ship number 3", facts)
    assert len(indexed("store", facts)) == COUNT - 1
    index(desk, "in", facts=facts)
    assert "3.pdf" in found("ship number 3", facts), "its file is still there, and asked for again"


def test_no_word_of_a_deleted_document_is_left_in_the_file_of_the_index(desk):
    desk.add("secret.pdf", ship("zanzibarquillfeather"))
    index(desk, "in")
    file = desk.folder / "store" / "search.sqlite3"
    assert any(b"zanzibarquillfeather" in path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    desk.quire("store", "delete", "in/secret.pdf", "--yes", "--store", "store")
    assert not any(b"zanzibar" in path.read_bytes() for path in file.parent.glob(f"{file.name}*"))


def test_a_full_disk_is_called_full_and_indexing_goes_on_when_there_is_room(desk, tmp_path):
    with small_disk(tmp_path / "disk", 4) as disk:
        if disk is None:
            pytest.skip("no file system may be mounted here")
        with opened(disk.folder) as indexes:
            made = indexes.open_or_make(VECTORS)
            disk.fill()
            with pytest.raises(StoreError, match="disk is full"):
                made.put([document("a.pdf", *(f"ship {number} of the harbour" for number in range(2000)))])
            assert made.known() == {}
            disk.empty()
            made.put([document("a.pdf", "a ship")])
            assert len(made.known()) == 1
