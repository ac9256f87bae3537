"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine, without a time limit that a busy one would break.
settings.register_profile("quire", derandomize=True, deadline=None, database=None)
settings.load_profile("quire")

ROOT = Path(__file__).parent.parent


@pytest.fixture
def sample_path() -> Path:
    """The document that ships with the project."""
    return ROOT / "examples" / "sample.pdf"


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """Writes bytes to a new file and gives its path: `saved(documents.simple())`."""

    def save(data: bytes, name: str = "report.pdf") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return save
