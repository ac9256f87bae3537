"""`quire eval` as people meet it."""

from __future__ import annotations

import json

import pytest

from tests.unit.cli.batches import BROKEN, Desk
from tests.unit.evidence.extract.bills import bill

pytestmark = pytest.mark.processes


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    made = Desk(tmp_path)
    made.add("bill.pdf", bill())
    write(made, "bill", {"invoice_number": "INV-2041", "iban": None})
    return made


def write(desk: Desk, name: str, expected: dict[str, object], family: str = "bills") -> None:
    schema = {"type": "object", "properties": {field: {"type": "string"} for field in expected}}
    content = {"documents": [f"{name}.pdf"], "schema": schema, "expected": expected, "family": family}
    desk.add(f"{name}.fixture.json", json.dumps({"schema_version": "quire-fixture/1", **content}).encode())


def test_fixtures_are_graded_and_graded_again_from_their_outputs(desk):
    shown = desk.quire("eval", "in", "-o", "out").stdout
    assert "1.0000" in shown
    assert desk.written == ["outputs/bill.extracted.json", "report.html", "report.json"]
    again = ("eval", "in", "-o", "again", "--replay", "out", "--baseline", "out/report.json")
    assert "0 values better" in desk.quire(*again).stdout
    report = json.loads((desk.folder / "again/report.json").read_bytes())
    report.pop("baseline")
    assert report == json.loads((desk.out / "report.json").read_bytes())


def test_families_are_lines_and_a_broken_document_fails_alone(desk):
    desk.add("torn.pdf", BROKEN)
    write(desk, "torn", {"total": "1"}, "torn")
    desk.add("second.pdf", bill(("Invoice number: B-9",), ()))
    write(desk, "second", {"invoice_number": "B-8"}, "second")
    run = desk.quire("eval", "in", "-o", "out", code=3)
    assert "torn: " in run.stderr
    families = json.loads((desk.out / "report.json").read_bytes())["families"]
    assert families["second"]["outcomes"]["wrong"] == 1
    assert [line.split()[0] for line in run.stdout.splitlines()[1:4]] == ["bills", "second", "all"]


def test_what_cannot_be_used_is_said_before_anything_is_read(desk):
    assert "cannot be read" in desk.quire("eval", "in", "-o", "out", "--baseline", "no.json", code=2).stderr
    desk.add("wrong.fixture.json", b"[]")
    assert "is not a fixture" in desk.quire("eval", "in", "-o", "out", code=2).stderr
    assert not desk.out.exists()
