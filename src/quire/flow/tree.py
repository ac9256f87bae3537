"""A parsed file with line numbers, and mistakes with theirs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

from quire.core.context import Json
from quire.core.errors import UsageError

Content: TypeAlias = "str | int | float | bool | list[Node] | dict[str, Node] | None"


@dataclass(frozen=True, slots=True)
class Node:
    """A scalar, a list of nodes, or nodes by key. Lines count from 1; 0 for values that are not from a file."""

    value: Content
    line: int = 0
    key_lines: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, value: Json) -> Node:
        """The tree of a JSON value. Raises UsageError for a value that is not JSON."""
        match value:
            case dict():
                return cls({_text_key(key): cls.of(item) for key, item in value.items()})
            case list() | tuple():
                return cls([cls.of(item) for item in value])
            case float() if not math.isfinite(value):
                raise UsageError(f"{value} is not a valid JSON number")
            case str() | int() | float() | bool() | None:
                return cls(value)
        raise UsageError(f"a flow holds strings, numbers, lists and mappings, not {type(value).__name__}")

    def plain(self) -> Json:
        """The JSON value, without lines."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def line_of(self, key: str) -> int:
        return self.key_lines.get(key, self.line)


def _text_key(key: object) -> str:
    if not isinstance(key, str):
        raise UsageError(f"{key!r} is not a valid key; keys are strings")
    return key


class Mistake(NamedTuple):
    """A mistake in a flow. The message says what is wrong and what to do."""

    line: int
    message: str

    def told(self, file: str) -> str:
        return f"{file}:{self.line}: {self.message}" if self.line else f"{file}: {self.message}"


class Mistakes:
    """Collects all mistakes, so that a file can be corrected in one go."""

    def __init__(self) -> None:
        self.found: list[Mistake] = []

    def add(self, line: int, message: str) -> None:
        self.found.append(Mistake(line, message))

    def sorted(self) -> list[Mistake]:
        return sorted(dict.fromkeys(self.found))


def raise_mistakes(mistakes: Sequence[Mistake], file: str) -> None:
    """Raises UsageError with all mistakes, one per line, if there are any."""
    if mistakes:
        raise UsageError("\n".join(mistake.told(file) for mistake in mistakes))


def one_of(names: Iterable[str]) -> str:
    """`a, b or c`, for advice."""
    *most, last = sorted(names) or ["nothing"]
    return f"{', '.join(most)} or {last}" if most else last


def nearest(name: str, known: Iterable[str]) -> str:
    """The advice about an unknown name: the nearest known ones."""
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"choose from {', '.join(names)}" if names else "there are none"
