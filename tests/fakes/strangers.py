"""An engine of another package, installed for programs that tests start. It notes what it is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.engines import calls, held

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

    @property
    def waiting(self) -> int:
        """How often it began to wait for being mended."""
        return self.log.read_text().splitlines().count("waits") if self.log.exists() else 0

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


def install(folder: Path, how: str = "raise", *on: int) -> Stranger:
    """Install it in a folder: `install(folder, "hang", 20)` misbehaves on sheet 20, without a number on none."""
    packages = folder / "packages"
    information = packages / "stranger-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[quire.engines]\nstranger = tests.fakes.engines:plugin\n")
    paths = (str(packages), str(ROOT), os.environ.get("PYTHONPATH", ""))
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "FAKE_ENGINE": f"{how} {','.join(map(str, on or (0,)))} {folder}",
        "OMP_NUM_THREADS": "1",
    }
    return Stranger(folder, environment)
