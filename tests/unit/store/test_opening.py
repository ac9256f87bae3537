"""Opening a store by its place."""

from __future__ import annotations

from contextlib import closing

import pytest

from quire.core.errors import ConfigurationError, StoreError
from quire.core.keys import ArtifactKey
from quire.database.postgres import PostgresDatabase
from quire.store.files import FileStore
from quire.store.opening import open_facts, open_store, read_facts

KEY = ArtifactKey("a" * 64)


@pytest.mark.parametrize("written", [lambda path: path, str, lambda path: path.as_uri()], ids=["path", "text", "url"])
def test_a_folder_is_a_store_of_its_own(tmp_path, written):
    folder = tmp_path / "a store"
    with open_store(written(folder)) as store:
        assert isinstance(store, FileStore)
        assert store.folder == folder
    assert (folder / "facts.sqlite3").exists()


def test_facts_that_are_only_read_are_those_of_the_store_and_none_before_it_is_made(tmp_path):
    folder = tmp_path / "store"
    with closing(read_facts(folder)) as facts:
        assert facts.rows("SELECT count(*) FROM facts") == [(0,)]
    assert not folder.exists()
    with open_store(folder) as store:
        store.save(KEY, b"text", stage="s", document="d")
    for place in ((folder, None), ("s3://bucket", str(folder / "facts.sqlite3"))):
        with closing(read_facts(*place)) as facts:
            assert facts.rows("SELECT count(*) FROM facts") == [(1,)]
    with pytest.raises(ConfigurationError, match="name their database too"):
        read_facts("s3://bucket")


def test_a_bucket_takes_its_facts_from_a_file_of_this_machine(s3_url, tmp_path):
    facts = str(tmp_path / "new folder" / "facts.sqlite3")
    with open_store(s3_url, facts) as store:
        digest = store.save(KEY, b"text", stage="s", document="d")
    with open_store(s3_url, facts) as store:
        assert store.find(KEY) == digest
        assert store.place == s3_url


def test_a_bucket_takes_its_facts_from_postgresql(s3_url, postgres_url):
    with open_store(s3_url, postgres_url) as store:
        assert isinstance(store.database, PostgresDatabase)


def test_a_folder_that_machines_share_takes_its_facts_from_postgresql(tmp_path, postgres_url):
    with open_store(tmp_path, postgres_url) as store:
        store.save(KEY, b"text", stage="s", document="d")
    assert not (tmp_path / "facts.sqlite3").exists()
    with open_store(tmp_path, postgres_url) as store:
        assert store.find(KEY) is not None


def test_artifacts_of_a_closed_store_can_still_be_loaded(s3_url, postgres_url):
    with open_store(s3_url, postgres_url) as store:
        digest = store.save(KEY, b"text", stage="s", document="d")
    assert store.load(digest) == b"text"


@pytest.mark.parametrize("url", ["s3://bucket/folder", "gs://bucket", "az://container/folder"])
def test_a_bucket_without_facts_is_refused_with_advice(url):
    with pytest.raises(ConfigurationError, match=r"postgresql://.*--facts, QUIRE_FACTS"):
        open_store(url)


def test_a_place_of_another_kind_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="a store is a folder, s3://"):
        open_store("ftp://host/folder", str(tmp_path / "facts.sqlite3"))


def test_facts_of_another_kind_are_refused_without_their_password(tmp_path):
    with pytest.raises(ConfigurationError, match=r"postgresql://… or an SQLite file, not in mysql://") as told:
        open_store(tmp_path, "mysql://user:s3cret@host/name")
    assert "s3cret" not in str(told.value)


def test_a_folder_is_no_place_for_facts(tmp_path):
    with pytest.raises(ConfigurationError, match="is a folder; name a file in it"):
        open_facts(str(tmp_path))


def test_a_file_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=r"file/facts\.sqlite3"):
        open_facts(str(tmp_path / "file" / "facts.sqlite3"))
