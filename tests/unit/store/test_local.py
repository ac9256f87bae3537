"""Objects in a folder: whole or not at all, in parts, by prefix."""

from __future__ import annotations

import pytest

from quire.core.errors import StoreError
from quire.store.local import LocalObjects
from tests.fakes.disks import full_disk


@pytest.fixture
def objects(tmp_path) -> LocalObjects:
    return LocalObjects(tmp_path / "store")


def test_an_object_is_read_whole_and_in_parts(objects):
    objects.write("packs/one", b"0123456789")
    assert objects.read("packs/one") == b"0123456789"
    assert objects.read("packs/one", 3) == b"3456789"
    assert objects.read("packs/one", 3, 4) == b"3456"
    assert objects.read("packs/one", 8, 4) == b"89", "there is no more"
    assert objects.read("packs/one", 3, 0) == b""
    assert objects.read("packs/two") is None


def test_objects_are_listed_by_folder(objects):
    objects.write_many([("packs/one", b"1"), ("documents/d/pages/page-001.png", b"22"), ("documents/e/x", b"333")])
    assert [(one.name, one.size) for one in objects.list("documents/d/")] == [("documents/d/pages/page-001.png", 2)]
    assert {one.name for one in objects.list("documents/")} == {"documents/d/pages/page-001.png", "documents/e/x"}
    assert list(objects.list("nothing/")) == []


def test_an_object_is_replaced_as_a_whole(objects):
    objects.write("a/b", b"before")
    with full_disk(after=3), pytest.raises(StoreError, match=r"cannot write to the store .*make room"):
        objects.write("a/b", b"after it")
    assert objects.read("a/b") == b"before"
    assert list((objects.folder / "waiting").iterdir()) == []
    objects.write("a/b", b"after it")
    assert objects.read("a/b") == b"after it"


def test_objects_that_are_not_there_can_be_deleted(objects):
    objects.write("a/b", b"1")
    objects.delete(["a/b", "a/c", "d/e"])
    assert not objects.exists("a/b")


def test_a_folder_in_the_place_of_an_object_is_explained(objects):
    (objects.folder / "packs" / "one").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot read the store"):
        objects.read("packs/one")


def test_a_file_in_the_place_of_a_store_is_not_called_a_full_disk(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="Not a directory; choose another folder for the store"):
        LocalObjects(tmp_path / "file")
