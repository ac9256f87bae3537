"""Engines that misbehave in every way, and one that does not. They run in worker programs, so they are light values.

They read the number that `scans.numbered_sheet` shows, by themselves: a page that was mixed up is found out.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from quire.core.engine import Capability, Partial, Policy, Question, ReadBlock, ReadLine, Recognition
from quire.core.errors import EngineError, UsageError
from quire.core.keys import Profile
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.recognize.codec import decode_recognitions, encode_recognitions
from tests.fakes.jobs import HOLD, HOLD_AND_LEAVE, _child, _pids_in_session

NUMBER_BITS = 8
PLACE = BBox(0.1, 0.1, 0.6, 0.06)
"""Where the line stands that the engines give."""


@dataclass(frozen=True)
class FakeProfile(Profile):
    """Everything that tells two fakes apart: workers keep engines by their profile."""

    settings: tuple[str, ...] = ()


def said_of(number: int) -> str:
    """The line that stands for a sheet."""
    return f"Sheet number {number} of the pile"


def number_on(picture: Picture) -> int:
    """The number that a sheet shows: each square is in the upper or in the lower row."""

    def dark(x: float, y: float) -> bool:
        column, row = int(x * picture.width), int(y * picture.height)
        return picture.pixels[(row * picture.width + column) * len(picture.mode)] < 128

    cell = 1 / (NUMBER_BITS + 2)
    return sum(dark(cell * (bit + 1.5), 0.35) << bit for bit in range(NUMBER_BITS))


@dataclass(frozen=True)
class NumberEngine:
    """Reads the number of a sheet. Every question is noted in the file `log`, if there is one."""

    name: str = "numbers"
    log: Path | None = None
    confidence: float | None = 0.99
    version: str = "1"
    capabilities: frozenset[Capability] = frozenset({"text", "line_boxes", "streaming"})
    languages: frozenset[str] | None = None
    policy: Policy = "cpu"
    timeout_s: float = 30.0
    max_concurrency: int = 64

    @property
    def profile(self) -> FakeProfile:
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        sets = {name: sorted(value) for name, value in told.items() if isinstance(value, frozenset)}
        # All of it: a worker of an earlier test keeps its engine for one that says the same of itself.
        return FakeProfile(tuple(f"{name}={value}" for name, value in (told | sets).items()))

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        number = number_on(picture)
        self.note(f"{self.name} {number}")
        if partial is not None:
            partial(f"Sheet number {number}")
        return self.answer(number)

    def answer(self, number: int) -> bytes:
        line = ReadLine(said_of(number), PLACE, self.confidence)
        return encode_recognitions([Recognition(self.name, (line,))])

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        return decode_recognitions(answer, engine=self.name)

    def note(self, line: str) -> None:
        if self.log is not None:
            with self.log.open("a") as file:  # one write to the end: lines of several workers do not mix
                file.write(f"{line}\n")


@dataclass(frozen=True)
class ColumnEngine(NumberEngine):
    """Reads the same column of text on every page: lines with left, top and right edge in thousandths of the page."""

    name: str = "column"
    lines: tuple[tuple[str, int, int, int], ...] = ()
    height: int = 20

    def answer(self, number: int) -> bytes:
        read = [
            ReadLine(text, BBox(left / 1000, top / 1000, (right - left) / 1000, self.height / 1000), self.confidence)
            for text, left, top, right in self.lines
        ]
        return encode_recognitions([Recognition(self.name, tuple(read))])


@dataclass(frozen=True)
class FormulaEngine(NumberEngine):
    """Reads the same formula in every region."""

    name: str = "formulas"
    latex: str = "x^{2}=1"
    capabilities: frozenset[Capability] = frozenset({"formulas", "regions"})
    broken: bool = False

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        self.note(" ".join(region.id for region in question.regions))
        if self.broken:
            raise RuntimeError("the model is damaged")
        return encode_recognitions(
            [
                Recognition(
                    self.name,
                    blocks=(ReadBlock("formula", self.latex, region.bbox, self.confidence),),
                    region=region.id,
                )
                for region in question.regions
            ]
        )


@dataclass(frozen=True)
class AsyncEngine(NumberEngine):
    """The same, written for an event loop."""

    name: str = "async"

    async def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        await asyncio.sleep(0)
        return super().ask(picture, question, partial)

    async def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        await asyncio.sleep(0)
        return super().interpret(answer, question)


@dataclass(frozen=True)
class BadEngine(NumberEngine):
    """Misbehaves on the sheets `on`, or on all of them, until the file `mended` is there; reads the others."""

    name: str = "bad"
    how: str = "raise"
    on: tuple[int, ...] | None = None
    mended: Path | None = None

    def answer(self, number: int) -> bytes:
        if (self.on is not None and number not in self.on) or (self.mended is not None and self.mended.exists()):
            return super().answer(number)
        return self._misbehave(number)

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        if answer == b"interpret":
            raise RuntimeError("the interpreter fell over")
        if answer == b"no list":
            return None  # type: ignore[return-value]
        return super().interpret(answer, question)

    def _misbehave(self, number: int) -> bytes:
        match self.how:
            case "raise":
                raise ValueError("the model is in a bad mood")
            case "raise engine error":
                raise EngineError(self.name, "no such model")
            case "raise usage error":
                raise UsageError("an error of the engine's own library")
            case "leave":
                raise SystemExit(3)
            case "segfault":
                ctypes.string_at(0)
            case "exit":
                os._exit(7)
            case "eat":
                eaten = []
                while True:
                    eaten.append(b"x" * (20 << 20))
            case "hang":
                self._hang()
            case "wait":
                self._wait()
                return super().answer(number)
            case "outside":
                return self._lines(BBox(1.2, 3.0, 0.5, 0.1), BBox(-4.0, 0.1, 0.5, 0.1))
            case "not a number":
                nan = float("nan")
                return self._lines(BBox(nan, nan, nan, nan), BBox(0.1, nan, 0.2, 0.1))
            case "no lines":
                return encode_recognitions([])
            case "empty":
                return b""
            case "half":
                whole = super().answer(number)
                return whole[: len(whole) // 2]
            case "no bytes":
                return None  # type: ignore[return-value]
        return self.how.encode()

    def _lines(self, *boxes: BBox) -> bytes:
        lines = tuple(ReadLine("words that stand nowhere", box, 0.9) for box in boxes)
        return encode_recognitions([Recognition(self.name, lines)])

    def _wait(self) -> None:
        """Until it is mended; says so, and which process waits."""
        self.note(f"holds {os.getpid()}\nwaits")
        while self.mended is not None and not self.mended.exists():
            time.sleep(0.005)

    def _hang(self) -> None:
        """Deaf to SIGTERM, with children that are too: one of them in a session of its own, one without parent."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        children = [_child(HOLD), _child(HOLD, start_new_session=True)]
        orphan = _child(HOLD_AND_LEAVE, start_new_session=True)
        orphan.wait()
        for pid in (os.getpid(), *(child.pid for child in children), *_pids_in_session(orphan.pid)):
            self.note(f"holds {pid}")
        self.note("hangs")
        while True:
            signal.pause()


@dataclass(frozen=True)
class SlowEngine(NumberEngine):
    """Waits for something that does not come, as an engine across the network does, or for a while."""

    name: str = "slow"
    policy: Policy = "io"
    wait_s: float = 600.0

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        self.note("waits")
        time.sleep(self.wait_s)
        return super().ask(picture, question, partial)


def plugin(*, effort: str, languages: tuple[str, ...]) -> BadEngine:
    """The entry point of a stranger's package; its settings come from the environment."""
    settings = os.environ["FAKE_ENGINE"].split()
    how, sheets, folder = settings[0], settings[1], Path(settings[2])
    on = tuple(map(int, sheets.split(",")))
    return BadEngine("stranger", folder / "calls", how=how, on=on, mended=folder / "mended")


def says_its_process(picture: Picture, question: Question) -> list[ReadLine]:
    return [ReadLine(f"Read by process {os.getpid()}.", PLACE, 0.9)]


def calls(log: Path) -> list[str]:
    """The questions that were noted."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line for line in lines if line[-1:].isdecimal() and not line.startswith("holds ")]


def held(log: Path) -> list[int]:
    """The processes that hanging engines held."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [int(line.removeprefix("holds ")) for line in lines if line.startswith("holds ")]
