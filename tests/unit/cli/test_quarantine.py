"""`quire quarantine`: look at documents that fail every time, let them out, hand them on."""

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


def names(desk: Desk) -> list[str]:
    return sorted(entry["source"].rpartition("/")[2] for entry in desk.json("quarantine", "list", "-o", "out"))


def test_documents_are_listed_with_what_went_wrong(held: Desk):
    *lines, advice = held.quire("quarantine", "list", "-o", "out").stdout.splitlines()
    assert len(lines) == 2
    assert any("in/bad.pdf: step" in line and line.endswith("(input, 1 attempt)") for line in lines)
    assert advice == "`quire quarantine retry -o out` tries them again"
    assert names(held) == ["bad.pdf", "secret.pdf"]


def test_an_empty_quarantine_is_told(desk: Desk):
    desk.run()
    assert desk.quire("quarantine", "list", "-o", "out").stdout == "no document is in quarantine\n"


def test_some_can_be_let_out_for_the_next_run(held: Desk):
    assert held.quire("quarantine", "clear", "bad.pdf", "-o", "out").stdout.startswith("1 document let out")
    assert names(held) == ["secret.pdf"]
    key = held.json("quarantine", "list", "-o", "out")[0]["key"]
    held.quire("quarantine", "clear", key[:10], "-o", "out")
    assert names(held) == []


def test_retry_lets_them_out_and_tries_nothing_else(held: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("QUIRE_PASSWORD", "swordfish")
    told = held.quire("quarantine", "retry", "in/secret.pdf", "-o", "out")
    assert told.stdout.splitlines()[0] == "documents  1 complete"
    assert names(held) == ["bad.pdf"]


def test_they_can_be_copied_for_somebody_to_look_at(held: Desk):
    (held.folder / "in" / "secret.pdf").unlink()
    told = held.quire("quarantine", "export", "sick", "-o", "out").stdout
    assert told == "1 document copied to sick; 1 are gone\n"
    rows = [json.loads(line) for line in (held.folder / "sick" / "quarantine.jsonl").read_text().splitlines()]
    (copied,) = [row for row in rows if row["copy"]]
    assert (held.folder / "sick" / copied["copy"]).read_bytes() == BROKEN
    assert copied["category"] == "input"


def test_a_document_that_is_not_in_it_is_told(held: Desk):
    said = held.quire("quarantine", "clear", "a.pdf", "-o", "out", code=2).stderr
    assert "a.pdf is not in quarantine" in said
