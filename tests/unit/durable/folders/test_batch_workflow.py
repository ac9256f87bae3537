"""Driving a batch over a real runtime and store: what is done is kept, what fails is told, nothing is done twice."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from quire.batch import ManifestWriter, StageOutcome, Stop, read_manifest, rows_of
from quire.core.errors import RunError, StoreError
from quire.core.keys import digest_bytes
from quire.database.outputs import Outputs
from quire.database.quarantine import Quarantine
from quire.durable.folders import batch_workflow as driving
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.batch_workflow import run_batch
from quire.durable.inline.flow_call import Flow
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore
from quire.store.opening import open_store
from quire.system import supervisor
from tests import documents
from tests.changed_code import change_code
from tests.runtime.tracking import wait_until
from tests.unit.durable.folders.folders import LONG_S, Desk

pytestmark = pytest.mark.slow

ENDS = ("finished", "failed", "hit")


@pytest.fixture
def desk(tmp_path):
    with FileStore(tmp_path / "store") as store:
        yield Desk(tmp_path, store)


def latest(desk):
    return desk.runs.list(flow="batch", limit=1)[0]


def test_files_are_written_where_their_documents_lie(desk):
    desk.write("a.pdf")
    desk.write("deep/b.pdf")
    outcome = desk.run(formats=("md", "json"))
    assert (outcome.planned, outcome.succeeded, outcome.failed) == (2, 2, 0)
    assert desk.written() == ["a.json", "a.md", "deep/b.json", "deep/b.md"]
    assert json.loads((desk.output / "a.md").read_text()) == ["the content of a.pdf", "md"]


def test_the_second_run_reads_nothing(desk):
    for name in ("a.pdf", "b.pdf"):
        desk.write(name)
    desk.run()
    seen = []
    outcome = desk.run(sinks=[seen.append])
    assert (outcome.skipped, outcome.scheduled, outcome.succeeded) == (2, 0, 0)
    assert set(desk.read.values()) == {1}
    assert [event.payload["output_path"] for event in seen if event.kind == "hit"] == [
        str(desk.output / "a.md"),
        str(desk.output / "b.md"),
    ]


def test_outputs_are_recorded(desk):
    path = desk.write("a.pdf")
    desk.run()
    place = str(desk.output / "a")
    output = Outputs(desk.store.database).find([place])[place]
    assert output.source == str(path)
    assert [Path(file.path).name for file in output.files] == ["a.md"]
    assert output.settings["flow"] == "read"


def test_an_output_that_was_lost_is_written_again_without_reading(desk):
    desk.write("a.pdf")
    desk.run()
    (desk.output / "a.md").unlink()
    seen = []
    assert desk.run(sinks=[seen.append]).succeeded == 1
    assert desk.written() == ["a.md"]
    assert desk.read["a.pdf"] == 1
    (event,) = [event for event in seen if event.kind == "finished" and event.document]
    assert event.payload["calls"] == {"made": 0, "reused": 1}


def test_artifacts_that_were_collected_are_made_again(desk):
    desk.write("a.pdf")
    desk.run()
    (desk.output / "a.md").unlink()
    desk.store.database.change("DELETE FROM facts")
    desk.store.database.change("DELETE FROM objects")
    for pack in (Path(desk.store.folder) / "packs").rglob("*"):
        pack.unlink()
    assert desk.run().succeeded == 1
    assert desk.written() == ["a.md"]
    assert desk.read["a.pdf"] == 2


def test_a_flow_without_files_is_written_as_json(desk):
    desk.write("a.pdf", "json")
    desk.run()
    assert json.loads((desk.output / "a.json").read_text()) == {"answer": 42}


def test_a_file_that_was_changed_by_hand_is_kept_when_its_document_changes(desk):
    desk.write("a.pdf")
    desk.run(formats=("md", "txt"))
    written = desk.output / "a.md"
    edited = written.read_text().replace("content", "contemt")  # of the same size: only its hash shows it
    written.write_text(edited)
    desk.write("a.pdf", "something else")
    told = []
    desk.run(formats=("md", "txt"), sinks=[told.append])
    assert written.read_text() == edited
    assert "something else" in (desk.output / "a.txt").read_text()
    (kept,) = [event.payload["kept"] for event in told if "kept" in event.payload]
    assert kept == ["a.md"]
    desk.write("a.pdf", "a third text")
    desk.run(formats=("md", "txt"))
    assert written.read_text() == edited, "it is still known to be changed"
    desk.write("a.pdf", "a fourth text")
    desk.run(formats=("md", "txt"), overwrite=True)
    assert "a fourth text" in written.read_text()


def test_a_file_that_quire_never_wrote_is_kept(desk):
    desk.write("a.pdf")
    desk.output.mkdir(exist_ok=True)
    (desk.output / "a.md").write_text("my own notes")
    desk.run()
    assert (desk.output / "a.md").read_text() == "my own notes"
    assert desk.plan() == {"a.pdf": ("edited", "a.md was changed by hand and is kept")}


def test_a_file_of_another_format_is_known_to_be_quires(desk):
    desk.write("a.pdf")
    desk.run(formats=("md",))
    desk.run(formats=("txt",))
    desk.write("a.pdf", "something else")
    desk.run(formats=("md",))
    assert "something else" in (desk.output / "a.md").read_text()


def test_force_does_it_again(desk):
    desk.write("a.pdf")
    desk.run()
    assert desk.run(force=True).succeeded == 1
    assert desk.read["a.pdf"] == 2
    assert desk.run().skipped == 1


@pytest.mark.slow
def test_documents_with_failed_pages_are_tried_again(desk):
    desk.write("a.pdf", "partial at first")
    seen = []
    assert desk.run(sinks=[seen.append]).succeeded == 1
    assert [event.payload["status"] for event in seen if event.kind == "finished" and event.document] == ["partial"]
    assert desk.plan() == {"a.pdf": ("stale", "parts of it failed before")}
    assert desk.run().succeeded == 1
    assert desk.read["a.pdf"] == 2
    assert desk.plan() == {"a.pdf": ("done", "")}


def test_the_manifest_tells_of_every_document(desk, tmp_path):
    desk.write("a.pdf")
    desk.write("b.pdf", "damaged")
    with ManifestWriter(tmp_path / "manifest.jsonl") as manifest:
        desk.run(sinks=[manifest])
    rows = {row["doc_id"]: row for row in read_manifest(tmp_path / "manifest.jsonl")}
    good, bad = rows["a.pdf"], rows["b.pdf"]
    assert (good["stage"], good["status"], good["attempts"], good["engines"]) == ("document", "ok", 1, ["e"])
    assert good["input_path"] == str(desk.documents / "a.pdf")
    assert good["output_path"] == str(desk.output / "a.md")
    assert len(good["input_hash"]) == len(good["output_key"]) == 64
    assert (good["ledger"]["pages"], good["calls"]) == (2, {"made": 1, "reused": 0})
    assert (bad["status"], bad["category"], bad["run"]) == ("failed", "input", good["run"])
    assert bad["input_hash"] and "is damaged" in bad["reason"]


def test_rows_of_stored_events_are_those_of_the_manifest(desk, tmp_path):
    desk.write("a.pdf")
    desk.write("b.pdf", "damaged")
    with ManifestWriter(tmp_path / "manifest.jsonl") as manifest:
        desk.run(sinks=[manifest])

    def without_time(rows):
        return [{name: value for name, value in row.items() if name != "at"} for row in rows]

    stored = rows_of(desk.runs.events(latest(desk).run))
    assert without_time(stored) == without_time(read_manifest(tmp_path / "manifest.jsonl"))


def test_errors_that_pass_are_tried_again(desk):
    desk.write("a.pdf", "flaky")
    outcome = desk.run(options={"retries": 3})
    assert (outcome.succeeded, outcome.failed, desk.attempts["a.pdf"]) == (1, 0, 3)


def test_a_document_that_fails_for_good_goes_into_quarantine(desk):
    desk.write("a.pdf")
    desk.write("b.pdf", "damaged")
    outcome = desk.run(options={"retries": 3})
    assert (outcome.succeeded, outcome.failed, desk.attempts["b.pdf"]) == (1, 1, 1)
    (entry,) = Quarantine(desk.store.database).entries()
    assert (entry.source, entry.category, entry.run) == (str(desk.documents / "b.pdf"), "input", latest(desk).run)
    seen = []
    assert desk.run(sinks=[seen.append]).skipped == 2
    assert desk.attempts["b.pdf"] == 1
    assert any(
        "in quarantine: " in str(event.payload.get("reason")) for event in seen if event.payload.get("name") == "b.pdf"
    )


def test_what_is_not_the_documents_fault_does_not(desk):
    desk.write("a.pdf", "flaky")
    assert desk.run(options={"retries": 0}).failed == 1
    assert Quarantine(desk.store.database).entries() == []


def test_a_document_that_can_be_read_after_all_leaves_quarantine(desk):
    path = desk.write("a.pdf", "damaged")
    desk.run()
    make, desk.make = desk.make, lambda source, formats: {"flow": "t", "output": {"ok": 1}, "failed": 0}
    assert desk.run(force=True).succeeded == 1
    assert Quarantine(desk.store.database).entries() == []
    assert path.exists()
    desk.make = make


def test_a_file_that_cannot_be_read_fails_alone(desk, tmp_path):
    desk.write("a.pdf")
    request = BatchRequest((str(tmp_path / "gone.pdf"), str(desk.documents)), str(desk.output))
    with desk.runtime() as runtime:
        _, outcome = run_batch(request, runtime)
    assert (outcome.succeeded, outcome.failed) == (1, 1)
    assert str(outcome.errors[0]) == "gone.pdf: no such file or folder (input)"


def test_the_error_budget_ends_the_run(desk):
    for name in "abcdef":
        desk.write(f"{name}.pdf", f"damaged {name}")
    outcome = desk.run(options={"error_budget": 2, "workers": 1})
    assert outcome.failed == 2
    assert (latest(desk).state, latest(desk).error) == ("failed", outcome.cancelled_reason)


def test_the_same_content_is_made_once_for_each_name(desk):
    desk.write("a.pdf", "same")
    desk.write("deep/a.pdf", "same")
    assert desk.run().succeeded == 2
    assert desk.written() == ["a.md", "deep/a.md"]
    assert desk.read["a.pdf"] == 1


def test_a_document_that_changes_during_the_run_is_an_error_with_advice(desk):
    path = desk.write("a.pdf", "hold")

    def change():
        assert desk.held.wait(LONG_S)
        path.write_text("hold on, this is longer")
        desk.go.set()

    changing = threading.Thread(target=change)
    changing.start()
    outcome = desk.run()
    changing.join()
    assert outcome.errors[0].category == "input"
    assert "a.pdf: has changed since the run began; run it again" in outcome.errors[0].message
    assert desk.plan() == {"a.pdf": ("missing", "")}
    path.write_text("hold")
    assert desk.plan() == {"a.pdf": ("missing", "")}  # nothing is known against what it was


def test_a_document_that_vanished_is_not_to_blame_for_its_failure(desk):
    path = desk.write("a.pdf", "vanishing")
    assert desk.run().failed == 1
    path.write_text("vanishing")
    assert desk.plan() == {"a.pdf": ("missing", "")}


def test_a_run_of_before_that_looks_for_the_file_where_it_was_is_followed_by_another(desk):
    path = desk.write("a.pdf", "hold")
    stop = Stop()

    def interrupt():
        assert desk.held.wait(LONG_S)
        stop.now("SIGINT")

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    assert desk.run(stop=stop).succeeded == 0
    interrupting.join()
    (desk.documents / "deep").mkdir()
    path.rename(desk.documents / "deep" / "a.pdf")
    desk.go.set()
    assert desk.run().succeeded == 1
    assert desk.written() == ["deep/a.md"]


def test_a_document_past_its_time_is_cancelled(desk):
    desk.write("a.pdf", "hold")
    outcome = desk.run(options={"per_item_timeout_s": 0.2})
    desk.go.set()
    assert outcome.errors[0].category == "timeout"
    assert "took longer than 0.2 s" in outcome.errors[0].message
    (run,) = desk.runs.list(flow="flow")
    assert desk.runs.cancel_requested(run.run)


def test_a_document_past_its_time_is_tried_again_when_its_run_has_ended(desk):
    desk.write("a.pdf", "hold")

    def sink(event):
        if event.kind == "attempt":
            desk.go.set()

    outcome = desk.run(sinks=[sink], options={"per_item_timeout_s": 1.0, "retries": 6})
    assert outcome.succeeded == 1


def test_a_document_whose_run_was_cancelled_is_not_quarantined(desk):
    desk.write("a.pdf", "hold")

    def cancel():
        assert desk.held.wait(LONG_S)
        with desk.runtime() as other:
            other.cancel(desk.runs.list(flow="flow")[0].run)

    cancelling = threading.Thread(target=cancel)
    cancelling.start()
    outcome = desk.run()
    cancelling.join()
    desk.go.set()
    assert (outcome.failed, outcome.errors[0].category) == (1, "transient")
    assert Quarantine(desk.store.database).entries() == []
    assert desk.run().succeeded == 1


def test_a_document_that_is_cancelled_as_soon_as_it_is_submitted_does_not_begin_again(desk):
    desk.write("a.pdf")
    with desk.runtime() as runtime:
        submit = runtime.submit

        def submit_and_cancel(*asked, **named):
            run = submit(*asked, **named)
            if asked[0] == "flow":
                runtime.cancel(run)
            return run

        runtime.submit = submit_and_cancel
        _, outcome = run_batch(desk.request(), runtime)
    assert [run.state for run in desk.runs.list(flow="flow")] in (["cancelled"], ["finished"])  # whichever came first
    assert outcome.planned == outcome.failed + outcome.succeeded == 1


@pytest.fixture
def noticed(monkeypatch) -> threading.Event:
    """Set when the step of a batch has noticed that it is paused."""
    flag = threading.Event()

    class Noticing(Stop):
        def request(self, reason: str) -> None:
            super().request(reason)
            flag.set()

    monkeypatch.setattr(driving, "Stop", Noticing)
    return flag


def stopped(desk, noticed) -> StageOutcome:
    """A batch of three documents that is stopped while the second one is under way, which then finishes."""
    for name, text in {"a": "", "b": "hold", "c": ""}.items():
        desk.write(f"{name}.pdf", text)
    stop = Stop()

    def interrupt():
        assert desk.held.wait(LONG_S)
        stop.request("SIGINT")
        assert noticed.wait(LONG_S)
        desk.go.set()

    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    outcome = desk.run(stop=stop, options={"workers": 1})
    interrupting.join()
    return outcome


def test_a_run_that_is_stopped_can_be_gone_on_with(desk, noticed):
    outcome = stopped(desk, noticed)
    assert (outcome.cancelled, outcome.cancelled_reason, outcome.succeeded, outcome.remaining) == (True, "SIGINT", 2, 1)
    run = latest(desk)
    assert run.state == "interrupted"
    again = desk.run(run=run.run)
    assert (again.skipped, again.succeeded, latest(desk).state) == (2, 1, "finished")
    (whole,) = desk.runs.list(flow="batch")
    assert (whole.result["succeeded"], whole.result["skipped"]) == (3, 0), "the run has done all three itself"
    assert set(desk.read.values()) == {1}


def test_a_run_that_was_stopped_goes_on_with_new_code(desk, noticed, tmp_path, monkeypatch):
    stopped(desk, noticed)
    change_code(monkeypatch, tmp_path, "pages/layout/page.py")
    assert desk.plan()["a.pdf"] == ("stale", "the page layout of Quire has changed")
    assert desk.run(run=latest(desk).run).succeeded == 3
    assert {state for state, _ in desk.plan().values()} == {"done"}


def test_a_run_that_is_stopped_waits_until_it_is_run_again(desk, noticed):
    stopped(desk, noticed)
    run = latest(desk).run
    desk.write("other.pdf")
    assert desk.run(include=("other.pdf",)).succeeded == 1
    assert desk.runs.status(run).state == "interrupted"
    assert "c.pdf" not in desk.read


def test_an_unfinished_run_that_asks_for_the_same_is_found(desk, noticed):
    stopped(desk, noticed)
    with desk.runtime(works=False) as runtime:
        same, other = desk.request(options={"workers": 1}), desk.request(options={"workers": 1}, formats=("txt",))
        assert driving.unfinished_run(runtime, same) == latest(desk).run
        assert driving.unfinished_run(runtime, other) is None
    desk.run(run=latest(desk).run)
    with desk.runtime(works=False) as runtime:
        assert driving.unfinished_run(runtime, same) is None, "a finished run keeps its numbers"


def test_a_run_can_be_stopped_while_files_are_hashed(desk, noticed, monkeypatch):
    for name in "abc":
        desk.write(f"{name}.pdf")
    stop, plan = Stop(), driving.plan_batch

    def slow(*asked, **named):
        stop.request("SIGINT")
        assert noticed.wait(LONG_S)
        return plan(*asked, **named)

    monkeypatch.setattr(driving, "plan_batch", slow)
    outcome = desk.run(stop=stop)
    assert (outcome.succeeded, outcome.cancelled_reason) == (0, "SIGINT")
    assert latest(desk).state == "interrupted"
    monkeypatch.setattr(driving, "plan_batch", plan)
    assert desk.run(run=latest(desk).run).succeeded == 3


def test_a_run_that_cannot_begin_has_failed_and_says_why(desk):
    with pytest.raises(RunError, match="holds no documents") as caught:
        desk.run()
    assert (caught.value.category, caught.value.exit_code) == ("input", 5)
    assert latest(desk).state == "failed"
    assert "holds no documents" in latest(desk).error
    desk.write("a.pdf")
    assert desk.run(run=latest(desk).run).succeeded == 1


def test_a_reader_that_raises_loses_no_events(desk, caplog):
    desk.write("a.pdf")

    def broken(event):
        raise RuntimeError("of somebody")

    desk.run(sinks=[broken])
    kinds = [event.kind for event in desk.runs.events(latest(desk).run) if event.stage == "document"]
    assert kinds == ["started", "started", "finished", "finished"]


def test_events_of_both_drives_are_kept(desk, noticed):
    stopped(desk, noticed)
    run = latest(desk).run
    desk.run(run=run)
    ends = [(event.kind, event.payload.get("name")) for event in desk.runs.events(run) if event.kind in ENDS]
    assert ends[:3] == [("finished", "a.pdf"), ("finished", "b.pdf"), ("failed", None)]
    assert ends[3:] == [("hit", "a.pdf"), ("hit", "b.pdf"), ("finished", "c.pdf"), ("finished", None)]


def test_a_finished_batch_stays_as_it_is(desk):
    desk.write("a.pdf")
    desk.run()
    before = latest(desk)
    assert desk.run(run=before.run).succeeded == 1, "as it was told then"
    assert latest(desk) == before
    assert desk.read["a.pdf"] == 1


def test_a_run_can_be_cancelled_from_elsewhere(desk):
    desk.write("a.pdf", "hold")
    desk.write("b.pdf")
    run = desk.submit(options={"workers": 1})

    def cancel():
        assert desk.held.wait(LONG_S)
        with desk.runtime() as other:
            other.cancel(run)

    cancelling = threading.Thread(target=cancel)
    cancelling.start()
    try:
        outcome = desk.run(run=run)
    finally:
        desk.go.set()
        cancelling.join()
    assert (outcome.cancelled, outcome.remaining) == (True, 2)
    assert desk.runs.status(run).state == "cancelled"
    assert all(desk.runs.cancel_requested(one.run) for one in desk.runs.list(flow="flow"))
    assert desk.run(run=run).succeeded == 2  # and gone on with, as another run
    assert [one.state for one in desk.runs.list(flow="batch")] == ["finished", "cancelled"]


def test_two_who_ask_for_one_batch_see_one_drive(desk):
    """The second one follows the batch that the first one drives."""
    desk.write("a.pdf", "hold")
    run = desk.submit()
    with desk.runtime() as driving, desk.runtime(works=False) as watching, ThreadPoolExecutor(2) as threads:
        outcomes = [threads.submit(run_batch, desk.request(), one, run=run) for one in (driving, watching)]
        assert desk.held.wait(LONG_S)
        desk.go.set()
        told = [outcome.result(LONG_S) for outcome in outcomes]
    assert [(one, outcome.succeeded) for one, outcome in told] == [(run, 1), (run, 1)]
    assert set(desk.read.values()) == {1}


def test_a_batch_whose_process_is_gone_is_gone_on_with_by_the_next(desk):
    """The six verbs are enough: whoever opens the runtime and serves it drives it."""
    for name in "ab":
        desk.write(f"{name}.pdf")
    run = desk.submit()
    assert desk.runs.status(run).state == "waiting"
    with desk.runtime() as runtime:
        runtime.serve()
        assert runtime.result(run, timeout_s=LONG_S)["succeeded"] == 2
        kinds = [(event.kind, event.stage) for event in runtime.events(run) if event.document is None]
    assert kinds == [("started", "document"), ("finished", "document")]


def test_while_it_is_driven_a_run_is_running(desk):
    desk.write("a.pdf", "hold")
    states = []

    def look():
        assert desk.held.wait(LONG_S)
        states.append(latest(desk).state)
        desk.go.set()

    looking = threading.Thread(target=look)
    looking.start()
    desk.run()
    looking.join()
    assert states == ["running"]
    assert latest(desk).state == "finished"
    assert latest(desk).result["succeeded"] == 1


def test_small_documents_come_first_if_that_is_asked_for(desk):
    sizes = {"a.pdf": 300, "b.pdf": 100, "c.pdf": 200}
    for name, size in sizes.items():
        desk.write(name, "x" * size)
    begun = []
    sink = lambda event: begun.append(event.payload["name"]) if event.kind == "started" and event.document else None  # noqa: E731
    desk.run(sinks=[sink], options={"schedule": "sjf", "workers": 1})
    assert begun == ["b.pdf", "c.pdf", "a.pdf"]


def test_a_batch_runs_with_its_facts_in_postgresql(tmp_path, postgres_url):
    with closing(open_store(str(tmp_path / "store"), postgres_url)) as store:
        desk = Desk(tmp_path, store)
        desk.write("a.pdf")
        desk.write("b.pdf", "damaged")
        first, second = desk.run(), desk.run()
        assert (first.succeeded, first.failed, second.skipped) == (1, 1, 2)
        assert [run.state for run in desk.runs.list(flow="batch")] == ["finished", "finished"]


@pytest.mark.processes
def test_real_documents_go_through_the_real_flow(tmp_path, sample_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "sample.pdf").write_bytes(sample_path.read_bytes())
    request = BatchRequest((str(tmp_path / "in"),), str(tmp_path / "out"), formats=("md", "json"))
    seen = []
    with FileStore(tmp_path / "out" / ".quire") as store, local_runtime(store, workers=1) as runtime:
        _, outcome = run_batch(request, runtime, on_event=seen.append)
        _, again = run_batch(request, runtime)
    assert (outcome.succeeded, outcome.errors, again.skipped) == (1, (), 1)
    (event,) = [event for event in seen if event.kind == "finished" and event.document]
    assert event.payload["ledger"]["pages"] > 0
    assert event.payload["status"] == "ok"
    assert (tmp_path / "out" / "sample.md").read_text().startswith("**NORTHLIGHT")


def test_events_name_the_document_by_its_id_and_tell_its_name(desk):
    """So that whoever deletes a document finds them."""
    path = desk.write("a.pdf")
    desk.run()
    told = [event for event in desk.runs.events(latest(desk).run) if event.document]
    assert {event.document for event in told} == {digest_bytes(path.read_bytes())}
    assert {event.payload["name"] for event in told} == {"a.pdf"}


OWN = """
name: own
inputs: {source: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - {id: captions, component: "tests.fakes.flow_components:caption", input: {page: {$step: document}}}
output: {captions: {$step: captions}}
"""


class TestRequests:
    """A batch that came with a request names a flow that is registered, and neither a file nor code."""

    def test_a_file_is_no_flow_there(self, tmp_path, saved):
        (tmp_path / "own.yaml").write_text(OWN)
        request = BatchRequest((str(saved(documents.simple(1))),), str(tmp_path / "out"), str(tmp_path / "own.yaml"))
        with FileStore(tmp_path / "store") as store, local_runtime(store, workers=1) as runtime:
            with pytest.raises(RunError, match="there is no flow"):
                run_batch(request, runtime)
            request = replace(request, flow="own")
            with pytest.raises(RunError, match="there is no flow 'own' here"):
                run_batch(request, runtime)

    @pytest.mark.processes
    def test_a_flow_that_the_opener_registered_is_named(self, tmp_path, saved):
        (tmp_path / "own.yaml").write_text(OWN)
        request = BatchRequest((str(saved(documents.simple(1))),), str(tmp_path / "out"), "captions")
        flows = {"captions": Flow.load(tmp_path / "own.yaml")}
        with FileStore(tmp_path / "store") as store, local_runtime(store, workers=1, flows=flows) as runtime:
            run = runtime.submit("batch", request.to_json())
            assert runtime.result(run, timeout_s=60)["succeeded"] == 1


@pytest.mark.restarts
def test_a_batch_hears_of_a_pause_though_its_watcher_failed_once(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    monkeypatch.setattr(driving, "LOOK_EVERY_S", 0.001)
    looks = []

    class Watched:
        @property
        def stopping(self):
            looks.append(1)
            if len(looks) == 1:
                raise StoreError("the database is locked")
            return "pause"

    with driving._watching(Watched()) as stop:
        wait_until(lambda: stop.reason == "paused", "it does not hear of the pause")
