"""A function as an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

from quire.engine import Capability, Partial, Picture, Policy, Question, ReadLine, Recognition
from quire.keys import Profile
from quire.pipeline.functions import FunctionProfile
from quire.recognize.codec import decode_recognitions, encode_recognitions
from quire.recognize.normalize import normalize
from quire.types import BBox

Reader: TypeAlias = Callable[[Picture, Question], str | Recognition | Sequence[Recognition]]
"""Reads a picture: its text, or a recognition with boxes, or one for each region of the question."""


@dataclass(frozen=True)
class FunctionEngine:
    """Text without boxes stands in lines over the whole picture."""

    function: Reader
    name: str
    version: str = "1"
    capabilities: frozenset[Capability] = frozenset(("text",))
    policy: Policy = "io"
    timeout_s: float = 60.0
    max_concurrency: int = 1
    languages: frozenset[str] | None = None

    def __call__(self, picture: Picture, question: Question) -> str | Recognition | Sequence[Recognition]:
        return self.function(picture, question)

    @property
    def profile(self) -> Profile:
        return FunctionProfile(self.name, self.version)

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        said = self.function(picture, question)
        if isinstance(said, str):
            said = Recognition(self.name, _lines(said))
        return encode_recognitions([said] if isinstance(said, Recognition) else list(said))

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        return normalize(decode_recognitions(answer, engine=self.name), question, engine=self.name)


@overload
def recognizer(function: Reader, /) -> FunctionEngine: ...


@overload
def recognizer(
    *,
    name: str = "",
    version: str = "1",
    capabilities: Iterable[Capability] = ("text",),
    policy: Policy = "io",
    timeout_s: float = 60.0,
    max_concurrency: int = 1,
) -> Callable[[Reader], FunctionEngine]: ...


def recognizer(
    function: Reader | None = None,
    /,
    *,
    name: str = "",
    version: str = "1",
    capabilities: Iterable[Capability] = ("text",),
    policy: Policy = "io",
    timeout_s: float = 60.0,
    max_concurrency: int = 1,
) -> FunctionEngine | Callable[[Reader], FunctionEngine]:
    """A function from a picture and a question to what it says, as an engine. It runs in a thread."""

    def made(given: Reader) -> FunctionEngine:
        called = name or getattr(given, "__name__", "function")
        return FunctionEngine(given, called, version, frozenset(capabilities), policy, timeout_s, max_concurrency)

    return made if function is None else made(function)


def _lines(text: str) -> tuple[ReadLine, ...]:
    said = [line for line in text.splitlines() if line.strip()]
    height = 1 / max(1, len(said))
    return tuple(ReadLine(line, BBox(0.0, at * height, 1.0, height)) for at, line in enumerate(said))
