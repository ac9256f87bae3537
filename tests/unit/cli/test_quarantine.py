"""`quire quarantine`: look at documents that failed for good, and hand them on."""

from __future__ import annotations

import json

import pytest

from tests import documents
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes


@pytest.fixture
def held(desk: Desk) -> Desk:
    """A desk with two documents in quarantine."""
    desk.add("bad.pdf", BROKEN)
    desk.add("secret.pdf", documents.encrypted("swordfish"))
    desk.run(code=3)
    return desk


def test_documents_are_listed_with_what_went_wrong(held: Desk):
    *lines, advice = held.quire("quarantine", "list", "-o", "out").stdout.splitlines()
    assert len(lines) == 2
    assert any("in/bad.pdf: is not a PDF" in line and line.endswith("(input, 1 attempt)") for line in lines)
    assert advice == "`quire run -o out --retry` retries them"
    found = held.json("quarantine", "list", "-o", "out")
    assert sorted(entry["source"].rpartition("/")[2] for entry in found) == ["bad.pdf", "secret.pdf"]
    assert sorted(entry["exit_code"] for entry in found) == [5, 6]


def test_an_empty_quarantine_is_told(desk: Desk):
    desk.run()
    assert desk.quire("quarantine", "list", "-o", "out").stdout == "no document is in quarantine\n"


def test_they_can_be_copied_for_somebody_to_look_at(held: Desk):
    (held.folder / "in" / "secret.pdf").unlink()
    told = held.quire("quarantine", "export", "sick", "-o", "out").stdout
    assert told == "1 document copied to sick; 1 no longer exist\n"
    rows = [json.loads(line) for line in (held.folder / "sick" / "quarantine.jsonl").read_text().splitlines()]
    (copied,) = [row for row in rows if row["copy"]]
    assert (held.folder / "sick" / copied["copy"]).read_bytes() == BROKEN
    assert copied["category"] == "input"
