"""Code of Quire that has changed: a copy of the package with other files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import quire
from quire.system import stage_versions
from quire.system.stage_versions import Installation

PACKAGE = Path(quire.__file__).parent


def copy_of_package(folder: Path, *changed: str) -> Path:
    """A copy of the package below a folder; the changed files, by their paths in it, have one more comment."""
    made = shutil.copytree(PACKAGE, folder / "quire", ignore=shutil.ignore_patterns("__pycache__", "web"))
    for path in changed:
        with (made / path).open("a") as file:
            file.write("\n# one more comment\n")
    return made


def change_code(monkeypatch: pytest.MonkeyPatch, folder: Path, *changed: str) -> None:
    """Give the stages of this process the versions that they have when these files have changed."""
    installation = Installation(copy_of_package(folder, *changed))
    monkeypatch.setattr(stage_versions, "_installation", lambda: installation)
