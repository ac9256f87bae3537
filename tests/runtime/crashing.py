"""Durable work that is killed at every point where something becomes durable, one point after the other: reads, and
solves (`tests.runtime.solving`).

A crash is `kill -9` of the process at the n-th boundary: before or after a transaction of the database, before or
after an object is written. `survey` enumerates n = 1, 2, 3, … until a read passes without dying; each time the same
run is finished by another process. Benchmarks use it with more pages.

The programs are started once. One forks for every crash, so that what dies has loaded everything already; the other
one finishes what was left. Worker programs of their own would take most of the time, so jobs run in threads unless
`programs` is asked for.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path
from threading import Lock, current_thread

from quire.core.context import Json
from quire.database.sqlite import SqliteDatabase
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.runtime.local import LocalRuntime
from quire.store.artifacts import ArtifactStore
from quire.store.local import LocalObjects
from tests.fakes.pools import work_here
from tests.fakes.strangers import ROOT, Stranger, install

WORKERS = 2
LEASE_S = 1.2
"""Short, so that what a dead process had is taken over soon, and longer than a living one waits for a busy core."""
PATIENCE_S = 120.0

NEEDED = (
    "cv2",
    "quire.pipelines.detect",
    "quire.output.export._json",
    "quire.pages.prepare.preparation",
    "quire.pages.render.pdf",
)
"""What a read loads as late as it can."""

Boundary = Callable[[str], None]


# In the programs.


class CrashAt:
    """Ends this process at the n-th boundary. The heartbeat of the lease is no boundary: it comes with the clock."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self._passed = count(1)
        self._lock = Lock()

    def __call__(self, name: str) -> None:
        if self._at is None or current_thread().name == "quire-lease":
            return
        with self._lock:
            if next(self._passed) == self._at:
                os.kill(os.getpid(), signal.SIGKILL)


class WatchedObjects(LocalObjects):
    """Objects in a folder, with a boundary before and after each that is written."""

    def __init__(self, folder: Path, boundary: Boundary) -> None:
        super().__init__(folder)
        self._boundary = boundary

    def write(self, name: str, data: bytes) -> None:
        self._boundary("before")
        super().write(name, data)
        self._boundary("after")

    def write_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        for name, data in objects:
            self.write(name, data)


@contextmanager
def opened(folder: Path, boundary: Boundary) -> Iterator[tuple[LocalRuntime, ArtifactStore]]:
    """A store and the runtime on it, as a process has them."""
    folder.mkdir(parents=True, exist_ok=True)
    objects = WatchedObjects(folder, boundary)
    database = SqliteDatabase(folder / "facts.sqlite3", boundary=boundary)
    with closing(ArtifactStore(objects, database, lease_s=LEASE_S)) as store:
        workflows = workflows_on(store, workers=WORKERS)
        with LocalRuntime(database, workflows, pools=pools_for(WORKERS), lease_s=LEASE_S) as runtime:
            yield runtime, store


def read(document: Path, folder: Path, *, boundary: Boundary) -> Json:
    """Read a document durably, under its key: the output, and what the run says of takeovers and attempts."""
    request = ReadRequest(SourceRef.of(document), engines=("stranger",))
    with opened(folder, boundary) as (runtime, store):
        run = runtime.submit("document", request.to_json(), key=request.key())
        reference = runtime.result(run, timeout_s=PATIENCE_S)
        events = list(runtime.events(run))
        return {
            "output": load_result(store, reference).to_json(),
            "status": reference["status"],
            "takeovers": [event.page for event in events if event.payload.get("takeover")],
            "attempts": [event.page for event in events if event.kind == "attempt"],
        }


Durable = Callable[..., Json]
"""Does durable work with a document in a folder, with its boundaries; returns what came out of it."""


def answer_requests() -> None:
    """The program: a request in a line, its answer in a line. With `at` it forks, and the child is what crashes."""
    programs = sys.argv[1] == "programs"
    module, _, function = sys.argv[2].partition(":")
    durable: Durable = getattr(import_module(module), function)
    for name in NEEDED:
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        document, folder, at = Path(request["document"]), Path(request["store"]), request["at"]
        if at is None:
            if not programs:
                work_here(WORKERS)
            told = durable(document, folder, boundary=CrashAt(None))
        else:
            told = {"died": _died(durable, document, folder, at, programs)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _died(durable: Durable, document: Path, folder: Path, at: int, programs: bool) -> bool:
    """Whether a child that works with the document came to the boundary and died there."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if not programs:
                work_here(WORKERS)
            durable(document, folder, boundary=CrashAt(at))
            code = 0
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise RuntimeError(f"the read ended with {status} instead of dying at boundary {at}")
    return status != 0


# In the test.


@dataclass(frozen=True)
class Survived:
    """One crash and what came after it."""

    at: int
    output: str
    status: str
    calls: Counter[str]
    """How often the engine was asked about each sheet, over all processes."""
    recorded: int
    """How many answers were recorded when the process died."""
    calls_before: Counter[str]
    """What the process that died had asked."""
    takeovers: int

    @property
    def repeated(self) -> int:
        return sum(self.calls.values()) - len(self.calls)


class Lane:
    """Two programs and the engine that they share: one crashes, the other finishes.

    `durable` names the work that they do, `module:function`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        programs: bool = False,
        durable: str = "tests.runtime.crashing:read",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._jobs, self._durable = "programs" if programs else "threads", durable
        self.stranger: Stranger = install(folder)
        self.stranger.environment |= environment or {}
        self._folder = folder
        self._crashing, self._finishing = self._program(), self._program()

    def undisturbed(self, document: Path) -> Json:
        return self._ask(self._finishing, document, self._folder / "undisturbed", None)

    def crash(self, document: Path, at: int) -> Survived | None:
        """Die at the boundary and finish; None when the read was over before."""
        store = self._folder / f"store-{at}"
        before = len(self.stranger.calls)
        if not self._ask(self._crashing, document, store, at)["died"]:
            return None
        asked = Counter(self.stranger.calls[before:])
        recorded = recorded_answers(store)
        told = self._ask(self._finishing, document, store, None)
        calls = Counter(self.stranger.calls[before:])
        return Survived(at, told["output"], told["status"], calls, recorded, asked, len(told["takeovers"]))

    def close(self) -> None:
        for program in (self._crashing, self._finishing):
            assert program.stdin is not None and program.stdout is not None
            program.stdin.close()
            program.wait(PATIENCE_S)
            program.stdout.close()

    def _program(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.runtime.crashing", self._jobs, self._durable]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=self.stranger.environment, cwd=ROOT, **pipes)

    def _ask(self, program: subprocess.Popen[str], document: Path, store: Path, at: int | None) -> Json:
        assert program.stdin is not None and program.stdout is not None
        program.stdin.write(json.dumps({"document": str(document), "store": str(store), "at": at}) + "\n")
        program.stdin.flush()
        line = program.stdout.readline()
        assert line, f"the program ended at boundary {at}"
        return json.loads(line)


def recorded_answers(store: Path) -> int:
    """Answers of engines that a store has, as the next process will find them."""
    path = store / "facts.sqlite3"
    if not path.exists():
        return 0
    with closing(SqliteDatabase(path)) as database:
        return len(database.rows("SELECT key FROM facts WHERE stage = 'answer'"))


@dataclass(frozen=True)
class Survey:
    """Every crash point of a read, and the read as it is without crashes."""

    undisturbed: str
    crashes: Sequence[Survived]
    passed: int = 0
    """The first point that a read did not come to. Reads differ a little in how many they have."""


def survey(document: Path, folder: Path, *, lanes: int = 2, step: int = 1, programs: bool = False) -> Survey:
    """Crash at every boundary, or at every `step`-th one, until the read passes; several lanes at a time."""
    opened_lanes = [Lane(folder / f"lane-{number}", programs=programs) for number in range(lanes)]
    return survey_of(opened_lanes, document, step=step)


def survey_of(opened_lanes: Sequence[Lane], document: Path, *, step: int = 1) -> Survey:
    """As `survey`, with lanes of one's own, which are closed at the end."""
    points, lock = count(1, step), Lock()
    crashes: list[Survived] = []
    passed: list[int] = []

    def drive(lane: Lane) -> None:
        while not passed:
            with lock:
                at = next(points)
            survived = lane.crash(document, at)
            with lock:
                if survived is None:
                    passed.append(at)
                else:
                    crashes.append(survived)

    try:
        undisturbed = opened_lanes[0].undisturbed(document)["output"]
        with ThreadPoolExecutor(len(opened_lanes)) as threads:
            for done in [threads.submit(drive, lane) for lane in opened_lanes]:
                done.result()
    finally:
        for lane in opened_lanes:
            lane.close()
    return Survey(undisturbed, sorted(crashes, key=lambda crash: crash.at), min(passed))


if __name__ == "__main__":
    answer_requests()
