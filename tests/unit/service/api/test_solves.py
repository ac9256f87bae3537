"""Solves over HTTP: submitted as runs, followed, and fetched with their evidence, files and trace."""

from __future__ import annotations

import io
import json
import time
from threading import Thread
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName

from quire.core.keys import digest_bytes
from quire.database.task_sources import solved_contents
from quire.service.settings import ServiceSettings
from quire.service.solve_runners import SolveRunners
from quire.solving.trace.trace_file import decode_trace
from quire.store.garbage import Limits, collect
from tests import documents
from tests.runtime.tracking import wait_until
from tests.scans import scanned, slip
from tests.unit.evidence.extract.bills import LINES, bill
from tests.unit.service.api.conftest import Answer, Serving, serving
from tests.unit.service.api.test_document_deletion import traces

pytestmark = pytest.mark.processes

JSON = {"Content-Type": "application/json"}
SCHEMA = {
    "type": "object",
    "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}, "iban": {"type": "string"}},
}
TASK = {"task": "What does the invoice say?", "schema": SCHEMA}
FIRST, SECOND = bill(LINES, ()), bill(("Invoice number: INV-2042", "IBAN: DE89 3704 0044 0532 0130 00"), ())


def part(name: str, data: bytes, filename: str = "") -> bytes:
    shown = f'; filename="{filename}"' if filename else ""
    return f'--x\r\nContent-Disposition: form-data; name="{name}"{shown}\r\n\r\n'.encode() + data + b"\r\n"


def sent(server: Serving, *files: tuple[str, bytes], solve: Any = TASK, headers: Any = None, **more: bytes) -> Answer:
    parts = [part("files", data, name) for name, data in files]
    parts += [part(name, data, f"{name}.xlsx") for name, data in more.items()]
    if solve is not None:
        parts.append(part("solve", json.dumps(solve).encode()))
    given = {"Content-Type": "multipart/form-data; boundary=x", **(headers or {})}
    return server.ask("POST", "/api/solve", b"".join(parts) + b"--x--\r\n", given)


def asked(server: Serving, body: Any, headers: dict[str, str] | None = None) -> Answer:
    return server.ask("POST", "/api/solve", json.dumps(body).encode(), {**JSON, **(headers or {})})


def solved(server: Serving, answer: Answer) -> str:
    """The run of a request, when it has ended."""
    assert answer.status == 201, answer.json
    run = str(answer.json["id"])
    server.service.runtime.result(run, timeout_s=120)
    return run


def template() -> bytes:
    """A workbook that asks for the number and the total of an invoice, and doubles the total."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["A2"], sheet["B3"] = "Invoice number", "Total", "=B2*2"
    sheet["B2"].number_format = "#,##0.00"
    book.defined_names["invoice_number"] = DefinedName("invoice_number", attr_text="Sheet!$B$1")
    book.defined_names["total"] = DefinedName("total", attr_text="Sheet!$B$2")
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def run(server: Serving) -> str:
    """A solve over two files."""
    return solved(server, sent(server, ("first.pdf", FIRST), ("second.pdf", SECOND)))


def test_every_value_has_its_document_its_place_and_its_picture(server, run):
    view = server.get(f"/api/runs/{run}/solve").json
    assert (view["state"], view["workspace"] is not None, view["task"]) == ("finished", True, TASK["task"])
    assert view["values"]["iban"] == "DE89 3704 0044 0532 0130 00"
    iban, total = view["evidence"]["iban"], view["evidence"]["total"]
    assert (iban["number"], iban["document"], iban["page"], iban["status"]) == (2, f"{run}.2", 1, "found")
    assert (total["number"], total["document"]) == (1, f"{run}.1")
    assert server.get(iban["crop"]).picture.width > 50
    assert view["coverage"]["leaves"] == 3
    (attempt,) = view["attempts"]
    assert (attempt["runner"], attempt["role"], attempt["round"], attempt["outcome"]) == ("offline", "solver", 0, "ok")
    assert attempt["usage"]["seconds"] >= 0
    assert [one["phase"] for one in view["phases"]] == ["workspace", "round 0", "finish"]
    assert {one["state"] for one in view["phases"]} == {"finished"}
    assert server.get(f"/api/runs/{run}").json["type"] == "solve"


def test_the_files_and_the_trace_are_downloads(server, run):
    files = {one["name"]: one for one in server.get(f"/api/runs/{run}/solve").json["files"]}
    assert {"answer.json", "evidence.jsonl"} <= set(files)
    for name, one in files.items():
        answer = server.get(one["path"])
        assert len(answer.body) == one["bytes"]
        assert f'filename="{name}"' in answer.headers["Content-Disposition"]
        assert server.get(one["path"], If_None_Match=answer.headers["ETag"]).status == 304
    trace = server.get(f"/api/runs/{run}/solve/trace")
    assert f'filename="{run}.trace.json"' in trace.headers["Content-Disposition"]
    assert trace.headers["Content-Type"] == "application/json"
    assert decode_trace(trace.body).run == run
    for name in ("extraction.json", "..%2Fanswer.json", "nothing"):
        assert server.get(f"/api/runs/{run}/solve/files/{name}").status == 404


def test_the_events_of_a_solve_are_streamed(server, run):
    lines = server.get(f"/api/runs/{run}/events").body.decode().splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    solving = [(one["kind"], one["payload"]) for one in events if one.get("stage") == "solve"]
    assert ("started", {"phase": "round 0", "round": 0}) in solving
    (entry,) = [payload for kind, payload in solving if kind == "progress" and "entry" in payload]
    assert (entry["runner"], entry["entry"], entry["entry_kind"]) == ("offline", 0, "note")
    (attempt,) = [
        payload for kind, payload in solving if kind == "attempt" and "outcome" in payload and "phase" in payload
    ]
    assert (attempt["outcome"], attempt["usage"]["turns"]) == ("ok", 0)


def test_a_template_is_filled_and_keeps_its_formula(server):
    run = solved(server, sent(server, ("first.pdf", FIRST), solve={"task": "Fill it."}, template=template()))
    view = server.get(f"/api/runs/{run}/solve").json
    assert view["values"] == {"invoice_number": "INV-2041", "total": 1250}
    assert view["template"] == "template.xlsx"
    book = load_workbook(io.BytesIO(server.get(f"/api/runs/{run}/solve/files/answer.xlsx").body))
    sheet = book["Sheet"]
    assert (sheet["B1"].value, sheet["B2"].value, sheet["B3"].value) == ("INV-2041", 1250, "=B2*2")


def test_documents_that_were_read_are_not_read_again(server):
    mine = {"X-Tenant-Id": "solver"}
    ids = [server.read(data, name, headers=mine) for name, data in (("first.pdf", FIRST), ("second.pdf", SECOND))]
    run = solved(server, asked(server, {**TASK, "documents": ids}, mine))
    assert [event.stage for event in server.service.runtime.events(run) if event.stage == "page-blocks"] == []
    view = server.ask("GET", f"/api/runs/{run}/solve", headers=mine).json
    assert view["evidence"]["iban"]["document"] == f"{run}.2"
    assert asked(server, {**TASK, "documents": ids}, {"X-Tenant-Id": "other"}).status == 404
    filled = solved(
        server, sent(server, solve={"task": "Fill it.", "documents": ids}, template=template(), headers=mine)
    )
    assert server.ask("GET", f"/api/runs/{filled}/solve", headers=mine).json["evidence"]["total"]["number"] == 1
    fast = server.read(FIRST, "fast.pdf", options={"effort": "fast"}, headers=mine)
    refused = asked(server, {**TASK, "documents": [ids[0], fast]}, mine)
    assert (refused.status, "different options" in refused.json["detail"]) == (422, True)


def test_a_scan_and_a_file_in_another_script_are_solved(server):
    scan = scanned(slip(("echo",)))
    greek = documents.placed([documents.Piece(72, 100, "Total: 17.50", 11, "Helvetica")])
    given = ("σάρωση.pdf", scan), ("τιμολόγιο.pdf", greek)
    asking = {"task": "Ποιο είναι το σύνολο;", "fields": ["total"], "review": "none"}
    parts = [part("options", b'{"engines": ["echo"]}')]
    body = b"".join(part("files", data, name) for name, data in given) + parts[0]
    body += part("solve", json.dumps(asking).encode()) + b"--x--\r\n"
    answer = server.ask("POST", "/api/solve", body, {"Content-Type": "multipart/form-data; boundary=x"})
    run = solved(server, answer)
    view = server.get(f"/api/runs/{run}/solve").json
    assert view["evidence"]["total"]["number"] == 2
    assert [one["name"] for one in server.get(f"/api/runs/{run}").json["documents"]] == ["σάρωση.pdf", "τιμολόγιο.pdf"]


def test_nothing_of_a_solve_is_given_to_another_tenant(server, run):
    for path in ("", "/files/answer.json", "/trace"):
        assert server.get(f"/api/runs/{run}/solve{path}").status == 200
        other = server.ask("GET", f"/api/runs/{run}/solve{path}", headers={"X-Tenant-Id": "other"})
        assert (other.status, b"INV-2041" in other.body) == (404, False)


def test_the_same_idempotency_key_is_the_same_run(server):
    key = {"Idempotency-Key": "solve-1"}
    runs = [sent(server, ("first.pdf", FIRST), headers=key).json["id"] for _ in range(2)]
    theirs = sent(server, ("first.pdf", FIRST), headers={**key, "X-Tenant-Id": "other"}).json["id"]
    assert runs[0] == runs[1] != theirs
    for one in {*runs, theirs}:
        server.service.runtime.result(one, timeout_s=120)


def test_two_solves_at_once_have_the_same_answer(server):
    answers: list[Answer] = []
    threads = [Thread(target=lambda: answers.append(sent(server, ("first.pdf", FIRST)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    views = [server.get(f"/api/runs/{solved(server, one)}/solve").json for one in answers]
    assert views[0]["run"] != views[1]["run"]
    assert (views[0]["workspace"], views[0]["values"]) == (views[1]["workspace"], views[1]["values"])


def test_a_document_that_cannot_be_read_fails_the_solve_and_says_so(server):
    answer = sent(server, ("first.pdf", FIRST), ("broken.pdf", b"%PDF-1.7 nothing"))
    run = answer.json["id"]
    wait_until(lambda: server.get(f"/api/runs/{run}/solve").json["state"] == "failed", "it does not end", 60)
    view = server.get(f"/api/runs/{run}/solve").json
    assert (view["state"], view["values"], view["attempts"]) == ("failed", None, [])
    assert "broken.pdf" in view["error"]
    refused = server.get(f"/api/runs/{run}/solve/files/answer.json")
    assert (refused.status, "broken.pdf" in refused.json["detail"]) == (409, True)
    assert server.get(f"/api/runs/{run}/solve/trace").status == 409


def test_a_solve_that_is_cancelled_has_no_answer(idle):
    run = sent(idle, ("first.pdf", FIRST)).json["id"]
    assert idle.get(f"/api/runs/{run}/solve").json["state"] == "waiting"
    assert idle.get(f"/api/runs/{run}/solve/trace").status == 409
    assert idle.ask("DELETE", f"/api/runs/{run}").json["state"] == "cancelled"
    view = idle.get(f"/api/runs/{run}/solve").json
    assert (view["state"], view["phases"], view["files"]) == ("cancelled", [], [])


def test_with_one_document_deleted_nothing_of_the_answer_is_left(server):
    mine, marked = {"X-Tenant-Id": "forgetful"}, ("Invoice number: ZEBRA-77", "Total: EUR 77.70")
    given = ("kept.pdf", bill(("IBAN: DE89 3704 0044 0532 0130 00",), ())), ("gone.pdf", bill(marked, ()))
    run = solved(server, sent(server, *given, solve={**TASK, "task": "What do both say?"}, headers=mine))
    store, result = server.service.store, server.service.runtime.status(run).result
    contents = {*solved_contents(result["solve"])} - {digest_bytes(b"")}
    assert store.has_contents(sorted(contents)) == contents
    assert traces(server, b"ZEBRA-77") != []
    assert server.ask("DELETE", f"/api/documents/{run}.2", headers=mine).status == 200
    for path in ("", "/files/answer.json", "/files/evidence.jsonl", "/trace"):
        answer = server.ask("GET", f"/api/runs/{run}/solve{path}", headers=mine)
        assert (answer.status, b"ZEBRA" in answer.body) == (404, False)
    assert store.has_contents(sorted(contents)) == set()
    assert server.ask("GET", f"/api/documents/{run}.1", headers=mine).status == 200
    assert traces(server, b"ZEBRA-77") == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task": "  "}, "the task is empty"),
        ({"schema": {"type": "number"}}, "schema: "),
        ({"schema": {"$ref": "#"}}, "refers to itself"),
        ({"schema": None, "fields": ""}, ""),
        ({"fields": "total"}, "give one of them"),
        ({"runners": ["nobody"]}, "runners: this server has no runner 'nobody'; choose from offline"),
        ({"runners": ["program:/bin/sh"]}, "this server has no runner"),
        ({"runners": ["offline", "tools:x@http://10.0.0.1/v1"]}, "this server has no runner"),
        ({"runners": ["replay:/etc/passwd"]}, "this server has no runner"),
        ({"reviewer": "program:/bin/sh"}, "reviewer: this server has no runner"),
        ({"reviewer": "offline"}, "cannot review an answer"),
        ({"rounds": 11}, "rounds"),
        ({"attempts": 0}, "attempts"),
        ({"budget": {"seconds": 0}}, "budget.seconds"),
        ({"requires": ["magic"]}, "requires"),
        ({"review": "maybe"}, "review"),
        ({"runer": "offline"}, "runer"),
    ],
)
def test_a_request_that_cannot_work_is_refused_with_the_reason(idle, change, said):
    answer = sent(idle, ("first.pdf", FIRST), solve={**TASK, **change})
    if not said:
        assert answer.status == 201  # any answer is asked for
        return
    assert (answer.status, answer.json["detail"]) == (422, answer.json["detail"])
    assert said in answer.json["detail"]


def test_a_form_and_a_body_need_their_parts(idle):
    assert "the part `solve`" in sent(idle, ("a.pdf", FIRST), solve=None).json["detail"]
    assert "name what to solve the task with" in sent(idle).json["detail"]
    both = {**TASK, "documents": ["x.1"], "sources": [{"url": "https://a.example/b.pdf"}]}
    for body in (TASK, both):
        assert "name what to solve the task with" in asked(idle, body).json["detail"]
    broken = sent(idle, ("a.pdf", FIRST), solve={"task": "Fill it."}, template=b"no workbook")
    assert (broken.status, "workbook" in broken.json["detail"]) == (422, True)
    large = sent(idle, ("a.pdf", FIRST), solve={"task": "Fill it."}, template=bytes((8 << 20) + 1))
    assert large.status == 413
    assert idle.get("/api/runs/000000000000-1/solve").status == 404
    read = idle.post(("a.pdf", FIRST)).json["id"]
    assert "solves nothing" in idle.get(f"/api/runs/{read}/solve").json["detail"]


def test_the_runners_are_those_of_the_operator(idle):
    choices = idle.get("/api/solve").json
    assert choices["runners"] == [
        {"name": "offline", "capabilities": ["extracts", "json_schema"], "context_tokens": None}
    ]
    assert choices["max_documents"] == 100
    model = {"QUIRE_LLM_URL": "http://127.0.0.1:1/v1"}
    assert SolveRunners((), {}).names == ("offline",)
    assert SolveRunners((), model).names == ("offline", "tools")
    assert SolveRunners(ServiceSettings(runners=("tools", "offline")).runners, model).default == "tools"


def test_what_stays_open_waits_for_people(server):
    given = {"task": "?", "fields": ["total", "iban"], "review": "wait"}
    run = sent(server, ("open.pdf", bill()), solve=given).json["id"]
    wait_until(lambda: server.get(f"/api/runs/{run}/solve").json["reviews"], "nothing waits for people", 60)
    view = server.get(f"/api/runs/{run}/solve").json
    (review,) = view["reviews"]
    assert (view["state"] != "finished", view["phases"][-1]["phase"]) == (True, "review")
    items = server.get(f"/api/review/{review}").json["items"]
    for item in items:
        if item["doubt"]:
            body = {"path": item["path"], "version": item["version"], "action": "absent", "reviewer": "Ada"}
            server.ask("POST", f"/api/review/{review}/decisions", json.dumps(body).encode(), JSON)
    server.service.runtime.result(run, timeout_s=60)
    view = server.get(f"/api/runs/{run}/solve").json
    assert (view["status"], [one["phase"] for one in view["phases"]]) == (
        "complete",
        ["workspace", "round 0", "review", "finish"],
    )


def test_an_answer_that_was_collected_as_unused_is_not_found_and_says_why(tmp_path):
    with serving(tmp_path) as mine:
        run = solved(mine, sent(mine, ("first.pdf", FIRST)))
        assert mine.get(f"/api/runs/{run}/solve").status == 200
        collect(mine.service.store, Limits(unused_days=1), clock=lambda: time.time() + 2 * 86_400)
        for path in ("", "/files/answer.json", "/trace"):
            answer = mine.get(f"/api/runs/{run}/solve{path}")
            assert (answer.status, "solve it again" in answer.json["detail"]) == (404, True)
