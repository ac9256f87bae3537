"""The client: against a real server, and against one that misbehaves."""

from __future__ import annotations

import json

import pytest

import quire
from quire import Client
from quire.client import connection, server_runs
from quire.core.context import Retry
from quire.core.errors import ConfigurationError, InputError, LimitError, RunCancelled, RunError, UsageError
from quire.core.types import BBox
from tests import documents
from tests.fakes.flaky_server import Prepared, flaky_server
from tests.unit.evidence.extract.bills import LINES, bill
from tests.unit.service.api.conftest import TENANT, half_damaged, idle, server  # noqa: F401 - fixtures

pytestmark = pytest.mark.processes

RUN = {
    "id": "r-1",
    "type": "read",
    "state": "running",
    "submitted": 1.0,
    "finished": None,
    "error": None,
    "category": None,
    "progress": {"documents": {"total": 0, "done": 0, "failed": 0}, "pages": {"total": 0, "done": 0, "failed": 0}},
    "documents": [],
}
PLAIN = Prepared(body=json.dumps(RUN).encode())


@pytest.fixture
def client(server):  # noqa: F811
    with Client(server.url, tenant=TENANT) as made:
        yield made


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    for module in (connection, server_runs):
        monkeypatch.setattr(module, "RETRY", Retry(attempts=5, backoff_s=0.0))


def test_a_document_is_deleted_with_its_run(client, saved):
    (document,) = client.submit(saved(documents.chapters(1), "gone.pdf")).result(timeout_s=120)
    assert document.delete()["document"] == document.id
    with pytest.raises(UsageError, match="unknown here, or was deleted"):
        document.delete()
    assert document.id not in [one.id for one in client.documents()]


def test_a_task_is_solved_on_the_server_as_it_is_here(client, saved, tmp_path):
    path = saved(bill(LINES, ()), "bill.pdf")
    run = client.solve("What is the total?", path, fields="total, iban")
    assert any(event.stage == "solve" for event in run.events())
    answer = run.answer(timeout_s=120)
    assert answer["values"] == {"total": "EUR 1,250.00", "iban": None}
    assert [one.name for one in run.save(tmp_path)] == [
        "answer.json",
        "answer.xlsx",
        "evidence.jsonl",
        "solve.trace.json",
    ]
    assert json.loads((tmp_path / "answer.json").read_bytes()) == answer["values"]
    again = client.solve("What is the total?", *run.documents, fields="total, iban")
    assert again.answer(timeout_s=120)["workspace"] == answer["workspace"]
    assert client.solved(again.id).view()["state"] == "finished"
    with pytest.raises(UsageError, match="this server has no runner"):
        client.solve("?", path, fields="total", runners=["program:/bin/sh"])
    for wrong in ((), (run.documents[0], path), (path, "https://a.example/b.pdf")):
        with pytest.raises(UsageError):
            client.solve("?", *wrong)


def test_a_submitted_document_is_what_a_local_read_gives(client, saved):
    path = saved(documents.ruled_table(), "prices.pdf")
    run = client.submit(path)
    events = list(run.events())
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    (document,) = run.result()
    here = quire.read(path)
    assert document.export("md").decode() == here.to_markdown()
    assert document.files("csv", stem="x") == here.files("csv", stem="x")
    assert document.result().to_json(words=True) == here.to_json(words=True)
    (page,) = run.pages(words=True)
    assert [block.id for block in page] == [block.id for block in here.pages[0]]
    assert [len(block.words) for block in page] == [len(block.words) for block in here.pages[0]]
    assert (document.report.ledger, document.report.status) == (here.ledger, here.status)
    (table,) = here.tables
    assert document.table(table.id).decode() == table.table.to_csv()
    assert document.crop(1, BBox(0, 0, 0.5, 0.5)).startswith(b"\x89PNG")
    assert document.search(table.table.cells[0].text)[0].block
    assert document.path(1) == ()
    assert run.id in [one.id for one in client.runs()]
    assert client.document(document.id).name == "prices.pdf"
    assert document.id in [one.id for one in client.documents()]


def test_bytes_and_file_objects_are_sent_too(client, saved):
    path = saved(documents.simple())
    with path.open("rb") as file:
        run = client.submit(file, quire.Document.from_bytes(documents.simple(), name="ö “x”.pdf"))
    assert [document.name for document in run.result()] == ["report.pdf", "ö “x”.pdf"]


def test_a_document_that_cannot_be_read_is_an_error(client):
    run = client.submit(b"%PDF-1.4 nothing more")
    with pytest.raises(RunError, match="not a PDF") as raised:
        run.result()
    assert raised.value.category == "input"
    with pytest.raises(InputError, match="was not read"):
        run.documents[0].export("md")


def test_a_cancelled_run_is_an_error(idle):  # noqa: F811
    with Client(idle.url, tenant=TENANT) as client:
        run = client.submit(b"%PDF-1.4")
        with pytest.raises(TimeoutError, match="waiting after 0 s"):
            run.result(timeout_s=0)
        assert run.cancel().state == "cancelled"
        with pytest.raises(RunCancelled):
            run.result()


def test_mistakes_are_usage_errors(client, saved):
    with pytest.raises(UsageError, match="at least one"):
        client.submit()
    with pytest.raises(UsageError, match="separately"):
        client.submit("https://example.org/a.pdf", saved(documents.simple()))
    with pytest.raises(InputError, match="no such file"):
        client.submit("missing.pdf")
    with pytest.raises(UsageError, match="there is no run 123"):
        client.run("123")
    with pytest.raises(UsageError, match="not the URL of a server"):
        Client("localhost:5001")


def test_a_lost_connection_and_a_busy_server_are_tried_again():
    busy = Prepared(503, b'{"detail": "busy"}', {"Retry-After": "0"})
    with flaky_server(Prepared(None), busy, Prepared(body=b"{", cut=True), PLAIN) as fake, Client(fake.url) as client:
        assert client.run("r-1").id == "r-1"
        assert len(fake.requests) == 4


def test_a_submission_is_repeated_under_one_key(saved):
    path = saved(documents.simple())
    with flaky_server(Prepared(None), PLAIN) as fake, Client(fake.url, api_key="secret", tenant="t") as client:
        client.submit(path)
    (_, _, first, _), (_, _, second, body) = fake.requests
    assert first["Idempotency-Key"] == second["Idempotency-Key"]
    assert (second["X-Api-Key"], second["X-Tenant-Id"]) == ("secret", "t")
    assert path.read_bytes() in body


def test_a_server_that_stays_away_is_an_error():
    with Client("http://127.0.0.1:9") as client, pytest.raises(RunError, match="cannot be reached") as raised:
        client.run("r-1")
    assert raised.value.category == "network"


def message(kind, data):
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


def stream(*events, end=False):
    row = {"run": "r-1", "kind": "finished", "stage": "s"}
    lines = [message("finished", {**row, "id": str(number), "sequence": number}) for number in events]
    last = message("end", {**RUN, "state": "finished"}) if end else ": waiting\n\n"
    return Prepared(body="".join([*lines, last]).encode(), headers={"Content-Type": "text/event-stream"}, cut=not end)


def test_events_continue_after_a_lost_connection():
    answers = [PLAIN, stream(1, 2), Prepared(None), Prepared(503), stream(3, end=True)]
    with flaky_server(*answers) as fake, Client(fake.url) as client:
        run = client.run("r-1")
        assert [event.sequence for event in run.events()] == [1, 2, 3]
        assert run.report().state == "finished"
    assert [headers.get("Last-Event-ID") for _, _, headers, _ in fake.requests[1:]] == ["0", "2", "2", "2"]


def test_a_stream_that_never_says_anything_is_given_up():
    with flaky_server(PLAIN, *[Prepared(None)] * 5) as fake, Client(fake.url) as client:
        run = client.run("r-1")
        with pytest.raises(RunError, match="cannot be reached"):
            list(run.events())


@pytest.mark.parametrize(
    ("status", "answer", "error"),
    [
        (401, {"detail": "Unauthorized"}, ConfigurationError),
        (404, {"detail": "there is none"}, UsageError),
        (413, {"detail": "too large"}, LimitError),
        (422, {"detail": "the page is damaged", "category": "input", "page": 3}, InputError),
        (422, {"detail": [{"msg": "wrong", "loc": []}]}, UsageError),
        (500, {"detail": "a bug", "category": "runtime"}, RunError),
        (418, None, UsageError),
    ],
)
def test_errors_of_the_server_have_types(status, answer, error):
    body = b"<html>" if answer is None else json.dumps(answer).encode()
    with flaky_server(Prepared(status, body)) as fake, Client(fake.url) as client, pytest.raises(error) as raised:
        client.run("r-1")
    assert answer is None or status == 401 or str(raised.value).endswith(("none", "large", "damaged", "wrong", "bug"))
