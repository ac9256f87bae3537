"""The store in a folder: found again, whole or not at all, and honest about damage."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from quire.engine import Attempt
from quire.errors import StoreError
from quire.keys import ArtifactKey, digest_bytes
from quire.store.files import BATCH, FileStore
from tests.fakes.disks import full_disk

KEY, OTHER = ArtifactKey("a" * 64), ArtifactKey("b" * 64)


def save(store: FileStore, key: ArtifactKey = KEY, data: bytes = b"some text") -> str:
    return store.save(key, data, stage="native-text", document="d" * 64, page=1)


def objects(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "objects").rglob("*") if path.is_file())


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
        assert not objects(tmp_path), "nothing is published before it is synced"


def test_a_full_batch_is_recorded_without_closing(tmp_path):
    with FileStore(tmp_path) as store, FileStore(tmp_path) as reader:
        for number in range(BATCH):
            save(store, ArtifactKey(f"{number:064}"), str(number).encode())
        assert reader.find(ArtifactKey("0" * 64)) == digest_bytes(b"0")


def test_equal_content_is_kept_once(tmp_path):
    with FileStore(tmp_path) as store:
        assert save(store) == save(store, OTHER)
    assert len(objects(tmp_path)) == 1
    with FileStore(tmp_path) as store:
        assert store.find(KEY) == store.find(OTHER)


def test_artifacts_lie_under_their_digest(tmp_path):
    with FileStore(tmp_path) as store:
        digest = save(store)
    assert objects(tmp_path) == [tmp_path / "objects" / digest[:2] / digest[2:]]


def test_artifacts_can_be_loaded_after_closing(tmp_path):
    store = FileStore(tmp_path)
    digest = save(store)
    store.close()
    assert store.load(digest) == b"some text"
    with pytest.raises(StoreError, match="is closed"):
        store.find(KEY)


def test_a_damaged_artifact_is_detected_and_explained(tmp_path):
    with FileStore(tmp_path) as store:
        digest = save(store)
        store.flush()
        (path,) = objects(tmp_path)
        path.write_bytes(b"some texT")
        with pytest.raises(StoreError, match=r"damaged.*delete that file") as raised:
            store.load(digest)
        assert str(path) in str(raised.value)


def test_an_artifact_that_was_deleted_is_made_again(tmp_path):
    with FileStore(tmp_path) as store:
        digest = save(store)
        store.flush()
        objects(tmp_path)[0].unlink()
        assert store.find(KEY) is None
        with pytest.raises(StoreError, match="missing"):
            store.load(digest)
        assert save(store) == digest
        assert store.find(KEY) == digest


def test_a_damaged_database_is_explained(tmp_path):
    FileStore(tmp_path).close()
    for path in tmp_path.glob("facts.sqlite3*"):
        path.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match=r"facts\.sqlite3 is damaged.*delete"):
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
    with full_disk(after=100_000), pytest.raises(StoreError) as raised:
        save(store, OTHER, os.urandom(200_000))
    assert str(tmp_path) in str(raised.value)
    store.close()
    assert list((tmp_path / "waiting").iterdir()) == []
    with FileStore(tmp_path) as again:
        assert again.find(KEY) is not None
        assert again.find(OTHER) is None
        save(again, OTHER, b"there is room now")


def test_a_disk_too_full_for_the_facts_leaves_nothing_half_recorded(tmp_path):
    store = FileStore(tmp_path)
    for number in range(100):
        save(store, ArtifactKey(f"{number:064}"), str(number).encode())
    with full_disk(after=10), pytest.raises(StoreError, match="cannot write to the store"):
        store.flush()
    store.close()  # there is room again
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


def test_a_killed_process_leaves_whole_artifacts_only(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=60)
    with FileStore(tmp_path) as store:
        assert store.find(KEY) == digest_bytes(b"recorded")
        assert store.find(OTHER) is None
        assert len(objects(tmp_path)) == 1
        (left,) = (tmp_path / "waiting").iterdir()
        assert left.exists(), "young files may belong to a process at work"
    os.utime(left, (0, 0))
    FileStore(tmp_path).close()
    assert not left.exists()


def test_two_stores_on_one_folder_share_their_facts(tmp_path):
    with FileStore(tmp_path) as first, FileStore(tmp_path) as second:
        digest = save(first)
        assert save(second) == digest
        first.flush()
        second.flush()
        assert first.find(KEY) == second.find(KEY) == digest
    assert list((tmp_path / "waiting").iterdir()) == []


def test_a_store_of_the_first_version_is_taken_over_with_what_it_knows(tmp_path):
    database = sqlite3.connect(tmp_path / "facts.sqlite3")
    database.executescript(
        """
        CREATE TABLE facts (key TEXT PRIMARY KEY, digest TEXT NOT NULL, stage TEXT NOT NULL, document TEXT NOT NULL,
            page INTEGER, size INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX facts_of_document ON facts (document, stage, page);
        CREATE TABLE schema_version (version INTEGER NOT NULL);
        INSERT INTO schema_version VALUES (1);
        """
    )
    data = b"kept from before"
    digest = digest_bytes(data)
    database.execute("INSERT INTO facts VALUES ('k', ?, 's', 'd', 1, 3)", (digest,))
    database.commit()
    database.close()
    file = tmp_path / "objects" / digest[:2] / digest[2:]
    file.parent.mkdir(parents=True)
    file.write_bytes(data)

    with FileStore(tmp_path) as store:
        assert store.load(store.find(ArtifactKey("k"))) == data
        store.note_path("d", 1, "r", [Attempt("rapidocr", "ok", "", 12.5)])
    with FileStore(tmp_path) as store:
        assert store.paths("d") == {1: (Attempt("rapidocr", "ok", "", 12.5),)}


def test_a_path_replaces_the_one_before_of_the_same_reading(tmp_path):
    with FileStore(tmp_path) as store:
        store.note_path("d", 2, "fast", [Attempt("a", "timeout", "slow"), Attempt("b", "ok")])
        store.note_path("d", 2, "accurate", [Attempt("c", "ok")])
        assert store.paths("d") == {2: (Attempt("c", "ok"),)}
        store.note_path("d", 2, "fast", [Attempt("a", "ok")])
        assert store.paths("d") == {2: (Attempt("a", "ok"),)}
        assert store.path("d", 2, "accurate") == (Attempt("c", "ok"),)
        assert store.paths("other") == {}
