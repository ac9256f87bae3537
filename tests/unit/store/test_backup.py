"""Backup and restore of a store that holds what people decided, as the guide on stores describes it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from quire.core.keys import ArtifactKey
from quire.durable.review.review_queue import ReviewQueue
from quire.evidence.review.decisions import Decision
from quire.store.files import FileStore
from tests.bills import SCHEMA, anywhere, bill_extraction

KEY = ArtifactKey("k")


def backed_up(store: Path, backup: Path) -> Path:
    """The commands of the guide."""
    backup.mkdir()
    with (
        closing(sqlite3.connect(store / "facts.sqlite3")) as live,
        closing(sqlite3.connect(backup / "facts.sqlite3")) as copy,
    ):
        live.backup(copy)
    for name in ("packs", "waiting"):
        shutil.copytree(store / name, backup / name)
    return backup


def test_decisions_and_their_history_survive_the_loss_of_the_store(tmp_path):
    with FileStore(tmp_path / "store") as store:
        store.save(KEY, b"text", stage="native-text", document="d")
        store.flush()
        queue = ReviewQueue(store.database)
        review = queue.open(bill_extraction("d", anywhere()), SCHEMA, {"source": {"id": "d"}}, place="d.1")
        queue.decide(review, "total", Decision("correct", "145"), version=0, claim="", reviewer="Ada")
        backup = backed_up(tmp_path / "store", tmp_path / "backup")  # while the store is open
        before = queue.tables.items(review.id), queue.tables.history(review.id)
    shutil.rmtree(tmp_path / "store")
    with FileStore(backup.rename(tmp_path / "elsewhere")) as store:
        digest = store.find(KEY)
        assert digest is not None and store.load(digest) == b"text"
        tables = ReviewQueue(store.database).tables
        assert (tables.items(review.id), tables.history(review.id)) == before
        assert [one.reviewer for one in tables.history(review.id)] == ["Ada"]
