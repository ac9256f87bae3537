"""A document is deleted: nothing of it is left on the disk, and nothing of the others is lost."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import quire
from quire.core.engine import Attempt
from quire.core.errors import UsageError
from quire.core.keys import ArtifactKey, digest_bytes
from quire.database.outputs import Output, OutputFile, Outputs
from quire.database.runs import Runs
from quire.durable.deletion import Deleted, delete_documents, find_document
from quire.pages.recognize.similar import SimilarAnswers
from quire.store.artifacts import ArtifactStore
from quire.store.files import FileStore
from quire.store.opening import open_store
from tests import documents
from tests.marking import on_servers

MINE, OTHER = digest_bytes(b"mine"), digest_bytes(b"other")
SECRET = b"the secret of the harbour office"


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def store(request, tmp_path):
    facts = request.getfixturevalue("postgres_url") if request.param == "postgresql" else None
    with open_store(tmp_path / "store", facts) as opened:
        yield opened


def save(store: ArtifactStore, name: str, data: bytes, document: str = MINE, *, stage: str = "s", page: int = 1) -> str:
    return store.save(ArtifactKey(digest_bytes(name.encode())), data, stage=stage, document=document, page=page)


def delete_document(store: ArtifactStore, document: str, *, dry_run: bool = False) -> Deleted:
    (deleted,) = delete_documents(store, [document], dry_run=dry_run)
    return deleted


def find(store: ArtifactStore, name: str) -> str | None:
    return store.find(ArtifactKey(digest_bytes(name.encode())))


def share(store: ArtifactStore, name: str, document: str, *, page: int = 1) -> str | None:
    return store.share(ArtifactKey(digest_bytes(name.encode())), document=document, page=page)


def on_disk(folder: Path, text: bytes) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text in path.read_bytes()]


def test_nothing_of_the_document_is_left_on_the_disk(tmp_path):
    with FileStore(tmp_path) as store, FileStore(tmp_path) as other:
        save(store, "mine", SECRET)
        save(store, "other", b"of another document", OTHER)
        save(other, "mine too", SECRET)
        write = other.objects.write
        other.objects.write = lambda name, data: (store.flush(), write(name, data))  # both at once: it is written twice
        other.flush()
        store.note_path(MINE, 1, "fast", [Attempt("tesseract", "error", SECRET.decode())])
        store.objects.write(f"documents/{MINE}/pages/page-001.png", SECRET)
        assert len(on_disk(tmp_path, SECRET)) >= 4
        deleted = delete_document(store, MINE)
        assert (deleted.facts, deleted.bytes, deleted.images) == (2, 2 * len(SECRET), 1)
        assert on_disk(tmp_path, SECRET) == []
        assert on_disk(tmp_path, MINE.encode()) == []
        assert store.load(find(other, "other")) == b"of another document"
        assert find(other, "mine") is None


@pytest.mark.both_readers
def test_a_read_document_goes_and_another_one_stays(tmp_path):
    mine, other = documents.simple(2), documents.simple(3)
    expected = quire.read(other, store=tmp_path).blocks
    quire.read(mine, store=tmp_path)
    with quire.FileStore(tmp_path) as store:
        deleted = delete_document(store, digest_bytes(mine))
        assert deleted.facts
        assert store.database.rows("SELECT DISTINCT document FROM facts") == [(digest_bytes(other),)]
    told = []
    assert quire.read(other, store=tmp_path).blocks == expected
    assert quire.read(mine, store=tmp_path, on_event=told.append).blocks
    assert "started" in {event.kind for event in told}, "it is read anew"


def test_several_documents_go_at_once(store):
    for number in range(3):
        save(store, f"artifact {number}", SECRET, digest_bytes(b"%d" % number))
    save(store, "other", b"stays", OTHER)
    deleted = delete_documents(store, [digest_bytes(b"%d" % number) for number in range(3)])
    assert [one.facts for one in deleted] == [1, 1, 1]
    assert store.database.rows("SELECT document FROM facts") == [(OTHER,)]
    assert store.load(find(store, "other")) == b"stays"


def test_content_that_another_document_has_too_stays(store):
    save(store, "mine", b"a blank page")
    save(store, "other", b"a blank page", OTHER)
    delete_document(store, MINE)
    assert find(store, "mine") is None
    assert store.load(find(store, "other")) == b"a blank page"


def test_an_answer_that_another_document_needs_stays_with_it(store):
    save(store, "answer", b"paid once", stage="answer", page=1)
    save(store, "answer 2", b"of nobody else", stage="answer", page=2)
    assert share(store, "answer", OTHER, page=7) == digest_bytes(b"paid once")
    deleted = delete_document(store, MINE)
    assert deleted.kept == 1
    assert store.load(find(store, "answer")) == b"paid once"
    assert find(store, "answer 2") is None
    assert store.database.rows("SELECT document, page FROM facts WHERE stage = 'answer'") == [(OTHER, 7)]
    assert delete_document(store, OTHER).facts == 1
    assert find(store, "answer") is None


def test_what_is_remembered_of_the_document_goes(store):
    database, runs = store.database, Runs(store.database)
    for document in (MINE, OTHER):
        values = (f"out/{document}.md", "key", document, f"{document}.pdf", "{}", "[]", 0.0)
        database.change("INSERT INTO outputs VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        database.change("INSERT INTO files VALUES (?, 1, 1, ?)", (f"/in/{document}.pdf", document))
        quarantined = (f"key of {document}", document, f"{document}.pdf", "input", "damaged", 1, "run", 0.0, 5)
        database.change("INSERT INTO quarantine VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", quarantined)
        run, _ = runs.begin("document", {"source": {"id": document}})
        runs.finish(run, "finished", result={"document": document})
    running, _ = runs.begin("document", {"source": {"id": MINE}, "again": True})
    assert delete_document(store, MINE, dry_run=True) == delete_document(store, MINE)
    for table, column in (("outputs", "document"), ("files", "digest"), ("quarantine", "document")):
        assert database.rows(f"SELECT {column} FROM {table}") == [(OTHER,)]
    assert {json.dumps(status.inputs) for status in runs.list() if status.run != running} == {
        json.dumps({"source": {"id": OTHER}})
    }
    assert runs.status(running).state == "waiting", "a run at work is not pulled away"
    assert delete_document(store, MINE).unfinished == (running,)


def test_the_files_that_were_written_elsewhere_are_named(store):
    files = (OutputFile("/out/report.md", 3, "a" * 64), OutputFile("/out/report.json", 3, "b" * 64))
    Outputs(store.database).record([Output("/out/report", "key", MINE, "/in/report.pdf", files=files)])
    assert delete_document(store, MINE).outputs == ("/out/report.md", "/out/report.json")


def test_a_dry_run_changes_nothing(store, tmp_path):
    save(store, "mine", SECRET)
    store.flush()
    assert delete_document(store, MINE, dry_run=True).facts == 1
    assert store.load(find(store, "mine")) == SECRET


def test_a_document_is_found_by_file_path_and_beginning_of_its_id(store, tmp_path):
    path = tmp_path / "mine.pdf"
    path.write_bytes(b"mine")
    save(store, "mine", SECRET)
    save(store, "other", SECRET, OTHER)
    store.flush()
    store.database.change("INSERT INTO files VALUES (?, 1, 1, ?)", (str(tmp_path / "moved.pdf"), OTHER))
    assert find_document(store, str(path)) == MINE
    assert find_document(store, str(tmp_path / "moved.pdf")) == OTHER
    assert find_document(store, MINE[:8]) == MINE
    assert find_document(store, MINE[:8].upper()) == MINE
    with pytest.raises(UsageError, match="has no document"):
        find_document(store, "zzz")
    with pytest.raises(UsageError, match="has no document"):
        find_document(store, "%")
    save(store, "like mine", SECRET, MINE[:10] + "0" * 54)
    store.flush()
    with pytest.raises(UsageError, match="prefix of 2 document ids"):
        find_document(store, MINE[:8])


def test_the_fingerprints_of_its_pictures_go(tmp_path):
    with FileStore(tmp_path) as store:
        SimilarAnswers(tmp_path / "similar.sqlite3").close()
        mine, other = (ArtifactKey(digest_bytes(name)) for name in (b"answer", b"another"))
        with closing(sqlite3.connect(tmp_path / "similar.sqlite3")) as index:
            rows = [("scope", "size", key, 1, 1, b"", b"") for key in (mine, other)]
            index.executemany("INSERT INTO pictures VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            index.commit()
        save(store, "answer", b"text", stage="answer")
        save(store, "another", b"text", OTHER, stage="answer")
        delete_document(store, MINE)
    with closing(sqlite3.connect(tmp_path / "similar.sqlite3")) as index:
        assert index.execute("SELECT key FROM pictures").fetchall() == [(other,)]
