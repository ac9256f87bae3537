"""A confidence for every line: the engine's, reduced where the text does not look like text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.keys import Profile

PartT = TypeVar("PartT", ReadLine, ReadBlock)

_ODD = re.compile("[\ufffd\u25a0-\u25ff|~^`\\\\{}<>]")
_REPEATED = re.compile(r"([^\s._-])\1{4,}")
_MIXED = re.compile(r"\b\w*[a-z][A-Z]{2,}[a-z]\w*\b|\b\w*[A-Za-z]\d[A-Za-z]\w*\b")


@dataclass(frozen=True, slots=True)
class ScoreProfile(Profile):
    unknown: float


@dataclass(frozen=True, slots=True)
class ConfidenceScore:
    """Multiplies the confidence of each line and block by how much its text looks like text.

    Where the engine returned none, `unknown` is used: such a score ranks parts for review, but does not say how often
    they are correct.
    """

    profile: ScoreProfile
    name: str = "confidence_score"
    version: str = "1"

    def correct(self, recognition: Recognition) -> Recognition:
        lines = tuple(self._scored(recognition.lines))
        return replace(recognition, lines=lines, blocks=tuple(self._scored(recognition.blocks)))

    def _scored(self, parts: Iterable[PartT]) -> Iterable[PartT]:
        for part in parts:
            confidence = self.profile.unknown if part.confidence is None else part.confidence
            yield replace(part, confidence=round(confidence * plausibility(part.text), 4))


def confidence_score(*, unknown: float = 0.8) -> ConfidenceScore:
    return ConfidenceScore(ScoreProfile(unknown))


def plausibility(text: str) -> float:
    """From 0 (noise) to 1: odd symbols, repetition, and letters mixed with digits lower the score of a text."""
    shown = [letter for letter in text if not letter.isspace()]
    if not shown:
        return 1.0
    odd = len(_ODD.findall(text)) / len(shown)
    words = text.split()
    mixed = len(_MIXED.findall(text)) / len(words)
    bare = sum(not any(letter.isalnum() for letter in word) for word in words) / len(words)
    again = sum(len(match[0]) for match in _REPEATED.finditer(text)) / len(shown)
    pairs = list(pairwise(words)) if len(words) > 8 else []
    looping = 1 - len(set(pairs)) / len(pairs) if pairs else 0.0
    return max(0.0, 1 - min(1.0, 2 * odd) - 0.3 * mixed - 0.3 * bare - 0.5 * min(1.0, again + looping))
