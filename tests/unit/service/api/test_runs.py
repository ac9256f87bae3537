"""Runs over HTTP: submitted, listed, cancelled; one tenant sees nothing of another."""

from __future__ import annotations

import json

import pytest

from tests import documents

pytestmark = pytest.mark.processes


def test_files_become_a_run_with_documents(server):
    answer = server.post(("a.pdf", documents.simple(2)), ("b.pdf", b"no document"), options={"pages": "1"})
    assert (answer.status, answer.headers["Quire-API"]) == (201, "1")
    run = answer.json["id"]
    assert answer.headers["Location"] == f"/api/runs/{run}"
    server.service.runtime.result(run, timeout_s=120)
    ended = server.get(f"/api/runs/{run}").json
    assert (ended["type"], ended["state"]) == ("read", "finished")
    assert ended["progress"] == {
        "documents": {"total": 2, "done": 1, "failed": 1},
        "pages": {"total": 1, "done": 1, "failed": 0},
    }
    first, second = ended["documents"]
    assert (first["id"], first["name"], first["state"], first["status"]) == (
        f"{run}.1",
        "a.pdf",
        "finished",
        "complete",
    )
    assert (first["pages"], first["media_type"]) == (1, "application/pdf")
    assert (second["state"], second["category"]) == ("failed", "input")
    assert "not a PDF" in second["error"]
    missing = server.get(f"/api/documents/{run}.2/pages/1")
    assert missing.status == 409
    assert "was not read: " in missing.json["detail"] and missing.json["document"] == f"{run}.2"


def test_a_url_that_cannot_be_fetched_is_a_failed_document(server):
    body = json.dumps({"sources": [{"url": "http://127.0.0.1:9/a.pdf"}]}).encode()
    run = server.ask("POST", "/api/runs", body, {"Content-Type": "application/json"}).json["id"]
    server.service.runtime.result(run, timeout_s=120)
    (document,) = server.get(f"/api/runs/{run}").json["documents"]
    assert document["state"] == "failed"
    assert "private address" in document["error"]
    assert "QUIRE_SERVE_ALLOWED_PRIVATE_IPS" in document["error"] and "--allow" not in document["error"]


def test_the_same_idempotency_key_is_the_same_run(idle):
    first, again = (idle.post(("a.pdf", b"%PDF-1.4"), headers={"Idempotency-Key": "k-1"}).json["id"] for _ in range(2))
    assert first == again != idle.post(("a.pdf", b"%PDF-1.4"), headers={"Idempotency-Key": "k-2"}).json["id"]


def test_runs_and_documents_are_listed_in_pages(idle):
    runs = [idle.post((f"{n}.pdf", b"%PDF-1.4"), (f"{n}-b.pdf", b"%PDF-1.5")).json["id"] for n in range(3)][::-1]
    seen, path = [], "/api/runs?limit=2"
    while path:
        answer = idle.get(path).json
        assert len(answer["runs"]) <= 2
        seen += [run["id"] for run in answer["runs"]]
        path = answer["next"] and f"/api/runs?limit=2&before={answer['next']}"
    assert seen[:3] == runs and len(set(seen)) == len(seen)
    listed, path = [], "/api/documents?limit=3"
    while path:
        answer = idle.get(path).json
        listed += [document["id"] for document in answer["documents"]]
        path = answer["next"] and f"/api/documents?limit=3&before={answer['next']}"
    assert listed[:6] == [f"{run}.{n}" for run in runs for n in (1, 2)]
    assert len(set(listed)) == len(listed)


def test_a_waiting_run_is_cancelled(idle):
    run = idle.post(("a.pdf", b"%PDF-1.4")).json
    assert (run["state"], run["documents"][0]["state"]) == ("waiting", "waiting")
    waiting = idle.get(f"/api/documents/{run['id']}.1/exports/md")
    assert (waiting.status, waiting.json["detail"]) == (409, "the document is waiting; wait for the end of its run")
    answer = idle.ask("DELETE", f"/api/runs/{run['id']}")
    assert (answer.status, answer.json["state"]) == (202, "cancelled")
    assert answer.json["documents"][0]["state"] == "cancelled"
    assert idle.ask("DELETE", f"/api/runs/{run['id']}").json["state"] == "cancelled", "again changes nothing"


@pytest.mark.parametrize(
    "path",
    [
        "/api/runs/123",
        "/api/runs/123/events",
        "/api/runs?before=123",
        "/api/documents/123",
        "/api/documents/123.1",
        "/api/documents/123.0",
        "/api/documents/%00.1",
        "/api/documents?before=123.1",
    ],
)
def test_an_unknown_id_is_not_found(idle, path):
    answer = idle.get(path)
    assert (answer.status, answer.headers["Quire-API"]) == (404, "1")
    assert "there is no" in answer.json["detail"]


@pytest.mark.parametrize(
    "path", ["/api/runs?limit=0", "/api/runs?limit=many", "/api/documents?limit=1000", "/api/runs?limit=-1"]
)
def test_wrong_parameters_are_refused_with_a_sentence(idle, path):
    answer = idle.get(path)
    assert answer.status == 422
    assert answer.json["detail"].startswith("limit: ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"page": "1"}, "page: "),
        ({"pages": "x"}, "x"),
        ({"ocr": "often"}, "ocr: "),
        ({"engines": ["magic"]}, "magic"),
        ({"lang": ["xx-nothing"]}, "xx-nothing"),
        ({"tables": "grid"}, "tables: "),
        ({"areas": [{"columns": [0.5, 0.2]}]}, "must rise"),
        ({"areas": [{"column": [0.5]}]}, "areas.0.column: "),
        ([], "object"),
    ],
)
def test_options_that_cannot_work_are_refused(idle, options, said):
    answer = idle.post(("a.pdf", b"%PDF-1.4"), options=options)
    assert answer.status in (422, 501)
    assert said in answer.json["detail"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"sources": []}', b'{"sources": [{"path": "/etc/passwd"}]}'])
def test_a_body_that_is_no_request_is_refused(idle, body):
    assert idle.ask("POST", "/api/runs", body, {"Content-Type": "application/json"}).status == 422


def test_a_form_without_files_is_refused(idle):
    answer = idle.post()
    assert answer.status == 422
    assert "at least one file" in answer.json["detail"]


def test_a_tenant_finds_nothing_of_another(server):
    mine, yours = {"X-Tenant-Id": "mine"}, {"X-Tenant-Id": "yours"}
    document = server.read(documents.ruled_table(), headers=mine)
    run = document.rpartition(".")[0]
    (block,) = [row["block"] for row in server.ask("GET", f"/api/documents/{document}/tables", headers=mine).json]
    paths = [
        f"/api/runs/{run}",
        f"/api/runs/{run}/events",
        f"/api/runs?before={run}",
        f"/api/documents?before={document}",
        *(
            f"/api/documents/{document}{rest}"
            for rest in (
                "",
                "/ledger",
                "/pages/1",
                "/pages/1?words=1",
                "/pages/1/image",
                "/pages/1/crop?box=0,0,1,1",
                "/exports/md",
                "/search?q=a",
                "/tables",
                f"/tables/{block}",
            )
        ),
    ]
    for path in paths:
        assert server.ask("GET", path, headers=mine).status == 200, path
        refused = server.ask("GET", path, headers=yours)
        unknown = server.ask("GET", path.replace(run, "000000000000-1"), headers=yours)
        assert refused.status == unknown.status == 404, path
        assert refused.body.replace(run.encode(), b"") == unknown.body.replace(b"000000000000-1", b"")
    assert server.ask("DELETE", f"/api/runs/{run}", headers=yours).status == 404
    for name in ("runs", "documents"):
        assert server.ask("GET", f"/api/{name}", headers=yours).json[name] == []
        assert server.ask("GET", f"/api/{name}", headers=mine).json[name]


def again(server, document: str, **headers: str):
    sent = {"Content-Type": "application/json", **headers}
    return server.ask("POST", "/api/runs", json.dumps({"document": document}), sent)


def test_a_document_that_failed_is_read_again_with_its_options(server):
    mine = {"X-Tenant-Id": "retrying"}
    failed = server.read(b"%PDF-1.7 no document", "broken.pdf", options={"pages": "1-3", "lang": ["de"]}, headers=mine)
    made = again(server, failed, **mine)
    assert made.status == 201, made.body
    run = made.json["id"]
    assert run != failed.rpartition(".")[0]
    server.service.runtime.result(run, timeout_s=120)
    inputs = server.service.runtime.status(run).inputs
    assert (inputs["read"]["pages"], inputs["read"]["lang"]) == ("1-3", ["de"])
    (document,) = server.get(f"/api/runs/{run}", X_Tenant_Id="retrying").json["documents"]
    assert (document["name"], document["state"]) == ("broken.pdf", "failed")
    assert "not a PDF" in document["error"], "the file was kept"
    assert again(server, failed).status == 404, "another tenant has no such document"


def test_an_extraction_that_is_done_again_asks_for_the_same_values(server):
    body = {"fields": ["total"], "review": "queue"}
    sent = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n' % part
        for part in (
            (b"files", b'; filename="broken.pdf"', b"%PDF-1.7 no document"),
            (b"extract", b"", json.dumps(body).encode()),
        )
    )
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    failed = server.ask("POST", "/api/extract", sent + b"--x--\r\n", kind).json["id"]
    server.service.runtime.result(failed, timeout_s=120)
    run = again(server, f"{failed}.1").json
    assert run["type"] == "extract"
    first, second = (server.service.runtime.status(id).inputs for id in (failed, run["id"]))
    assert (second["extract"], second["review"]) == (first["extract"], "queue")


def test_a_url_that_failed_is_fetched_again(server):
    body = json.dumps({"sources": [{"url": "http://127.0.0.1:9/a.pdf"}]})
    run = server.ask("POST", "/api/runs", body, {"Content-Type": "application/json"}).json["id"]
    server.service.runtime.result(run, timeout_s=120)
    second = again(server, f"{run}.1").json["id"]
    server.service.runtime.result(second, timeout_s=120)
    (document,) = server.get(f"/api/runs/{second}").json["documents"]
    assert "private address" in document["error"]
    body = json.dumps({"sources": [{"url": "http://127.0.0.1:9/a.pdf?key=secret"}]})
    run = server.ask("POST", "/api/runs", body, {"Content-Type": "application/json"}).json["id"]
    server.service.runtime.result(run, timeout_s=120)
    refused = again(server, f"{run}.1")
    assert (refused.status, "secrets, which are not kept" in refused.json["detail"]) == (409, True)


@pytest.mark.parametrize("body", [{}, {"sources": []}, {"sources": [{"url": "http://a.org/b"}], "document": "a-1.1"}])
def test_a_request_that_names_nothing_or_two_things_to_read_is_refused(server, body):
    answer = server.ask("POST", "/api/runs", json.dumps(body), {"Content-Type": "application/json"})
    assert (answer.status, "name what to read" in answer.json["detail"]) == (422, True)
