"""A tenant deletes a document: nothing in the store names it or holds a word of it, and others keep what they have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quire.cli.app import app
from quire.evidence.extract.extraction_json import extraction_json
from quire.evidence.learn.training import learn
from quire.store.artifacts import ArtifactStore
from quire.store.scoped import document_in, scope_of
from tests import bills, documents, scans
from tests.marking import on_servers
from tests.unit.evidence.learn.receipts import sample
from tests.unit.service.api.conftest import SEARCHED, Serving, serving, wait_indexed

pytestmark = pytest.mark.processes

WORD, NAME, SPOKEN, SHARED = "Quillfeather", "zanzibar-settlement", "captain", "Nightingale"
JSON = {"Content-Type": "application/json"}
NORTH, SOUTH = {"X-Tenant-Id": "north"}, {"X-Tenant-Id": "south"}


@pytest.fixture(scope="module", params=["sqlite", on_servers("postgresql")])
def deleting(request, tmp_path_factory) -> Iterator[Serving]:
    """A server whose store the tests look into. It knows models, and indexes what is read."""
    folder = tmp_path_factory.mktemp("deleting")
    facts = request.getfixturevalue("postgres_server").create() if request.param == "postgresql" else None
    with serving(folder, facts=facts, learned=str(folder / "models"), **SEARCHED) as running:
        yield running


def place(server: Serving) -> Path:
    return Path(server.service.store.place)


def traces(server: Serving, *texts: bytes) -> list[str]:
    """Where one of the texts is: files of the store by name and by content, rows of its tables."""
    store: ArtifactStore = server.service.store
    store.flush()
    found = []
    for path in place(server).rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        found += [f"{path}: {text!r}" for text in texts if text in content or text in str(path).encode()]
    if not store.database.one_machine:
        for (table,) in store.database.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"):
            for row in store.database.rows(f"SELECT * FROM {table}"):
                said = repr(row).encode()
                found += [f"{table}: {text!r}" for text in texts if text in said]
    return found


def digital(word: str, rest: str = "pays twelve guilders.") -> bytes:
    return documents.placed([documents.Piece(60, 80, f"{word} {rest}")])


def marked(data: bytes, mark: bytes) -> bytes:
    """The file with a comment at its end, which is in no text."""
    return data + b"\n% " + mark + b"\n"


def look(server: Serving, document: str, headers: dict[str, str]) -> None:
    """Use a document as a page in a browser does, so that everything about it is stored."""
    for rest in ("pages/1", "pages/1/image", "pages/1/crop?box=0,0,0.5,0.5", "exports/md", "exports/json", "catalog"):
        assert server.ask("GET", f"/api/documents/{document}/{rest}", headers=headers).status == 200, rest


def review(server: Serving, document: str, headers: dict[str, str]) -> str:
    """A review of the document that is a sample."""
    sha256 = server.ask("GET", f"/api/documents/{document}", headers=headers).json["sha256"]
    extraction = extraction_json(bills.bill_extraction(sha256, bills.anywhere()))
    body = {"document": document, "schema": bills.SCHEMA, "extraction": extraction}
    opened = server.ask("POST", "/api/review", json.dumps(body), {**JSON, **headers}).json["id"]
    decision = {"path": "total", "version": 0, "action": "correct", "value": WORD, "reviewer": "Ada"}
    server.ask("POST", f"/api/review/{opened}/decisions", json.dumps(decision), {**JSON, **headers})
    path = f"/api/review/{opened}/sample"
    assert server.ask("PUT", path, json.dumps({"sample": True}), {**JSON, **headers}).status == 200
    return opened


def found(server: Serving, word: str, headers: dict[str, str]) -> int:
    wait_indexed(server.service)
    return len(server.ask("GET", f"/api/search?q={word}", headers=headers).json["hits"])


@pytest.mark.parametrize("kind", ["digital", "scan"])
def test_nothing_of_a_deleted_document_is_left_and_the_others_of_its_run_stay(deleting, kind):
    server = deleting
    word = WORD if kind == "digital" else SPOKEN
    mark = f"bytes of the {kind} file".encode()
    data = marked(digital(WORD) if kind == "digital" else scans.scanned(scans.slip()), mark)
    other = digital("Nothing", f"to hide, but for the {kind}.")
    answer = server.post((f"{NAME}.pdf", data), ("ordinary.pdf", other), headers=NORTH).json
    assert server.service.runtime.result(answer["id"], timeout_s=120)
    mine, kept = (one["id"] for one in answer["documents"])
    single = server.read(data, f"{NAME}-again.pdf", headers=NORTH)
    body = {"X-Tenant-Id": "north", "Content-Type": "multipart/form-data; boundary=x"}
    form = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n' % (name, file)
        for name, file in ((f"{NAME}.pdf".encode(), data), (b"ordinary.pdf", other))
    )
    task = server.ask("POST", "/v1/convert/file/async", form + b"--x--\r\n", body).json["task_id"]
    assert server.ask("GET", f"/v1/status/poll/{task}?wait=60", headers=NORTH).json["task_status"] == "success"
    for document in (mine, single, kept):
        look(server, document, NORTH)
    opened = review(server, mine, NORTH)
    model = learn(map(sample, range(5)))
    sha256 = server.ask("GET", f"/api/documents/{mine}", headers=NORTH).json["sha256"]
    models = place(server).parent / "models" / "north"
    models.mkdir(parents=True, exist_ok=True)
    for name, of in (("bills", sha256), ("others", "0" * 64)):
        (models / f"{name}.model").write_bytes(model.content.replace(model.documents[0].encode(), of.encode()))
    assert found(server, word, NORTH)
    text = word.encode()
    assert traces(server, text) and traces(server, NAME.encode()) and traces(server, mark)

    deleted = server.ask("DELETE", f"/api/documents/{mine}", headers=NORTH)
    assert deleted.status == 200, deleted.body
    told = deleted.json
    assert told.pop("artifacts") > 5 and told.pop("bytes") > len(data)
    assert told == {
        "document": mine,
        "runs": 3,
        "reviews": 1,
        "samples": 1,
        "learned": ["bills"],
        "unfinished": [],
    }
    assert traces(server, text, NAME.encode(), mark, sha256.encode(), sha256[:32].encode()) == []
    assert found(server, word, NORTH) == 0
    for path in (f"/api/documents/{mine}", f"/api/documents/{single}", f"/api/review/{opened}", f"/v1/result/{task}"):
        assert server.ask("GET", path, headers=NORTH).status == 404, path
    assert server.ask("DELETE", f"/api/documents/{mine}", headers=NORTH).status == 404
    run = server.ask("GET", f"/api/runs/{answer['id']}", headers=NORTH).json
    assert [one["id"] for one in run["documents"]] == [kept]
    listed = server.ask("GET", "/api/documents", headers=NORTH).json["documents"]
    assert {kept} <= {one["id"] for one in listed} and not {mine, single} & {one["id"] for one in listed}
    look(server, kept, NORTH)
    assert found(server, "Nothing", NORTH)
    assert server.ask("DELETE", f"/api/documents/{kept}", headers=NORTH).json["runs"] == 2
    assert server.ask("GET", f"/api/runs/{answer['id']}", headers=NORTH).status == 404, "nothing of it is left"


def quire(server: Serving, *arguments: str) -> str:
    facts = ["--facts", server.facts] if server.facts else []
    done = CliRunner().invoke(app, ["store", "delete", *arguments, "--store", str(place(server)), *facts, "--yes"])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_each_tenant_deletes_its_own_copy_and_the_operator_names_one_or_all(deleting, tmp_path):
    mark = b"bytes of the shared file"
    server, data = deleting, marked(digital(SHARED), mark)
    names = ("default", "north", "south", "west")
    tenants = [{"X-Tenant-Id": name} for name in names]
    copies = [server.read(data, "shared.pdf", headers=headers) for headers in tenants]
    for headers, document in zip(tenants, copies, strict=True):
        look(server, document, headers)
        review(server, document, headers)
    sha256 = server.ask("GET", f"/api/documents/{copies[1]}", headers=NORTH).json["sha256"]

    def held(*by: str) -> None:
        for name, headers, document in zip(names, tenants, copies, strict=True):
            status = 200 if name in by else 404
            assert server.ask("GET", f"/api/documents/{document}", headers=headers).status == status, name
            assert bool(found(server, SHARED, headers)) == (name in by)
            assert len(server.ask("GET", "/api/review", headers=headers).json["reviews"]) == (name in by)

    assert server.ask("DELETE", f"/api/documents/{copies[1]}", headers=SOUTH).status == 404
    held(*names)
    assert server.ask("DELETE", f"/api/documents/{copies[1]}", headers=NORTH).status == 200
    held("default", "south", "west")
    file = tmp_path / "shared.pdf"
    file.write_bytes(data)
    told = quire(server, str(file))
    assert "1 review" in told and "2 tenants have it too: add --tenant NAME, or --all-tenants" in told
    held("south", "west")
    again = quire(server, sha256)
    assert "2 tenants have it too" in again
    quire(server, sha256, "--tenant", "south")
    held("west")
    assert traces(server, SHARED.encode())
    quire(server, sha256, "--all-tenants")
    held()
    assert traces(server, SHARED.encode(), mark, sha256.encode(), sha256[:32].encode()) == []
    assert traces(server, *(document_in(scope_of(name), sha256).encode() for name in names)) == []


def test_documents_are_deleted_at_the_same_time(deleting):
    server = deleting
    documents_ = [server.read(digital(f"Parallel{n}"), f"{n}.pdf", headers=SOUTH) for n in range(4)]
    assert found(server, "guilders", SOUTH)  # an indexer that reads a document meanwhile may bring it back
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda id: server.ask("DELETE", f"/api/documents/{id}", headers=SOUTH), documents_))
    assert [answer.status for answer in answers] == [200] * 4
    assert traces(server, b"Parallel") == []


def test_a_document_that_could_not_be_fetched_is_taken_out_of_its_run(deleting):
    sources = [{"url": f"http://127.0.0.1:9/{name}.pdf"} for name in ("unheard-of", "other")]
    body = json.dumps({"sources": sources}).encode()
    run = deleting.ask("POST", "/api/runs", body, {**JSON, **SOUTH}).json["id"]
    deleting.service.runtime.result(run, timeout_s=120)
    told = deleting.ask("DELETE", f"/api/documents/{run}.1", headers=SOUTH).json
    assert (told["document"], told["runs"], told["artifacts"]) == (f"{run}.1", 1, 0)
    left = deleting.ask("GET", f"/api/runs/{run}", headers=SOUTH).json["documents"]
    assert [one["id"] for one in left] == [f"{run}.2"]
    assert deleting.ask("DELETE", f"/api/documents/{run}.2", headers=SOUTH).status == 200
    assert deleting.ask("GET", f"/api/runs/{run}", headers=SOUTH).status == 404


def test_a_document_that_a_run_still_reads_is_refused_with_the_run(idle):
    data = digital("Waiting")
    first, second = (idle.post((name, data)).json["id"] for name in ("first.pdf", "second.pdf"))
    refused = idle.ask("DELETE", f"/api/documents/{first}.1")
    assert (refused.status, refused.json["document"]) == (409, f"{first}.1")
    assert first in refused.json["detail"] and "DELETE /api/runs/{run}" in refused.json["detail"]
    idle.ask("DELETE", f"/api/runs/{first}")
    refused = idle.ask("DELETE", f"/api/documents/{first}.1")
    assert (refused.status, second in refused.json["detail"]) == (409, True), "the other one would read it"
    assert idle.get(f"/api/runs/{first}").status == 200, "nothing was deleted"
    idle.ask("DELETE", f"/api/runs/{second}")
    assert idle.ask("DELETE", f"/api/documents/{first}.1").json["runs"] == 2
    assert idle.get(f"/api/runs/{second}").status == 404


@pytest.mark.parametrize("id", ["123", "123.1", "000000000000-1.1", "%00.1", "a.0"])
def test_an_unknown_document_is_not_found(idle, id):
    assert idle.ask("DELETE", f"/api/documents/{id}").status == 404
