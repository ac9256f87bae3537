"""Somebody asks for a document to be deleted. Nothing in the store names it or holds a word of it, and the others of
its batches are as they were."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

import quire
from quire.cli.app import app
from quire.core.document import Document
from quire.core.events import Event
from quire.core.keys import digest_bytes
from quire.database.database import Database
from quire.database.runs import Runs
from quire.durable.inline.flow_call import Flow
from quire.store.images import PageImages
from quire.store.opening import open_store
from tests import documents, scans
from tests.fakes.engines import NumberEngine
from tests.marking import on_servers
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes

NAME, BROKEN_NAME = "zanzibar-settlement.pdf", "zebra-broken.pdf"
WORD = "Quillfeather"


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def facts(request) -> str | None:
    return request.getfixturevalue("postgres_url") if request.param == "postgresql" else None


@pytest.fixture
def desk(tmp_path, monkeypatch, facts) -> Desk:
    """A document to be deleted and one that shares a page with it, each in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUIRE_STORE", str(tmp_path / "store"))
    if facts:
        monkeypatch.setenv("QUIRE_FACTS", facts)
    shared = documents.Piece(60, 80, "A page that both documents have.")
    desk = Desk(tmp_path)
    desk.add(f"private/{NAME}", documents.placed([documents.Piece(60, 80, f"{WORD} pays.")], [shared]))
    desk.add("ordinary.pdf", documents.placed([shared], [documents.Piece(60, 80, "Nothing to hide.")]))
    return desk


def names_of(desk: Desk) -> list[str]:
    """What must not be found any more."""
    path = desk.folder / "in" / "private" / NAME
    id = digest_bytes(path.read_bytes())
    broken = digest_bytes(BROKEN)
    return [NAME.removesuffix(".pdf"), WORD, id, id[:32], BROKEN_NAME.removesuffix(".pdf"), broken, broken[:32]]


def traces(desk: Desk, facts: str | None, texts: list[str]) -> list[str]:
    """Where one of the texts is found: files of the store by name and by content, rows of its database."""
    files = list((desk.folder / "store").rglob("*"))
    found = [f"{path}: name" for path in files for text in texts if text in str(path.relative_to(desk.folder))]
    contents = {path: path.read_bytes() for path in files if path.is_file()}
    found += [f"{path}: {text}" for path, data in contents.items() for text in texts if text.encode() in data]
    if facts:
        with open_store(desk.folder / "store", facts) as store:
            found += rows_with(store.database, texts)
    return found


def rows_with(database: Database, texts: list[str]) -> list[str]:
    tables = database.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    found = []
    for (table,) in tables:
        for row in database.rows(f"SELECT * FROM {table}"):
            found += [f"{table}: {text}" for text in texts if any(text in str(value) for value in row)]
    return found


def test_nothing_in_the_store_names_a_deleted_document(desk, facts):
    secret, ordinary = desk.folder / "in" / "private" / NAME, desk.folder / "in" / "ordinary.pdf"
    broken = desk.add(BROKEN_NAME, BROKEN)
    for asked in (["in", "-o", "out"], [secret, ordinary, broken, "-o", "named", "--to", "json"]):
        CliRunner().invoke(app, ["run", *map(str, asked)])  # its code tells that one is broken
    desk.quire("run", secret, "-o", "alone")
    with open_store(desk.folder / "store", facts) as store:
        Flow.load("read").run(str(secret), store=store)
        quire.read(secret, store=store)
        with Document(secret) as document:
            PageImages(store).save(document)
        batches = [status.run for status in Runs(store.database).list(flow="batch")]
    assert len(batches) == 3
    manifests = {run: desk.quire("manifest", run).stdout for run in batches}
    assert {text for text in names_of(desk) if any(text in found for found in traces(desk, facts, [text]))} >= {
        NAME.removesuffix(".pdf"),
        WORD,
        BROKEN_NAME.removesuffix(".pdf"),
    }

    told = desk.quire("store", "delete", secret, broken, "--yes").stdout
    written = [Path("out/private", NAME), Path("named", NAME), Path("alone", NAME)]
    ends = (".md", ".json", ".md")
    for path, end in zip(written, ends, strict=True):
        assert f"kept: {desk.folder / path.with_suffix(end)}\n" in told
        assert (desk.folder / path.with_suffix(end)).exists()

    assert traces(desk, facts, names_of(desk)) == []
    with open_store(desk.folder / "store", facts) as store:
        left = [status.run for status in Runs(store.database).list(flow="batch")]
    assert sorted(left) == sorted(batches[1:]), "the run over the deleted document alone is gone"
    for run in left:
        rows = desk.quire("manifest", run).stdout
        assert "ordinary.pdf" in rows and rows.splitlines() == [
            line for line in manifests[run].splitlines() if "ordinary.pdf" in line
        ]
    assert {row["name"]: row["state"] for row in plan(desk)}["ordinary.pdf"] == "done"
    with open_store(desk.folder / "store", facts) as store:
        again: list[Event] = []
        assert quire.read(ordinary, store=store, on_event=again.append).status == "complete"
        assert {event.kind for event in again if event.stage == "page-blocks"} == {"hit"}


def plan(desk: Desk) -> list[dict[str, str]]:
    return desk.json("plan", "in", "-o", "out")["documents"]


def test_a_batch_that_called_its_documents_by_name_forgets_one_of_them(desk, facts):
    """As events of older versions are."""
    secret, ordinary = desk.folder / "in" / "private" / NAME, desk.folder / "in" / "ordinary.pdf"
    with open_store(desk.folder / "store", facts) as store:
        runs = Runs(store.database)
        run, _ = runs.begin("batch", {"paths": [str(secret), str(ordinary)], "flow": "read"})
        for path, name in ((secret, f"private/{NAME}"), (ordinary, "ordinary.pdf")):
            id = digest_bytes(path.read_bytes())
            kinds = {
                "started": {"input_path": str(path)},
                "attempt": {"reason": "no answer"},
                "finished": {"status": "ok", "input_hash": id, "output_path": f"out/{name}.md"},
            }
            told = [
                Event(f"{run}/document/{kind}/{name}", run, 0, kind, "document", name, payload=payload)
                for kind, payload in kinds.items()
            ]
            runs.append(run, told)
        runs.finish(run, "failed", error=f"private/{NAME}: no answer", category="engine")
    desk.quire("store", "delete", secret, "--yes")
    assert traces(desk, facts, names_of(desk)) == []
    with open_store(desk.folder / "store", facts) as store:
        left = list(Runs(store.database).events(run))
        assert [(event.kind, event.document) for event in left] == [
            (kind, "ordinary.pdf") for kind in ("started", "attempt", "finished")
        ]
        assert json.dumps(str(ordinary)) in json.dumps(Runs(store.database).status(run).inputs)


def test_remembered_pictures_of_a_deleted_scan_go_and_shared_ones_stay(tmp_path):
    place, engine = tmp_path / "store", NumberEngine(log=tmp_path / "calls")
    mine = scans.scanned(scans.numbered_sheet(5), scans.numbered_sheet(6))
    other = scans.scanned(scans.numbered_sheet(6), scans.numbered_sheet(7))
    for data in (mine, other):
        quire.read(data, engines=engine, store=place, similar=True)
    (tmp_path / "mine.pdf").write_bytes(mine)
    Desk(tmp_path).quire("store", "delete", tmp_path / "mine.pdf", "--store", place, "--yes")
    with closing(sqlite3.connect(place / "similar.sqlite3")) as index, open_store(place) as store:
        kept = {key for (key,) in store.database.rows("SELECT key FROM facts WHERE stage = 'answer'")}
        assert {key for (key,) in index.execute("SELECT key FROM pictures")} == kept
        assert len(kept) == 2
    asked = (tmp_path / "calls").read_text()
    assert quire.read(other, engines=engine, store=place, similar=True).status == "complete"
    assert (tmp_path / "calls").read_text() == asked, "paid once"
