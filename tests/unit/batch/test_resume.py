"""Resume is a look-up of the item's key: no sidecar files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from quire.batch import ItemFingerprint, ItemOutcome, StageOptions, StagePlan, WorkItem, run_stage
from quire.batch.resume import key_of
from quire.store.files import FileStore


@pytest.fixture
def store(tmp_path):
    with FileStore(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.pdf").write_text(f"the content of {name}")
    return tmp_path


class Writer:
    """Writes the outputs of items and counts how often."""

    def __init__(self, text="written"):
        self.done = Counter()
        self.text = text

    def __call__(self, item):
        self.done[item.item_id] += 1
        for path in item.outputs.values():
            path.write_text(self.text)
        return {"written": len(item.outputs)}


def plan(folder: Path, names="abc", **options):
    return StagePlan(
        "export",
        [WorkItem(name, {"pdf": folder / f"{name}.pdf"}, {"md": folder / f"{name}.md"}, **options) for name in names],
    )


def test_the_second_time_nothing_is_done(folder, store):
    worker, seen = Writer(), []
    run_stage(plan(folder), worker, store=store)
    outcome = run_stage(plan(folder), worker, store=store, on_event=seen.append)
    assert (outcome.planned, outcome.skipped, outcome.scheduled, outcome.succeeded) == (3, 3, 0, 0)
    assert set(worker.done.values()) == {1}
    assert [event.payload["written"] for event in seen if event.kind == "hit"] == [1, 1, 1]
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
        f"{name}.{kind}" for name in "abc" for kind in ("md", "pdf")
    ]


def test_force_does_everything_again(folder, store):
    worker = Writer()
    run_stage(plan(folder), worker, store=store)
    assert run_stage(plan(folder), worker, StageOptions(force=True), store=store).succeeded == 3


def test_without_resume_everything_is_done_and_remembered(folder, store):
    worker = Writer()
    for _ in range(2):
        run_stage(plan(folder), worker, StageOptions(resume=False), store=store)
    assert set(worker.done.values()) == {2}
    assert run_stage(plan(folder), worker, store=store).skipped == 3


@pytest.mark.parametrize("what", ["input", "missing output", "empty output", "cut output", "settings", "other place"])
def test_what_has_changed_is_done_again(what, folder, store):
    worker = Writer()
    run_stage(plan(folder), worker, store=store)
    options = {}
    if what == "input":
        (folder / "b.pdf").write_text("something else")
    elif what == "missing output":
        (folder / "b.md").unlink()
    elif what == "empty output":
        (folder / "b.md").write_text("")
    elif what == "cut output":
        (folder / "b.md").write_text("writ")
    elif what == "settings":
        options = {"cfg_hash": "other"}
    work = plan(folder, **options)
    if what == "other place":
        work = StagePlan("export", [WorkItem("b", {"pdf": folder / "b.pdf"}, {"md": folder / "new.md"})])
    outcome = run_stage(work, worker, store=store)
    assert worker.done["b"] == 2
    assert outcome.scheduled == (3 if what == "settings" else 1)


def test_two_stages_do_not_share_their_items(folder, store):
    worker = Writer()
    for name in ("first", "second"):
        run_stage(StagePlan(name, plan(folder).items), worker, store=store)
    assert set(worker.done.values()) == {2}


def test_with_a_fingerprint_inputs_are_not_read(tmp_path, store):
    item = WorkItem("a", {"pdf": tmp_path / "gone.pdf"}, fingerprint=ItemFingerprint("0" * 64, "1"))
    worker = Writer()
    for _ in range(2):
        outcome = run_stage(StagePlan("export", [item]), worker, store=store)
    assert (outcome.skipped, worker.done["a"]) == (1, 1)


def test_an_input_that_cannot_be_read_fails_its_item_only(folder, store):
    (folder / "b.pdf").unlink()
    outcome = run_stage(plan(folder), Writer(), store=store)
    assert (outcome.succeeded, outcome.failed) == (2, 1)
    assert outcome.errors[0].category == "input"
    assert "b.pdf: cannot be read: No such file" in str(outcome.errors[0])


def test_the_key_of_an_item_does_not_change_by_itself():
    """What was done with an earlier Quire is still known as done."""
    key = key_of("count", WorkItem("a", cfg_hash="1"), "0" * 64)
    assert key == "9226a650e1543ef80cd0cc5f239d7117763401aaafbfdc16eb7232ac97be2bf9"


def test_failed_and_partial_items_are_done_again(folder, store):
    def worker(item):
        if item.item_id == "a":
            raise ValueError("no")
        return ItemOutcome("partial")

    run_stage(plan(folder, "ab"), worker, store=store)
    assert run_stage(plan(folder, "ab"), Writer(), store=store).succeeded == 2


def test_a_dry_run_tells_what_would_be_done(folder, store):
    worker = Writer()
    run_stage(plan(folder, "ab"), worker, store=store)
    outcome = run_stage(plan(folder), worker, StageOptions(dry_run=True), store=store)
    assert (outcome.planned, outcome.skipped, outcome.scheduled, outcome.succeeded) == (3, 2, 1, 0)
    assert worker.done["c"] == 0


def test_what_is_done_is_known_to_another_process_while_the_stage_still_runs(folder, store, tmp_path, monkeypatch):
    """A stage that is killed has lost at most what was done in the last moment."""
    monkeypatch.setattr("quire.batch.stage_scheduler.FLUSH_EVERY_S", 0.0)
    seen = []

    def worker(item):
        if item.item_id == "c":
            with FileStore(tmp_path / "store") as other:
                seen.append(run_stage(plan(folder), Writer(), StageOptions(dry_run=True), store=other).skipped)
        return Writer()(item)

    run_stage(plan(folder), worker, StageOptions(workers=1), store=store)
    assert seen == [2]


def test_an_item_whose_record_is_damaged_is_done_again(folder, store):
    worker = Writer()
    run_stage(plan(folder), worker, store=store)
    for pack in (folder / "store" / "packs").iterdir():
        pack.write_bytes(b"?" * pack.stat().st_size)
    outcome = run_stage(plan(folder), worker, store=store)
    assert (outcome.succeeded, outcome.failed) == (3, 0)
    assert run_stage(plan(folder), worker, store=store).skipped == 3


def test_an_item_may_be_named_after_a_file_whose_name_is_no_text(folder, store):
    item = WorkItem("a\udcff.pdf", {"pdf": folder / "a.pdf"})
    assert run_stage(StagePlan("look", [item]), Writer(), store=store).succeeded == 1
    assert run_stage(StagePlan("look", [item]), Writer(), store=store).skipped == 1


def test_an_item_that_is_done_keeps_the_further_fields_of_its_row(folder, store):
    worker, seen = Writer(), []

    def noted(item):
        return ItemOutcome(result=worker(item), manifest={"pages": 2})

    run_stage(plan(folder), noted, store=store)
    run_stage(plan(folder), noted, StageOptions(resume=True), store=store, on_event=seen.append)
    assert [event.payload["pages"] for event in seen if event.kind == "hit"] == [2, 2, 2]
