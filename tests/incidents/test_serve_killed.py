"""`quire serve` is killed with -9 while it works: no task and no result is lost, nothing is read twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from quire.system.workers.procfs import descendants
from tests import documents
from tests.fakes.embedding_server import embedding_server, tei, tei_url
from tests.fakes.vision_server import Exchange
from tests.runtime.tracking import wait_until
from tests.servers.quire_server import LOOPBACK, QuireServer, WebSite, serving, web_site

pytestmark = pytest.mark.processes

RUNNING, QUEUED = 4, 20
"""A server with one worker runs four tasks at a time."""
SITE = {f"/{number}.pdf": documents.simple(1 + number % 3) for number in range(RUNNING)}
FORMATS = {"to_formats": ["md", "json"]}


@contextmanager
def server(folder: Path, *options: str) -> Iterator[QuireServer]:
    with serving(folder, "--workers", "1", *options, environment=LOOPBACK) as running:
        yield running


def note(number: int) -> tuple[str, bytes]:
    """A small document that no other is like."""
    return f"note-{number}.pdf", documents.drawn(lambda canvas: canvas.drawString(72, 700, f"Note number {number}"))


def submit_all(running: QuireServer, site: WebSite) -> list[str]:
    """Tasks whose sources the site holds back, then those that wait for them."""
    held = [{"sources": [{"kind": "http", "url": f"{site.url}{path}"}], "options": FORMATS} for path in SITE]
    tasks = [running.post("/v1/convert/source/async", body).json["task_id"] for body in held]
    wait_until(lambda: len(site.asked) >= RUNNING, "the sources are not fetched")
    for number in range(QUEUED):
        tasks.append(running.upload("/v1/convert/file/async", note(number)).json["task_id"])
    return tasks


def test_all_tasks_of_a_killed_server_end_as_if_it_had_not_been_killed(tmp_path):
    with web_site(SITE) as site, server(tmp_path / "undisturbed") as running:
        tasks = submit_all(running, site)
        expected = [(running.ended(task)["task_status"], running.result(task)) for task in tasks]
        assert {status for status, _ in expected} == {"success"}
    with web_site(SITE, held=True) as site, server(tmp_path / "killed") as running:
        tasks = submit_all(running, site)
        states = [running.get(f"/v1/status/poll/{task}").json["task_status"] for task in tasks]
        assert states == ["started"] * RUNNING + ["pending"] * QUEUED
        left = descendants(running.pid)
        running.kill()
        wait_until(lambda: not [pid for pid in left if Path(f"/proc/{pid}").exists()], "its workers stay")
        site.release()
        running.start()
        found = [(running.ended(task)["task_status"], running.result(task)) for task in tasks]
    names = [result["document"]["filename"] for _, result in found]
    assert names == [*(path[1:] for path in SITE), *(f"note-{number}.pdf" for number in range(QUEUED))]
    assert found == expected


def test_documents_that_a_killed_server_was_indexing_are_found_by_the_next_one(tmp_path):
    embedding, go_on = Event(), Event()
    answers = tei()

    def held(exchange: Exchange) -> None:
        if exchange.path == "/embed" and "Note" in str(exchange.body):
            embedding.set()
            assert go_on.wait(60)
        answers(exchange)

    names = [f"note-{number}.pdf" for number in range(3)]
    with embedding_server(held) as embedder:
        searched = {"QUIRE_SERVE_SEARCH": "reads", "QUIRE_SERVE_EMBEDDER": f"tei:{tei_url(embedder)}"}
        with serving(tmp_path, "--workers", "1", environment=searched) as running:
            for number in range(3):
                assert running.upload("/api/runs", note(number)).status == 201
            assert embedding.wait(60)
            running.kill()
            go_on.set()
            running.start()

            def found() -> set[str]:
                return {hit["name"] for hit in running.get("/api/search?q=note+number&k=10").json["hits"]}

            wait_until(lambda: found() == {*names}, "documents are not found", 60)


def test_a_killed_worker_process_costs_no_task(tmp_path):
    with server(tmp_path) as running:
        task = running.upload("/v1/convert/file/async", ("long.pdf", documents.many_pages(60))).json["task_id"]
        wait_until(lambda: _pages(running, task) > 0, "no page is read")
        guards = [pid for pid in descendants(running.pid) if descendants(pid)]
        for worker in descendants(guards[0]):
            os.kill(worker, signal.SIGKILL)
        status = running.ended(task)
        assert status["task_status"] == "success"
        assert status["task_meta"] | {"num_docs": 1, "num_pages": 60, "num_pages_processed": 60} == status["task_meta"]
        assert running.result(task)["status"] == "success"


def _pages(running: QuireServer, task: str) -> int:
    meta = running.get(f"/v1/status/poll/{task}").json["task_meta"]
    return meta["num_pages_processed"] if meta else 0


def test_two_processes_answer_for_each_other_and_survive_one(tmp_path):
    with server(tmp_path, "--processes", "2") as running:
        tasks = [running.upload("/v1/convert/file/async", note(number)).json["task_id"] for number in range(8)]
        assert {running.ended(task)["task_status"] for task in tasks} == {"success"}
        answers = [running.get(f"/v1/result/{task}").status for task in tasks for _ in range(4)]
        assert set(answers) == {200}
        counted = _figure(running, 'quire_runs_total{flow="task",state="finished"}')
        assert counted == [8.0] * len(counted)
        children = [pid for pid in descendants(running.pid) if b"spawn_main" in _command(pid)]
        assert len(children) == 2
        os.kill(children[0], signal.SIGKILL)
        late = running.ended(tasks[0])
        assert late["task_status"] == "success"
        again = running.upload("/v1/convert/file", note(0))
        assert again.status == 200 and again.json["status"] == "success"


def _figure(running: QuireServer, name: str) -> list[float]:
    """A figure as several scrapes find it: any process may answer."""
    texts = [running.get("/metrics").body.decode() for _ in range(6)]
    return [float(line.rpartition(" ")[2]) for text in texts for line in text.splitlines() if line.startswith(name)]


def _command(pid: int) -> bytes:
    path = Path(f"/proc/{pid}/cmdline")
    return path.read_bytes() if path.exists() else b""


def test_the_same_file_is_answered_from_the_store_also_after_a_restart(tmp_path):
    store, temporary = tmp_path / "documents", tmp_path / "temporary"
    temporary.mkdir()

    def copies(folder: Path) -> list[Path]:
        """Whole documents in files of their own."""
        files = [path for path in folder.rglob("*") if path.is_file()]
        return [path for path in files if path.read_bytes().startswith(b"%PDF-")]

    environment = LOOPBACK | {"TMPDIR": str(temporary)}
    with serving(tmp_path, "--workers", "1", "--store", store, environment=environment) as running:
        first = running.upload("/v1/convert/file", ("report.pdf", documents.simple(3))).json
        assert _figure(running, 'quire_pages_total{outcome="ok"}')[0] == 3.0
        assert copies(store / "scratch") and not copies(temporary)
        running.kill()
        running.start()
        wait_until(lambda: not copies(store / "scratch"), "copies of a killed server stay")
        second = running.upload("/v1/convert/file", ("report.pdf", documents.simple(3))).json
        assert _figure(running, 'quire_pages_total{outcome="ok"}')[0] == 3.0, "no page is read twice"
        assert {**first, "processing_time": 0} == {**second, "processing_time": 0}
