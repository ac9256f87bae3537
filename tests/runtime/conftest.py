"""The runtimes under test. Each is opened once and shared: tests keep apart by their folders and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from quire.core.context import Json, Runtime
from quire.core.events import Event
from quire.runtime.restate.runtime import RestateRuntime
from tests.marking import on_servers
from tests.runtime import workflows
from tests.runtime.opening import Setting
from tests.runtime.programs import Program
from tests.runtime.tracking import PATIENCE_S, Track
from tests.servers import restate


@dataclass
class Bench:
    """A runtime, and the folder in which the steps of this test leave their traces."""

    runtime: Runtime
    track: Track
    replays: bool = False

    def key(self, name: str) -> str:
        """A key of this test's own."""
        return f"{self.track.folder.name}/{name}"

    def argument(self, **more: Json) -> Json:
        return {"folder": str(self.track.folder), **more}

    def submit(self, workflow: str, *, key: str | None = None, **argument: Json) -> str:
        return self.runtime.submit(workflow, self.argument(**argument), key=key)

    def result(self, workflow: str, *, key: str | None = None, **argument: Json) -> Json:
        return self.runtime.result(self.submit(workflow, key=key, **argument), timeout_s=PATIENCE_S)

    def call(self, workflow: str, key: str, **argument: Json) -> Json:
        """A call for the workflow `parent` to make."""
        return {"workflow": workflow, "key": self.key(key), "argument": self.argument(**argument)}

    def send(self, run: str, name: str, value: Json) -> None:
        self.runtime.send(run, name, value)

    def told(self, run: str) -> list[Event]:
        """The events of the workflow itself."""
        return [event for event in self.runtime.events(run) if event.stage == "telling"]


@pytest.fixture
def track(tmp_path: Path) -> Iterator[Track]:
    traces = Track(tmp_path)
    yield traces
    traces.open_all()


RUNTIMES = [
    "inline",
    "inline-replaying",
    "local",
    "local-replaying",
    on_servers("postgresql"),
    on_servers("restate", group="restate"),
    on_servers("restate-replaying", group="restate-replaying"),
]
"""`postgresql` is the local runtime over another database: machines that share it share the work."""


@pytest.fixture(scope="session", params=RUNTIMES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Runtime, bool]]:
    kind, _, replaying = request.param.partition("-")
    place = tmp_path_factory.mktemp("store")
    if kind == "restate":
        with restate.runtime(place, workflows.WORKFLOWS, replays=bool(replaying)) as runtime:
            yield runtime, bool(replaying)
        return
    setting = {"inline": "inline", "local": "local", "postgresql": "local"}[kind]
    facts = request.getfixturevalue("postgres_server").create() if kind == "postgresql" else place / "facts.sqlite3"
    with Setting(setting, str(facts), replays=bool(replaying)).opened() as runtime:
        yield runtime, bool(replaying)


DEAF = """
    test_a_cancelled_run_ends_though_a_step_is_held test_a_cancelled_key_can_be_started_again
    test_cancelling_ends_the_children_too test_what_two_runs_wait_for_is_not_lost_when_one_of_them_is_cancelled
    test_a_cancelled_run_cannot_hide_it
"""
"""Tests that cancel while a step is held. On Restate a workflow that was asked to suspend, as those with forced replay
are, learns of the cancel only when its step has ended."""


@pytest.fixture
def bench(opened: tuple[Runtime, bool], track: Track, request: pytest.FixtureRequest) -> Bench:
    runtime, replays = opened
    if replays and isinstance(runtime, RestateRuntime) and request.node.originalname in DEAF.split():
        pytest.skip("a workflow that leaves at every wait hears of its cancelling after its step")
    return Bench(runtime, track, replays)


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def store(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Setting:
    """A database of this test's own, for several processes."""
    if request.param == "postgresql":
        return Setting("local", request.getfixturevalue("postgres_url"))
    return Setting("local", str(tmp_path_factory.mktemp("store") / "facts.sqlite3"))


@pytest.fixture
def program(store: Setting) -> Iterator[Callable[..., Program]]:
    """Starts programs on the store of the test; all of them end with it."""
    started: list[Program] = []

    def start(setting: Setting | None = None, **changes: Json) -> Program:
        started.append(Program(replace(setting or store, **changes)))
        return started[-1]

    yield start
    for one in started:
        one.end()
