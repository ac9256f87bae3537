"""Fixtures shared by all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

import pytest
from hypothesis import settings

from quire.core.errors import ConfigurationError
from quire.pages.recognize.tesseract import program
from tests.servers import azurite, postgres, s3

# The same examples on every machine, without a time limit that a busy one would break.
settings.register_profile("quire", derandomize=True, deadline=None, database=None)
settings.load_profile("quire")

# A shell starts what runs in the background with this signal ignored, and so would every program of the tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# LibreOffice takes seconds for each office file: only the tests of the fixture `libreoffice` print.
os.environ["QUIRE_PRINT"] = "no"

# Each Restate server has 24 partitions otherwise, with which it takes 4.5 % of a core while it waits, and not 2.5 %.
os.environ["RESTATE_DEFAULT_NUM_PARTITIONS"] = "4"

# Models that were fetched on this machine change what is read, and the keys: tests that need some name their folder.
os.environ["QUIRE_MODELS"] = "/dev/null/models"

ROOT = Path(__file__).parent.parent

# Modules and collected tests live until the end: to look through them again and again for garbage is a sixth of the
# time of a collection, and each worker collects all tests.
gc.disable()

pytest_plugins = ["tests.marking", "tests.supervision", "tests.sleeps"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on servers begin first: their groups are the longest, and other work fills the time beside them.

    Those of single units are last: their modules are short, so that no worker is long alone at the end. Modules of a
    folder follow each other, so that what they share, like a browser and a server with documents, is made once.
    """
    folders: dict[Path, int] = {}
    for item in items:
        folders.setdefault(item.path.parent, len(folders))

    def place(item: pytest.Item) -> tuple[bool, bool, int]:
        unit = item.nodeid.startswith("tests/unit/")
        return item.get_closest_marker("servers") is None, unit, folders[item.path.parent]

    items.sort(key=place)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 50)  # as for the command line: collecting takes a twentieth of the time otherwise


@pytest.fixture
def sample_path() -> Path:
    """The document that ships with the project."""
    return ROOT / "examples" / "sample.pdf"


@pytest.fixture
def tesseract() -> None:
    """For tests that need the program: missing, it fails them where it is expected and skips them else."""
    if lacking := _lacking_for_tesseract():
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_TESSERACT") == "1" else pytest.skip
        missing(f"scripts/system_packages.sh installs what Tesseract is tested with: {lacking}")


@cache
def _lacking_for_tesseract() -> str:
    try:
        there = program.find().traineddata
    except ConfigurationError as error:
        return str(error)
    return ", ".join(sorted({"eng", "deu", "frk", "rus"} - set(there)))


@pytest.fixture
def libreoffice(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that print: LibreOffice, missing, fails them where it is expected and skips them else.

    Workers of this process keep the setting that they were started with: such a test calls `convert` itself, or a
    program.
    """
    if shutil.which("soffice") is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_LIBREOFFICE") == "1" else pytest.skip
        missing("scripts/system_packages.sh installs LibreOffice, which is not here")
    monkeypatch.setenv("QUIRE_PRINT", "office")


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """Writes bytes to a new file and gives its path: `saved(documents.simple())`."""

    def save(data: bytes, name: str = "report.pdf") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return save


class Startable(Protocol):
    """A server of the tests."""

    def start(self) -> None: ...

    def stop(self) -> object: ...


S = TypeVar("S", bound=Startable)


@contextmanager
def running(server: S) -> Iterator[S]:
    """The server, ended whatever happens."""
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.PostgresServer]:
    """A running PostgreSQL server; missing, it fails tests where it is expected and skips them else."""
    if postgres.programs() is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_POSTGRESQL") == "1" else pytest.skip
        missing("scripts/system_packages.sh installs PostgreSQL, which is not here")
    with running(postgres.PostgresServer()) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: postgres.PostgresServer) -> str:
    """An empty database of its own for each test."""
    return postgres_server.create()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[s3.S3Server]:
    """A running S3 server."""
    with running(s3.S3Server()) as server:
        yield server


@pytest.fixture
def s3_url(s3_server: s3.S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder in a bucket of its own for each test, and the environment that opens it."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return s3_server.create()


@pytest.fixture(scope="session")
def azure_server() -> Iterator[azurite.AzureServer]:
    """A running Azure storage server; missing, it fails tests where it is expected and skips them else."""
    if azurite.program() is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_AZURITE") == "1" else pytest.skip
        missing("scripts/azurite.sh fetches Azurite, which is not here")
    with running(azurite.AzureServer()) as server:
        yield server


@pytest.fixture
def azure_url(azure_server: azurite.AzureServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder in a container of its own for each test, and the environment that opens it."""
    for name, value in azure_server.environment.items():
        monkeypatch.setenv(name, value)
    return azure_server.create()
