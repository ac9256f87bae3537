"""What every store does alike: in a folder, in a bucket with SQLite, in a bucket and in a folder with PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from quire.core.context import Store
from quire.core.engine import Attempt
from quire.core.errors import FencedError, StoreError
from quire.core.keys import ArtifactKey, Digest, digest_bytes
from quire.durable.deletion import delete_documents
from quire.store.artifacts import BATCH, ArtifactStore
from quire.store.garbage import Limits, collect
from quire.store.opening import open_store
from quire.store.packs import LARGE
from tests.marking import on_servers

KEY, OTHER = ArtifactKey("a" * 64), ArtifactKey("b" * 64)
DOCUMENT = "d" * 64

Opening = Callable[..., ArtifactStore]


@pytest.fixture(params=["folder", *map(on_servers, ("bucket-sqlite", "folder-postgresql", "bucket-postgresql"))])
def opening(request, tmp_path) -> Opening:
    """Opens the same store each time, as another process would."""
    objects, _, database = request.param.partition("-")
    place = request.getfixturevalue("s3_url") if objects == "bucket" else str(tmp_path / "store")
    facts = {"": None, "sqlite": str(tmp_path / "facts.sqlite3")}.get(database)
    facts = request.getfixturevalue("postgres_url") if database == "postgresql" else facts
    return lambda **options: open_store(place, facts, **options)


@pytest.fixture
def store(opening):
    with opening() as opened:
        yield opened


@pytest.fixture
def other(opening):
    """The same store in another process."""
    with opening() as opened:
        yield opened


def save(store: Store, key: ArtifactKey = KEY, data: bytes = b"some text", **options: object) -> str:
    return store.save(key, data, stage="native-text", document=DOCUMENT, page=1, **options)


def test_what_was_saved_is_found_by_the_next_process(opening):
    with opening() as store:
        digest = save(store)
        assert store.find(KEY) == digest == digest_bytes(b"some text"), "before it is written, too"
        assert store.load(digest) == b"some text"
    with opening() as store:
        assert store.find(KEY) == digest
        assert store.load(digest) == b"some text"
        assert store.find(OTHER) is None
        assert store.lasting


def test_what_is_flushed_is_there_for_others(store, other):
    digest = save(store)
    assert other.find(KEY) is None
    store.flush()
    assert other.find(KEY) == digest
    assert other.load(digest) == b"some text"


def test_a_full_batch_is_written_without_a_flush(store, other):
    for number in range(BATCH + 1):
        save(store, ArtifactKey(f"{number:064}"), str(number).encode())
    assert other.find(ArtifactKey("0" * 64)) == digest_bytes(b"0")


def test_many_keys_are_asked_for_at_once(store, other):
    keys = [ArtifactKey(f"{number:064}") for number in range(1200)]
    for key in keys[:700]:
        save(store, key, key.encode())
    store.flush()
    for key in keys[700:800]:
        save(store, key, key.encode())
    assert store.find_many([*keys, *keys]) == {key: digest_bytes(key.encode()) for key in keys[:800]}
    assert len(other.find_many(keys)) >= 700
    assert other.find_many([]) == {}


def test_a_key_made_anew_points_to_the_new_content(store, other):
    save(store, data=b"before")
    store.flush()
    digest = save(store, data=b"after")
    store.flush()
    assert other.find(KEY) == digest == digest_bytes(b"after")


def test_equal_content_is_kept_once(store, other):
    digest = save(store)
    store.flush()
    assert save(other, OTHER) == digest
    other.flush()
    assert store.find(OTHER) == digest
    assert len(list(store.objects.list("packs"))) == 1


def test_large_content_comes_back(store, other):
    data = bytes(range(256)) * (LARGE // 128)
    digest = save(store, data=data)
    store.flush()
    assert other.load(digest) == data


def test_a_content_that_is_gone_is_made_again(store, other):
    digest = save(store)
    store.flush()
    store.objects.delete([found.name for found in store.objects.list("packs")])
    assert other.find(KEY) is None
    with pytest.raises(StoreError, match="read the document again"):
        other.load(digest)
    save(other)
    other.flush()
    assert other.load(digest) == b"some text"


def test_a_damaged_content_is_told_not_given(store, other):
    digest = save(store)
    store.flush()
    for found in list(store.objects.list("packs")):
        store.objects.write(found.name, b"SOME TEXT")
    with pytest.raises(StoreError, match="is damaged"):
        other.load(digest)


def test_one_of_two_may_work_on_a_key(store, other):
    claim = store.claim(KEY)
    assert claim is not None
    assert other.claim(KEY) is None
    assert other.claim(OTHER) is not None
    store.release(claim)
    assert other.claim(KEY) is not None


def test_what_is_saved_with_a_claim_is_there_at_once(store, other):
    claim = store.claim(KEY)
    digest = save(store, claim=claim)
    assert other.find(KEY) == digest


def test_closing_gives_claims_back(opening, store):
    with opening() as closed:
        assert closed.claim(KEY) is not None
        assert store.claim(KEY) is None
    assert store.claim(KEY) is not None


def test_who_was_away_too_long_is_taken_over_once_and_its_late_write_is_refused(opening, store):
    with opening(lease_s=600.0) as away:
        late = away.claim(KEY)
        store.database.change("UPDATE owners SET expires = 0")  # as if its lease had run out
        taken = store.claim(KEY)
        assert taken is not None
        assert taken.takeover
        assert taken.token > late.token
        digest = save(store, data=b"of the new owner", claim=taken)
        with pytest.raises(FencedError, match="took"):
            save(away, data=b"too late", claim=late)
        away.release(late)
        assert away.find(KEY) == digest
        assert store.claim(KEY) is None, "it is still the new owner's"
    assert store.find(KEY) == digest


def test_one_of_many_threads_and_processes_gets_a_claim(store, other):
    together = Barrier(8)

    def ask(number: int) -> object:
        together.wait(timeout=30)
        return (store, other)[number % 2].claim(KEY)

    with ThreadPoolExecutor(8) as threads:
        assert sum(claim is not None for claim in threads.map(ask, range(8))) == 1


def test_two_processes_that_save_the_same_do_not_wait_in_a_circle(store, other):
    keys = [ArtifactKey(f"{number:064}") for number in range(100)]
    together = Barrier(2)

    def fill(opened: ArtifactStore, order: list[ArtifactKey]) -> None:
        together.wait(timeout=30)
        for _ in range(3):
            for key in order:
                save(opened, key, key.encode())
            opened.flush()

    with ThreadPoolExecutor(2) as threads:
        for done in (threads.submit(fill, store, keys), threads.submit(fill, other, keys[::-1])):
            done.result(timeout=120)
    assert len(store.find_many(keys)) == 100


def test_how_pages_were_read_is_remembered(store, other):
    first = (Attempt("tesseract", "failed", "no text", 12.5), Attempt("rapidocr", "accepted", "", 40.0))
    second = (Attempt("vision", "accepted", "", 900.0),)
    store.note_path(DOCUMENT, 2, "reading", first)
    store.note_path(DOCUMENT, 1, "reading", second)
    store.note_path(DOCUMENT, 2, "later reading", second)
    assert other.path(DOCUMENT, 2, "reading") == first
    assert other.paths(DOCUMENT) == {1: second, 2: second}
    store.note_path(DOCUMENT, 2, "reading", second[:1])
    assert other.path(DOCUMENT, 2, "reading") == second
    assert other.path(DOCUMENT, 3, "reading") == ()
    assert other.paths("e" * 64) == {}


def test_paths_noted_by_two_processes_at_once_do_not_clash(store, other):
    path = (Attempt("rapidocr", "accepted", "", 40.0),)
    together = Barrier(2)

    def note(opened: ArtifactStore) -> None:
        together.wait(timeout=30)
        for page in range(30):
            opened.note_path(DOCUMENT, page, "reading", path)

    with ThreadPoolExecutor(2) as threads:
        for done in (threads.submit(note, store), threads.submit(note, other)):
            done.result(timeout=60)
    assert store.paths(DOCUMENT) == dict.fromkeys(range(30), path)


def test_a_closed_store_loads_and_refuses_the_rest(opening):
    store = opening()
    digest = save(store)
    store.close()
    store.close()
    assert store.load(digest) == b"some text"
    with pytest.raises(StoreError, match="is closed"):
        save(store, OTHER)
    with pytest.raises(StoreError, match="is closed"):
        store.find(KEY)


def test_contents_that_can_be_loaded_are_told_from_others(store, other):
    pending = save(store, KEY, b"not written yet")
    assert store.has_contents([pending, digest_bytes(b"nowhere")]) == {pending}
    assert other.has_contents([pending]) == set()
    store.flush()
    written = [save(store, ArtifactKey(f"{number:064}"), str(number).encode()) for number in range(1200)]
    store.flush()
    assert other.has_contents([pending, *written, pending]) == {pending, *written}


def test_contents_of_a_pack_that_was_lost_count_as_missing(store, opening):
    digest = save(store)
    store.flush()
    ((pack,),) = store.database.rows("SELECT pack FROM objects")
    store.objects.delete([pack])
    with opening() as fresh:
        assert fresh.has_contents([digest]) == set()
        assert fresh.find(KEY) is None


def test_a_process_that_saw_a_pack_before_it_was_lost_makes_its_contents_again(store, other):
    digest = save(store)
    store.flush()
    assert other.find(KEY) == digest  # from now on it knows the pack
    ((pack,),) = store.database.rows("SELECT pack FROM objects")
    store.objects.delete([pack])
    with pytest.raises(StoreError, match=r"missing.*read the document again"):
        other.load(digest)
    assert other.find(KEY) is None
    assert other.has_contents([digest]) == set()
    assert save(other) == digest
    other.flush()
    assert store.load(digest) == b"some text"


def test_a_process_that_saw_something_before_it_was_deleted_makes_it_again(store, other):
    digest = save(store)
    store.flush()
    assert other.find(KEY) == digest
    delete_documents(store, [DOCUMENT])
    with pytest.raises(StoreError, match=r"missing.*read the document again"):
        other.load(digest)
    assert other.find(KEY) is None
    assert save(other) == digest
    other.flush()
    assert store.load(store.find(KEY)) == b"some text"


def test_a_process_that_saw_a_pack_before_it_was_compacted_finds_what_was_moved(store, other):
    keys = [ArtifactKey(f"{number:064}") for number in range(10)]
    digests = [save(store, key, key.encode()) for key in keys]
    store.flush()
    assert len(other.find_many(keys)) == 10
    store.database.change_many("DELETE FROM facts WHERE key = ?", [(key,) for key in keys[:9]])
    assert collect(store).rewritten == 1
    assert other.has_contents(digests) == {digests[9]}
    assert other.load(digests[9]) == keys[9].encode()
    assert other.find_many(keys) == {keys[9]: digests[9]}


def answer(store: Store, document: str, data: bytes = b"paid once", **options: object) -> str:
    return store.save(KEY, data, stage="answer", document=document, page=1, **options)


def owners(store: ArtifactStore) -> list[tuple[object, ...]]:
    return store.database.rows("SELECT document, page FROM facts ORDER BY document, page")


def test_an_answer_belongs_to_every_document_that_uses_it(store, other):
    assert store.share(KEY, document="second", page=7) is None
    digest = answer(store, "first")
    assert store.share(KEY, document="first", page=1) == digest
    assert store.share(KEY, document="second", page=7) == digest, "before it is written, too"
    assert other.share(KEY, document="third", page=3) == digest
    assert other.share(KEY, document="third", page=4) == digest
    assert owners(store) == [("first", 1), ("second", 7), ("third", 3)]
    delete_documents(store, ["first", "second"])
    assert other.load(other.find(KEY)) == b"paid once"
    delete_documents(store, ["third"])
    assert other.find(KEY) is None
    assert store.database.rows("SELECT count(*) FROM objects") == [(0,)]


def test_an_answer_that_was_asked_for_again_is_the_new_one_for_everybody(store, other):
    answer(store, "first", b"garbage")
    store.share(KEY, document="second", page=7)
    digest = answer(other, "second", b"sense")
    other.flush()
    assert store.find(KEY) == store.share(KEY, document="first", page=1) == digest
    assert store.database.rows("SELECT DISTINCT digest FROM facts") == [(digest,)]


def test_an_answer_that_is_deleted_while_it_is_shared_is_there_or_is_not(store, other):
    find = other.find

    def late(key: ArtifactKey) -> Digest | None:
        found = find(key)
        delete_documents(store, ["first"])
        return found

    answer(store, "first")
    store.flush()
    other.find = late
    assert other.share(KEY, document="second", page=7) is None
    assert owners(store) == []


def test_answers_are_collected_when_no_document_that_uses_them_was_of_use(store):
    answer(store, "unused")
    store.share(KEY, document="used", page=7)
    store.save(OTHER, b"text", stage="native-text", document="used", page=7)
    store.flush()
    store.database.change("UPDATE facts SET used = used - 100 WHERE stage = 'answer'")
    assert collect(store, Limits(unused_days=90)).facts == 0, "answers cost money"
    assert collect(store, Limits(unused_days=90, answers=True)).facts == 1
    assert owners(store) == [("used", 7), ("used", 7)]
    assert store.load(store.find(KEY)) == b"paid once"
    store.database.change("UPDATE facts SET used = used - 100")
    assert collect(store, Limits(unused_days=90, answers=True)).facts == 2
    assert store.find(KEY) is None


def test_an_answer_that_another_document_uses_does_not_keep_the_rest_of_its_own(store):
    answer(store, "unused")
    store.save(OTHER, b"text", stage="native-text", document="unused", page=1)
    store.flush()
    store.database.change("UPDATE facts SET used = used - 100 WHERE stage <> 'answer'")
    assert store.share(KEY, document="used", page=7)
    assert collect(store, Limits(unused_days=90)).facts == 1
    assert store.find(OTHER) is None and store.find(KEY) is not None
