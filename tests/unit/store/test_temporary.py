"""The store of a single read."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from pathlib import Path

import pytest

from quire.core.errors import StoreError
from quire.core.keys import ArtifactKey, Digest, digest_bytes
from quire.store.temporary import TemporaryStore
from tests.fakes.disks import full_disk

KEY = ArtifactKey("a" * 64)


def save(store: TemporaryStore, key: ArtifactKey = KEY, data: bytes = b"some text") -> Digest:
    return store.save(key, data, stage="native-text", document="d" * 64, page=1)


def test_what_was_saved_is_found():
    store = TemporaryStore()
    first, second = save(store), save(store, ArtifactKey("b" * 64), b"more text")
    assert store.find(KEY) == first == digest_bytes(b"some text")
    assert (store.load(first), store.load(second)) == (b"some text", b"more text")
    assert store.find(ArtifactKey("c" * 64)) is None


def test_many_keys_are_asked_for_at_once():
    store = TemporaryStore()
    assert store.find_many([KEY, ArtifactKey("b" * 64)]) == {}
    digest = save(store)
    assert store.find_many([KEY, ArtifactKey("b" * 64)]) == {KEY: digest}


def test_a_claim_is_had_by_one_at_a_time():
    store = TemporaryStore()
    claim = store.claim(KEY)
    assert claim is not None and store.claim(KEY) is None
    store.save(KEY, b"made", stage="s", document="d", claim=claim)
    store.release(claim)
    assert store.claim(KEY) is not None


def nameless_files() -> set[str]:
    """Files of this process that have no name, as they lie on the disk. Workers of other tests come and go."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            target = str(link.readlink())
            if target.startswith("/") and target.endswith(" (deleted)"):
                found.add(target)
    return found


def test_its_file_is_closed_with_the_last_reference():
    before = nameless_files()
    store = TemporaryStore()
    save(store)
    made = nameless_files() - before
    assert len(made) == 1
    del store
    gc.collect()
    assert not made & nameless_files()


def test_a_closed_store_says_so():
    store = TemporaryStore()
    digest = save(store)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.load(digest)
    with pytest.raises(StoreError, match="closed"):
        save(store, data=b"more")


def test_an_unknown_digest_is_an_error():
    with pytest.raises(StoreError, match="is not in the temporary store"):
        TemporaryStore().load(Digest("0" * 64))


def test_a_full_disk_names_the_folder_and_keeps_what_was_saved():
    store = TemporaryStore()
    digest = save(store)
    with full_disk(after=50_000), pytest.raises(StoreError, match=r"temporary folder .*TMPDIR"):
        save(store, ArtifactKey("b" * 64), os.urandom(100_000))
    assert store.load(digest) == b"some text"
    assert store.find(ArtifactKey("b" * 64)) is None
    assert store.load(save(store, ArtifactKey("c" * 64), b"after")) == b"after"
