"""Batches on the command line, in the process of the test."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner, Result

from quire.cli.app import app

BROKEN = b"%PDF-1.7 broken"


@dataclass
class Desk:
    """A folder with documents in `in`; commands run beside it."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def quire(self, *arguments: object, code: int = 0) -> Result:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, f"{result.stdout}\n{result.stderr}"
        return result

    def run(self, *arguments: object, code: int = 0) -> Result:
        return self.quire("run", "in", "-o", "out", *arguments, code=code)

    def json(self, *arguments: object, code: int = 0):
        return json.loads(self.quire(*arguments, "--json", code=code).stdout)

    def add(self, name: str, data: bytes) -> Path:
        path = self.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    @property
    def written(self) -> list[str]:
        """The files in the output folder, the store aside."""
        paths = (path.relative_to(self.out) for path in self.out.rglob("*") if path.is_file())
        return sorted(str(path) for path in paths if path.parts[0] != ".quire")
