"""A solve on a cluster, whose parts are killed while a model is asked; and runners that fail one after the other."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest

from quire.cli.devcluster.cluster import LocalCluster
from quire.durable.reads.read_request import SourceRef
from quire.durable.runtimes import open_runtime
from quire.durable.solve_call import Solution, solution, solve, submit_solve
from quire.durable.solves.solve_request import requested
from tests import bills
from tests.fakes.strangers import install
from tests.fakes.vision_server import Exchange, sends, vision_server
from tests.runtime.solving import FIELDS, TASK, TURNS
from tests.runtime.tracking import wait_until
from tests.servers import cluster as clusters

pytestmark = pytest.mark.servers

PATIENCE_S = 60.0
PROGRAM = """
import json, sys
from pathlib import Path
print("digest", json.loads(Path("manifest.json").read_text())["digest"])
if sys.argv[1] == "fails":
    sys.exit("rate limit exceeded, try again later")
Path("output/answer.json").write_text(json.dumps({"number": "INV-2041", "total": "145.00"}))
number = {"path": "number", "record": "p1-b2", "quote": "INV-2041"}
total = {"path": "total", "record": "p2-b1", "quote": "145.00"}
Path("output/evidence.jsonl").write_text(json.dumps(number) + "\\n" + json.dumps(total))
"""


@dataclass
class Model:
    """A model whose second turn waits until a test lets it answer."""

    asked: list[str] = field(default_factory=list)
    waiting: Event = field(default_factory=Event)
    free: Event = field(default_factory=Event)

    def behave(self, exchange: Exchange) -> None:
        turn = sum(one["role"] == "assistant" for one in exchange.body["messages"])
        self.asked.append(json.dumps(exchange.body, sort_keys=True))
        if turn == 1 and not self.free.is_set():
            self.waiting.set()
            self.free.wait(PATIENCE_S)
        sends(TURNS[turn])(exchange)


@dataclass
class Scene:
    """A cluster, and the model that its workers ask."""

    cluster: LocalCluster
    model: Model
    folder: Path
    begun: int = 0

    def document(self) -> Path:
        """A bill that was not read yet."""
        self.begun += 1
        path = self.folder / f"bill-{self.begun}.pdf"
        path.write_bytes(bills.bill() + b"%" * self.begun)
        return path


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder, model = tmp_path_factory.mktemp("solves"), Model()
    environment = install(folder / "stranger").environment
    with vision_server(model.behave) as server:
        address = {"QUIRE_LLM_URL": server.url, "QUIRE_LLM_MODEL": "sage-1"}
        os.environ.update(address)
        try:
            with clusters.running(environment | address) as cluster:
                yield Scene(cluster, model, folder)
        finally:
            for name in address:
                del os.environ[name]


def solved(scene: Scene, path: Path, disturb: Callable[[], None], **options: object) -> Solution:
    settings = scene.cluster.settings
    runtime, store = open_runtime(
        settings["QUIRE_STORE"],
        settings["QUIRE_FACTS"],
        runtime="restate",
        ingress=settings["QUIRE_INGRESS"],
        admin=settings["QUIRE_ADMIN"],
    )
    with closing(store), closing(runtime):
        request = requested(TASK, store, fields=FIELDS, backoff_s=0.01, **options)
        run = submit_solve(runtime, store, request, [SourceRef.of(path)])
        disturb()
        runtime.result(run, timeout_s=PATIENCE_S)
        return solution(runtime, store, run)


def test_everything_is_killed_while_a_model_is_asked(scene, tmp_path):
    path, model, cluster = scene.document(), scene.model, scene.cluster

    def kill() -> None:
        wait_until(model.waiting.is_set, "the model was not asked", PATIENCE_S)
        programs = [cluster.database, cluster.restate, cluster.balancer, *cluster.workers]
        for program in programs:
            program.send(signal.SIGKILL)
        for program in programs:
            program.wait()
            program.start()
        model.free.set()

    made = solved(scene, path, kill, runners=("tools",))
    calls = Counter(model.asked)
    assert len(calls) == len(TURNS)
    assert sum(calls.values()) - len(calls) <= 2, "only the call in flight is repeated"
    assert [one for one, times in calls.items() if times > 1] in ([], [model.asked[1]])
    undisturbed = solve(TASK, path, fields=FIELDS, store=tmp_path / "store", runners=("tools",))
    assert made.workspace == undisturbed.workspace, "on SQLite and on PostgreSQL, before the crash and after it"
    assert made.files == undisturbed.files
    assert made.status == "complete"


def test_a_failover_builds_the_same_workspace_again(scene, tmp_path):
    program, path = tmp_path / "agent.py", scene.document()
    program.write_text(PROGRAM)
    runners = [f"program:{sys.executable} {program} {how}" for how in ("fails", "works")]
    made = solved(scene, path, lambda: None, runners=tuple(runners))
    assert [one.outcome for one in made.attempts] == ["retryable", "retryable", "ok"]
    said = [entry.payload.get("text", "") for one in made.trace.attempts for entry in one.output.timeline]
    assert [one for one in said if one.startswith("digest")] == [f"digest {made.workspace}"] * 3
    assert made.values == {"number": "INV-2041", "total": "145.00"}
