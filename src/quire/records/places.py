"""Paths as the records write them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

AT_ONCE = 500
"""Values in one statement: well below what any database takes."""


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text that a database takes: names of files are bytes and may be no UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def in_portions(values: Sequence[T], size: int = AT_ONCE) -> Iterator[tuple[Sequence[T], str]]:
    """Some values at a time, with as many question marks."""
    for begin in range(0, len(values), size):
        portion = values[begin : begin + size]
        yield portion, ", ".join("?" * len(portion))
