"""The program in which all ways run, and what each of them gives for each case: read once, looked at by many tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.reading.cases import CASES, Case
from tests.reading.engines import LOG, install
from tests.reading.program import Program, Reading
from tests.servers import restate

WAYS = ("read-isolated", "stream", "document-run", "batch", "restate", "pipeline")
"""Those that are compared with `read`."""

USED = b"\n% to be read twice\n"
"""Makes another document of one: to a Restate server, the same one on two stores would be one piece of work."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them run in one process: every case is read once there, by one program and one server of Restate."""
    for item in items:
        if "suite" in item.fixturenames:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.xdist_group("reading"))


class Suite:
    """Asks the program, and remembers what came of it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._known = folder, dict[tuple[str, str], Reading]()
        self.environment = install(folder / "engines")
        self.log = folder / "engines" / LOG
        self._stack = ExitStack()
        self._program: Program | None = None
        self._restate: tuple[str, ...] = ()

    def read(self, way: str, name: str) -> Reading:
        if (way, name) not in self._known:
            self._known[way, name] = self._read(way, name, self._folder / "stores" / way / name)
        return self._known[way, name]

    def read_after(self, first: str, way: str, name: str) -> Reading:
        """What a way gives on a store into which another one has read the same before."""
        store = self._folder / "used" / way / name
        self._read(first, name, store, ending=USED)
        return self._read(way, name, store, ending=USED)

    def program(self) -> Program:
        program = Program(self.environment)
        self._stack.callback(program.close)
        return program

    def close(self) -> None:
        self._stack.close()

    def _read(self, way: str, name: str, store: Path, *, ending: bytes = b"") -> Reading:
        if self._program is None or not self._program.alive:
            self._program = self.program()
        path = self._folder / (f"{name}-again.pdf" if ending else f"{name}.pdf")
        if not path.exists():
            path.write_bytes(CASES[name].data() + ending)
            if CASES[name].beside:
                path.with_name(f"{path.name}.quire.toml").write_text(CASES[name].beside)
        before = len(self._asked())
        self._program.ask(way, name, path, store, *self._server(way))
        told = self._program.answer()
        return Reading(told, tuple(self._asked()[before:]))

    def _server(self, way: str) -> tuple[str, ...]:
        if way == "restate" and not self._restate:
            server = self._stack.enter_context(restate.running(self._folder / "restate")).server
            self._restate = server.ingress, server.admin
        return self._restate if way == "restate" else ()

    def _asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Suite]:
    opened = Suite(tmp_path_factory.mktemp("reading"))
    yield opened
    opened.close()


@pytest.fixture(scope="session", params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session", params=CASES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def case(name: str) -> Case:
    return CASES[name]


@pytest.fixture
def calm(suite: Suite, name: str) -> Reading:
    """What `read` gives with a store."""
    return suite.read("read", name)


@pytest.fixture
def told(suite: Suite, way: str, name: str) -> Reading:
    return suite.read(way, name)


@pytest.fixture
def program(suite: Suite) -> Callable[[], Program]:
    """Starts another program; all of them end with the suite."""
    return suite.program
