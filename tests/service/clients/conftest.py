"""The servers, the documents and the environments of the clients."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests import documents, office_files
from tests.conftest import ROOT, running
from tests.servers import s3
from tests.servers.quire_server import QuireServer
from tests.service.clients.calling import PROGRAMS, ClientProgram

KEY = "key of the tests"
MARKDOWN = "# Harbour\n\nBoats come and go.\n\n## Cargo\n\n| goods | tons |\n| --- | --- |\n| salt | 12 |\n"


@cache
def fetched(script: str) -> Path | None:
    """What a script has set up; None where that is not possible."""
    command = [ROOT / "scripts" / f"{script}.sh"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


def needed(script: str) -> Path:
    """Fails the test where the clients are expected, and skips it else."""
    folder = fetched(script)
    if folder is None:
        missing = pytest.fail if os.environ.get(f"QUIRE_EXPECT_{script.upper()}") == "1" else pytest.skip
        missing(f"scripts/{script}.sh fetches clients, which are not here")
    return folder


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuireServer]:
    """A server without a key that may fetch documents from this machine."""
    settings = {"QUIRE_SERVE_ALLOWED_PRIVATE_IPS": "127.0.0.1/32", "QUIRE_SERVE_EMBEDDER": "none"}
    with running(QuireServer(tmp_path_factory.mktemp("server"), environment=settings)) as started:
        yield started


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuireServer]:
    """A server with a key that separates tenants."""
    settings = {
        "DOCLING_SERVE_API_KEY": KEY,
        "QUIRE_SERVE_TENANTS": "true",
        "QUIRE_SERVE_ALLOWED_PRIVATE_IPS": "127.0.0.1/32",
    }
    with running(QuireServer(tmp_path_factory.mktemp("guarded"), environment=settings)) as started:
        yield started


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents of several formats."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "report.pdf").write_bytes(documents.simple(2))
    (folder / "figure.pdf").write_bytes(documents.figure_with_caption())
    (folder / "harbour.md").write_text(MARKDOWN)
    (folder / "letter.docx").write_bytes(office_files.docx())
    return folder


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is no PDF, whatever its name."""
    path = tmp_path_factory.mktemp("broken") / "broken.pdf"
    path.write_bytes(b"%PDF-1.7 and nothing else")
    return path


@pytest.fixture(scope="session")
def site(files: Path) -> Iterator[str]:
    """The documents by URL."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(files))) as httpd:
        Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


@pytest.fixture(scope="session")
def bucket() -> Iterator[s3.S3Server]:
    """An S3 server of their own: those that share the other one run in another process."""
    with running(s3.S3Server()) as started:
        yield started


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """The environment of clients: no settings of theirs, no Hugging Face, no telemetry."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCLING", "PYTHON", "QUIRE"))}
    return {**kept, "HF_HUB_OFFLINE": "1", "HAYSTACK_TELEMETRY_ENABLED": "false", "PYTHONWARNINGS": "ignore"}


@pytest.fixture(scope="session")
def client(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., ClientProgram]]:
    """Starts a program in the environment of its client: `client("docling", "with_docling")`."""
    started: dict[str, ClientProgram] = {}
    with ExitStack() as ending:

        def start(part: str, program: str, **settings: str) -> ClientProgram:
            if program not in started:
                python = needed("clients") / part / "bin" / "python"
                folder = tmp_path_factory.mktemp(program)
                command = [python, PROGRAMS / f"{program}.py"]
                started[program] = ClientProgram(command, folder, {**environment, **settings})
                ending.callback(started[program].stop)
            return started[program]

        yield start
