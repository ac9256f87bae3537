"""Load for a server: documents through its synchronous and its asynchronous routes, with what they cost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from threading import Lock, Thread

from benchmarks import servedocuments
from benchmarks.clock import busy_seconds
from benchmarks.httpclient import Connection, converted
from benchmarks.serverprocess import ServerProcess

MAKERS: dict[str, Callable[[int], bytes]] = {"md": servedocuments.markdown, "pdf": servedocuments.pdf}
SYNC, ASYNC = "/v1/convert/file", "/v1/convert/file/async"
POLL_S = 10


@dataclass
class Load:
    """What some documents took: each of them, all of them, and the CPU time of server, workers and client."""

    count: int
    wall_s: float = 0.0
    server_s: float = 0.0
    workers_s: float = 0.0
    client_s: float = 0.0
    others_s: float = 0.0
    each_s: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        return median(self.each_s) * 1000

    @property
    def worst_ms(self) -> float:
        """That of the slowest of a hundred."""
        return sorted(self.each_s)[len(self.each_s) * 99 // 100] * 1000

    @property
    def rate(self) -> float:
        return self.count / self.wall_s

    @property
    def cpu_ms(self) -> tuple[float, float, float]:
        """Of the server, its workers and the client, for each document."""
        return tuple(seconds / self.count * 1000 for seconds in (self.server_s, self.workers_s, self.client_s))

    @property
    def others(self) -> float:
        """The part of all CPU time that other programs took meanwhile; two processors."""
        return self.others_s / self.wall_s / 2


class Documents:
    """New documents of one kind: no two of a benchmark are alike."""

    def __init__(self) -> None:
        self._made = 0

    def make(self, kind: str, count: int) -> list[tuple[str, bytes]]:
        first, self._made = self._made, self._made + count
        return [(f"document-{number}.{kind}", MAKERS[kind](number)) for number in range(first, first + count)]


def synchronous(server: ServerProcess, documents: Sequence[tuple[str, bytes]], clients: int = 1) -> Load:
    """Each document in a call that waits for its result, by so many clients at once."""

    def convert(connection: Connection, name: str, data: bytes) -> None:
        converted(connection.post_file(SYNC, name, data))

    return _loaded(server, documents, clients, convert)


def asynchronous(server: ServerProcess, documents: Sequence[tuple[str, bytes]], clients: int = 16) -> Load:
    """Each document submitted, awaited by a long poll, and its result fetched, by so many clients at once."""

    def convert(connection: Connection, name: str, data: bytes) -> None:
        fetch(connection, submit(connection, name, data))

    return _loaded(server, documents, clients, convert)


def submit(connection: Connection, name: str, data: bytes) -> str:
    status, body = connection.post_file(ASYNC, name, data)
    if status != 200:
        raise RuntimeError(f"a task was refused with {status}: {body[:300]!r}")
    return str(json.loads(body)["task_id"])


def fetch(connection: Connection, task: str) -> None:
    """Wait for the end of a task, and fetch its result."""
    while True:
        _, body = connection.get(f"/v1/status/poll/{task}?wait={POLL_S}")
        if json.loads(body)["task_status"] in ("success", "failure"):
            break
    converted(connection.get(f"/v1/result/{task}"))


def _loaded(
    server: ServerProcess,
    documents: Sequence[tuple[str, bytes]],
    clients: int,
    convert: Callable[[Connection, str, bytes], None],
) -> Load:
    waiting, lock, failures = iter(documents), Lock(), list[BaseException]()
    load = Load(len(documents))

    def work() -> None:
        try:
            with Connection(server.port) as connection:
                while (document := _next(waiting, lock)) is not None:
                    begun = time.perf_counter()
                    convert(connection, *document)
                    load.each_s.append(time.perf_counter() - begun)
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=work) for _ in range(clients)]
    before = server.own_cpu_s(), server.cpu_s(), time.process_time(), busy_seconds()
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.wall_s = time.perf_counter() - begun
    if failures:
        raise failures[0]
    load.server_s = server.own_cpu_s() - before[0]
    load.workers_s = server.cpu_s() - before[1] - load.server_s
    load.client_s = time.process_time() - before[2]
    own = load.server_s + load.workers_s + load.client_s
    load.others_s = max(0.0, busy_seconds() - before[3] - own)
    return load


def _next(documents, lock: Lock) -> tuple[str, bytes] | None:
    with lock:
        return next(documents, None)
