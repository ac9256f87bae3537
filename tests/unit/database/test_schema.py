"""Every version of the tables that ever landed leads to this one. The old databases were made by the code of then."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from quire.core.engine import Attempt
from quire.core.errors import StoreError
from quire.core.keys import ArtifactKey, digest_bytes
from quire.database import schema
from quire.database.quarantine import Quarantine
from quire.database.scopes import known_scopes
from quire.database.sqlite import SqliteDatabase
from quire.durable.deletion import delete_documents
from quire.store.files import FileStore

DATA = Path(__file__).parents[2] / "data" / "store"
DOCUMENT = digest_bytes(b"document")
CONTENTS = {
    "text 1": b'{"words": ["harbour"]}',
    "blocks 1": b'{"blocks": ["A harbour."]}',
    "text 2": b'{"words": ["harbour"]}',
    "answer 3": b'{"answer": "ledger"}',
    "document": b'{"document": "A harbour. ledger"}',
}
"""What the old stores hold, by the words whose digest is the key."""


def old_store(folder: Path, version: int) -> Path:
    """A store as that version left it: tables, and each content in a file under its digest."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / "facts.sqlite3")) as database:
        database.executescript((DATA / f"version-{version}.sql").read_text())
    for data in CONTENTS.values():
        digest = digest_bytes(data)
        file = folder / "objects" / digest[:2] / digest[2:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def tables(database: SqliteDatabase) -> list[tuple[object, ...]]:
    """Every table and index with its columns."""
    return database.rows(
        "SELECT schema.type, schema.name, columns.name, columns.type, columns.pk FROM sqlite_master AS schema "
        "LEFT JOIN pragma_table_info(schema.name) AS columns WHERE schema.name NOT LIKE 'sqlite_%' ORDER BY 1, 2, 3"
    )


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_a_store_of_an_older_version_is_taken_over_with_what_it_knows(tmp_path, version):
    with FileStore(old_store(tmp_path / "store", version)) as store:
        for words, data in CONTENTS.items():
            digest = store.find(ArtifactKey(digest_bytes(words.encode())))
            assert digest is not None and store.load(digest) == data
        store.save(ArtifactKey("k"), CONTENTS["text 1"], stage="native-text", document="d")
    assert not (tmp_path / "store" / "packs").exists(), "content that is there is not written again"


def test_an_answer_of_version_3_belongs_to_every_document_that_shows_its_picture(tmp_path):
    with FileStore(old_store(tmp_path / "store", 3)) as store:
        owners = store.database.rows("SELECT document, page, size FROM facts WHERE stage = 'answer' ORDER BY page")
        assert owners == [(DOCUMENT, 3, 20), (digest_bytes(b"other"), 7, 20)]
        delete_documents(store, [DOCUMENT])
        assert store.load(store.find(ArtifactKey(digest_bytes(b"answer 3")))) == CONTENTS["answer 3"]


def test_paths_of_version_2_are_kept(tmp_path):
    with FileStore(old_store(tmp_path / "store", 2)) as store:
        path = (Attempt("tesseract", "timeout", "10 s", 10000.0), Attempt("rapidocr", "ok", "", 812.5))
        assert store.paths(DOCUMENT) == {3: path}


def test_documents_that_version_4_could_not_open_without_a_password_are_known(tmp_path):
    with FileStore(old_store(tmp_path / "store", 4)) as store:
        locked = {entry.source: entry.locked for entry in Quarantine(store.database).entries()}
        assert locked == {"/in/secret.pdf": True, "/in/cut.pdf": False}


def test_tenants_with_reviews_of_version_7_are_known(tmp_path):
    with FileStore(old_store(tmp_path / "store", 7)) as store:
        assert known_scopes(store.database) == ["tenant-0123456789abcdef0123456789abcdef"]


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_every_way_leads_to_the_same_tables(tmp_path, version):
    with (
        closing(SqliteDatabase(old_store(tmp_path / "store", version) / "facts.sqlite3")) as old,
        closing(SqliteDatabase(tmp_path / "new.sqlite3")) as new,
    ):
        assert tables(old) == tables(new)


def test_there_is_a_store_of_every_version_before_this_one():
    kept = {f"version-{version}.sql" for version in range(1, schema.VERSION)}
    assert {path.name for path in DATA.iterdir()} == kept, "a version that landed is kept as its own code made it"


def test_several_that_open_an_old_store_at_once_migrate_it_once(tmp_path):
    path = old_store(tmp_path / "store", 1) / "facts.sqlite3"
    with ThreadPoolExecutor(8) as threads:
        for database in threads.map(SqliteDatabase, [path] * 8):
            assert database.rows("SELECT version FROM schema_version") == [(schema.VERSION,)]
            database.close()


def test_a_later_version_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "facts.sqlite3"
    SqliteDatabase(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"UPDATE schema_version SET version = {schema.VERSION + 1}")
        database.commit()
    with pytest.raises(StoreError, match=f"schema version {schema.VERSION + 1}.*update Quire"):
        SqliteDatabase(path)


def test_a_migration_that_is_cut_off_leaves_the_version_before(tmp_path, monkeypatch):
    path = old_store(tmp_path / "store", 2) / "facts.sqlite3"
    with monkeypatch.context() as patched:
        broken = [*schema.migration(2, dialect="sqlite")[:5], "SELECT * FROM nowhere"]
        patched.setattr(schema, "migration", lambda version, *, dialect: broken)
        with pytest.raises(StoreError, match="nowhere"):
            SqliteDatabase(path)
    with closing(SqliteDatabase(path)) as database:
        assert database.rows("SELECT version FROM schema_version") == [(schema.VERSION,)]
