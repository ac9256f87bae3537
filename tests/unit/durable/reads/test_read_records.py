"""Durable reads of one document: the same result as `read`, only what is missing done, one bad page costs itself."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

import quire
from quire.core.errors import ChangedError, ConfigurationError, InputError, RunError, StoreError
from quire.durable.reads import read_request as request
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps, PageOutcome
from quire.durable.reads.sources import keep_source, open_source
from quire.durable.worker_workflows import workflows_on
from quire.reading import worker_pages
from quire.runtime.local import LocalRuntime
from quire.store import artifacts
from quire.store.files import FileStore
from quire.store.garbage import Limits, collect
from quire.system.workers import shared_pool
from tests import documents, scans

pytestmark = pytest.mark.processes


@pytest.fixture
def store(tmp_path):
    with FileStore(tmp_path / "store") as store:
        yield store


@pytest.fixture
def runtime(store):
    with LocalRuntime(store.database, workflows_on(store, workers=1), replay_always=True) as runtime:
        yield runtime


def request_for(path, **settings):
    return ReadRequest(SourceRef.of(path), **settings)


def read(runtime, request):
    run = runtime.submit("document", request.to_json())
    return runtime.result(run, timeout_s=120), list(runtime.events(run))


def kinds(events):
    return [(event.stage, event.kind, event.page) for event in events]


def test_a_durable_read_gives_what_read_gives(runtime, store, saved):
    path = saved(documents.headings_and_lists())
    reference, _ = read(runtime, request_for(path))
    durable, plain = load_result(store, reference), quire.read(path)
    assert durable.to_json(words=True) == plain.to_json(words=True)
    assert reference["status"] == "complete"
    assert reference["ledger"]["ok"] == len(plain.pages)


def test_a_scan_gives_what_read_gives_and_its_path(runtime, store, saved):
    path = saved(scans.scanned(scans.slip()), "slip.pdf")
    reference, events = read(runtime, request_for(path, engines=("rapidocr",)))
    durable, plain = load_result(store, reference), quire.read(path, engines="rapidocr")
    assert durable.to_json() == plain.to_json()
    assert [attempt.engine for attempt in durable.path[1]] == ["rapidocr"]
    assert ("recognize", "attempt", 1) in kinds(events)


def test_the_second_read_does_nothing_but_look(runtime, store, saved):
    path = saved(documents.many_pages(40))
    first, events = read(runtime, request_for(path))
    assert sum(kind == ("page-blocks", "finished") for kind in [k[:2] for k in kinds(events)]) == 40
    second, events = read(runtime, request_for(path))
    assert second == first
    assert kinds(events) == [("read", "started", None), ("document", "hit", None), ("read", "finished", None)]


def test_only_pages_that_are_missing_are_read(runtime, saved):
    path = saved(documents.many_pages(40))
    read(runtime, request_for(path, pages="3-20"))
    _, events = read(runtime, request_for(path))
    made = [page for stage, kind, page in kinds(events) if (stage, kind) == ("page-blocks", "finished")]
    assert sorted(made) == [1, 2, *range(21, 41)]


def test_settings_that_do_not_change_a_page_are_not_in_its_key(saved):
    path = saved(documents.simple())
    plain = request_for(path)
    assert plain.page_key(1, "r") == request_for(path, pages="1", retries=3).page_key(1, "r")
    for other in ({"ocr": "always"}, {"effort": "fast"}, {"lang": ("de",)}, {"figures": True}, {"hints": ("a",)}):
        assert plain.page_key(1, "r") != request_for(path, **other).page_key(1, "r")


def test_a_document_with_text_is_read_where_no_engine_works(runtime, saved, monkeypatch):
    def missing(name, **_):
        raise ConfigurationError(f"the engine {name} is not installed")

    monkeypatch.setattr(request, "make", missing)
    request._identity.cache_clear()
    request._settings.cache_clear()
    path = saved(documents.simple())
    assert read(runtime, request_for(path))[0]["status"] == "complete"
    request._settings.cache_clear()
    with pytest.raises(ConfigurationError, match="echo is not installed"):
        request_for(path, engines=("echo",)).settings()


def test_a_request_survives_the_journal(saved):
    asked = request_for(saved(documents.simple()), pages="1", lang=("de",), engines=("echo",), retries=2)
    assert ReadRequest.from_json(asked.to_json()) == asked


def test_a_page_that_ends_its_worker_is_found_out_and_the_others_are_read(store, saved, monkeypatch):
    path = saved(documents.many_pages(5))
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_dying")
    with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
        reference, events = read(runtime, request_for(path))
        assert reference["status"] == "partial"
        assert reference["failed"] == [[3, "the worker was killed by SIGSEGV", "input"]]
        assert [page.status for page in load_result(store, reference).pages] == ["ok", "ok", "failed", "ok", "ok"]
        assert ("native-text", "failed", 3) in kinds(events)
        monkeypatch.undo()
        mended, _ = read(runtime, request_for(path))
        assert mended["status"] == "complete"


def test_a_page_that_fails_for_another_reason_says_so(store, saved, monkeypatch):
    path = saved(documents.many_pages(3))
    with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
        for job, because in (("read_group_dying", "SIGSEGV"), ("read_group_dying_otherwise", "SIGBUS")):
            monkeypatch.setattr(worker_pages, "READ_GROUP", f"tests.fakes.jobs:{job}")
            reference, _ = read(runtime, request_for(path))
            assert because in load_result(store, reference).pages[2].info.reason


def test_a_page_that_hangs_costs_its_deadline_and_nothing_else(store, saved, monkeypatch):
    path = saved(documents.many_pages(5))
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_hanging")
    monkeypatch.setattr(worker_pages, "PAGE_S", 2.0)
    monkeypatch.setattr(worker_pages, "OPEN_S", 10.0)
    with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
        reference, _ = read(runtime, request_for(path))
    assert reference["failed"] == [[3, "no answer within 2 s", "input"]]


def test_pages_that_failed_are_tried_again_by_the_next_run(store, runtime, saved, monkeypatch):
    path = saved(documents.many_pages(3))
    monkeypatch.setattr(worker_pages, "READ_GROUP", "tests.fakes.jobs:read_group_dying")
    assert read(runtime, request_for(path))[0]["ledger"]["failed"] == 1
    monkeypatch.undo()
    assert read(runtime, request_for(path))[0]["status"] == "complete"


def test_a_scan_that_no_engine_could_read_is_asked_about_again_by_the_next_run(runtime, saved, monkeypatch):
    path = saved(scans.scanned(scans.slip()), "slip.pdf")
    request = request_for(path, engines=("echo",))
    monkeypatch.setattr(DocumentSteps, "recognise", lambda *asked: PageOutcome(asked[3], failed="not today"))
    assert read(runtime, request)[0]["status"] == "partial"
    monkeypatch.undo()
    assert read(runtime, request)[0]["status"] == "complete"


def test_what_is_gone_from_the_store_is_read_again(runtime, store, saved):
    path = saved(documents.many_pages(3))
    before, _ = read(runtime, request_for(path))
    store.database.change("DELETE FROM facts")
    after, events = read(runtime, request_for(path))
    assert after == before
    assert sum(kind[:2] == ("page-blocks", "finished") for kind in kinds(events)) == 3


def test_what_a_used_page_refers_to_is_not_collected(store, runtime, saved):
    path = saved(documents.many_pages(2))
    before, _ = read(runtime, request_for(path))
    store.flush()
    store.database.change("UPDATE facts SET used = used - 100 WHERE stage <> 'page'")  # pages alone are looked up
    collect(store, Limits(unused_days=90))
    assert DocumentSteps(store, workers=1).export(before, ["json"], words=True)
    store.database.change("UPDATE facts SET used = used - 100")
    assert collect(store, Limits(unused_days=90)).facts


def test_a_page_of_which_something_was_lost_is_read_again(tmp_path, saved, monkeypatch):
    monkeypatch.setattr(artifacts, "BATCH", 1)  # a pack for each
    path = saved(documents.many_pages(3))
    with FileStore(tmp_path / "store") as store:
        with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
            before, _ = read(runtime, request_for(path))
        ((pack,),) = store.database.rows(
            "SELECT objects.pack FROM objects JOIN facts ON facts.digest = objects.digest "
            "WHERE facts.stage = 'native-text' AND facts.page = 2"
        )
    (tmp_path / "store" / pack).unlink()
    with FileStore(tmp_path / "store") as store:
        steps = DocumentSteps(store, workers=1)
        with pytest.raises(StoreError, match="is missing"):
            steps.export(before, ["json"], words=True)
        with LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
            assert read(runtime, request_for(path))[0] == before
        assert steps.export(before, ["json"], words=True)


def test_a_document_that_changed_since_it_was_planned_is_refused(runtime, saved):
    path = saved(documents.simple())
    request = request_for(path)
    path.write_bytes(documents.simple(2))
    with pytest.raises(RunError, match="has changed") as refused:
        read(runtime, request)
    assert refused.value.category == "input"


def test_a_file_that_is_no_document_is_the_fault_of_the_file(runtime, saved):
    path = saved(b"%PDF-1.4\nnothing", "broken.pdf")
    with pytest.raises(RunError) as refused:
        read(runtime, request_for(path))
    assert refused.value.category == "input"


def test_a_machine_without_the_path_takes_the_bytes_from_the_store(runtime, store, saved, tmp_path):
    path = saved(documents.simple())
    source = SourceRef.of(path)
    keep_source(store, source)
    other = saved(documents.simple(2), "other.pdf")
    for place in (tmp_path / "not here" / "report.pdf", other):
        elsewhere = SourceRef(source.id, source.name, str(place), stored=True)
        reference, _ = read(runtime, ReadRequest(elsewhere))
        assert reference["status"] == "complete"
        assert load_result(store, reference).to_json() == quire.read(path).to_json()


def test_a_file_that_changed_is_not_kept_as_what_it_was(store, saved):
    path = saved(documents.simple())
    source = SourceRef.of(path)
    path.write_bytes(documents.simple(2))
    with pytest.raises(InputError, match="has changed"):
        keep_source(store, source)
    path.write_bytes(documents.simple())
    keep_source(store, source)
    path.unlink()
    assert open_source(store, replace(source, stored=True)).id == source.id


def test_a_scan_that_changed_since_it_was_planned_is_not_looked_at(store, saved):
    path = saved(scans.scanned(scans.slip()), "slip.pdf")
    asked = request_for(path, engines=("echo",))
    steps = DocumentSteps(store, workers=1)
    reader = steps.plan(asked, "run", lambda event: None)["reader"]
    shared_pool().close()  # a worker that has the document open would go on with the bytes it has
    path.write_bytes(scans.scanned(scans.slip(), scans.slip()))
    with pytest.raises(ChangedError, match="has changed"):
        steps.recognise(asked, reader, 1, "run", lambda event: None)


def test_a_document_that_is_neither_here_nor_in_the_store_is_said(runtime, saved, tmp_path):
    source = SourceRef.of(saved(documents.simple()))
    with pytest.raises(RunError, match="neither at its path nor in the store"):
        read(runtime, ReadRequest(SourceRef(source.id, source.name, str(tmp_path / "gone.pdf"), stored=True)))


def test_a_path_that_is_gone_is_said(runtime, saved, tmp_path):
    path = saved(documents.simple())
    request = request_for(path)
    path.unlink()
    with pytest.raises(RunError, match="no such file"):
        read(runtime, request)


def test_exports_are_what_read_gives(store, runtime, saved):
    path = saved(documents.ruled_table())
    reference, _ = read(runtime, request_for(path))
    steps = DocumentSteps(store, workers=1)
    assert steps.export(reference, ["md", "json"], words=True) == quire.read(path).files(
        ["md", "json"], stem="", words=True
    )


def test_a_password_opens_and_is_written_nowhere(store, saved, tmp_path):
    path = saved(documents.encrypted("a secret word"))
    with LocalRuntime(store.database, workflows_on(store, workers=1, password="a secret word")) as runtime:
        reference, _ = read(runtime, request_for(path))
    assert reference["status"] == "complete"
    store.flush()
    for file in (tmp_path / "store").rglob("*"):
        assert not file.is_file() or b"a secret word" not in file.read_bytes()


def test_a_result_loads_when_its_file_has_changed_or_is_gone(runtime, store, saved):
    path = saved(documents.simple())
    reference, _ = read(runtime, request_for(path))
    calm = load_result(store, reference).to_json(words=True)
    path.write_bytes(documents.simple(3))
    changed = load_result(store, reference)
    assert changed.to_json(words=True) == calm
    with pytest.raises(InputError, match="has changed"):
        changed.show(1)
    path.unlink()
    gone = load_result(store, reference)
    assert (gone.to_json(words=True), gone.media_type) == (calm, "application/pdf")
    assert DocumentSteps(store, workers=1).export(reference, ["json"], words=True)[".json"] == calm.encode()
    with pytest.raises(InputError, match="no such file"):
        gone.show(1)


def test_what_was_read_before_a_folder_moved_is_found(runtime, saved, tmp_path):
    path = saved(documents.many_pages(3))
    read(runtime, request_for(path))
    moved = tmp_path / "moved.pdf"
    shutil.move(path, moved)
    _, events = read(runtime, request_for(moved))
    assert not any(kind == "finished" and stage == "native-text" for stage, kind, _ in kinds(events))


def test_pages_that_failed_where_the_file_was_are_read_where_it_is(runtime, saved, tmp_path, monkeypatch):
    path, moved = saved(documents.many_pages(3)), tmp_path / "moved.pdf"
    shutil.copy(path, moved)
    whole = DocumentSteps.group

    def gone(self, request, *asked):
        if request.source.path == str(path):
            raise InputError("no such file", document=request.source.name)
        return whole(self, request, *asked)

    monkeypatch.setattr(DocumentSteps, "group", gone)
    with pytest.raises(RunError, match="no such file"):
        read(runtime, request_for(path))
    assert read(runtime, request_for(moved))[0]["status"] == "complete"


def test_long_documents_stay_within_the_limit_of_a_journal(runtime, saved):
    path = saved(documents.many_pages(300))
    reference, _ = read(runtime, request_for(path))
    assert reference["ledger"]["ok"] == 300
