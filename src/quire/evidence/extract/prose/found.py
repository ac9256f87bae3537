"""A value that a sentence says."""

from __future__ import annotations

from typing import NamedTuple

from quire.core.context import Json


class FoundInProse(NamedTuple):
    """A value, where it stands in the running text, and how sure it is that the sentence says it."""

    value: Json
    start: int
    end: int
    confidence: float
