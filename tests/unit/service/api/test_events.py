"""Events over HTTP: from the store and live, continued where a reader left off, for any number of readers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest

from quire.core.context import RunStatus
from quire.core.errors import UsageError
from quire.core.events import Event
from quire.service.api import event_streams as watching
from quire.service.api.event_streams import EventStream, RunEvents
from quire.service.run_progress import RunTallies
from tests.unit.service.api.conftest import TENANT, TENANT_HEADER

pytestmark = pytest.mark.processes


def page_event(run, number, kind="finished", stage="page-blocks"):
    return Event(f"{run}/{stage}/{number}/{kind}", run, 0, kind, stage, "d" * 64, number, payload={"ms": 1.0})


@contextmanager
def following(server, run, **headers) -> Iterator[Iterator[tuple[str, dict]]]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    given = {TENANT_HEADER: TENANT} | {k.replace("_", "-"): v for k, v in headers.items()}
    connection.request("GET", f"/api/runs/{run}/events", headers=given)
    response = connection.getresponse()
    assert response.headers["Content-Type"].startswith("text/event-stream")
    try:
        yield messages(response)
    finally:
        response.close()
        connection.close()


def messages(response):
    kind = ""
    for line in iter(response.readline, b""):
        if line.startswith(b"event:"):
            kind = line[6:].strip().decode()
        elif line.startswith(b"data:"):
            yield kind, json.loads(line[5:])


def sequences(stream, count):
    return [next(stream)[1]["sequence"] for _ in range(count)]


@pytest.fixture
def run(idle):
    return idle.post(("a.pdf", b"%PDF-1.4")).json["id"]


def test_two_readers_follow_one_run_to_its_end(idle, run):
    idle.runs.append(run, [page_event(run, number) for number in (1, 2)])
    with following(idle, run) as early, following(idle, run) as other:
        assert sequences(early, 2) == sequences(other, 2) == [1, 2]
        idle.runs.append(run, [page_event(run, 3)])
        assert sequences(early, 1) == sequences(other, 1) == [3]
        idle.runs.finish(run, "cancelled", error="enough")
        for stream in (early, other):
            kind, data = next(stream)
            assert (kind, data["id"], data["state"], data["error"]) == ("end", run, "cancelled", "enough")
            assert next(stream, None) is None


def test_a_reader_continues_in_the_middle(idle, run):
    idle.runs.append(run, [page_event(run, number) for number in range(1, 1201)])
    with following(idle, run, Last_Event_ID="3") as stream:
        kind, event = next(stream)
        assert (kind, event["sequence"], event["page"], event["stage"]) == ("finished", 4, 4, "page-blocks")
        assert sequences(stream, 1196) == list(range(5, 1201)), "also those that no poller has in memory"
    with following(idle, run, Last_Event_ID="1200") as stream:
        idle.runs.append(run, [page_event(run, 1201)])
        assert sequences(stream, 1) == [1201]
        idle.runs.finish(run, "cancelled", error="enough")
        assert next(stream)[0] == "end"
    with following(idle, run, Last_Event_ID="5000") as stream:
        assert next(stream)[0] == "end"


@pytest.mark.parametrize("wrong", ["x", "-1", "1" * 30])
def test_a_wrong_last_event_id_is_refused(idle, run, wrong):
    assert idle.get(f"/api/runs/{run}/events", Last_Event_ID=wrong).status == 422


def test_the_progress_follows_the_events(idle):
    submitted = idle.post(("a.pdf", b"%PDF-1.4 progress")).json
    run, document = submitted["id"], submitted["documents"][0]["sha256"]

    def event(kind, stage, page=None, **payload):
        return Event(f"{run}/{stage}/{page}/{kind}", run, 0, kind, stage, document, page, payload=payload)

    idle.runs.append(run, [event("started", "read", pages=3), event("finished", "page-blocks", 1)])
    assert idle.get(f"/api/runs/{run}").json["progress"]["pages"] == {"total": 3, "done": 1, "failed": 0}
    idle.runs.append(run, [event("failed", "native-text", 2), event("hit", "page-blocks", 3)])
    assert idle.get(f"/api/runs/{run}").json["progress"]["pages"] == {"total": 3, "done": 2, "failed": 1}


class CountingRuntime:
    """A runtime with one run whose events are in a list; counts what is asked."""

    def __init__(self, events):
        self.stored, self.asked, self.state = events, [], "running"

    def status(self, run):
        if run != "r-1":
            raise UsageError("there is no run")
        return RunStatus(run, "task", "k", self.state, {}, 0.0, last_event=len(self.stored))

    def events(self, run, *, after=0):
        self.asked.append(after)
        return iter(self.stored[after:])


def numbered(count, begin=0):
    return [Event(f"e{n}", "r-1", n, "finished", "page-blocks", "d", n) for n in range(begin + 1, begin + count + 1)]


def test_a_thousand_readers_share_one_poller(monkeypatch):
    monkeypatch.setattr(watching, "POLL_S", 0.0)
    runtime = CountingRuntime(numbered(10))

    async def inline(work, *args):
        return work(*args)

    async def read(events):
        return [message async for message in events.stream("r-1", 0, lambda: "{}")]

    async def main():
        events = RunEvents(runtime, inline)
        readers = [asyncio.create_task(read(events)) for _ in range(1000)]
        await asyncio.sleep(0)
        assert len(events._watches) == 1
        runtime.stored += numbered(5, begin=10)
        runtime.state = "finished"
        return await asyncio.gather(*readers)

    received = asyncio.run(main())
    assert {len(messages) for messages in received} == {16}
    assert all(messages == received[0] for messages in received)
    assert len(runtime.asked) < 10, "the events were read once for all"


def test_a_server_that_ends_asks_for_no_more_events_and_its_readers_leave(monkeypatch):
    monkeypatch.setattr(watching, "POLL_S", 0.0)
    runtime, stopping = CountingRuntime(numbered(2)), []

    async def gone(work, *args):
        assert not stopping, "the threads are gone"
        return work(*args)

    async def main():
        events = RunEvents(runtime, gone, lambda: bool(stopping))
        messages = events.stream("r-1", 0, lambda: "{}")
        received = [await anext(messages), await anext(messages)]
        (watch,) = events._watches.values()
        waiting = asyncio.create_task(anext(messages, "end of the stream"))
        await asyncio.sleep(0)
        stopping.append(True)
        await watch.poller
        return [*received, await waiting]

    received = asyncio.run(asyncio.wait_for(main(), 60))
    assert received[2:] == ["end of the stream"]


def test_a_reader_that_takes_nothing_is_dropped(monkeypatch):
    monkeypatch.setattr(watching, "SEND_S", 0.01)
    left = []

    async def endless():
        try:
            while True:
                yield "data: 1\n\n"
        finally:
            left.append(True)

    async def main():
        async def never(message):
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        async def receive():
            await asyncio.Event().wait()

        await EventStream(endless())({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, never)

    asyncio.run(asyncio.wait_for(main(), 10))
    assert left == [True]


def test_events_are_read_once_and_again_after_a_restart():
    runtime = CountingRuntime(numbered(10))
    tallies = RunTallies(runtime)
    assert tallies.of("r-1", 10).documents["d"].done_and_failed == (10, 0)
    assert tallies.of("r-1", 10).sequence == 10
    runtime.stored += numbered(2, begin=10)
    assert tallies.of("r-1", 12).documents["d"].done_and_failed == (12, 0)
    assert runtime.asked == [0, 10]
    assert RunTallies(runtime).of("r-1", 12).documents["d"].done_and_failed == (12, 0)
