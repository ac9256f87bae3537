"""Reading documents: whole, page by page, again, in part, and while things go wrong."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path

import pytest

import quire
from quire.core.document import READERS
from quire.core.events import Event
from tests import documents
from tests.fakes import readers
from tests.fakes.disks import full_disk

pytestmark = pytest.mark.both_readers


@pytest.fixture
def reader_of(monkeypatch):
    """Let a fake open PDFs; gives the readers that were opened."""

    def use(name: str) -> list[readers.LimpingReader]:
        monkeypatch.setitem(READERS, "application/pdf", f"tests.fakes.readers:{name}")
        readers.opened.clear()
        return readers.opened

    return use


def artifacts(folder: Path) -> dict[object, bytes]:
    with quire.FileStore(folder) as store:
        facts = store.database.rows("SELECT key, digest FROM facts")
        return {key: store.load(digest) for key, digest in facts}


def test_the_shortest_call_works(sample_path):
    result = quire.read(sample_path)
    assert result.status == "complete"
    assert result.name == "sample.pdf"
    assert len(result.pages) == result.ledger.pages
    assert result.blocks
    assert "# Quarterly Report" in result.to_markdown()


def test_pages_hold_the_blocks_that_begin_on_them(sample_path):
    result = quire.read(sample_path)
    assert [block.id for page in result.pages for block in page] == [block.id for block in result.blocks]
    assert all(block.page == page.number for page in result.pages for block in page)


def test_every_word_of_a_block_is_there_after_the_read(sample_path):
    result = quire.read(sample_path)
    gc.collect()
    paragraph = next(block for block in result.blocks if block.kind == "paragraph")
    assert len(paragraph.words) > 3
    assert all(word.text in paragraph.text.replace("\n", " ") for word in paragraph.words[:3])
    assert '"words"' in result.to_json(words=True)


def test_only_the_pages_asked_for_are_read(reader_of):
    opened = reader_of("recording")
    result = quire.read(documents.simple(5), pages="2,4-")
    assert [page.number for page in result.pages] == [2, 4, 5]
    assert opened[0].asked == [2, 4, 5]


def test_a_page_that_is_not_there_is_a_mistake_of_the_caller():
    with pytest.raises(quire.UsageError, match="there is no page 3: the document has 2 pages"):
        quire.read(documents.simple(2), pages=[3])


def test_reading_again_from_a_store_does_no_work(tmp_path, reader_of):
    opened = reader_of("recording")
    data, told = documents.simple(3), []
    first = quire.read(data, store=tmp_path)
    second = quire.read(data, store=tmp_path, on_event=told.append)
    assert opened[1].asked == []
    work = [event for event in told if event.stage != "read"]
    assert {event.kind for event in work} == {"hit"}
    assert [(event.stage, event.page) for event in work] == [
        *((stage, page) for page in (1, 2, 3) for stage in ("native-text", "page-blocks")),
        ("document", None),
    ]
    assert second.blocks == first.blocks
    assert second.to_json(words=True) == first.to_json(words=True)


def test_more_pages_of_a_known_document_read_only_those(tmp_path, reader_of):
    opened = reader_of("recording")
    data = documents.simple(4)
    quire.read(data, pages="1-2", store=tmp_path)
    quire.read(data, store=tmp_path)
    assert opened[1].asked == [3, 4]


def test_pages_come_again_from_the_store_one_by_one(tmp_path):
    data = documents.simple(3)
    fresh = list(quire.stream(data, store=tmp_path))
    again = list(quire.stream(data, store=tmp_path))
    assert again == fresh
    assert [block.style for page in again for block in page] == [block.style for page in fresh for block in page]


def test_two_runs_make_the_same_artifacts_byte_for_byte(tmp_path, sample_path):
    for name in ("one", "two"):
        quire.read(sample_path, store=tmp_path / name)
    assert artifacts(tmp_path / "one") == artifacts(tmp_path / "two")
    assert artifacts(tmp_path / "one")


def test_threads_change_nothing(tmp_path, sample_path):
    for threads in (1, 4):
        quire.read(sample_path, store=tmp_path / str(threads), threads=threads)
    assert artifacts(tmp_path / "1") == artifacts(tmp_path / "4")


def test_a_damaged_artifact_is_explained_and_made_again(tmp_path):
    data = documents.simple(3)
    expected = quire.read(data, store=tmp_path).blocks
    for pack in (tmp_path / "packs").iterdir():
        pack.write_bytes(b"{" + pack.read_bytes()[1:][::-1])
    with pytest.raises(quire.StoreError, match=r"is damaged.*read the document again"):
        quire.read(data, store=tmp_path)
    assert quire.read(data, store=tmp_path).blocks == expected


def test_a_full_disk_names_the_store(tmp_path):
    with full_disk(after=10), pytest.raises(quire.StoreError, match="store"):
        quire.read(documents.simple(), store=tmp_path / "store")
    assert quire.read(documents.simple(), store=tmp_path / "store").status == "complete"


def test_a_store_can_be_handed_in_and_stays_open(tmp_path):
    with quire.FileStore(tmp_path) as store:
        quire.read(documents.simple(), store=store)
        told: list[Event] = []
        quire.read(documents.simple(), store=store, on_event=told.append)
    assert {event.kind for event in told if event.stage != "read"} == {"hit"}


def test_one_bad_page_never_loses_the_document(reader_of):
    reader_of("limping")
    told: list[Event] = []
    result = quire.read(documents.simple(3), on_event=told.append)
    assert result.status == "partial"
    assert [(page.status, page.info.reason) for page in result.pages] == [
        ("ok", None),
        ("failed", "the page has no content"),
        ("ok", None),
    ]
    assert result.pages[1].info.width > 0
    ledger = result.ledger
    assert (ledger.pages, ledger.ok, ledger.failed) == (3, 2, 1)
    assert [(event.stage, event.page) for event in told if event.kind == "failed"] == [("native-text", 2)]
    assert told[-1].payload["failed"] == 1


def test_a_failed_page_is_tried_again_by_the_next_run(tmp_path, reader_of):
    opened = reader_of("limping")
    for _ in range(2):
        assert quire.read(documents.simple(3), store=tmp_path).status == "partial"
    assert [reader.asked for reader in opened] == [[1, 2, 3], [2]]


def test_a_reader_that_quits_fails_the_rest_of_the_pages(reader_of):
    reader_of("quitting")
    result = quire.read(documents.simple(3))
    assert [page.status for page in result.pages] == ["ok", "failed", "failed"]


def test_pages_without_usable_text_are_left_out_with_a_reason_when_nothing_may_be_recognised():
    result = quire.read(documents.scan_like(2), ocr="never")
    assert result.status == "partial"
    assert {page.status for page in result.pages} == {"skipped"}
    assert all("needs-recognition" in (page.info.reason or "") for page in result.pages)
    assert result.ledger.skipped == result.ledger.pages == 2


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"%PDF-1.7 and nothing else", quire.CorruptError),
        (b"just some text", quire.UnsupportedError),
        (b"", quire.CorruptError),
        (documents.encrypted(), quire.PasswordError),
    ],
)
def test_what_cannot_be_opened_is_a_typed_error(data, error):
    with pytest.raises(error):
        quire.read(data)
    with pytest.raises(error):
        list(quire.stream(data))


def test_a_password_opens_an_encrypted_document():
    assert quire.read(documents.encrypted("secret"), password="secret").status == "complete"


def test_events_begin_and_end_with_the_read():
    told: list[Event] = []
    data = documents.simple(2)
    quire.read(data, on_event=told.append)
    assert (told[0].kind, told[0].stage) == ("started", "read")
    assert told[0].payload == {"name": "document", "input_bytes": len(data), "pages": 2}
    assert (told[-1].kind, told[-1].stage) == ("finished", "read")
    assert {name: told[-1].payload[name] for name in ("pages", "ok", "empty", "failed", "skipped")} == {
        "pages": 2,
        "ok": 2,
        "empty": 0,
        "failed": 0,
        "skipped": 0,
    }
    assert [event.sequence for event in told] == list(range(1, len(told) + 1))
    assert len({event.id for event in told}) == len(told)


def test_a_callback_that_raises_does_not_break_the_read(caplog):
    def broken(event: Event) -> None:
        raise RuntimeError("the progress bar fell over")

    assert quire.read(documents.simple(2), on_event=broken).status == "complete"
    assert "the progress bar fell over" in caplog.text
    assert len(caplog.records) == 1


def test_stream_yields_a_page_before_the_next_is_read(reader_of):
    opened = reader_of("recording")
    pages = quire.stream(documents.simple(3))
    assert next(pages).number == 1
    assert opened[0].asked == [1]
    assert [page.number for page in pages] == [2, 3]


def test_closing_a_stream_stops_the_reader(reader_of):
    opened = reader_of("recording")
    pages = quire.stream(documents.simple(3))
    page = next(pages)
    pages.close()
    assert opened[0].stopped
    assert opened[0].asked == [1]
    assert len(page.blocks[0].words) > 0, "what was yielded can still be used"


def test_a_stream_of_a_missing_file_fails_at_once():
    with pytest.raises(quire.InputError, match="no such file"):
        quire.stream("missing.pdf")


def test_read_and_stream_work_in_a_thread_whose_event_loop_runs():
    async def cell() -> list[str]:
        read = quire.read(documents.simple(2)).pages
        return [page.text for page in (*read, *quire.stream(documents.simple(2)))]

    texts = asyncio.run(cell())
    assert texts[0] and texts[:2] == texts[2:]


def test_aread_works_in_a_thread_and_leaves_the_loop_free():
    told: list[int] = []

    async def beside() -> quire.DocumentResult:
        return await quire.aread(documents.simple(2), on_event=lambda event: told.append(threading.get_ident()))

    assert asyncio.run(beside()).status == "complete"
    assert threading.get_ident() not in told


def test_astream_yields_pages_in_order():
    async def numbers() -> list[int]:
        return [page.number async for page in quire.astream(documents.simple(4), pages="1-3")]

    assert asyncio.run(numbers()) == [1, 2, 3]


def test_leaving_astream_stops_the_reader(reader_of):
    opened = reader_of("recording")

    async def first() -> int:
        pages = quire.astream(documents.simple(30))
        async for page in pages:
            await pages.aclose()
            return page.number
        return 0

    assert asyncio.run(first()) == 1
    assert opened[0].stopped
    assert len(opened[0].asked) <= 3


def test_errors_come_through_the_async_forms():
    async def both() -> None:
        with pytest.raises(quire.PasswordError):
            await quire.aread(documents.encrypted())
        with pytest.raises(quire.PasswordError):
            async for _ in quire.astream(documents.encrypted()):
                pass

    asyncio.run(both())


def test_cancelling_aread_stops_after_the_page_at_work(reader_of):
    opened = reader_of("recording")
    finished = threading.Event()

    async def cancelled() -> None:
        loop, reached = asyncio.get_running_loop(), asyncio.Event()
        go_on = threading.Event()

        def hold(event: Event) -> None:
            if event.page == 2:
                loop.call_soon_threadsafe(reached.set)
                go_on.wait(30)
            if event.stage == "read" and event.kind == "finished":
                finished.set()

        task = asyncio.create_task(quire.aread(documents.simple(20), on_event=hold))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(cancelled())
    assert finished.wait(30), "the ledger is closed all the same"
    assert opened[0].asked == [1, 2]


def test_threads_must_be_some():
    with pytest.raises(quire.UsageError, match="threads"):
        quire.read(documents.simple(), threads=0)


def test_read_takes_a_document_and_leaves_it_open(sample_path):
    with quire.Document.load(sample_path) as document:
        reader = document.reader
        result = quire.read(document, pages="1")
        assert document.reader is reader
        assert document.page(2).text().chars > 0
    assert (result.name, result.id) == ("sample.pdf", document.id)
    assert [page.number for page in quire.stream(document, pages="1-2")] == [1, 2]
    assert asyncio.run(quire.aread(document, pages="1")).blocks == result.blocks


def test_a_document_in_memory_can_be_read_after_its_file_is_gone(saved):
    path = saved(documents.simple())
    document = quire.Document.load(path)
    assert document.page_count == 1
    path.unlink()
    assert quire.read(document).status == "complete"


def test_a_document_from_bytes_has_its_name_and_password():
    document = quire.Document.from_bytes(documents.encrypted("swordfish"), name="secret.pdf", password="swordfish")
    assert quire.read(document).name == "secret.pdf"


def test_a_password_beside_a_document_is_refused():
    with pytest.raises(quire.UsageError, match="the password belongs to the Document"):
        quire.read(quire.Document.from_bytes(documents.simple(), name="a.pdf"), password="swordfish")
