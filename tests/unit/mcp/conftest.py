"""A store with documents, and the tools over it, for several tenants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from quire.mcp.file_roots import FileRoots
from quire.mcp.running import McpOptions, opened_tools
from quire.mcp.tool_arguments import DocumentsArguments
from quire.mcp.tools import CallContext, DocumentTools
from quire.service.server import ServiceBackend
from quire.service.settings import ServiceSettings
from tests import documents, scans

TENANT = "team north"


def settings_for(**given) -> ServiceSettings:
    return ServiceSettings(**{"port": 0, "workers": 1, "shutdown_s": 1.0, "embedder": "none", **given})


@contextmanager
def tools_of(folder: Path, tenant: str | None = TENANT, *, write: bool = True, **settings) -> Iterator[DocumentTools]:
    """The tools over the store in a folder, and its files in `files`; the event loop is in a thread."""
    files = folder / "files"
    files.mkdir(exist_ok=True)
    place = ServiceBackend(str(folder / "store"))
    options = McpOptions(place, settings_for(**settings), FileRoots([files]), tenant, write)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened_tools(options)) as tools:
        yield tools


def add(tools: DocumentTools, path: str, context: CallContext | None = None) -> str:
    """The id of a document that was added and read."""
    asked = DocumentsArguments(action="add", path=path)
    (line,) = tools.list_or_add(asked, context or CallContext()).answer.documents
    assert (line.state, line.error) == ("finished", None)
    return line.id


@dataclass(frozen=True)
class Shelf:
    """The tools, and the ids of documents by name."""

    folder: Path
    tools: DocumentTools
    ids: dict[str, str]


SCANNED = "When the tide turns the pilots walk down"
LINES = (SCANNED, "Repairs were finished before the storms")
FILES = {
    "ledger.pdf": documents.ruled_table,
    "slip.pdf": lambda: scans.scanned(scans.slip(LINES)),
    "arabic.pdf": lambda: documents.right_to_left(documents.ARABIC),
    "book.pdf": lambda: documents.many_pages(300),
}


@pytest.fixture(scope="session")
def shelf(tmp_path_factory) -> Iterator[Shelf]:
    """A digital file with a table, a scan, a file in Arabic, and one of 300 pages, of a named tenant."""
    folder = tmp_path_factory.mktemp("shelf")
    with tools_of(folder) as tools:
        for name, made in FILES.items():
            (folder / "files" / name).write_bytes(made())
        yield Shelf(folder, tools, {name: add(tools, name) for name in FILES})
