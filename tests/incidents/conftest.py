"""What the tests of incidents share: a stranger's engine that is installed, and a pool of their own."""

from __future__ import annotations

from functools import partial

import pytest

import quire
from quire.reading import recognizer
from quire.system.workers import WorkerPool
from tests import scans
from tests.fakes.engines import NumberEngine
from tests.fakes.strangers import install


@pytest.fixture
def stranger(tmp_path):
    """Installs the engine: `stranger("hang", 20)` misbehaves on sheet 20."""
    return partial(install, tmp_path / "stranger")


@pytest.fixture
def pool(monkeypatch):
    """A pool for this test alone, small, with workers that are warm already."""
    with WorkerPool(2, memory_limit=500 << 20) as own:
        monkeypatch.setattr(recognizer, "shared_pool", lambda workers: own)
        quire.read(scans.numbered_scans(4), engines=NumberEngine("warm"))
        yield own
