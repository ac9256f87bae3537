"""Threads and tasks of a server that meet an error: each goes on, and does what was left to do."""

from __future__ import annotations

import asyncio
import re
from contextlib import closing
from dataclasses import replace
from threading import Event, current_thread

import pytest
import uvicorn

from quire.core.context import RunStatus
from quire.core.errors import EngineError, StoreError, UsageError
from quire.core.events import Event as RunEvent
from quire.durable.indexing.delivery import IndexDelivery
from quire.durable.indexing.index_steps import IndexSteps
from quire.durable.indexing.read_places import ReadPlaces
from quire.durable.indexing.store_index import open_indexes
from quire.durable.review.review_queue import ReviewQueue
from quire.retrieval.search.sqlite_index import SqliteIndex
from quire.service import metrics_port as measuring
from quire.service.api import event_streams as watching
from quire.service.api.event_streams import RunEvents
from quire.service.run_waiter import RunWaiter
from quire.service.traffic import Traffic
from quire.service.warm_up import warm_up
from quire.store.scratch import Scratch
from quire.system import supervisor
from quire.system.supervisor import restarts
from quire.system.workers import shared_pool
from tests import documents
from tests.runtime.tracking import wait_until
from tests.servers.ports import free_port
from tests.unit.service.api.conftest import SEARCHED, serving, wait_indexed
from tests.unit.service.api.test_search_route import found

pytestmark = pytest.mark.restarts

ERRORS = [StoreError("the database is locked"), RuntimeError("a bug")]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)


def once(error, call):
    """A function that raises the first time."""
    met = []

    def first_fails(*args, **options):
        if not met:
            met.append(error)
            raise error
        return call(*args, **options)

    return first_fails


@pytest.mark.processes
@pytest.mark.parametrize(
    ("owner", "method", "error"),
    [
        (SqliteIndex, "put", EngineError("opensearch", "it restarts")),
        (SqliteIndex, "known", StoreError("the database is locked")),
        (IndexSteps, "_open_target", EngineError("opensearch", "it is away")),
    ],
)
def test_a_search_engine_that_fails_once_costs_no_document(tmp_path, monkeypatch, owner, method, error):
    with serving(tmp_path, **SEARCHED) as server:
        server.read(documents.simple(1), "early.pdf")
    monkeypatch.setattr(owner, method, once(error, getattr(owner, method)))
    with serving(tmp_path, **SEARCHED) as server:
        server.read(documents.simple(2), "late.pdf")
        for name in ("early.pdf", "late.pdf"):
            assert {hit["name"] for hit in found(server, f"chapter&in={name}")} == {name}


@pytest.mark.processes
def test_a_document_that_is_deleted_while_it_is_indexed_is_not_found(tmp_path, monkeypatch):
    begun, go_on, put = Event(), Event(), IndexDelivery.put

    def held(*args, **options):
        begun.set()
        assert go_on.wait(60)
        return put(*args, **options)

    monkeypatch.setattr(IndexDelivery, "put", held)
    with serving(tmp_path, **SEARCHED) as server:
        document = server.read(documents.simple(1), "secret.pdf")
        assert begun.wait(60)
        assert server.ask("DELETE", f"/api/documents/{document}").status == 200
        go_on.set()
        server.read(documents.simple(2), "whole.pdf")
        assert {hit["name"] for hit in found(server, "chapter")} == {"whole.pdf"}
        with closing(open_indexes(server.service.store)) as indexes:
            index = indexes.open()
            wait_until(
                lambda: sum(len(index.known(tenant=one)) for one in index.tenants()) == 1, "it is still indexed", 60
            )
        assert not ReadPlaces(server.service.store.database).of_run(document.rpartition(".")[0])


@pytest.mark.processes
def test_a_document_that_can_never_be_indexed_is_logged_and_others_are_found(tmp_path, monkeypatch, caplog):
    broken = once(UsageError("its words cannot be counted"), IndexDelivery.put)
    monkeypatch.setattr(IndexDelivery, "put", broken)
    with serving(tmp_path, **SEARCHED) as server:
        server.read(documents.simple(1), "broken.pdf")
        wait_indexed(server.service)
        server.read(documents.simple(2), "whole.pdf")
        assert {hit["name"] for hit in found(server, "chapter")} == {"whole.pdf"}
    assert "broken.pdf is not indexed: its words cannot be counted" in caplog.text


@pytest.mark.parametrize("error", ERRORS)
def test_a_request_is_answered_though_waiting_for_its_run_failed_once(error):
    class Runtime:
        wait_ended = staticmethod(once(error, lambda runs, timeout_s: set(runs)))

    before = restarts().get("quire-waiter", 0)
    with closing(RunWaiter(Runtime())) as waiter:
        assert asyncio.run(waiter.ended("r-1", 60.0))
    assert restarts()["quire-waiter"] == before + 1


def test_readers_of_events_read_on_after_a_bug(monkeypatch):
    monkeypatch.setattr(watching, "POLL_S", 0.0)

    class Runtime:
        def __init__(self):
            self.status = once(RuntimeError("a bug"), self.finished)

        def finished(self, run):
            return RunStatus(run, "task", "k", "finished", {}, 0.0, last_event=1)

        def events(self, run, *, after=0):
            return iter([RunEvent("e1", "r-1", 1, "finished", "page-blocks")][after:])

    async def inline(work, *args):
        return work(*args)

    async def main():
        return [message async for message in RunEvents(Runtime(), inline).stream("r-1", 0, lambda: "{}")]

    messages = asyncio.run(asyncio.wait_for(main(), 60))
    assert [re.findall("event: (.*)", message)[0] for message in messages] == ["finished", "end"]


@pytest.mark.processes
def test_the_threads_beside_the_requests_fail_once_and_go_on(tmp_path, monkeypatch):
    shared, reported, served, swept = Event(), Event(), Event(), Event()
    runs = uvicorn.Server.run
    metrics = once(OSError("the socket broke"), lambda *args: (served.set(), runs(*args)))

    def run(server, sockets=None):
        (metrics if current_thread().name == "quire-metrics" else runs)(server, sockets)

    monkeypatch.setattr(measuring, "SHARE_S", 0.001)
    monkeypatch.setattr(uvicorn.Server, "run", run)
    monkeypatch.setattr(Traffic, "share", once(OSError("the disk is full"), lambda _: shared.set()))
    monkeypatch.setattr(ReviewQueue, "report_all", once(StoreError("it is locked"), lambda *_: reported.set()))
    monkeypatch.setattr(Scratch, "sweep", once(OSError("the folder is gone"), lambda _: swept.set()))
    port = free_port()
    with serving(tmp_path, metrics_port=port) as server:
        assert shared.wait(60) and reported.wait(60) and served.wait(60) and swept.wait(60)
        answer = replace(server, port=port).get("/metrics")  # the socket listens since the start
        for thread in ("quire-sharing", "quire-reviews", "quire-metrics", "quire-leftovers"):
            assert f'thread_restarts_total{{thread="{thread}"}}' in answer.body.decode()


@pytest.mark.processes
def test_a_server_is_ready_once_it_is_warm_and_says_what_it_waits_for(tmp_path, monkeypatch):
    warmed, go = [], Event()

    def held(workers):
        assert go.wait(60)
        warm_up(workers)
        warmed.append(shared_pool(1)._threads)

    monkeypatch.setattr("quire.service.service.warm_up", held)
    with serving(tmp_path, warm_up=True) as server:
        answer = server.get("/ready")
        assert answer.status == 503 and "a worker starts and loads the OCR engine" in answer.json["detail"]
        assert server.get("/health").json["status"] == "ok"
        go.set()
        wait_until(lambda: server.get("/ready").status == 200, "it does not get ready", 60)
        assert warmed[0], "a worker runs"


@pytest.mark.processes
def test_a_server_that_cannot_warm_up_gets_ready_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.service.service.warm_up", once(OSError("no space"), print))
    with serving(tmp_path, warm_up=True) as server:
        wait_until(lambda: server.get("/ready").status == 200, "it does not get ready", 60)
