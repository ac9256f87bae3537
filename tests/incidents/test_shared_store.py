"""Several readers of one document and one store at the same moment: each gets what it would get alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, Event, Thread

import pytest

import quire
from quire.core.document import Document
from quire.core.errors import StoreError
from quire.durable.deletion import delete_documents
from quire.store import artifacts
from quire.store.garbage import Limits, collect
from quire.store.opening import open_store
from tests import documents, scans
from tests.incidents.asking import Asker
from tests.marking import on_servers

pytestmark = pytest.mark.processes

PAGES = 100
SHEETS = 24


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    """A long document with text, and what it reads like alone."""
    path = tmp_path_factory.mktemp("manual") / "manual.pdf"
    path.write_bytes(documents.many_pages(PAGES))
    return path, quire.read(path).to_json(words=True)


@pytest.fixture
def sheets(tmp_path):
    path = tmp_path / "sheets.pdf"
    path.write_bytes(scans.scanned(*(scans.numbered_sheet(number) for number in range(1, SHEETS + 1))))
    return path


@pytest.fixture
def programs(stranger, tmp_path):
    """Programs on one store, each of which has it open; all of them end with the test."""
    engine = stranger("raise")
    with ExitStack() as stack:

        def start(many: int, facts: str | None = None) -> list[Asker]:
            started = [Asker(engine, tmp_path / "store", 30.0, facts) for _ in range(many)]
            for program in started:
                stack.callback(program.close)
            return started

        yield start


@pytest.mark.parametrize("isolate", [False, True])
def test_threads_that_read_the_same_document_get_the_same_pages(manual, tmp_path, monkeypatch, isolate):
    path, calm = manual
    monkeypatch.setattr(artifacts, "BATCH", 3)  # each sees early what the others have saved
    together = Barrier(3)

    def read(_):
        together.wait()
        return quire.read(path, store=tmp_path / "store", isolate=isolate).to_json(words=True)

    with ThreadPoolExecutor(3) as threads:
        assert [text == calm for text in threads.map(read, range(3))] == [True] * 3
    assert quire.read(path, store=tmp_path / "store").to_json(words=True) == calm


@pytest.mark.parametrize("database", ["sqlite", on_servers("postgres")])
def test_programs_that_read_and_run_the_same_document_get_the_same_pages(manual, tmp_path, programs, request, database):
    path, _ = manual
    calm = quire.read(path).to_json()
    facts = request.getfixturevalue("postgres_url") if database == "postgres" else None
    three, go = programs(3, facts), tmp_path / "go"
    for program, verb in zip(three, ("read", "read", "run"), strict=True):
        program.tell(verb, path, go, *([None] if verb == "run" else []))
    go.touch()
    assert [program.told().get("answer") == calm for program in three] == [True] * 3
    assert quire.read(path, store=tmp_path / "store", facts=facts).to_json() == calm


def test_programs_that_read_and_run_the_same_scan_get_the_same_pages(sheets, tmp_path, programs):
    (alone,) = programs(1)
    calm_store = tmp_path / "calm"
    go = tmp_path / "go"
    go.touch()
    calm = alone.ask("calm", sheets, calm_store)["answer"]
    three = programs(3)
    for program, verb in zip(three, ("read", "read", "run"), strict=True):
        program.tell(verb, sheets, go, *([None] if verb == "run" else []))
    assert [program.told().get("answer") == calm for program in three] == [True] * 3


def test_readers_beside_a_deleter_and_a_collector_get_their_pages(manual, tmp_path):
    """The other document has the same pages, so that contents are shared."""
    path, calm = manual
    twin = tmp_path / "twin.pdf"
    twin.write_bytes(path.read_bytes() + b"\n%")
    store, ended = tmp_path / "store", Event()
    quire.read(twin, store=store)
    failures: list[BaseException] = []

    def remove() -> None:
        try:
            with open_store(str(store)) as opened:
                while not ended.is_set():
                    delete_documents(opened, [Document(twin).id])
                    collect(opened, Limits())
                    quire.read(twin, store=store, pages="1-20")
        except BaseException as error:
            failures.append(error)

    def read(_):
        return quire.read(path, store=store).to_json(words=True)

    remover = Thread(target=remove)
    remover.start()
    try:
        with ThreadPoolExecutor(2) as threads:
            read_now = list(threads.map(read, range(6)))
    finally:
        ended.set()
        remover.join()
    assert not [error for error in failures if not isinstance(error, StoreError)], failures
    assert [text == calm for text in read_now] == [True] * 6
