"""A thousand readers at once, and WebSockets that flood: memory is bounded, and the server answers others meanwhile."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from quire.core.events import Event
from tests.service.safety.conftest import PDF, TENANT, TENANT_HEADER, Guarded, guarded, resident_bytes

READERS = 1000
MIB = 1 << 20


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with guarded(tmp_path_factory.mktemp("crowds"), idle=True) as running:
        yield running


def reader(server: Guarded, run: str) -> socket.socket:
    """A connection that reads the events of a run."""
    connection = server.connected(60)
    sent = f"GET /api/runs/{run}/events HTTP/1.1\r\nHost: localhost\r\n{TENANT_HEADER}: {TENANT}\r\n\r\n"
    connection.sendall(sent.encode())
    return connection


def watching(server: Guarded, task: str, **options: Any) -> ClientConnection:
    """A WebSocket that follows a task."""
    place = f"ws://127.0.0.1:{server.port}/v1/status/ws/{task}"
    return connect(place, additional_headers={TENANT_HEADER: TENANT}, **options)


def event(run: str, number: int) -> Event:
    return Event(
        f"{run}/page/{number}", run, 0, "finished", "page-blocks", "d" * 64, number, payload={"text": "x" * 200}
    )


def read_until(connection: socket.socket, text: bytes) -> bool:
    seen = b""
    while text not in seen:
        piece = connection.recv(1 << 14)
        if not piece:
            return False
        seen = (seen + piece)[-(1 << 15) :]
    return True


def test_a_thousand_readers_of_events_get_all_of_them(server):
    run = server.send_file("/api/runs", "a.pdf", PDF).json["id"]
    before = resident_bytes()
    readers = [reader(server, run) for _ in range(READERS)]
    try:
        for one in readers[:: READERS // 10]:
            assert read_until(one, b"text/event-stream")
        assert server.is_alive()
        server.service.runs.append(run, [event(run, number) for number in range(1, 6)])
        assert server.is_alive()
        server.ask("DELETE", f"/api/runs/{run}")
        for one in readers:
            assert read_until(one, b"event: end")
        assert resident_bytes() - before < 150 * MIB
    finally:
        for one in readers:
            one.close()
    assert server.is_alive()


def test_readers_that_take_nothing_cost_no_memory(server):
    run = server.send_file("/api/runs", "a.pdf", PDF).json["id"]
    server.service.runs.append(run, [event(run, number) for number in range(1, 2001)])
    before = resident_bytes()
    readers = [reader(server, run) for _ in range(100)]
    try:
        for _ in range(5):
            assert server.is_alive()
        assert resident_bytes() - before < 100 * MIB
    finally:
        for one in readers:
            one.close()


def test_a_websocket_that_floods_is_answered_one_by_one(server):
    task = server.send_file("/v1/convert/file/async", "a.pdf", PDF).json["task_id"]
    before = resident_bytes()
    with watching(server, task, close_timeout=1) as flooding:
        for _ in range(200):  # the server takes some each second, the rest waits in the buffers of the connection
            flooding.send("x" * 1000)
        assert server.is_alive()
        assert resident_bytes() - before < 50 * MIB


@pytest.mark.parametrize("message", ["x" * (1 << 20), b"x" * (1 << 20)], ids=["text", "bytes"])
def test_a_large_message_ends_a_websocket(server, message):
    task = server.send_file("/v1/convert/file/async", "a.pdf", PDF).json["task_id"]
    with watching(server, task, max_size=None) as large:
        large.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                large.recv(timeout=30)
    assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
    assert server.is_alive()


def test_bytes_are_a_question_like_a_text(server, logged):
    task = server.send_file("/v1/convert/file/async", "a.pdf", PDF).json["task_id"]
    with watching(server, task) as asking:
        for _ in range(2):
            asking.recv(timeout=30)  # connection, update
        asking.send(b"\xff\xfe")
        assert task in str(asking.recv(timeout=30))
    assert not [line for line in logged if "Exception in ASGI" in line]
