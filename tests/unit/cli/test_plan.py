"""`quire plan`: what is done, what is not, and why."""

from __future__ import annotations

import pytest

from tests import documents
from tests.unit.cli.batches import BROKEN, Desk

pytestmark = pytest.mark.processes


def lines(desk: Desk, *arguments: object) -> list[str]:
    return desk.quire("plan", "in", "-o", "out", *arguments).stdout.splitlines()


def test_documents_are_counted_by_state_with_a_reason_and_some_names(desk: Desk):
    for number in range(6):
        desk.add(f"{number}.pdf", documents.simple(1))
    assert lines(desk) == [
        "8 documents, flow read",
        "      8  to do",
        "               8  no output yet: 0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf and 3 more",
    ]


def test_what_is_done_is_told_and_why_something_is_not(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run(code=3)
    desk.add("a.pdf", documents.simple(3))
    (desk.out / "sub" / "b.md").unlink()
    desk.add("new.pdf", documents.simple(1))
    told = lines(desk)
    assert told[0] == "4 documents, flow read"
    assert "      2  to do again" in told
    assert "               1  the document has changed: a.pdf" in told
    assert "               1  b.md is missing: sub/b.pdf" in told
    assert "      1  to do" in told
    assert "      1  in quarantine" in told


def test_a_changed_setting_is_named(desk: Desk):
    desk.run()
    assert lines(desk)[1:] == ["      2  done"]
    assert lines(desk, "--to", "txt")[2].strip() == "2  formats was md and is txt: a.pdf, sub/b.pdf"
    assert "ocr was not set and is never" in lines(desk, "--ocr", "never")[2]
    assert "because of --force" in lines(desk, "--force")[2]


def test_saying_what_is_usual_changes_nothing(desk: Desk):
    desk.run()
    told = lines(desk, "--ocr", "auto", "--effort", "balanced", "--to", "md", "--no-figures")
    assert told[1:] == ["      2  done"]


def test_the_plan_can_be_json(desk: Desk):
    told = desk.json("plan", "in", "-o", "out", "--limit", "1")
    assert told["counts"] == {"missing": 1}
    assert [(one["name"], one["state"]) for one in told["documents"]] == [("a.pdf", "missing")]
