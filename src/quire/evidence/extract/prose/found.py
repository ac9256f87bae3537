"""Values that sentences say, in the order of their likelihood."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from quire.core.context import Json


class FoundInProse(NamedTuple):
    """A value, where it stands in the running text, and how sure it is that the sentence says it."""

    value: Json
    start: int
    end: int
    confidence: float


def likeliest_first(found: Iterable[FoundInProse]) -> list[FoundInProse]:
    """Values by how sure they are, then by their place; of equal ones the first."""
    return distinct(sorted(found, key=lambda one: (-one.confidence, one.start)))


def distinct(found: Iterable[FoundInProse]) -> list[FoundInProse]:
    """Values in their order, each once."""
    kept: dict[str, FoundInProse] = {}
    for one in found:
        kept.setdefault(str(one.value).casefold(), one)
    return list(kept.values())
