"""A scanned document on a cluster, while one part of it after the other is killed in the middle."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from quire.cli.devcluster.cluster import LocalCluster
from quire.cli.devcluster.program import ServerProgram
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.runtimes import open_runtime
from tests import scans
from tests.fakes.strangers import Stranger, install
from tests.runtime.tracking import wait_until
from tests.servers import cluster as clusters

pytestmark = pytest.mark.servers

PAGES = 6
HELD = 4
"""The page whose engine waits until the test lets it go on."""
AT_A_TIME = 1
"""Pages that the engine of one worker reads at a time: those that can be under way in it when it is killed."""
PATIENCE_S = 60.0


@dataclass
class Scene:
    """A cluster, the engine in its workers, and documents of their own for each test."""

    cluster: LocalCluster
    stranger: Stranger
    folder: Path
    begun: int = 0

    def document(self) -> Path:
        """A scan that nobody has read yet."""
        first = 10 * self.begun + 1
        self.begun += 1
        path = self.folder / f"{first}.pdf"
        path.write_bytes(scans.scanned(*(scans.numbered_sheet(number) for number in range(first, first + PAGES))))
        return path

    def questions(self, path: Path) -> list[str]:
        """What the engine is asked about a document."""
        return [f"stranger {number}" for number in range(int(path.stem), int(path.stem) + PAGES)]

    def undisturbed(self, path: Path) -> str:
        """What a read on this machine gives, without any cluster, by an engine that does not wait."""
        told = self.stranger.run("-m", "quire", "read", path, "--engine", "stranger", "--to", "json", "-o", path.parent)
        assert told.returncode == 0, told.stderr
        return path.with_suffix(".json").read_text()

    def prepare(self) -> None:
        """Everything runs, and the engine waits again."""
        while ended := next((program for program in self.cluster.programs if not program.running), None):
            ended.start()
        (self.stranger.folder / "mended").unlink(missing_ok=True)

    @property
    def holder(self) -> ServerProgram:
        """The worker in which the engine waits."""
        return clusters.worker_of(self.cluster, self.stranger.held[-1])


@dataclass
class Read:
    """What a disturbed read gave, how often the engine was asked about each sheet, and what was taken over."""

    output: str
    calls: Counter[str]
    takeovers: list[int | None]


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("kills")
    held = [10 * number + HELD for number in range(10)]
    stranger = install(folder / "stranger", "wait", *held)
    with clusters.running(stranger.environment) as cluster:
        yield Scene(cluster, stranger, folder)


@pytest.fixture
def scene(shared_scene: Scene) -> Scene:
    shared_scene.prepare()
    return shared_scene


def read(scene: Scene, path: Path, disturb: Callable[[], None]) -> Read:
    """Read a document; when the held page is under way, disturb, and then let it go on."""
    settings, stranger = scene.cluster.settings, scene.stranger
    runtime, store = open_runtime(
        settings["QUIRE_STORE"],
        settings["QUIRE_FACTS"],
        runtime="restate",
        ingress=settings["QUIRE_INGRESS"],
        admin=settings["QUIRE_ADMIN"],
    )
    waited = stranger.waiting
    with closing(store), closing(runtime):
        request = ReadRequest(SourceRef.of(path), engines=("stranger",))
        run = runtime.submit("document", request.to_json(), key=path.stem)
        wait_until(lambda: stranger.waiting > waited, "the engine was not asked", PATIENCE_S)
        disturb()
        stranger.mend()
        reference = runtime.result(run, timeout_s=PATIENCE_S)
        assert runtime.status(run).state == "finished"
        takeovers = [event.page for event in runtime.events(run) if event.payload.get("takeover")]
        return Read(load_result(store, reference).to_json(), Counter(stranger.calls), takeovers)


def check(scene: Scene, path: Path, told: Read, *, again: int) -> None:
    """Every sheet was asked about, at most so many of them once more, none a third time; and the output is right."""
    calls = [told.calls[question] for question in scene.questions(path)]
    assert min(calls) == 1
    assert max(calls) <= 2
    assert sum(calls) - PAGES <= again
    assert told.output == scene.undisturbed(path)


def test_a_worker_is_killed_in_the_middle(scene):
    path = scene.document()

    def kill() -> None:
        holder = scene.holder
        holder.kill()
        holder.start()

    told = read(scene, path, kill)
    check(scene, path, told, again=AT_A_TIME)
    assert told.calls[scene.questions(path)[HELD - 1]] == 2, "what was under way is asked again"
    assert told.takeovers == [HELD], "and counted"


def test_the_server_is_killed_in_the_middle(scene):
    path = scene.document()

    def kill() -> None:
        scene.cluster.restate.kill()
        scene.cluster.restate.start()

    check(scene, path, read(scene, path, kill), again=0)


def test_the_database_is_killed_in_the_middle(scene):
    path = scene.document()

    def kill() -> None:
        scene.cluster.database.kill()
        scene.cluster.database.start()

    check(scene, path, read(scene, path, kill), again=AT_A_TIME)


def test_the_database_is_away_when_the_engine_answers(scene):
    path = scene.document()

    def kill() -> None:
        scene.cluster.database.kill()
        scene.stranger.mend()  # it answers within milliseconds, and whoever wants to save that waits
        scene.cluster.database.start()

    check(scene, path, read(scene, path, kill), again=2 * AT_A_TIME)


def test_the_balancer_is_killed_in_the_middle(scene):
    path = scene.document()

    def kill() -> None:
        scene.cluster.balancer.kill()
        scene.cluster.balancer.start()

    check(scene, path, read(scene, path, kill), again=0)


def test_everything_is_killed_in_the_middle(scene):
    path = scene.document()

    def kill() -> None:
        cluster = scene.cluster
        programs = [cluster.database, cluster.restate, cluster.balancer, *cluster.workers]
        for program in programs:
            program.send(signal.SIGKILL)
        for program in programs:
            program.wait()
            program.start()

    check(scene, path, read(scene, path, kill), again=2 * AT_A_TIME)


def test_a_worker_that_is_told_to_end_finishes_its_page_first(scene):
    path = scene.document()
    leaving: list[ServerProgram] = []

    def leave() -> None:
        leaving.append(scene.holder)
        leaving[0].send(signal.SIGTERM)

    check(scene, path, read(scene, path, leave), again=0)
    assert leaving[0].wait() == 0
