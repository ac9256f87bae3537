"""The store in a folder: found again, whole or not at all, and honest about damage."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from quire.core.engine import Attempt
from quire.core.errors import FencedError, StoreError
from quire.core.keys import ArtifactKey, digest_bytes
from quire.database.facts import Facts
from quire.store.artifacts import BATCH, BATCH_BYTES
from quire.store.files import FileStore
from quire.store.garbage import collect
from quire.store.packs import LARGE
from tests.fakes.disks import full_disk

KEY, OTHER = ArtifactKey("a" * 64), ArtifactKey("b" * 64)


def save(store: FileStore, key: ArtifactKey = KEY, data: bytes = b"some text") -> str:
    return store.save(key, data, stage="native-text", document="d" * 64, page=1)


def packs(folder: Path) -> list[Path]:
    return sorted((folder / "packs").glob("*"))


def test_what_was_saved_is_found_by_the_next_process(tmp_path):
    with FileStore(tmp_path / "store") as store:
        digest = save(store)
    with FileStore(tmp_path / "store") as store:
        assert store.find(KEY) == digest == digest_bytes(b"some text")
        assert store.load(digest) == b"some text"
        assert store.find(OTHER) is None


def test_what_was_saved_can_be_used_before_it_is_recorded(tmp_path):
    with FileStore(tmp_path) as store:
        digest = save(store)
        assert store.find(KEY) == digest
        assert store.load(digest) == b"some text"
        assert not packs(tmp_path), "nothing is published before it is synced"


def test_a_full_batch_is_recorded_without_closing(tmp_path):
    with FileStore(tmp_path) as store, FileStore(tmp_path) as reader:
        for number in range(BATCH + 1):
            save(store, ArtifactKey(f"{number:064}"), str(number).encode())
        assert reader.find(ArtifactKey("0" * 64)) == digest_bytes(b"0")
        assert len(packs(tmp_path)) == 1


def test_large_contents_are_not_held_in_memory(tmp_path):
    with FileStore(tmp_path) as store, FileStore(tmp_path) as reader:
        digest = save(store, data=os.urandom(LARGE))
        assert reader.find(KEY) == digest
        for number in range(BATCH_BYTES // 900_000 + 1):
            save(store, ArtifactKey(f"{number:064}"), os.urandom(900_000))
        assert reader.find(ArtifactKey("0" * 64)) is not None


def test_many_keys_are_asked_for_at_once(tmp_path):
    keys = [ArtifactKey(f"{number:064}") for number in range(1200)]
    with FileStore(tmp_path) as store:
        saved = {key: save(store, key, key.encode()) for key in keys[::2]}
        assert store.find_many(keys) == saved
    with FileStore(tmp_path) as store:
        assert store.find_many([*keys, *keys]) == saved


def test_equal_content_is_kept_once(tmp_path):
    with FileStore(tmp_path) as store:
        assert save(store) == save(store, OTHER)
    assert len(packs(tmp_path)) == 1
    with FileStore(tmp_path) as store:
        assert store.find(KEY) == store.find(OTHER)


def test_content_that_is_there_is_not_written_again(tmp_path):
    with FileStore(tmp_path) as store:
        save(store)
        store.flush()
        save(store, OTHER)
        store.flush()
        assert store.find(OTHER) == store.find(KEY)
    assert len(packs(tmp_path)) == 1


def test_artifacts_of_a_batch_share_a_pack(tmp_path):
    with FileStore(tmp_path) as store:
        digests = [save(store, ArtifactKey(f"{number:064}"), str(number).encode()) for number in range(12)]
    (pack,) = packs(tmp_path)
    assert pack.read_bytes() == b"01234567891011"
    with FileStore(tmp_path) as store:
        assert [store.load(digest) for digest in digests] == [str(number).encode() for number in range(12)]


def test_artifacts_can_be_loaded_after_closing(tmp_path):
    store = FileStore(tmp_path)
    digest = save(store)
    store.close()
    assert store.load(digest) == b"some text"
    with pytest.raises(StoreError, match="is closed"):
        store.find(KEY)
    with FileStore(tmp_path) as later:
        other = save(later, OTHER, b"saved by another one since")
    assert store.load(other) == b"saved by another one since"


def test_artifacts_that_were_moved_since_closing_can_be_loaded(tmp_path):
    store = FileStore(tmp_path)
    digest = save(store)
    for number in range(3):
        save(store, ArtifactKey(f"{number:064}"), b"garbage" * number * 100)
    store.close()
    with FileStore(tmp_path) as collector:
        collector.database.change("DELETE FROM facts WHERE key <> ?", (KEY,))
        assert collect(collector).rewritten == 1
    assert store.load(digest) == b"some text"


def test_a_damaged_artifact_is_detected_and_made_again(tmp_path):
    with FileStore(tmp_path) as store:
        digest, other = save(store), save(store, OTHER, b"other text")
        store.flush()
        (path,) = packs(tmp_path)
        path.write_bytes(path.read_bytes().replace(b"some text", b"some texT"))
        with pytest.raises(StoreError, match=r"is damaged.*read the document again") as raised:
            store.load(digest)
        assert str(path) in str(raised.value)
        assert store.find(KEY) is None
        assert store.load(other) == b"other text", "the rest of the pack is sound"
        assert save(store) == digest
        store.flush()
        assert store.load(digest) == b"some text"


def test_a_torn_pack_keeps_what_is_whole(tmp_path):
    with FileStore(tmp_path) as store:
        first, second = save(store), save(store, OTHER, b"other text")
    (path,) = packs(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    with FileStore(tmp_path) as store:
        assert store.load(first) == b"some text"
        with pytest.raises(StoreError, match="is damaged"):
            store.load(second)
        assert store.find(OTHER) is None


def test_an_artifact_that_was_deleted_is_made_again(tmp_path):
    with FileStore(tmp_path) as store:
        digest = save(store)
        store.flush()
        packs(tmp_path)[0].unlink()
        with FileStore(tmp_path) as other:
            assert other.find(KEY) is None
        with pytest.raises(StoreError, match="missing"):
            store.load(digest)
        assert store.find(KEY) is None
        assert save(store) == digest
        assert store.find(KEY) == digest


def test_a_damaged_database_is_explained(tmp_path):
    FileStore(tmp_path).close()
    for path in tmp_path.glob("facts.sqlite3*"):
        path.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match=r"facts\.sqlite3 is damaged.*move it away"):
        FileStore(tmp_path)


def test_a_store_of_a_later_version_is_left_alone(tmp_path):
    FileStore(tmp_path).close()
    database = sqlite3.connect(tmp_path / "facts.sqlite3")
    database.execute("UPDATE schema_version SET version = 99")
    database.commit()
    database.close()
    with pytest.raises(StoreError, match="schema version 99"):
        FileStore(tmp_path)


def test_a_full_disk_names_the_folder_and_tears_nothing(tmp_path):
    store = FileStore(tmp_path)
    save(store)
    store.flush()
    save(store, OTHER, os.urandom(200_000))
    with full_disk(after=100_000):
        for attempt in (store.flush, store.close):
            with pytest.raises(StoreError, match="make room") as raised:
                attempt()
            assert str(tmp_path) in str(raised.value)
    assert list((tmp_path / "waiting").iterdir()) == []
    with FileStore(tmp_path) as again:
        assert again.find(KEY) is not None
        assert again.find(OTHER) is None
        save(again, OTHER, b"there is room now")


def test_the_same_store_goes_on_when_there_is_room_again(tmp_path):
    store = FileStore(tmp_path)
    digest = save(store, data=os.urandom(200_000))
    with full_disk(after=100_000), pytest.raises(StoreError, match="make room"):
        store.flush()
    assert store.find(KEY) == digest
    store.flush()
    with FileStore(tmp_path) as again:
        assert again.find(KEY) == digest
    store.close()


def test_a_full_disk_does_not_fill_the_memory(tmp_path):
    store = FileStore(tmp_path)
    with full_disk(after=10):
        for number in range(BATCH):
            save(store, ArtifactKey(f"{number:064}"), str(number).encode())
        with pytest.raises(StoreError, match="make room"):
            save(store)
        assert store.find(KEY) is None, "it was not taken"
    store.close()


def test_a_disk_too_full_for_the_facts_leaves_nothing_half_recorded(tmp_path):
    store = FileStore(tmp_path)
    for number in range(100):
        save(store, ArtifactKey(f"{number:064}"), str(number).encode())
    database = tmp_path / "facts.sqlite3-wal"
    with full_disk(after=database.stat().st_size), pytest.raises(StoreError, match=r"facts\.sqlite3.*make room"):
        store.flush()
    assert len(packs(tmp_path)) == 1, "it was written before"
    assert store.load(digest_bytes(b"7")) == b"7"
    store.close()  # there is room again
    assert len(packs(tmp_path)) == 1, "and is not written twice"
    with FileStore(tmp_path) as again:
        assert all(again.find(ArtifactKey(f"{number:064}")) for number in range(100))


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot write to the store"):
        FileStore(tmp_path / "file")


KILLED = """
import os, signal, sys
from quire.store.files import FileStore
store = FileStore(sys.argv[1])
store.save("a" * 64, b"recorded", stage="s", document="d")
store.flush()
store.save("b" * 64, b"not recorded", stage="s", document="d")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.processes
def test_a_killed_process_leaves_whole_artifacts_only(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=60)
    with FileStore(tmp_path) as store:
        assert store.find(KEY) == digest_bytes(b"recorded")
        assert store.find(OTHER) is None
        assert len(packs(tmp_path)) == 1


KILLED_BETWEEN = """
import os, signal, sys
from quire.store.files import FileStore
store = FileStore(sys.argv[1])
write = store.objects.write
store.objects.write = lambda name, data: (write(name, data), os.kill(os.getpid(), signal.SIGKILL))
store.save("a" * 64, b"recorded", stage="s", document="d")
store.flush()
"""


@pytest.mark.processes
def test_a_process_killed_between_the_pack_and_its_facts_leaves_nothing_half_recorded(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED_BETWEEN, str(tmp_path)], check=False, timeout=60)
    assert len(packs(tmp_path)) == 1
    with FileStore(tmp_path) as store:
        assert store.find(KEY) is None
        digest = save(store, data=b"recorded")
    with FileStore(tmp_path) as store:
        assert store.load(digest) == b"recorded"


def test_unfinished_files_of_a_process_that_is_gone_are_removed(tmp_path):
    FileStore(tmp_path).close()
    left = tmp_path / "waiting" / "1234-ff-1"
    left.write_bytes(b"half")
    FileStore(tmp_path).close()
    assert left.exists(), "young files may belong to a process at work"
    os.utime(left, (0, 0))
    FileStore(tmp_path).close()
    assert not left.exists()


SAVING = """
import sys
from quire.store.files import FileStore
with FileStore(sys.argv[1]) as store:
    for number in range(400):
        store.save(f"{sys.argv[2]}{number:063}", f"content {number}".encode(), stage="s", document="d")
        if number % 7 == 0:
            store.flush()
"""


@pytest.mark.processes
def test_processes_that_save_the_same_contents_at_once_do_not_disturb_each_other(tmp_path):
    saving = [subprocess.Popen([sys.executable, "-c", SAVING, str(tmp_path), name]) for name in "abc"]
    assert [process.wait(60) for process in saving] == [0, 0, 0]
    keys = {ArtifactKey(f"{name}{number:063}"): number for name in "abc" for number in range(400)}
    with FileStore(tmp_path) as store:
        found = store.find_many(list(keys))
        assert {key: store.load(digest) for key, digest in found.items()} == {
            key: f"content {number}".encode() for key, number in keys.items()
        }


def test_two_stores_on_one_folder_share_their_facts(tmp_path):
    with FileStore(tmp_path) as first, FileStore(tmp_path) as second:
        digest = save(first)
        assert save(second) == digest
        first.flush()
        second.flush()
        assert first.find(KEY) == second.find(KEY) == digest
    assert list((tmp_path / "waiting").iterdir()) == []


def test_a_claim_is_had_by_one_at_a_time(tmp_path):
    with FileStore(tmp_path) as first, FileStore(tmp_path) as second:
        claim = first.claim(KEY)
        assert claim is not None and second.claim(KEY) is None
        first.release(claim)
        assert second.claim(KEY) is not None


def test_what_is_saved_with_a_claim_is_seen_by_others_at_once(tmp_path):
    with FileStore(tmp_path) as first, FileStore(tmp_path) as second:
        digest = first.save(KEY, b"answer", stage="answer", document="d", page=1, claim=first.claim(KEY))
        assert second.find(KEY) == digest


def test_a_late_write_of_a_claim_that_is_lost_is_refused(tmp_path):
    with FileStore(tmp_path) as late, FileStore(tmp_path) as next_one:
        claim = late.claim(KEY)
        waiting = save(late, OTHER, b"of another key")
        late.release(claim)
        digest = next_one.save(KEY, b"new", stage="answer", document="d", claim=next_one.claim(KEY))
        with pytest.raises(FencedError):
            late.save(KEY, b"old", stage="answer", document="d", claim=claim)
        assert late.find(KEY) == digest
        late.flush()
        assert next_one.find(OTHER) == waiting, "the rest of the batch is not lost"


def small_packs(store: FileStore) -> int:
    """How many packs fifty small artifacts become."""
    before = len(list(store.objects.list("packs/")))
    for number in range(50):
        store.save(ArtifactKey(f"s{number:063}"), b"small %d" % number, stage="s", document="d")
    store.flush()
    return len(list(store.objects.list("packs/"))) - before


def test_refused_writes_do_not_fill_the_store(tmp_path):
    data = b"x" * (BATCH_BYTES // 4)
    with FileStore(tmp_path) as store:
        for number in range(9):
            claim = store.claim(ArtifactKey(f"{number:064}"))
            lost = claim._replace(token=claim.token + 1)
            with pytest.raises(FencedError):
                store.save(ArtifactKey(claim.key), data, stage="answer", document="d", claim=lost)
        assert small_packs(store) == 1
        known = {place.pack for place in Facts(store.database).places([digest_bytes(b"small 1")]).values()}
        store.objects.delete([one.name for one in store.objects.list("packs/") if one.name not in known])
        digest = store.save(ArtifactKey("a" * 64), data, stage="answer", document="d")  # their garbage is gone by now
    with FileStore(tmp_path) as store:
        assert store.load(digest) == data


def test_equal_answers_at_once_do_not_fill_the_store(tmp_path):
    data, keys = b"x" * (BATCH_BYTES // 4), [ArtifactKey(f"{number:064}") for number in range(16)]
    with FileStore(tmp_path) as store, ThreadPoolExecutor(len(keys)) as threads:
        claims, together = [store.claim(key) for key in keys], Barrier(len(keys))

        def answer(number: int) -> None:
            together.wait(60)
            store.save(keys[number], data, stage="answer", document="d", claim=claims[number])

        list(threads.map(answer, range(len(keys))))
        assert small_packs(store) == 1
        assert {store.load(store.find(key)) for key in keys} == {data}


def test_what_a_full_disk_refused_is_recorded_later_unless_somebody_else_was_faster(tmp_path):
    with FileStore(tmp_path) as late, FileStore(tmp_path) as faster:
        digests = {}
        for key in (KEY, OTHER):
            claim = late.claim(key)
            with full_disk(after=0), pytest.raises(StoreError):
                late.save(key, b"late " + key.encode(), stage="answer", document="d", claim=claim)
            digests[key] = late.find(key)
            late.release(claim)
        digests[KEY] = faster.save(KEY, b"faster", stage="answer", document="d", claim=faster.claim(KEY))
        late.flush()
        assert faster.find_many([KEY, OTHER]) == digests
        assert late.load(late.find(KEY)) == b"faster"


def used(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "facts.sqlite3")) as database:
        return int(database.execute("SELECT used FROM facts").fetchone()[0])


def test_the_day_of_the_last_use_is_kept(tmp_path):
    with FileStore(tmp_path, clock=lambda: 86_400 * 100) as store:
        save(store)
    assert used(tmp_path) == 100
    with FileStore(tmp_path, clock=lambda: 86_400 * 107) as store:
        store.find(KEY)
        store.find(KEY)
    assert used(tmp_path) == 107


def test_looking_up_needs_no_room(tmp_path):
    with FileStore(tmp_path, clock=lambda: 0) as store:
        save(store)
    store = FileStore(tmp_path)
    with full_disk(after=10):
        assert store.find(KEY) is not None
        store.close()
    assert used(tmp_path) == 0


def test_a_path_replaces_the_one_before_of_the_same_reading(tmp_path):
    with FileStore(tmp_path) as store:
        store.note_path("d", 2, "fast", [Attempt("a", "timeout", "slow"), Attempt("b", "ok")])
        store.note_path("d", 2, "accurate", [Attempt("c", "ok")])
        assert store.paths("d") == {2: (Attempt("c", "ok"),)}
        store.note_path("d", 2, "fast", [Attempt("a", "ok")])
        assert store.paths("d") == {2: (Attempt("a", "ok"),)}
        assert store.path("d", 2, "accurate") == (Attempt("c", "ok"),)
        assert store.paths("other") == {}
