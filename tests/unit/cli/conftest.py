"""What the tests of batches share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import documents
from tests.unit.cli.batches import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Two documents, one in a folder below."""
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path)
    desk.add("a.pdf", documents.simple(2))
    desk.add("sub/b.pdf", documents.simple(1))
    return desk
