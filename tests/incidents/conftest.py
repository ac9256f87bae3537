"""What the tests of incidents share: a stranger's engine that is installed, and a pool of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import quire
from quire.pool import Pool
from quire.recognizing import recognizer
from tests import scans
from tests.fakes.engines import NumberEngine, calls, held

ROOT = Path(__file__).parents[2]


@dataclass
class Stranger:
    """An engine of another package, found by the name `stranger` in programs started with `environment`."""

    folder: Path
    environment: dict[str, str]

    @property
    def log(self) -> Path:
        return self.folder / "calls"

    @property
    def calls(self) -> list[str]:
        return calls(self.log)

    @property
    def held(self) -> list[int]:
        return held(self.log)

    @property
    def hangs(self) -> bool:
        return self.log.exists() and "hangs\n" in self.log.read_text()

    def mend(self) -> None:
        (self.folder / "mended").touch()

    def program(self, *arguments: str | Path, **options) -> subprocess.Popen[str]:
        command = [sys.executable, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=self.environment, cwd=self.folder, **pipes, **options)

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        with self.program(*arguments) as process:
            said, wrong = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, said, wrong)


@pytest.fixture
def stranger(tmp_path):
    """Installs the engine: `stranger("hang", 20)` misbehaves on sheet 20."""

    def install(how: str, *on: int) -> Stranger:
        folder = tmp_path / "stranger"
        packages = folder / "packages"
        information = packages / "stranger-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text("[quire.engines]\nstranger = tests.fakes.engines:plugin\n")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (packages, ROOT))),
            "FAKE_ENGINE": f"{how} {','.join(map(str, on or (0,)))} {folder}",
            "OMP_NUM_THREADS": "1",
        }
        return Stranger(folder, environment)

    return install


@pytest.fixture
def pool(monkeypatch):
    """A pool for this test alone, small, with workers that are warm already."""
    with Pool(2, memory_limit=500 << 20) as own:
        monkeypatch.setattr(recognizer, "shared_pool", lambda workers: own)
        quire.read(scans.numbered_scans(4), engines=NumberEngine("warm"))
        yield own
