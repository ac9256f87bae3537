"""`quire solve` as people meet it."""

from __future__ import annotations

import io
import json
import shutil

import openpyxl
import pytest

from tests.docs.pages import ROOT
from tests.unit.cli.batches import BROKEN, Desk
from tests.unit.evidence.extract.bills import bill

pytestmark = pytest.mark.processes


@pytest.fixture
def desk(tmp_path, monkeypatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    made = Desk(tmp_path)
    made.add("bill.pdf", bill())
    made.add("broken.pdf", BROKEN)
    (tmp_path / "task.md").write_text("What does the bill say?")
    return made


SOLVE = ("solve", "task.md", "in/bill.pdf", "--fields", "invoice number, iban", "-o", "out")


def test_a_task_is_solved_once_and_found_the_second_time(desk):
    first = desk.quire(*SOLVE)
    assert "INV-2041" in first.stdout
    assert "solver offline: ok" in first.stderr
    assert json.loads((desk.folder / "out/answer.json").read_text()) == {"invoice_number": "INV-2041", "iban": None}
    assert {one.name for one in (desk.folder / "out").iterdir()} == {
        ".quire",
        "answer.json",
        "answer.xlsx",
        "evidence.jsonl",
        "solve.trace.json",
    }
    again = desk.json(*SOLVE)
    assert again["status"] == "complete"
    assert [one["outcome"] for one in again["attempts"]] == ["ok"], "the run that was found, not another one"
    fresh = desk.json(*SOLVE, "--fresh")
    assert [one["outcome"] for one in fresh["attempts"]] == ["hit"]
    assert fresh["workspace"] == again["workspace"]


def test_a_template_is_filled_and_says_what_it_cannot_keep(desk):
    shutil.copy(ROOT / "examples/report-template.xlsx", desk.folder / "form.xlsx")
    shutil.copy(ROOT / "examples/sample.pdf", desk.folder / "report.pdf")
    made = desk.quire("solve", "task.md", "report.pdf", "--template", "form.xlsx", "-o", "out")
    assert "… and 80 more values in answer.json" in made.stdout
    book = openpyxl.load_workbook(io.BytesIO((desk.folder / "out/answer.xlsx").read_bytes()))
    assert "Evidence" in book.sheetnames


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("task.md", "in/none.pdf"), 5, "in/none.pdf: there is no such file"),
        (("task.md", "in"), 2, "in is a folder; name the documents"),
        (("task.md", "https://example.org/a.pdf"), 2, "download the document first"),
        (("none.md", "in/bill.pdf"), 2, "the task none.md cannot be read"),
        (("task.md", "in/bill.pdf", "--runner", "somebody"), 2, "there is no runner 'somebody'; choose from"),
        (("task.md", "in/bill.pdf", "--runner", "tools"), 4, "QUIRE_LLM_URL"),
        (("task.md", "in/bill.pdf", "--reviewer", "offline"), 2, "cannot review an answer"),
        (("task.md", "in/bill.pdf", "--require", "magic"), 2, "there is no capability 'magic'"),
        (("task.md", "in/bill.pdf", "--review", "later"), 2, "there is no review 'later'"),
        (("task.md", "in/bill.pdf", "--template", "task.md"), 2, "no Excel workbook"),
        (("task.md", "in/bill.pdf", "in/broken.pdf", "--fields", "date"), 5, "broken.pdf"),
    ],
)
def test_mistakes_say_what_to_do(desk, arguments, code, said, monkeypatch):
    monkeypatch.delenv("QUIRE_LLM_URL", raising=False)
    assert said in desk.quire("solve", *arguments, "-o", "out", code=code).stderr


def test_fixtures_with_a_task_are_solved_and_replayed(desk):
    for name in ("report.fixture.json", "report-task.md", "report-template.xlsx", "sample.pdf"):
        shutil.copy(ROOT / "examples" / name, desk.folder / "in" / name)
    graded = desk.json("eval", "in/report.fixture.json", "-o", "first")
    assert graded["overall"]["outcomes"]["right"] == 120
    assert graded["overall"]["process"]["attempts"] == 1
    desk.json("eval", "in/report.fixture.json", "--replay", "first", "-o", "again")
    desk.quire("replay", "first/traces", "-o", "carried")
    for other in ("again", "carried"):
        assert (desk.folder / other / "report.json").read_bytes() == (desk.folder / "first/report.json").read_bytes()
