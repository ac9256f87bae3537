"""Deleting documents from a store deletes them from its index, in one transaction where one database has both."""

from __future__ import annotations

import pytest

from quire.core.keys import ArtifactKey, digest_bytes
from quire.database.facts import Facts
from quire.durable.deletion import delete_documents
from quire.retrieval.search.index_location import indexes_of
from quire.store.opening import open_store
from tests.unit.retrieval.search.indexes import VECTORS, document, names

MINE = digest_bytes(b"mine.pdf")


@pytest.fixture
def store(tmp_path, postgres_url):
    with open_store(tmp_path / "store", postgres_url) as store:
        store.save(ArtifactKey("k" * 64), b"artifact", stage="s", document=MINE)
        store.flush()
        yield store


def test_a_deletion_that_fails_leaves_the_document_in_the_index_and_in_the_facts(store, monkeypatch):
    indexes = indexes_of(store.database, None, make=True)
    index = indexes.make(VECTORS)
    index.put([document("mine.pdf", "a ship"), document("other.pdf", "another ship")])

    def fail(_: Facts) -> None:
        raise OSError("the connection is lost")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="lost"):
        patched.setattr(Facts, "remove_unreferenced", fail)
        delete_documents(store, [MINE])
    assert names(index, "ship") == {"mine.pdf", "other.pdf"}
    assert store.find(ArtifactKey("k" * 64)) is not None
    delete_documents(store, [MINE])
    assert names(index, "ship") == {"other.pdf"}
    assert store.find(ArtifactKey("k" * 64)) is None


def test_deleting_makes_no_index_where_there_is_none(store):
    delete_documents(store, [MINE])
    assert indexes_of(store.database, None, make=False) is None
