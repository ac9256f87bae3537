"""Documents share pages and answers in one store. One of them is deleted, or collected for its age, while another is
read: that one is never wrong, and never broken for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from PIL import Image

import quire
from quire.core.context import Json
from quire.core.engine import Question
from quire.core.errors import StoreError
from quire.core.keys import digest_bytes
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region
from quire.durable.deletion import delete_documents
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.worker_workflows import workflows_on
from quire.pipeline import Pipeline, detector, recognizer
from quire.runtime.local import LocalRuntime
from quire.store.artifacts import ArtifactStore
from quire.store.garbage import Limits, collect
from quire.store.opening import open_store
from tests import documents, scans
from tests.fakes.engines import NumberEngine, calls
from tests.marking import on_servers

pytestmark = pytest.mark.processes

DAYS = 100
"""For how long a document was not used, and more than is kept."""
ROUNDS = 6

Opening = Callable[[], ArtifactStore]


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def opening(request, tmp_path) -> Opening:
    """Opens the same store each time, as another process would."""
    facts = request.getfixturevalue("postgres_url") if request.param == "postgresql" else None
    return lambda: open_store(tmp_path / "store", facts)


@pytest.fixture
def store(opening) -> Iterator[ArtifactStore]:
    with opening() as opened:
        yield opened


def scan(*numbers: int) -> bytes:
    return scans.scanned(*map(scans.numbered_sheet, numbers))


PAIRS = {
    "digital": (documents.simple(3), documents.simple(4)),
    "scanned": (scan(5, 6), scan(6, 5, 7)),
    "nearly equal": (documents.simple(2), documents.simple(2) + b"\n% the same pages in another file\n"),
}
"""Two documents that share pages, or all of them."""


def read(data: bytes, store: ArtifactStore) -> str:
    return quire.read(data, engines=NumberEngine(), store=store, workers=2).to_json(words=True)


def age(store: ArtifactStore, document: str) -> None:
    """It was not used for long."""
    store.flush()
    store.database.change("UPDATE facts SET used = used - ? WHERE document = ?", (DAYS, document))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("how", ["deleted", "collected"])
def test_a_document_is_read_as_before_after_another_with_its_pages_is_gone(opening, pair, how):
    mine, other = PAIRS[pair]
    with opening() as store:
        expected = read(mine, store)
        read(other, store)
        if how == "deleted":
            delete_documents(store, [digest_bytes(other)])
        else:
            age(store, digest_bytes(other))
            assert collect(store, Limits(unused_days=DAYS - 10, answers=True)).facts
        assert store.database.rows("SELECT DISTINCT document FROM facts") == [(digest_bytes(mine),)]
    with opening() as store:
        told: list[quire.Event] = []
        result = quire.read(mine, engines=NumberEngine(), store=store, on_event=told.append)
        assert result.to_json(words=True) == expected
        assert {event.kind for event in told if event.stage in ("page-blocks", "document")} == {"hit"}


@pytest.mark.parametrize("how", ["deleted", "collected"])
def test_a_durable_result_stays_after_another_document_with_its_pages_is_gone(opening, tmp_path, how):
    paths = [tmp_path / name for name in ("mine.pdf", "other.pdf")]
    for path, data in zip(paths, PAIRS["nearly equal"], strict=True):
        path.write_bytes(data)
    with opening() as store:
        mine, other = (reference(store, path) for path in paths)
        expected = load_result(store, mine).to_json(words=True)
        if how == "deleted":
            delete_documents(store, [other["source"]["id"]])
        else:
            age(store, other["source"]["id"])
            assert collect(store, Limits(unused_days=DAYS - 10, answers=True)).facts
    with opening() as store:
        assert load_result(store, mine).to_json(words=True) == expected
        assert reference(store, paths[0]) == mine
        assert load_result(store, reference(store, paths[0], "1")).blocks, "assembled anew from pages that were read"
        assert load_result(store, reference(store, paths[1])).blocks, "and the other one is read again"


def reference(store: ArtifactStore, path: Path, pages: str | None = None) -> dict[str, Json]:
    """What a durable read of a document gives."""
    with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
        run = runtime.submit("document", ReadRequest(SourceRef.of(path), pages=pages).to_json())
        return runtime.result(run, timeout_s=120)


def test_an_answer_is_paid_once_whoever_is_deleted(opening, tmp_path):
    engine = NumberEngine(log=tmp_path / "calls")
    mine, other = scan(5), scan(6, 5)
    with opening() as store:
        for data in (mine, other):
            quire.read(data, engines=engine, store=store)
        delete_documents(store, [digest_bytes(mine)])
        quire.read(mine, engines=engine, store=store)
        delete_documents(store, [digest_bytes(other)])
        quire.read(other, engines=engine, store=store)
    assert calls(engine.log) == ["numbers 5", "numbers 6", "numbers 6"]


def test_an_answer_to_a_region_is_paid_once_whoever_is_deleted(opening, tmp_path):
    """Two pages with the same letterhead and another text below it: no picture of a page is shared."""
    asked: list[int] = []

    @recognizer
    def paid(picture: Picture, question: Question) -> str:
        asked.append(picture.pixels[0])
        return "text"

    files = [tmp_path / f"page-{grey}.png" for grey in (50, 100)]
    for grey, file in zip((50, 100), files, strict=True):
        page = Image.new("L", (200, 100), grey)
        page.paste(255, (0, 0, 200, 50))
        page.save(file, dpi=(100, 100))
    with opening() as store:
        pipeline = Pipeline(head_and_text, paid, cache=store)
        for file in files:
            assert len(pipeline(file).blocks) == 2
        assert sorted(asked) == [50, 100, 255]
        delete_documents(store, [digest_bytes(files[0].read_bytes())])
        pipeline(files[1])
        assert len(asked) == 3
        pipeline(files[0])
        assert asked[3:] == [50]
        delete_documents(store, [digest_bytes(file.read_bytes()) for file in files])
        assert store.database.rows("SELECT count(*) FROM objects") == [(0,)]


@detector
def head_and_text(picture: Picture) -> Layout:
    return Layout((Region("head", BBox(0.0, 0.0, 1.0, 0.5)), Region("text", BBox(0.0, 0.5, 1.0, 0.5))))


def test_one_is_read_while_another_is_deleted_and_garbage_is_collected(opening):
    """Three at once on one store: the reader never notices."""
    (mine, other), stopped, deleted, collected = PAIRS["scanned"], Event(), Event(), Event()
    with opening() as store:
        expected = read(mine, store)

    def reading() -> list[str]:
        try:
            found = []
            while len(found) < ROUNDS or not (deleted.is_set() and collected.is_set()):
                with opening() as store:
                    found.append(read(mine, store))
            return found
        finally:
            stopped.set()

    def deleting() -> None:
        with opening() as store:
            while not stopped.is_set():
                read(other, store)
                if _alone(lambda: delete_documents(store, [digest_bytes(other)])):
                    deleted.set()

    def collecting() -> None:
        with opening() as store:
            while not stopped.is_set():
                if _alone(lambda: collect(store)):
                    collected.set()

    with ThreadPoolExecutor(3) as threads:
        texts, *others = [threads.submit(one) for one in (reading, deleting, collecting)]
        assert set(texts.result(timeout=300)) == {expected}
        for one in others:
            one.result(timeout=60)
    with opening() as store:
        assert read(mine, store) == expected
        assert set(_documents(store)) <= {digest_bytes(mine), digest_bytes(other)}


def test_one_that_is_collected_while_it_is_read_is_read_again_by_the_next(opening):
    """Its own artifacts go under the reader's hands: it may say so, and is never wrong or broken for ever."""
    (mine, _), stopped = PAIRS["digital"], Event()
    with opening() as store:
        expected = read(mine, store)

    def reading() -> list[str]:
        try:
            found = []
            with opening() as store:
                for _ in range(5 * ROUNDS):
                    try:
                        found.append(read(mine, store))
                    except StoreError as error:
                        assert "read the document again" in str(error)
            return found
        finally:
            stopped.set()

    def removing() -> int:
        times = 0
        with opening() as store:
            while not stopped.is_set():
                age(store, digest_bytes(mine))
                times += _alone(lambda: collect(store, Limits(unused_days=DAYS - 10, answers=True)))
                times += _alone(lambda: delete_documents(store, [digest_bytes(mine)]))
        return times

    with ThreadPoolExecutor(2) as threads:
        read_, removed = threads.submit(reading), threads.submit(removing)
        texts = read_.result(timeout=300)
        assert removed.result(timeout=60)
    assert set(texts) <= {expected}
    with opening() as store:
        assert read(mine, store) == expected


def _alone(remove: Callable[[], object]) -> bool:
    """Remove something; whether that was possible: one at a time may, and the others are told to wait."""
    try:
        remove()
    except StoreError as error:
        assert "another process is removing data" in str(error)
        return False
    return True


def _documents(store: ArtifactStore) -> list[str]:
    return [str(document) for (document,) in store.database.rows("SELECT DISTINCT document FROM facts")]
