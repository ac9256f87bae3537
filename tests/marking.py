"""Which tests need servers or start processes, and a guard that lets no other test start one.

`servers` and `processes` are the marks of tests that `make quick` leaves out. Fixtures that start something give
their mark to the tests that use them; other tests carry it themselves, or their module does (`pytestmark`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.mark import ParameterSet
from xdist.scheduler import LoadGroupScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

MARKS = ("servers", "processes")

SHARED_SERVERS = {"postgres_server", "s3_server", "azure_server"}
"""Fixtures with a server for many tests. All of these tests run in one process, so that each server is started once."""
PROCESSES = {"tesseract", "libreoffice", "stranger", "program", "suite"}
"""Fixtures with which a test starts processes."""


def on_servers(value: str, *, group: str = "servers") -> ParameterSet:
    """A parameter with which a fixture or a test asks for servers. Tests of one group run in one process."""
    return pytest.param(value, marks=(pytest.mark.servers, pytest.mark.xdist_group(group)))


WITHOUT = re.compile(r"not \(([\w ]+)\)")
"""A selection of tests that have none of some marks."""
MODULE_MARKS = re.compile(r"^pytestmark = (\[[^\]]*\]|.*)", re.MULTILINE)
"""The marks of all tests of a module, or of all modules of a folder, on one line or several."""

STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.system", "os.exec"}
"""Audit events of the interpreter: each tells of a process that is about to be started."""


class RefusedProcess(RuntimeError):
    """A test without a mark has tried to start a process."""


class Guard:
    """Refuses processes in this interpreter while it holds. There is one: an audit hook cannot be removed."""

    def __init__(self) -> None:
        self._refused: list[str] | None = None
        sys.addaudithook(self._look)

    @contextmanager
    def holding(self) -> Iterator[list[str]]:
        """The processes that were refused meanwhile, from any thread."""
        before, self._refused = self._refused, []
        try:
            yield self._refused
        finally:
            self._refused = before

    def _look(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._refused is None or event not in STARTS:
            return
        what = f"{event}{arguments[:2]!r}"
        self._refused.append(what)
        raise RefusedProcess(f"{what}: tests that start processes need the mark `processes`")


GUARD = Guard()


def is_marked(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in MARKS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the marks of its fixtures and of its folder, before any is selected by them."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & SHARED_SERVERS:
            item.add_marker("servers")
            item.add_marker(pytest.mark.xdist_group("servers"))
        if fixtures & PROCESSES:
            item.add_marker("processes")
        for mark in _marks_of_folders(item.module.__package__):  # type: ignore[attr-defined]
            item.add_marker(mark)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules that a selection leaves out by the marks of the whole module are not even imported.

    These are the selections of the Makefile: tests without some marks, and those that have `both_readers`.
    """
    selection = config.option.markexpr
    if not selection or not collection_path.name.startswith("test_"):
        return None
    folders = (folder / "__init__.py" for folder in collection_path.parents if folder.is_relative_to(config.rootpath))
    texts = [path.read_text() for path in (collection_path, *folders) if path.exists()]
    if selection.startswith("both_readers"):
        return None if any("both_readers" in text for text in texts) else True
    if left_out := WITHOUT.fullmatch(selection):
        names = left_out[1].split(" or ")
        marked = "".join(marks for text in texts for marks in MODULE_MARKS.findall(text))
        return True if any(f"pytest.mark.{name}" in marked for name in names) else None
    return None


@cache
def _marks_of_folders(package: str) -> list[pytest.MarkDecorator]:
    """`pytestmark` in the `__init__` of a folder is for all tests in it and below."""
    above = _marks_of_folders(package.rpartition(".")[0]) if "." in package else []
    return [*above, *getattr(sys.modules.get(package), "pytestmark", ())]


@pytest.hookimpl(trylast=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling:
    return ModuleScheduling(config, log)


class ModuleScheduling(LoadGroupScheduling):
    """Tests without a group go to the workers by module: they may share what a fixture of the module has made."""

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return scope.partition("::")[0] if scope == nodeid else scope


REFUSED = pytest.StashKey[list[str]]()
GUARDED = pytest.StashKey[bool]()


def pytest_collection_finish(session: pytest.Session) -> None:
    session.stash[GUARDED] = not any(is_marked(item) for item in session.items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test without a mark starts no process. Beside tests that do, that cannot be told: their pools live on."""
    if not item.session.stash[GUARDED]:
        return (yield)
    with GUARD.holding() as refused:
        item.stash[REFUSED] = refused
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Say what is wrong with a test that was refused a process, whether it failed of it or went on without."""
    try:
        return (yield)
    finally:
        if refused := item.stash.get(REFUSED, None):
            raise RefusedProcess(f"mark this test with `processes`, it starts {refused[0]}")
