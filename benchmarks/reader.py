"""A program that reads scanned documents when asked, with its own pool of workers: `python -m benchmarks.reader`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import quire
from benchmarks import clock, family
from benchmarks.clock import Sample
from benchmarks.conversation import Answer, Program, serve
from benchmarks.report import LeftOut


@dataclass(frozen=True)
class Reading:
    """What came of a document: `complete`, `partial`, or the name of an error; and, when asked for, what was read."""

    status: str
    sample: Sample
    tree: Mapping[str, object] = field(default_factory=dict)
    markdown: str = ""


class Reader(Program):
    """Such a program. Models stay loaded from one question to the next."""

    def __init__(self, workers: int, profile: str = "balanced") -> None:
        super().__init__([sys.executable, "-m", "benchmarks.reader"])
        self._settings = {"workers": workers, "effort": profile}

    def read(self, path: Path, *, pages: str | None = None, lang: str = "en", export: bool = False) -> Reading:
        """Read some pages, or all. The times are those of the program, its workers and all they run."""
        request = {"path": str(path), "pages": pages, "lang": lang, "export": export}
        answer = self.ask(self._settings | request)
        if not answer:
            raise LeftOut(f"the program that reads {path.name} ended")
        return Reading(**answer | {"sample": Sample(**answer["sample"])})

    def time(self, path: Path, pages: str) -> Sample:
        """The times of reading some pages, all of which must be read."""
        reading = self.read(path, pages=pages)
        if reading.status != "complete":
            raise LeftOut(f"{path.name} was not read completely ({reading.status}): its time would not count")
        return reading.sample


def _answer(request: Answer) -> Mapping[str, object]:
    export, lang = request.pop("export"), request.pop("lang")
    languages = () if lang == "en" else lang
    found, sample = clock.timed(partial(_read, **request, lang=languages), cpu=family.cpu_seconds)
    told: dict[str, object] = {"sample": vars(sample)}
    if isinstance(found, quire.QuireError):
        return told | {"status": type(found).__name__}
    told["status"] = found.status
    if export:
        told |= {"tree": json.loads(found.to_json(words=True)), "markdown": found.to_markdown()}
    return told


def _read(path: str, **options) -> quire.DocumentResult | quire.QuireError:
    try:
        return quire.read(path, **options)
    except quire.QuireError as error:
        return error


if __name__ == "__main__":
    serve(_answer)
