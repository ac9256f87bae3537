"""Extractions over HTTP: submitted as runs, fetched with their evidence and as reports."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from quire.core.keys import artifact_key, digest_of
from tests.unit.evidence.extract.bills import LINES, bill
from tests.unit.service.api.conftest import Answer, Serving

pytestmark = pytest.mark.processes

PAYLOAD = "<script>alert(1)</script>"
JSON = {"Content-Type": "application/json"}
SCHEMA = {
    "type": "object",
    "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}, "iban": {"type": "string"}},
}


def asked(server: Serving, body: Any, headers: dict[str, str] | None = None) -> Answer:
    return server.ask("POST", "/api/extract", json.dumps(body).encode(), {**JSON, **(headers or {})})


def sent(server: Serving, data: bytes, extract: Any, name: str = "bill.pdf", headers: Any = None) -> Answer:
    body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n' % (name.encode(), data)
    part = b'--x\r\nContent-Disposition: form-data; name="extract"\r\n\r\n%s\r\n--x--\r\n'
    given = {"Content-Type": "multipart/form-data; boundary=x", **(headers or {})}
    return server.ask("POST", "/api/extract", body + part % json.dumps(extract).encode(), given)


@pytest.fixture(scope="module")
def extracted(server: Serving) -> str:
    """The id of a document from which values were extracted."""
    answer = sent(server, bill((*LINES, f"Note: {PAYLOAD}"), ()), {"schema": SCHEMA})
    assert answer.status == 201
    server.service.runtime.result(answer.json["id"], timeout_s=120)
    return str(answer.json["documents"][0]["id"])


def test_an_extraction_of_an_older_version_is_given_in_the_schema_of_today(server, extracted):
    """A store outlives the versions of the program: the page and its clients see one schema."""
    tree = server.get(f"/api/documents/{extracted}/extraction").json
    tree["schema_version"] = "quire-extraction/1"
    tree["evidence"]["total"]["status"] = "verified"
    store = server.service.store
    key, document = artifact_key("old", "1", (), digest_of({})), tree["document"]
    old = store.save(key, json.dumps(tree).encode(), stage="extract", document=document)
    current = server.service.reviews.current(server.service.store, {"source": {"id": document}}, old)
    given = json.loads(store.load(current))
    assert (given["schema_version"], given["evidence"]["total"]["status"]) == ("quire-extraction/2", "found")
    assert given["coverage"]["found"] == 2


def test_a_file_becomes_values_with_their_places(server, extracted):
    document = server.get(f"/api/documents/{extracted}").json
    assert document["extraction"] == f"/api/documents/{extracted}/extraction"
    answer = server.get(document["extraction"])
    found = answer.json
    assert found["values"] == {"invoice_number": "INV-2041", "total": 1250, "iban": None}
    total = found["evidence"]["total"]
    assert (total["status"], total["match"], total["page"], total["label"]) == ("found", "numeric", 1, "Total")
    assert found["not_found"] == [{"path": "iban", "pages": [1], "reason": "no value was found (offline)"}]
    box = ",".join(str(total["bboxes"][0][side]) for side in ("left", "top", "width", "height"))
    assert server.get(f"/api/documents/{extracted}/pages/1/crop?box={box}").picture.width > 50
    known = server.get(document["extraction"], If_None_Match=answer.headers["ETag"])
    assert (known.status, known.body) == (304, b"")
    run = server.get(f"/api/runs/{extracted.rpartition('.')[0]}").json
    assert (run["type"], run["state"]) == ("extract", "finished")


def test_reports_are_files_that_run_no_script(server, extracted):
    path = f"/api/documents/{extracted}/extraction"
    page = server.get(f"{path}?to=html")
    assert page.headers["Content-Security-Policy"] == "sandbox"
    assert 'filename="bill.extracted.html"' in page.headers["Content-Disposition"]
    assert b"data:image/webp;base64," in page.body
    assert b"<script" not in page.body
    assert server.get(f"{path}?to=csv").body.splitlines()[1].startswith(b"invoice_number,INV-2041,found,exact,")
    with zipfile.ZipFile(io.BytesIO(server.get(f"{path}?to=xlsx").body)) as book:
        assert "xl/media/image1.png" in book.namelist()
    assert server.get(f"{path}?to=md").status == 422


def test_the_catalog_has_what_the_values_cite(server, extracted):
    lines = [json.loads(line) for line in server.get(f"/api/documents/{extracted}/catalog").body.splitlines()]
    found = server.get(f"/api/documents/{extracted}/extraction").json
    assert {line["catalog_version"] for line in lines} == {found["catalog"]}
    cited = {name for one in found["evidence"].values() for name in one["records"]}
    assert cited <= {line["chunk_id"] for line in lines}


def test_a_document_that_was_read_is_not_read_again(server):
    read = server.read(bill(), "read-before.pdf", headers={"X-Tenant-Id": "reader"})
    mine = {"X-Tenant-Id": "reader"}
    nothing = server.ask("GET", f"/api/documents/{read}/extraction", headers=mine)
    assert nothing.status == 404
    assert "its run only read it" in nothing.json["detail"]
    run = asked(server, {"document": read, "fields": "invoice number, total"}, mine).json
    server.service.runtime.result(run["id"], timeout_s=120)
    stages = [event.stage for event in server.service.runtime.events(run["id"]) if event.page is not None]
    assert stages == []
    found = server.ask("GET", f"/api/documents/{run['id']}.1/extraction", headers=mine).json
    assert found["values"]["invoice_number"] == "INV-2041"
    assert asked(server, {"document": read, "fields": "total"}, {"X-Tenant-Id": "other"}).status == 404


def test_places_are_read_again_by_an_engine_of_the_server(server):
    answer = sent(
        server, bill(("Seller: echo", "Total: EUR 9.00"), ()), {"fields": ["seller", "total"], "reread": "echo"}
    )
    server.service.runtime.result(answer.json["id"], timeout_s=120)
    found = server.get(f"/api/documents/{answer.json['documents'][0]['id']}/extraction").json
    assert (found["reread"], found["coverage"]["found"], found["coverage"]["crop_verified"]) == ("echo 1", 2, 1)
    assert found["evidence"]["total"]["reason"] == "the picture reads 'echo' (echo)"


def test_the_same_extraction_is_made_once(server):
    given = bill(("Invoice number: A-77",), ())
    runs = [sent(server, given, {"fields": ["invoice number"]}).json["id"] for _ in range(3)]
    results = [server.service.runtime.result(run, timeout_s=120) for run in runs]
    assert len({result["documents"][0]["extraction"] for result in results}) == 1


def test_a_hostile_pattern_holds_neither_a_worker_nor_the_server(server):
    schema = {"properties": {"code": {"type": "string", "pattern": "(a+)+b"}}}
    given = {"schema": schema, "review": "queue"}
    run = sent(server, bill((f"Code: {'a' * 60}", f"Code: {'a' * 50}"), ()), given, "hostile.pdf").json["id"]
    server.service.runtime.result(run, timeout_s=60)
    found = server.get(f"/api/documents/{run}.1/extraction").json
    assert found["values"] == {"code": None}
    review = server.get(f"/api/documents/{run}.1").json["review"]
    body = {"path": "code", "version": 0, "action": "correct", "value": "a" * 200, "reviewer": "Ada"}
    decided = server.ask("POST", f"{review}/decisions", json.dumps(body).encode(), JSON)
    assert (decided.status, "does not match the pattern" in decided.json["detail"]) == (422, True)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"document": "x.1"}, "nothing is asked for"),
        ({"fields": "total"}, "name the document to extract from"),
        ({"fields": "total", "document": "x.1", "sources": [{"url": "http://a.example/b.pdf"}]}, "name the document"),
        ({"fields": "a", "schema": SCHEMA, "document": "x.1"}, "give one of them"),
        ({"schema": {"$ref": "#"}, "document": "x.1"}, "refers to itself"),
        ({"schema": {"properties": {"a": {"pattern": "("}}}, "document": "x.1"}, "is no regular expression"),
        ({"fields": "a", "extractors": ["learned:/etc/passwd"], "document": "x.1"}, "there is no extractor"),
        (
            {"fields": "a", "extractors": ["fallback:rules,learned:/etc/passwd"], "document": "x.1"},
            "there is no extractor",
        ),
        ({"fields": "a", "reread": "/etc/passwd", "document": "x.1"}, "there is no engine"),
        ({"fields": "a", "learned": "/etc/passwd", "document": "x.1"}, "this server has no models"),
        ({"fields": "a", "min_confidence": 2, "document": "x.1"}, "min_confidence"),
        ({"fields": "a", "feilds": "b", "document": "x.1"}, "feilds"),
    ],
)
def test_a_request_that_cannot_work_is_refused_with_the_reason(server, body, said):
    document = server.read(bill(), headers={})
    given = {**body, "document": document} if body.get("document") else body
    answer = asked(server, given)
    assert answer.status == 422
    assert said in answer.json["detail"]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"fields": ""}, "fields"),
        ({"schema": {"type": "number"}}, "schema"),
        ({"fields": "a", "learned": "x"}, "learned"),
    ],
)
def test_a_refusal_names_the_part_of_the_request(server, body, part):
    answer = asked(server, {**body, "sources": [{"url": "https://a.example/b.pdf"}]})
    assert (answer.status, answer.json["detail"].partition(": ")[0]) == (422, part)


def test_what_a_request_can_name_is_listed(server):
    settings = server.service.settings
    limits = {"max_bytes": settings.max_body_bytes, "max_file_bytes": settings.max_file_bytes}
    assert server.get("/api/extract").json == {"learned": [], **limits}


def test_a_server_without_a_language_model_says_so(server):
    answer = asked(server, {"fields": "a", "extractors": ["model"], "document": server.read(bill(), headers={})})
    assert answer.status == 501
    assert answer.json["detail"].startswith("there is no language model; set QUIRE_LLM_URL")


def test_a_part_that_is_missing_is_named(server):
    body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF\r\n--x--\r\n'
    answer = server.ask("POST", "/api/extract", body, {"Content-Type": "multipart/form-data; boundary=x"})
    assert (answer.status, "in the part `extract`" in answer.json["detail"]) == (422, True)
