"""A program that reads scanned documents when asked, with its own pool of workers: `python -m benchmarks.reader`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import quire
from benchmarks import clock, family
from benchmarks.clock import Sample
from benchmarks.conversation import Answer, Program, serve
from benchmarks.report import LeftOut


class Reader(Program):
    """Such a program. Models stay loaded from one question to the next."""

    def __init__(self, workers: int) -> None:
        super().__init__([sys.executable, "-m", "benchmarks.reader"])
        self.workers = workers

    def read(self, path: Path, pages: str) -> Sample:
        """The times of reading some pages: of the program, its workers and all they run."""
        answer = self.ask({"path": str(path), "pages": pages, "workers": self.workers})
        if answer.get("status") != "complete":
            raise LeftOut(f"{path.name} was not read completely: {answer.get('status', 'the program ended')}")
        return Sample(answer["wall"], answer["cpu"], answer["others"])


def _read(request: Answer) -> Mapping[str, object]:
    pages, workers = request["pages"], request["workers"]
    result, sample = clock.timed(
        lambda: quire.read(request["path"], pages=pages, workers=workers), cpu=family.cpu_seconds
    )
    return {"status": result.status, "wall": sample.wall, "cpu": sample.cpu, "others": sample.others}


if __name__ == "__main__":
    serve(_read)
