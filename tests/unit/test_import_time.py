"""`import quire` and the start of the command line stay light: what is heavy comes when it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import quire
from tests import documents

pytestmark = pytest.mark.processes

HEAVY = {
    "numpy",
    "PIL",
    "pypdfium2",
    "pypdfium2_raw",
    "quire_native",
    "rich",
    "sqlite3",
    "asyncio",
    "xlsxwriter",
    "logging",
    "pandas",
    "polars",
}


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return {name.split(".")[0] for name in run.stdout.split()} | set(run.stdout.split())


def test_import_quire_loads_next_to_nothing():
    loaded = modules_after("import quire")
    assert not loaded & (HEAVY | {"typer", "json", "hashlib", "tempfile"})
    assert {name for name in loaded if name.startswith("quire.")} == set()


def test_read_loads_no_database_and_no_event_loop():
    assert not modules_after("from quire import read") & (HEAVY - {"logging"})


def test_the_command_line_starts_without_rich():
    assert not modules_after("import quire.cli.app") & (HEAVY - {"logging"})


NOT_FOR_READING = {
    "quire.core.engine",
    "quire.pages.layout.page",
    "quire.pages.layout.tables",
    "quire.pages.prepare",
    "quire.pages.recognize.recognised_text",
    "quire.pages.recognize.structured",
    "quire.pages.render",
    "quire.pipelines.roles",
    "ctypes",
    "statistics",
    "tomllib",
}
"""What the program does not need that has its pages parsed by a worker, when no page needs an engine."""


def test_reading_a_document_loads_neither_parser_nor_engines_nor_other_commands(tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(documents.simple())
    loaded = modules_after(f"""import quire.cli
sys.argv = ["quire", "read", {str(path)!r}, "-o", {str(tmp_path / "out")!r}]
try:
    quire.cli.main()
except SystemExit as ended:
    assert ended.code == 0""")
    assert (tmp_path / "out" / "report.md").exists()
    assert not loaded & (NOT_FOR_READING | (HEAVY - {"logging"}))
    assert not {f"quire.cli.{name}" for name in ("inspect", "run", "status", "store", "flow")} & loaded


def test_a_worker_is_started_before_the_command_line_is_imported():
    loaded = modules_after("import quire.cli, quire.system.workers.early")
    assert not loaded & {"typer", "dataclasses", "inspect", "pathlib", "concurrent.futures", "quire.system.budget"}


def test_a_worker_loads_neither_engines_nor_what_only_tables_need():
    loaded = modules_after(
        "import quire.system.workers.worker, quire.reading.page_jobs, quire.pages.layout.page, quire.pages.render.pdf"
    )
    unneeded = NOT_FOR_READING - {
        "quire.pages.layout.page",
        "quire.pages.layout.tables",
        "quire.pages.render",
        "ctypes",
    }
    assert not loaded & (
        unneeded | {"socket", "tempfile", "quire.pages.layout.tables.unruled", "quire.pages.layout.tables.ruled"}
    )


def test_every_public_name_is_there():
    for name in quire.__all__:
        assert getattr(quire, name) is not None
        assert name in dir(quire)


def test_what_is_not_public_is_not_there():
    with pytest.raises(AttributeError, match="'quire' has no attribute 'raed'"):
        quire.raed  # noqa: B018 - the access is what is tested
