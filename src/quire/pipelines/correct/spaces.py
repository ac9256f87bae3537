"""Normalises white space."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quire.core.engine import Recognition
from quire.core.keys import Profile
from quire.lexicon.rewritten import rewritten

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\x00-\x08\x0e-\x1f]")
_SPACES = re.compile(r"[^\S\n]+")
_BETWEEN_IDEOGRAPHS = re.compile("(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])")


@dataclass(frozen=True, slots=True)
class Whitespace:
    """One space for many, none at line ends or between Chinese and Japanese characters; invisible ones are removed."""

    name: str = "whitespace"
    version: str = "1"

    @property
    def profile(self) -> Profile:
        return Profile()

    def correct(self, recognition: Recognition) -> Recognition:
        return rewritten(recognition, self.corrected)

    def corrected(self, text: str) -> str:
        spaced = _SPACES.sub(" ", _UNSEEN.sub("", text))
        lines = (_BETWEEN_IDEOGRAPHS.sub("", line).strip() for line in spaced.split("\n"))
        return "\n".join(line for line in lines if line)


def whitespace() -> Whitespace:
    return Whitespace()
