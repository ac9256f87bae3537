"""Two replicas of `quire serve` behind HAProxy, on Restate, PostgreSQL and a bucket; one is killed with -9."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from quire.cli.devcluster.haproxy import find_program
from quire.cli.devcluster.program import ServerProgram, listens
from quire.system.workers.procfs import descendants
from tests import documents, scans
from tests.fakes.strangers import Stranger, install
from tests.runtime.tracking import wait_until
from tests.servers import cluster as clusters
from tests.servers.ports import free_port
from tests.servers.quire_server import Caller, QuireServer, serving
from tests.servers.s3 import S3Server

pytestmark = pytest.mark.servers

PATIENCE_S = 60.0
POLL_S = 0.05
SHEETS = 4
BALANCED = """\
global
    maxconn 1000

defaults
    mode http
    timeout connect 5s
    timeout client 90s
    timeout server 90s
    timeout check 2s
    option redispatch
    retries 3

frontend clients
    bind 127.0.0.1:{port}
    default_backend replicas

backend replicas
    option httpchk GET /ready
    default-server check inter 200ms fall 2 rise 1
{replicas}
"""


@contextmanager
def balanced(folder: Path, replicas: list[QuireServer]) -> Iterator[Caller]:
    """A client of the load balancer in front of the replicas."""
    port, file = free_port(), folder / "replicas.cfg"
    listed = [f"    server {replica.name} 127.0.0.1:{replica.port}" for replica in replicas]
    file.write_text(BALANCED.format(port=port, replicas="\n".join(listed)))
    program = ServerProgram(
        "replicas", [str(find_program()), "-db", "-q", "-f", file], folder=folder, answers=lambda: listens(port)
    )
    program.start()
    try:
        yield Caller(port)
    finally:
        program.stop()


@contextmanager
def deployed(tmp_path: Path, stranger: Stranger, bucket: S3Server) -> Iterator[tuple[Caller, list[QuireServer]]]:
    """The cluster with its workers, and two replicas behind a load balancer."""
    with ExitStack() as stack:
        environment = {**stranger.environment, **bucket.environment}
        # Two pages each: the page that the engine holds up leaves room for the other tasks on either worker.
        cluster = stack.enter_context(clusters.running(environment, pages=2, store=bucket.create()))
        replicas = [
            QuireServer(tmp_path / name, name=name, environment={**environment, **cluster.settings})
            for name in ("one", "two")
        ]
        for replica in replicas:
            replica.launch()
            stack.callback(replica.stop)
        for replica in replicas:
            replica.wait_until_ready()
        yield stack.enter_context(balanced(tmp_path, replicas)), replicas


def submit(caller: Caller) -> tuple[list[str], str]:
    """Tasks of docling's API, and a run that an engine holds up."""
    tasks = [
        caller.upload("/v1/convert/file/async", (f"{number}.pdf", documents.simple(number))).json["task_id"]
        for number in (1, 2, 3)
    ]
    sheets = scans.scanned(*(scans.numbered_sheet(number) for number in range(1, SHEETS + 1)))
    options = '{"engines": ["stranger"], "ocr": "always"}'
    run = caller.upload("/api/runs", ("scan.pdf", sheets), options=options).json["id"]
    return tasks, run


def results(caller: Caller, tasks: list[str], run: str) -> list[Any]:
    """What clients have at the end. They ask again when an answer does not come."""
    found = [(caller.ended(task)["task_status"], caller.result(task)) for task in tasks]
    wait_until(lambda: caller.get(f"/api/runs/{run}").json["state"] == "finished", "the run does not end", PATIENCE_S)
    text = caller.get(f"/api/documents/{run}.1/exports/md").body.decode()
    return [*found, text]


def test_clients_notice_nothing_but_a_retry_when_a_replica_is_killed(tmp_path, s3_server):
    held = install(tmp_path / "held", "wait", SHEETS)
    with deployed(tmp_path, held, s3_server) as (caller, replicas):
        tasks, run = submit(caller)
        wait_until(lambda: bool(held.held), "the engine is not asked", PATIENCE_S)
        states: list[str] = []
        follower = Thread(target=_follow, args=(caller, run, states))
        follower.start()
        wait_until(lambda: bool(states), "the run is not followed", PATIENCE_S)
        assert not descendants(replicas[0].pid), "a replica parses no document"
        os.kill(replicas[0].pid, 9)
        replicas[0].wait()
        late = caller.upload("/v1/convert/file/async", ("late.pdf", documents.simple(4))).json["task_id"]
        assert caller.ended(late)["task_status"] == "success", "the other replica takes tasks"
        held.mend()
        disturbed = results(caller, tasks, run)
        follower.join(PATIENCE_S)
        assert states[-1] == "finished"
        counted = caller.get("/metrics").body.decode()
        assert 'quire_runs_total{flow="task",state="finished"} 5' in counted.splitlines()
        assert len(held.calls) == SHEETS == len(set(held.calls)), "no page is read twice"
        again, second = submit(caller)
        assert results(caller, again, second) == disturbed, "the same answers, now from the store"
        assert len(held.calls) == SHEETS
    assert [status for status, _ in disturbed[:-1]] == ["success"] * 3
    with serving(tmp_path / "alone", "--workers", "1", environment=install(tmp_path / "free").environment) as alone:
        assert results(alone, *submit(alone)) == disturbed


def _follow(caller: Caller, run: str, states: list[str]) -> None:
    """A client that polls: it asks again when the connection is lost."""
    while not states or states[-1] != "finished":
        time.sleep(POLL_S)
        try:
            answer = caller.get(f"/api/runs/{run}")
        except OSError:
            continue
        if answer.status == 200:
            states.append(answer.json["state"])
        else:
            assert answer.status in (502, 503, 504), answer.body
