"""The engines of the suite, installed by name: one that reads, and one for every way to misbehave.

What is misread is sheet 2; the other sheets are read. `READING_FOLDER` holds the log of what they were asked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quire.core.engine import Engine, Partial, Question, ReadLine, Recognition
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.recognize.codec import encode_recognitions
from tests.fakes.engines import PLACE, BadEngine, NumberEngine, number_on, said_of

BAD_SHEET = 2
LOG = "calls"


@dataclass(frozen=True)
class OddEngine(NumberEngine):
    """Reads the sheet, and adds what no engine should say: NUL, a confidence of 42, a box that is no box."""

    def answer(self, number: int) -> bytes:
        below = BBox(PLACE.left, PLACE.top + 0.2, PLACE.width, PLACE.height)
        nan = float("nan")
        lines = (
            ReadLine(said_of(number), PLACE, 42.0),
            ReadLine("A line with a \0 in its middle", below, 0.9),
            ReadLine("words that stand nowhere", BBox(nan, nan, nan, nan), 0.9),
        )
        return encode_recognitions([Recognition(self.name, lines)])


@dataclass(frozen=True)
class WeakEngine(NumberEngine):
    """Is not sure of sheet 2, nor of any that lies upside down or on its side: such a sheet has no number."""

    def answer(self, number: int) -> bytes:
        if number in (1, 3):
            return super().answer(number)
        places = (BBox(0.1, 0.1 + 0.1 * row, 0.6, 0.06) for row in range(6))
        lines = tuple(ReadLine("wonls tlat miqht de rnisread here", place, 0.1) for place in places)
        return encode_recognitions([Recognition(self.name, lines)])


@dataclass(frozen=True)
class SingleEngine(NumberEngine):
    """Takes one question at a time, and notes when each begins and ends."""

    max_concurrency: int = 1

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        number = number_on(picture)
        self.note(f"begin {number}")
        time.sleep(0.05)  # long enough that another question would fall into it
        self.note(f"end {number}")
        return self.answer(number)


def _bad(how: str, *, timeout_s: float = 30.0) -> Callable[[str, Path], Engine]:
    return lambda name, folder: BadEngine(
        name, folder / LOG, how=how, on=(BAD_SHEET,), mended=folder / "never", timeout_s=timeout_s
    )


ENGINES: dict[str, Callable[[str, Path], Engine]] = {
    "reads": lambda name, folder: NumberEngine(name, folder / LOG),
    "raises": _bad("raise"),
    "hangs": _bad("wait", timeout_s=3.0),
    "crashes": _bad("exit"),
    "talks-nonsense": _bad("not a number"),
    "is-odd": lambda name, folder: OddEngine(name, folder / LOG),
    "is-weak": lambda name, folder: WeakEngine(name, folder / LOG),
    "single": lambda name, folder: SingleEngine(name, folder / LOG),
}


@dataclass(frozen=True)
class _Factory:
    """The entry point of one of them."""

    name: str

    def __call__(self, *, effort: str, languages: tuple[str, ...]) -> Engine:
        return ENGINES[self.name](self.name, Path(os.environ["READING_FOLDER"]))


def __getattr__(name: str) -> _Factory:
    """`tests.reading.engines:is_odd` is the entry point of `is-odd`."""
    known = name.replace("_", "-")
    if known not in ENGINES:
        raise AttributeError(name)
    return _Factory(known)


def install(folder: Path) -> dict[str, str]:
    """Install the engines as another package; the environment of programs that find them."""
    information = folder / "packages" / "reading-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: reading\nVersion: 1.0\n")
    points = "".join(f"{name} = tests.reading.engines:{name.replace('-', '_')}\n" for name in ENGINES)
    (information / "entry_points.txt").write_text(f"[quire.engines]\n{points}")
    paths = (str(folder / "packages"), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", ""))
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "READING_FOLDER": str(folder),
        "OMP_NUM_THREADS": "1",
    }
