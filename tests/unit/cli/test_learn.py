"""`quire learn` and `quire samples` as people meet them; the guide to learning runs more of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.test_cli import quire
from tests.unit.evidence.learn.receipts import FIELDS, receipts, sample, values

pytestmark = pytest.mark.processes


def test_what_is_learnt_from_documents_and_their_values_is_used(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / receipts()[number].name).write_bytes(receipts()[number].content)
    rows = [{"file": receipts()[number].name, "values": values(number)} for number in range(5)]
    (tmp_path / "values.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    names = ",".join(FIELDS)
    given = ("--documents", ".", "--truth", "values.jsonl", "--fields", names)
    learnt = quire("learn", *given, "-o", "receipts.model", cwd=tmp_path)
    assert "total: F1 0.000 by rules, 1.000 learnt; uses chosen" in learnt.stdout
    last = receipts()[6].name
    found = quire("extract", last, "--fields", names, "--learned", "receipts.model", cwd=tmp_path)
    assert json.loads(found.stdout)["values"] == values(6)
    assert json.loads(found.stdout)["evidence"]["total"]["extractor"] == "learned"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("learn", "none.jsonl", "-o", "m"), "none.jsonl cannot be read"),
        (("samples", "add", "kept"), "name the documents with --documents"),
    ],
)
def test_a_command_that_cannot_work_says_what_is_missing(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    run = quire(*options, cwd=tmp_path)
    assert run.returncode == 2
    assert said in run.stderr


def test_samples_of_a_review_find_their_documents_by_their_bytes_and_are_chosen_by_schema(tmp_path: Path) -> None:
    rows = []
    for number in range(5):
        place = tmp_path / "scans" / f"day-{number}" / "receipt.pdf"
        place.parent.mkdir(parents=True)
        place.write_bytes(receipts()[number].content)
        row = {"document": sample(number).document, "name": "receipt.pdf"}
        rows.append({**row, "schema": FIELDS, "values": values(number), "places": {}})
        rows.append({**row, "schema": ["iban"], "values": {"iban": None}, "places": {}})
    (tmp_path / "reviews.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    given = ("learn", "reviews.jsonl", "--documents", "scans", "-o", "receipts.model")
    mixed = quire(*given, cwd=tmp_path)
    assert (mixed.returncode, "different schemas" in mixed.stderr) == (2, True)
    learnt = quire(*given, "--fields", ",".join(FIELDS), cwd=tmp_path)
    assert "learnt from 5 samples" in learnt.stdout
    assert "standard output" not in learnt.stderr
