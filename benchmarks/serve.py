"""`quire serve`: start, memory, synchronous and asynchronous conversions, and a long queue, beside docling-serve."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.httpclient import Connection, converted
from benchmarks.report import Options, Report, Table, goal
from benchmarks.serveload import SYNC, Documents, Load, asynchronous, fetch, submit, synchronous
from benchmarks.serverprocess import ServerProcess

KINDS = {"md": "Markdown", "pdf": "PDF"}
PEER = {"start": 19.0, "idle": 770.0, "sync": 2000.0, "async": 33.0}
"""docling-serve on such a machine: seconds to be ready, MB when idle, ms of a call, documents a second."""
START_S, IDLE_MB, SYNC_MS, RATE, GAP_MS = 2.0, 200.0, 50.0, 150.0, 100.0
PROBE = """
import json, socket, sys, threading, time
gaps, over = [], threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
asked = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
while not over.wait(0.01):
    begun = time.perf_counter()
    asked.sendall(b"GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    answer = b""
    while not answer.endswith(b"}"):
        answer += asked.recv(4096)
    if not answer.startswith(b"HTTP/1.1 200"):
        raise SystemExit("the server is not healthy")
    gaps.append(time.perf_counter() - begun)
print(json.dumps(gaps))
"""
"""Asks for the health of a server every 10 ms until its standard input ends; prints how long each answer took."""


def run(options: Options) -> Report:
    documents, data = Documents(), dict[str, object]()
    report = Report("The server", [], [], data)
    starts = [_started() for _ in range(options.rounds(5, 2))]
    with ServerProcess() as server:
        idle = server.memory_mb()
        first = {kind: synchronous(server, documents.make(kind, 1)).median_ms for kind in KINDS}
        warm = server.memory_mb()
        workers = [one for one in server.workers_mb() if one > 20]  # without the guards, which share their pages
        report.tables.append(_starting(starts, idle, warm, workers))
        calls = {kind: _rounds(synchronous, server, documents, kind, options.rounds(5, 1), 60) for kind in KINDS}
        again = {kind: _cached(server, documents, kind) for kind in KINDS}
        tasks = {kind: _rounds(asynchronous, server, documents, kind, options.rounds(3, 1), 300) for kind in KINDS}
        many = {kind: synchronous(server, documents.make(kind, 400), clients=100) for kind in KINDS}
        report.tables += [_calls(calls, again, many), _tasks(tasks)]
        data |= {"start_s": starts, "first_ms": first, "calls_ms": _sampled(calls), "tasks_per_s": _sampled(tasks)}
    report.tables.append(_queue(documents, 100 if options.quick else 1000))
    report.tables.append(_steady(documents, 200 if options.quick else 5000))
    loads = [load for taken in (*calls.values(), *tasks.values()) for load in taken]
    busy = median(load.others for load in loads)
    report.notes += [
        "docling-serve, as it was measured on such a machine: 19 s to start, 770 MB when idle, 2.0 s for a call, 33 "
        "small documents a second.",
        "Every document is new, about 2 KB of Markdown or a PDF of one page with 400 words; 'cached' is the same one "
        "again. Markdown is requested. The client runs on the same processors.",
        f"First calls, which start a worker: {first['md']:.0f} ms (Markdown), {first['pdf']:.0f} ms (PDF).",
        f"Other programs took {busy:.0%} of the CPU time at the median of the rounds; wall times of a busy machine are "
        "too long, and its CPU times, too, by what the caches lose. 'At that cost' is what two idle processors would "
        "do, and the one interpreter of the server, if every document took the CPU time that was measured.",
    ]
    return report


def _started() -> float:
    with ServerProcess() as server:
        return server.ready_s


def _rounds(load, server: ServerProcess, documents: Documents, kind: str, rounds: int, count: int) -> list[Load]:
    return [load(server, documents.make(kind, count)) for _ in range(rounds)]


def _best(loads: list[Load]) -> Load:
    """The round that other programs disturbed least."""
    return min(loads, key=lambda load: load.wall_s)


def _sampled(loads: dict[str, list[Load]]) -> dict[str, object]:
    return {
        kind: [
            {"median_ms": one.median_ms, "rate": one.rate, "cpu_ms": one.cpu_ms, "others": one.others} for one in taken
        ]
        for kind, taken in loads.items()
    }


def _cached(server: ServerProcess, documents: Documents, kind: str) -> float:
    ((name, data),) = documents.make(kind, 1)
    taken = []
    with Connection(server.port) as connection:
        for _ in range(51):
            begun = time.perf_counter()
            converted(connection.post_file(SYNC, name, data))
            taken.append(time.perf_counter() - begun)
    return median(taken[1:]) * 1000


def _starting(starts: list[float], idle: float, warm: float, workers: list[float]) -> Table:
    ready = median(starts)
    rows = [
        ["start to ready, s", ready, *goal(ready, START_S, most=True, digits=0), PEER["start"] / ready],
        ["idle, MB", idle, *goal(idle, IDLE_MB, most=True, digits=0), PEER["idle"] / idle],
        ["after the first documents, MB", warm, *goal(warm, IDLE_MB, most=True, digits=0), PEER["idle"] / warm],
        ["its worker, MB", max(workers, default=0.0), None, None, None],
    ]
    columns = ["figure", "Quire", "goal", "reached", "docling-serve takes … times as much"]
    return Table(columns, rows, "Start, and memory of the process that answers requests")


def _calls(calls: dict[str, list[Load]], again: dict[str, float], many: dict[str, Load]) -> Table:
    rows = []
    for kind, name in KINDS.items():
        best = _best(calls[kind])
        middle = median(load.median_ms for load in calls[kind])
        asked = goal(best.median_ms, SYNC_MS, most=True, digits=0)
        cpu = [f"{ms:.1f}" for ms in best.cpu_ms[:2]]
        rows.append(
            [
                *(name, best.median_ms, middle, *asked, PEER["sync"] / best.median_ms, again[kind], " + ".join(cpu)),
                *(many[kind].median_ms, many[kind].worst_ms),
            ]
        )
    columns = ["one page of", "median of the best round, ms", "of all rounds, ms", "goal", "reached"]
    columns += ["docling-serve takes … times as long", "cached, ms", "CPU of server + worker, ms"]
    columns += ["100 clients at once: median, ms", "slowest of 100, ms"]
    return Table(columns, rows, "Synchronous calls")


def _tasks(tasks: dict[str, list[Load]]) -> Table:
    rows = []
    for kind, name in KINDS.items():
        best = _best(tasks[kind])
        server, workers, client = best.cpu_ms
        possible = min(2000 / (server + workers + client), 1000 / server)
        rows.append(
            [
                *(name, best.rate, median(load.rate for load in tasks[kind]), *goal(best.rate, RATE, digits=0)),
                *(best.rate / PEER["async"], f"{server:.1f} + {workers:.1f} + {client:.1f}", possible),
            ]
        )
    columns = ["one page of", "documents/s, best round", "of all rounds", "goal", "reached", "times docling-serve"]
    columns += ["CPU of server + workers + client, ms", "documents/s at that cost"]
    return Table(columns, rows, "Asynchronous API, 16 clients: submit, long poll, result")


def _queue(documents: Documents, count: int) -> Table:
    """Gaps of the loop while so many documents are submitted at once and done; a short call meanwhile."""
    with TemporaryDirectory(prefix="quire-bench-") as folder:
        file = Path(folder, "gaps.json")
        program = (sys.executable, "-m", "benchmarks.beatingserver")
        with ServerProcess("--gaps", str(file), program=program) as server, Connection(server.port) as connection:
            for kind in KINDS:
                synchronous(server, documents.make(kind, 20))
            before, calls = server.memory_mb(), []
            with _probing(server.port) as answers:
                tasks = [submit(connection, *one) for kind in KINDS for one in documents.make(kind, count // 2)]
                queued = server.memory_mb()
                for name, data in documents.make("md", 20):
                    begun = time.perf_counter()
                    converted(connection.post_file(SYNC, name, data))
                    calls.append((time.perf_counter() - begun) * 1000)
                for task in tasks:
                    fetch(connection, task)
            after = server.memory_mb()
        gaps = sorted(json.loads(file.read_text()))
    answers.sort()
    rows = [
        ["gap of the event loop, largest, ms", gaps[-1] * 1000, *goal(gaps[-1] * 1000, GAP_MS, most=True, digits=0)],
        ["gap of the event loop, 99th of 100, ms", gaps[len(gaps) * 99 // 100] * 1000, None, None],
        ["answer of /health, slowest, ms", answers[-1] * 1000, *goal(answers[-1] * 1000, GAP_MS, most=True, digits=0)],
        ["answer of /health, 99th of 100, ms", answers[len(answers) * 99 // 100] * 1000, None, None],
        ["synchronous call meanwhile, median, ms", median(calls), None, None],
        ["memory before, MB", before, None, None],
        ["memory when all were submitted, MB", queued, None, None],
        ["memory at the end, MB", after, None, None],
    ]
    return Table(
        ["figure", "Quire", "goal", "reached"], rows, f"{count} documents submitted by one client, then awaited"
    )


def _steady(documents: Documents, count: int) -> Table:
    """What a server holds after many requests."""
    rows = []
    with ServerProcess() as server:
        for portion in range(5):
            for kind in KINDS:
                asynchronous(server, documents.make(kind, count // 20))
                synchronous(server, documents.make(kind, count // 20), clients=8)
            held = server.memory_mb(), server.threads(), server.descriptors(), sum(server.workers_mb())
            rows.append([(portion + 1) * (count // 20) * 4, *held])
    columns = ["documents so far", "server, MB", "threads", "file descriptors", "workers and guards, MB"]
    return Table(columns, rows, "Growth")


@contextmanager
def _probing(port: int):
    """Seconds that answers about the server's health took meanwhile, asked for in another process."""
    probe = subprocess.Popen(
        [sys.executable, "-c", PROBE, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    taken: list[float] = []
    try:
        yield taken
        said, _ = probe.communicate("", timeout=60)
        taken += json.loads(said)
    finally:
        probe.kill()
        probe.wait()
