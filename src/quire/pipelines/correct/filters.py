"""Filters for OCR output of blank regions and other unwanted parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.keys import Profile


@dataclass(frozen=True, slots=True)
class BlankProfile(Profile):
    placeholders: tuple[str, ...]
    below: float


PLACEHOLDERS = ("blank", "empty", "no text", "none", "n/a", "unreadable", "illegible")


@dataclass(frozen=True, slots=True)
class BlankSuppress:
    """Empties output that means "nothing": placeholders in brackets, and marks without letters of low confidence."""

    profile: BlankProfile
    name: str = "blank_suppress"
    version: str = "1"

    def correct(self, recognition: Recognition) -> Recognition:
        text = recognition.text.strip()
        bare = text.strip("()[]<>{}*_`'\" .").casefold()
        bracketed = bare in self.profile.placeholders and bare != text.casefold()
        unsure = recognition.confidence is not None and recognition.confidence < self.profile.below
        if bracketed or (unsure and not any(letter.isalnum() for letter in text)):
            return replace(recognition, lines=(), blocks=())
        return recognition


def blank_suppress(*, placeholders: Iterable[str] = PLACEHOLDERS, below: float = 0.6) -> BlankSuppress:
    """Empty `[blank]`, `(no text)` and the like, and marks without letters or digits of a confidence `below`."""
    return BlankSuppress(BlankProfile(tuple(word.casefold() for word in placeholders), below))


@dataclass(frozen=True, slots=True)
class NamedProfile(Profile):
    name: str
    version: str


Keep = Callable[[ReadLine | ReadBlock], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """Keeps the lines and blocks for which the predicate is true."""

    predicate: Keep
    name: str
    version: str

    @property
    def profile(self) -> NamedProfile:
        return NamedProfile(self.name, self.version)

    def correct(self, recognition: Recognition) -> Recognition:
        lines = tuple(line for line in recognition.lines if self.predicate(line))
        return replace(recognition, lines=lines, blocks=tuple(b for b in recognition.blocks if self.predicate(b)))


def filter(predicate: Keep, *, name: str = "filter", version: str = "1") -> Filter:
    """Keep lines and blocks: `filter(lambda part: (part.confidence or 0) > 0.5)`.

    Its name and version represent the predicate in keys: change the version when the predicate changes.
    """
    return Filter(predicate, name, version)
