"""Reviews over HTTP: opened, claimed, decided, and what is fetched afterwards."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from http.client import HTTPConnection
from itertools import count
from threading import Event

import pytest

from quire.database.reviews import ReviewRow, ReviewTables
from quire.durable.deletion import delete_documents
from quire.durable.review.review_queue import ReviewQueue
from quire.durable.views.views import DocumentViews
from quire.evidence.extract.extraction_json import extraction_json
from quire.evidence.extract.value_paths import value_at
from quire.evidence.learn.samples import Sample
from quire.solving.evaluation.fixture import load_fixtures
from quire.store.files import FileStore
from quire.store.scoped import scope_of
from tests import bills, documents
from tests.unit.service.api.conftest import TENANT, Answer, serving

pytestmark = pytest.mark.processes

DOUBTS = ["conflict", "not_found", "unverified", "low"]
_tenants = count()


class Reviewing:
    """A tenant of its own on the server."""

    def __init__(self, server) -> None:
        self.server, self.tenant = server, f"reviewing-{next(_tenants)}"
        self.headers = {"X-Tenant-Id": self.tenant}
        self.document = server.read(bills.bill(), "bill.pdf", headers=self.headers)
        self.sha256 = self.get(f"/api/documents/{self.document}").json["sha256"]
        pages = ((n, self.get(f"/api/documents/{self.document}/pages/{n}?words=1").json) for n in (1, 2))
        self.extraction = bills.bill_extraction(self.sha256, bills.words_of(pages))

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        sent = None if body is None else json.dumps(body)
        return self.server.ask(method, path, sent, {**self.headers, "Content-Type": "application/json"})

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def open(self, **more: object) -> dict:
        body = {"document": self.document, "schema": bills.SCHEMA, "extraction": extraction_json(self.extraction)}
        answer = self.ask("POST", "/api/review", {**body, **more})
        assert answer.status == 201, answer.body
        return answer.json

    def claim(self, **more: object) -> dict:
        return self.ask("POST", "/api/review/claims", {"reviewer": "Ada", "doubts": DOUBTS, **more}).json

    def decide(self, review: str, path: str, version: int = 0, **more: object) -> Answer:
        body = {"path": path, "version": version, "action": "approve", "reviewer": "Ada", **more}
        return self.ask("POST", f"/api/review/{review}/decisions", body)


@pytest.fixture(scope="module")
def reviewing(server) -> Callable[[], Reviewing]:
    return lambda: Reviewing(server)


@pytest.fixture(scope="module")
def shared(server) -> Reviewing:
    """For requests that are refused."""
    mine = Reviewing(server)
    assert mine.decide(mine.open()["id"], "total").status == 200
    return mine


def test_values_are_claimed_decided_and_fetched(reviewing):
    mine = reviewing()
    review = mine.open()
    assert review["open"] == {"unverified": 2, "low": 2, "conflict": 1, "not_found": 1}
    assert mine.open()["id"] == review["id"], "the same extraction is the same review"
    claimed = mine.claim()
    (item,) = claimed["items"]
    assert (item["path"], item["doubt"], claimed["left"]) == ("number", "unverified", 6)
    assert mine.ask("PUT", f"/api/review/claims/{claimed['claim']}").json["lease_s"] == claimed["lease_s"]
    place = {"page": 1, "bboxes": item["evidence"]["bboxes"], "blocks": item["evidence"]["blocks"]}
    more = {"action": "correct", "value": "INV-2041", "quote": "INV-2041", "claim": claimed["claim"], **place}
    made = mine.decide(review["id"], "number", **more)
    assert (made.status, made.json["state"], made.json["value"]) == (200, "corrected", "INV-2041")
    assert mine.ask("DELETE", f"/api/review/claims/{claimed['claim']}").status == 204
    assert mine.ask("PUT", f"/api/review/claims/{claimed['claim']}").status == 404
    detail = mine.get(f"/api/review/{review['id']}").json
    assert detail["extraction"]["values"]["number"] == "INV-2041"
    assert detail["extraction"]["evidence"]["number"]["status"] == "corrected"
    (entry,) = mine.get(f"/api/review/{review['id']}/history").json["history"]
    assert (entry["reviewer"], entry["action"], entry["version"]) == ("Ada", "correct", 1)
    assert mine.get(f"/api/documents/{review['pages']}/pages/1").status == 200


def test_a_stale_decision_gets_409_with_the_value_as_it_is(reviewing):
    mine = reviewing()
    review = mine.open()["id"]
    assert mine.decide(review, "total", action="correct", value=145).status == 200
    stale = mine.decide(review, "total", reviewer="Bob")
    assert stale.status == 409
    assert (stale.json["item"]["value"], stale.json["item"]["version"]) == (145, 1)
    assert mine.decide(review, "total", 1, action="undo").json["state"] == "open"


def test_a_value_of_another_reviewer_is_not_decided_over(reviewing):
    mine = reviewing()
    review = mine.open()["id"]
    claimed = mine.claim(review=review, path="total")
    assert [item["path"] for item in claimed["items"]] == ["total"]
    assert mine.decide(review, "total", reviewer="Bob").status == 409
    assert mine.claim(review=review, path="total")["claim"] is None
    assert mine.decide(review, "total", claim=claimed["claim"]).status == 200


def test_a_claim_whose_client_is_gone_before_the_answer_is_given_back(reviewing, monkeypatch):
    mine = reviewing()
    review = mine.open()["id"]
    asked, go_on, given_back = Event(), Event(), Event()
    claim, release = ReviewQueue.claim, ReviewTables.release

    def slow(*given, **more):
        asked.set()
        assert go_on.wait(60)
        return claim(*given, **more)

    def released(*given):
        release(*given)
        given_back.set()

    monkeypatch.setattr(ReviewQueue, "claim", slow)
    monkeypatch.setattr(ReviewTables, "release", released)
    connection = HTTPConnection("127.0.0.1", mine.server.port, timeout=60)
    sent = {**mine.headers, "Content-Type": "application/json"}
    connection.request("POST", "/api/review/claims", json.dumps({"review": review}), sent)
    assert asked.wait(60)
    connection.close()
    go_on.set()
    assert given_back.wait(60), "it stays with a client that does not know of it"
    assert not any(item.held for item in mine.server.service.reviews.tables.items(review))


def test_the_queue_counts_by_doubt_and_field_and_filters(reviewing):
    mine = reviewing()
    review = mine.open()
    queue = mine.get("/api/review/queue?doubt=low&doubt=conflict").json
    assert queue["doubts"] == {"low": 2, "conflict": 1}
    assert queue["fields"] == {"date": 1, "total": 1, "items[].price": 1}
    assert [item["path"] for item in queue["items"]] == ["date", "total", "items[2].price"]
    assert mine.get(f"/api/review/queue?run={review['run']}&field=total").json["total"] == 1
    assert mine.get("/api/review/queue?run=other").json["total"] == 0
    assert mine.get("/api/review/queue?doubt=many").status == 422
    listed = mine.get("/api/review").json
    assert [one["id"] for one in listed["reviews"]] == [review["id"]]
    assert mine.get(f"/api/review?document={mine.document}").json["reviews"]


def test_marked_reviews_are_exported_as_samples(reviewing):
    mine = reviewing()
    review = mine.open()["id"]
    mine.decide(review, "total", action="correct", value="145,00")
    assert mine.get("/api/review/samples").body == b""
    assert mine.ask("PUT", f"/api/review/{review}/sample", {"sample": True}).json["sample"]
    (line,) = mine.get("/api/review/samples").body.splitlines()
    sample = Sample.from_json(json.loads(line))
    assert (sample.document, sample.values["total"]) == (mine.sha256, 145)
    assert "145.00" in " ".join(block.text for block in sample.catalog.blocks), "it is learnt from without the document"
    assert sample.places["total"].quote == "145.00", "what was typed is looked for on the page"
    assert json.loads(line)["places"]["date"]["status"]
    assert not mine.ask("PUT", f"/api/review/{review}/sample", {"sample": False}).json["sample"]
    assert mine.get("/api/review/samples").body == b""


def test_a_sample_whose_document_cannot_be_looked_at_has_no_content(reviewing, monkeypatch):
    mine = reviewing()
    review = mine.open()["id"]
    mine.ask("PUT", f"/api/review/{review}/sample", {"sample": True})
    monkeypatch.setattr(DocumentViews, "has", lambda views, document: False)
    sample = Sample.from_json(json.loads(mine.get("/api/review/samples").body))
    assert (sample.document, sample.content) == (mine.sha256, "")


def test_of_two_reviews_of_a_document_the_latest_is_the_sample(reviewing):
    mine = reviewing()
    for value, below in (("140", 0.7), ("145", 0.1)):
        review = mine.open(below=below)["id"]
        mine.decide(review, "total", action="correct", value=value)
        mine.ask("PUT", f"/api/review/{review}/sample", {"sample": True})
    (line,) = mine.get("/api/review/samples").body.splitlines()
    assert json.loads(line)["values"]["total"] == 145


def test_every_ended_review_is_a_sample_where_the_setting_says_so(reviewing):
    mine = reviewing()
    review = mine.open(doubts=["conflict"])["id"]
    every = ReviewQueue(mine.server.service.store.database, every=True)
    assert list(every.samples(scope_of(mine.tenant))) == []
    mine.decide(review, "total", action="correct", value="145")
    ((_, sample),) = every.samples(scope_of(mine.tenant))
    assert sample["values"]["total"] == 145
    row = every.tables.find(review, scope_of(mine.tenant))
    assert row is not None
    assert (every.is_sample(row), row.sample) == (True, False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"extraction": {}}, "no extraction"),
        ({"extraction": {"schema_version": "quire-extraction/1"}}, "no extraction"),
        ({"schema": None}, "needs its schema"),
        ({"schema": {"type": "object"}}, "properties"),
        ({"doubts": ["many"]}, "doubts"),
        ({"below": 7}, "below"),
        ({"extraction": None, "schema": None}, "nothing was extracted"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_reviewed_is_refused(shared, change, said):
    body = {"document": shared.document, "schema": bills.SCHEMA, "extraction": extraction_json(shared.extraction)}
    answer = shared.ask("POST", "/api/review", {**body, **change})
    assert answer.status in (404, 422)
    assert said in answer.json["detail"]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"action": "correct", "value": "many"}, 422),
        ({"action": "correct"}, 422),
        ({"action": "correct", "value": 1, "bboxes": [{"left": 0, "top": 0, "width": 1, "height": 1}]}, 422),
        ({"action": "correct", "value": 1, "page": 1, "bboxes": [{"left": 9, "top": 0, "width": 1, "height": 1}]}, 422),
        (
            {"action": "correct", "value": 1, "page": 1, "bboxes": [{"left": 0.9, "top": 0, "width": 1, "height": 1}]},
            422,
        ),
        ({"action": "correct", "value": 1, "page": 77}, 422),
        ({"action": "correct", "value": 1, "page": 1, "blocks": ["p2-b1"]}, 422),
        ({"action": "correct", "value": 1, "blocks": ["p1-b1"]}, 422),
        ({"path": "total[0]", "version": 0, "action": "correct", "value": 1}, 422),
        ({"path": "items[9000].price", "version": 0, "action": "correct", "value": 1}, 422),
        ({"action": "guess"}, 422),
        ({"version": 7}, 409),
        ({"path": "nothing"}, 422),
        ({"path": "date", "version": 0, "action": "undo"}, 422),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(shared, more, status):
    assert shared.decide(shared.open()["id"], **{"path": "total", "version": 1, **more}).status == status


def test_an_extraction_of_another_document_is_refused(shared):
    mine = shared
    other = mine.server.read(documents.simple(1), "other.pdf", headers=mine.headers)
    body = {"document": other, "schema": bills.SCHEMA, "extraction": extraction_json(mine.extraction)}
    answer = mine.ask("POST", "/api/review", body)
    assert (answer.status, "another document" in answer.json["detail"]) == (422, True)


def test_a_run_waits_for_its_review_and_shows_what_was_decided_after_a_restart(tmp_path, monkeypatch):
    with serving(tmp_path) as server:
        document = server.read(bills.bill(), "bill.pdf")
        asked = {"document": document, "fields": ["colour of the lighthouse"], "review": "wait"}
        answer = server.ask("POST", "/api/extract", json.dumps(asked), {"Content-Type": "application/json"})
        assert answer.status == 201, answer.body
        run = answer.json["id"]
        while not (reviews := server.get(f"/api/review?run={run}").json["reviews"]):
            server.service.runtime.wait_ended([run], timeout_s=0.05)
        assert server.get(f"/api/runs/{run}").json["state"] == "running"
        (review,) = reviews
        assert server.get(f"/api/documents/{review['pages']}").json["pages"] == 2, "its pages are shown meanwhile"
    with serving(tmp_path) as server:
        (item,) = server.get("/api/review/queue").json["items"]
        body = {"path": item["path"], "version": 0, "action": "correct", "value": "yellow", "reviewer": "Ada"}
        decided = server.ask(
            "POST", f"/api/review/{review['id']}/decisions", json.dumps(body), {"Content-Type": "application/json"}
        )
        assert decided.status == 200, decided.body
        server.service.runtime.result(run, timeout_s=60)
        summary = server.get(f"/api/runs/{run}").json["documents"][0]
        assert summary["review"] == f"/api/review/{review['id']}"
        extraction = server.get(f"/api/documents/{run}.1/extraction").json
        assert extraction["values"] == {item["path"]: "yellow"}
        assert extraction["evidence"][item["path"]]["status"] == "corrected"
        assert b"yellow" in server.get(f"/api/documents/{run}.1/extraction?to=csv").body
        store, sha256, tables = server.service.store, summary["sha256"], server.service.reviews.tables
        latest = tables.latest

        def deleted_meanwhile(document: str) -> Sequence[ReviewRow]:
            found = latest(document)
            with FileStore(tmp_path / "store") as other:  # another process does it
                delete_documents(other, [sha256], scopes=[scope_of(TENANT)])
            return found

        monkeypatch.setattr(tables, "latest", deleted_meanwhile)
        gone = server.get(f"/api/documents/{run}.1/extraction")
        assert (gone.status, "was deleted from the store" in gone.json["detail"]) == (404, True)
        assert server.get(f"/api/review/{review['id']}").status == 404
        store.flush()
        assert store.database.rows("SELECT stage FROM facts WHERE document = ?", (sha256,)) == [], "it stays deleted"
        assert server.get("/api/review").json["reviews"] == []


def test_a_review_that_has_ended_is_a_fixture_with_one_download(reviewing, tmp_path):
    mine = reviewing()
    review = mine.open(doubts=["conflict"])["id"]
    assert mine.get(f"/api/review/{review}/fixture").status == 409
    (item,) = [one for one in mine.get(f"/api/review/{review}").json["items"] if one["doubt"]]
    decided = mine.decide(review, item["path"], action="correct", value=item["conflict"]["values"][0]["value"])
    assert decided.status == 200
    answer = mine.get(f"/api/review/{review}/fixture")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        archive.extractall(tmp_path)
    (fixture,) = load_fixtures([tmp_path])
    assert fixture.document.read_bytes() == bills.bill()
    assert value_at(fixture.expected, item["path"]) == decided.json["value"]
    other = mine.server.ask("GET", f"/api/review/{review}/fixture", headers={"X-Tenant-Id": "other"})
    assert other.status == 404
