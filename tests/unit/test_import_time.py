"""`import quire` and the start of the command line stay light: what is heavy comes when it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import quire

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


def test_every_public_name_is_there():
    for name in quire.__all__:
        assert getattr(quire, name) is not None
        assert name in dir(quire)


def test_what_is_not_public_is_not_there():
    with pytest.raises(AttributeError, match="'quire' has no attribute 'raed'"):
        quire.raed  # noqa: B018 - the access is what is tested
