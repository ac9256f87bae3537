"""Two tenants at once, with the same scan and the same digital file: each works with its own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from tests import documents, scans
from tests.unit.service.api.conftest import Answer, Serving, wait_indexed
from tests.unit.service.api.test_extracts import sent

pytestmark = pytest.mark.processes

LINES = ("Invoice number: INV-2041", "Total: 1250.00 EUR")
FILES = {
    "scan": scans.scanned(scans.slip(LINES)),
    "digital": documents.placed([documents.Piece(60, 80 + 20 * n, line) for n, line in enumerate(LINES)]),
}
SCHEMA = {
    "type": "object",
    "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}, "iban": {"type": "string"}},
}


class Office:
    """A tenant, and what it has of a file."""

    def __init__(self, server: Serving, name: str, kind: str) -> None:
        self.server, self.headers = server, {"X-Tenant-Id": name.encode()}
        wanted = {"schema": SCHEMA, "reread": "rapidocr", "review": "queue"}
        self.run = sent(server, FILES[kind], wanted, f"{kind}.pdf", self.headers).json["id"]
        self.document = f"{self.run}.1"

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        sent = None if body is None else json.dumps(body)
        return self.server.ask(method, path, sent, {**self.headers, "Content-Type": "application/json"})

    def worked(self) -> tuple[str, tuple[dict, dict], list]:
        """The text, the values after the review, which of them were read again, and what was done for the page."""
        self.server.service.runtime.result(self.run, timeout_s=120)
        found = self.ask("GET", f"/api/documents/{self.document}").json
        assert (found["state"], found["status"]) == ("finished", "complete"), found
        text = self.ask("GET", f"/api/documents/{self.document}/exports/md").body.decode()
        assert self.ask("GET", f"/api/documents/{self.document}/pages/1/crop?box=0,0,1,0.5").status == 200
        decision = {"path": "iban", "version": 0, "action": "absent", "reviewer": "Ada"}
        assert self.ask("POST", f"{found['review']}/decisions", decision).status == 200
        wait_indexed(self.server.service)
        hits = self.ask("GET", f"/api/search?q={quote('invoice number')}").json["hits"]
        assert {hit["document"] for hit in hits} == {self.document}
        extraction = self.ask("GET", f"/api/documents/{self.document}/extraction").json
        trace = self.ask("GET", f"/api/documents/{self.document}/pages/1").json["events"]
        checked = {path: one["crop_verified"] for path, one in extraction["evidence"].items()}
        return text, (extraction["values"], checked), [(event["stage"], event["kind"], event["hit"]) for event in trace]


@pytest.mark.parametrize("kind", FILES)
def test_two_tenants_work_with_the_same_file_at_the_same_time(server, kind):
    with ThreadPoolExecutor(2) as threads:
        offices = list(threads.map(lambda name: Office(server, f"{name} {kind}", kind), ("Büro Nord", "北のオフィス")))
        (text, (values, checked), trace), other = threads.map(Office.worked, offices)
    assert "INV-2041" in text and values == {"invoice_number": "INV-2041", "total": 1250, "iban": None}
    assert checked["total"] is (kind == "digital"), "the engine that has read a scan does not confirm itself"
    assert other == (text, (values, checked), trace), "neither sees that the other has it"
    assert not [event for event in trace if event[2]]
