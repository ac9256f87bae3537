"""Requests to a running server that do not go as planned: clients that hang up, deadlines, queues that are full."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event

import pytest

from quire.core.keys import digest_bytes
from quire.durable.deletion import delete_documents
from quire.store.files import FileStore
from tests import documents, scans
from tests.fakes.vision_server import Exchange, FakeVision, reads, vision_server
from tests.runtime.tracking import wait_until
from tests.servers.quire_server import LOOPBACK, QuireServer, form, serving

pytestmark = pytest.mark.processes

TIMEOUT_S = 5
"""For a document, from the first look at it: long enough to ask for its first page on a busy machine."""
SLOW = {"pipeline": "vlm"}
"""Read by the model below, which takes as long as a test wants."""


@dataclass
class Gate:
    """A model that answers only while the gate is open."""

    opened: Event = field(default_factory=Event)
    vision: FakeVision | None = None

    @property
    def asked(self) -> int:
        assert self.vision is not None
        return len(self.vision.requests)

    def __call__(self, exchange: Exchange) -> None:
        while not self.opened.wait(0.01):
            if exchange.fake.closing.is_set():
                return
        reads("A line from the model.")(exchange)


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    gate = Gate()
    with vision_server(gate) as gate.vision:
        yield gate


@pytest.fixture
def closed(gate) -> Iterator[Gate]:
    """The gate, closed for this test."""
    gate.opened.clear()
    gate.vision.requests.clear()
    yield gate
    gate.opened.set()


@pytest.fixture(scope="module")
def server(gate, tmp_path_factory) -> Iterator[QuireServer]:
    environment = {
        **LOOPBACK,
        "QUIRE_VISION_URL": gate.vision.url,
        "QUIRE_VISION_MODEL": "gated",
        "QUIRE_SERVE_MAX_QUEUED": "6",
        "QUIRE_SERVE_MAX_QUEUED_PER_TENANT": "3",
        "DOCLING_SERVE_MAX_SOURCES_PER_REQUEST": "4",
        "DOCLING_SERVE_MAX_SYNC_WAIT": "30",
        "DOCLING_DEBUG_PROFILE_PIPELINE_TIMINGS": "true",
    }
    with serving(tmp_path_factory.mktemp("serve"), "--workers", "2", "--tenants", environment=environment) as running:
        running.upload("/v1/convert/file", ("warm.pdf", documents.simple()))  # so that its workers are there
        yield running


def begin(server: QuireServer, data: bytes, *, path: str = "/v1/convert/file", **fields: str):
    body, content_type = form(("scan.pdf", data), **{**SLOW, **fields})
    return server.begin("POST", path, body, {"Content-Type": content_type})


def sheets(first: int, pages: int = 1) -> bytes:
    """Scans that no other test reads: what the model has answered once is in the store."""
    return scans.scanned(*(scans.numbered_sheet(number) for number in range(first, first + pages)))


def running(server: QuireServer) -> list[str]:
    runs = server.get("/api/runs").json["runs"]
    return [run["id"] for run in runs if run["state"] in ("waiting", "running")]


def test_a_client_that_hangs_up_leaves_no_work_behind(server, closed):
    exchange = begin(server, sheets(1))
    wait_until(lambda: closed.asked and len(running(server)) == 1, "it does not begin")
    exchange.hang_up()
    wait_until(lambda: not running(server), "the run goes on")


def test_a_client_that_hangs_up_does_not_end_what_another_one_waits_for(server, closed):
    data = sheets(10)
    first, second = begin(server, data), begin(server, data)
    wait_until(lambda: closed.asked and len(running(server)) == 2, "they do not begin")
    first.hang_up()
    wait_until(lambda: len(running(server)) == 1, "the first goes on")
    closed.opened.set()
    answer = second.answer()
    assert answer.status == 200
    assert (answer.json["status"], answer.json["document"]["md_content"]) == ("success", "A line from the model.")
    questions = Counter(request.picture for request in closed.vision.requests)
    assert max(questions.values()) <= 2, "only a call in flight is repeated"


def test_a_document_whose_time_is_over_comes_back_with_the_pages_that_are_done(server, closed):
    exchange = begin(server, sheets(20, 16), document_timeout=str(TIMEOUT_S))
    wait_until(lambda: closed.asked, "the model is not asked")
    asked = time.time()
    wait_until(lambda: time.time() > asked + TIMEOUT_S, "time stands still")
    closed.opened.set()
    answer = exchange.answer()
    assert (answer.status, answer.json["status"]) == (200, "partial_success")
    errors = answer.json["errors"]
    assert {error["category"] for error in errors} == {"timeout"}
    assert {error["component_type"] for error in errors} == {"pipeline"}
    assert errors[0]["error_message"].endswith("not begun: the time for this document was over")
    late = {error["page_no"] for error in errors}
    assert 0 < len(late) < 16
    assert answer.json["document"]["md_content"].count("A line from the model.") == 16 - len(late)


def test_the_first_failure_ends_a_task_that_says_so(server):
    names = ("a.pdf", "broken.pdf", "c.pdf")
    pages = (documents.simple(), b"%PDF-1.7 nothing", documents.simple(2))
    files = list(zip(names, pages, strict=True))
    body, content_type = form(*files, abort_on_error="true", target_type="zip")
    submitted = server.begin("POST", "/v1/convert/file/async", body, {"Content-Type": content_type}).answer().json
    status = server.ended(submitted["task_id"])
    meta = status["task_meta"]
    assert [meta[name] for name in ("num_docs", "num_succeeded", "num_failed")] == [3, 1, 2]
    (run,) = [run for run in server.get("/api/runs").json["runs"] if len(run["documents"]) == 3]
    assert [document["state"] for document in run["documents"]] == ["finished", "failed", "failed"]
    assert "abort_on_error" in run["documents"][2]["error"]


def test_a_full_queue_is_said_and_emptied_by_cancelling(server, closed):
    headers = {"X-Tenant-Id": "busy"}
    body, content_type = form(("scan.pdf", sheets(40)), **SLOW)

    def submit(tenant: str):
        given = {"Content-Type": content_type, "X-Tenant-Id": tenant}
        with server.begin("POST", "/v1/convert/file/async", body, given) as exchange:
            return exchange.answer()

    tasks = [submit("busy") for _ in range(3)]
    assert [answer.status for answer in tasks] == [200] * 3
    refused = submit("busy")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
    assert refused.json == {"detail": "Server is busy, please try again shortly."}
    others = [submit(f"tenant {number}") for number in range(4)]
    assert [answer.status for answer in others] == [200, 200, 200, 503], "six in all"
    for tenant in ("busy", *(f"tenant {number}" for number in range(3))):
        for run in server.get("/api/runs", X_Tenant_Id=tenant).json["runs"]:
            assert server.ask("DELETE", f"/api/runs/{run['id']}", X_Tenant_Id=tenant).status == 202
    ended = server.ended(tasks[0].json["task_id"], **{"X_Tenant_Id": headers["X-Tenant-Id"]})
    assert (ended["task_status"], ended["failure"]["message"]) == ("failure", "The task was cancelled.")
    failed = server.get(f"/v1/result/{ended['task_id']}", X_Tenant_Id="busy").json
    assert (failed["kind"], failed["failure"]) == ("TaskFailureResult", ended["failure"])


def test_progress_is_seen_page_by_page(server, closed):
    body, content_type = form(("scan.pdf", sheets(50, 3)), **SLOW)
    given = {"Content-Type": content_type}
    task = server.begin("POST", "/v1/convert/file/async", body, given).answer().json["task_id"]

    def meta():
        return server.get(f"/v1/status/poll/{task}").json["task_meta"] or {}

    wait_until(lambda: meta().get("num_pages") == 3, "the pages are not counted")
    assert (meta()["num_docs"], meta()["num_processed"], meta()["num_pages_processed"]) == (1, 0, 0)
    closed.opened.set()
    status = server.ended(task)
    assert (status["task_meta"]["num_pages_processed"], status["task_meta"]["num_succeeded"]) == (3, 1)
    timings = server.result(task)["timings"]
    assert timings["ocr"]["count"] == 3 and timings["ocr"]["scope"] == "page"
    assert timings["pipeline_total"]["times"][0] > 0


def test_a_stopping_server_answers_the_call_it_has_and_keeps_its_queue(gate, tmp_path):
    gate.opened.clear()
    environment = {"QUIRE_VISION_URL": gate.vision.url, "QUIRE_VISION_MODEL": "gated"}
    with serving(tmp_path, "--workers", "1", environment=environment) as server:
        asked = gate.asked
        exchange = begin(server, sheets(60))
        wait_until(lambda: gate.asked > asked, "the model is not asked")
        held = [begin(server, sheets(61 + number), path="/v1/convert/file/async").answer().json for number in range(6)]
        with server.begin("GET", f"/api/runs/{running(server)[0]}/events") as stream:
            server.send(signal.SIGTERM)
            assert stream.answer().status == 200, "the stream ends, and does not hold up the server"
        gate.opened.set()
        answer = exchange.answer()
        assert (answer.status, answer.json["status"]) == (200, "success")
        assert server.wait() == 0
        server.start()
        assert {server.ended(task["task_id"])["task_status"] for task in held} == {"success"}


def test_two_servers_on_one_store_answer_for_each_other(server, tmp_path):
    with (
        serving(tmp_path, "--workers", "1", "--store", str(tmp_path / "store")) as one,
        serving(tmp_path, "--workers", "1", "--store", str(tmp_path / "store"), name="other") as other,
    ):
        tasks = [one.upload("/v1/convert/file/async", (f"{n}.pdf", documents.simple(n))).json for n in (1, 2, 3)]
        assert {other.ended(task["task_id"])["task_status"] for task in tasks} == {"success"}
        results = [(one.result(task["task_id"]), other.result(task["task_id"])) for task in tasks]
        assert all(mine == theirs for mine, theirs in results)


def test_a_document_is_deleted_from_the_store_beside_a_running_server(server, tmp_path):
    with serving(tmp_path, "--workers", "1", "--store", str(tmp_path / "store")) as one:
        data, other = documents.simple(2), documents.simple(3)
        task, kept = (
            one.upload("/v1/convert/file/async", ("report.pdf", file)).json["task_id"] for file in (data, other)
        )
        assert {one.ended(name)["task_status"] for name in (task, kept)} == {"success"}
        before = one.result(task)
        with FileStore(tmp_path / "store") as store:
            delete_documents(store, [digest_bytes(data)])
        assert one.get(f"/v1/result/{task}").status == 404
        assert one.get(f"/v1/result/{kept}").status == 200
        again = one.upload("/v1/convert/file", ("report.pdf", data)).json
        assert {**again, "processing_time": 0} == {**before, "processing_time": 0}
