"""Corrections from a list or learnt from samples: the OCR text, and the correct text."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from quire.core.engine import Recognition
from quire.core.errors import ConfigurationError
from quire.core.keys import Profile
from quire.lexicon.rewritten import rewritten
from quire.lexicon.similar_texts import Nearest

Entries: TypeAlias = Mapping[str, str] | Iterable[str]
"""Maps OCR text to the correct text, or only the correct spellings."""

SHORTEST = 4
"""Shorter texts resemble too many others for fuzzy correction."""
CLEARLY = 0.05
"""By how much the best of several corrections must be more similar than the next."""

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class DictionaryProfile(Profile):
    entries: tuple[tuple[str, str], ...]
    fuzzy: float
    token_fuzzy: float


class Dictionary:
    """Corrects a line, block or cell, in this order: the whole is an entry; it contains entries, the longest first; the
    whole is similar to one (`fuzzy`); single words are (`token_fuzzy`). The first step that changes anything wins.

    Fuzzy steps never change digits: 2019 is not a misspelt 2018. A threshold above 1 turns that step off.
    """

    name = "dictionary"
    version = "1"

    def __init__(self, entries: Entries, *, fuzzy: float = 0.7, token_fuzzy: float = 0.8) -> None:
        listed = entries.items() if isinstance(entries, Mapping) else ((text, text) for text in entries)
        pairs = tuple(sorted({(seen.strip(), wanted.strip()) for seen, wanted in listed if seen.strip()}))
        self.profile = DictionaryProfile(pairs, fuzzy, token_fuzzy)

    @classmethod
    def from_file(cls, path: str | Path, *, fuzzy: float = 0.7, token_fuzzy: float = 0.8) -> Dictionary:
        """JSON or TOML (an object that maps OCR text to the correct text, or a list of correct spellings), or lines.

        A line is a correct spelling, or the OCR text, a tab, and the correct text; `#` begins a comment.
        """
        path = Path(path)
        try:
            text = path.read_text("utf-8")
            content = _parsed(text, path.suffix.lower())
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"cannot read the dictionary {path}: {error}") from error
        return cls(content, fuzzy=fuzzy, token_fuzzy=token_fuzzy)

    @classmethod
    def from_samples(
        cls, pairs: Iterable[tuple[str, str]], *, least: int = 2, fuzzy: float = 0.7, token_fuzzy: float = 0.8
    ) -> Dictionary:
        """Learn from pairs of OCR text and correct text: mistakes made at least `least` times, always the same way, in
        texts that are never correct themselves."""
        return cls(_learnt(list(pairs), least), fuzzy=fuzzy, token_fuzzy=token_fuzzy)

    @property
    def entries(self) -> Mapping[str, str]:
        return dict(self.profile.entries)

    def correct(self, recognition: Recognition) -> Recognition:
        return rewritten(recognition, self.corrected)

    def corrected(self, text: str) -> str:
        """The corrected text."""
        stripped = text.strip()
        if not stripped or stripped in self._wanted:
            return text
        exact = self._exact.get(stripped) or self._exact.get(stripped.casefold())
        if exact is not None:
            return exact
        replaced = self._inside.sub(lambda match: self._exact[match[0]], text) if self._inside else text
        if replaced != text:
            return replaced
        whole = self._alike(stripped, self._texts, self.profile.fuzzy)
        if whole is not None:
            return whole
        return _TOKEN.sub(lambda match: self._token(match[0]), text)

    def _token(self, token: str) -> str:
        if token in self._wanted_tokens:
            return token
        return self._alike(token, self._tokens, self.profile.token_fuzzy) or token

    def _alike(self, text: str, nearest: Nearest, least: float) -> str | None:
        if len(text) < SHORTEST or least > 1:
            return None
        best: dict[str, float] = {}
        for ratio, found in nearest.similar(text, least):
            if _DIGITS.findall(found) == _DIGITS.findall(text):
                best.setdefault(self._exact.get(found, found), ratio)
        ranked = sorted(best.items(), key=lambda one: -one[1])
        if not ranked or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < CLEARLY):
            return None
        return ranked[0][0]

    @cached_property
    def _exact(self) -> dict[str, str]:
        folded = {seen.casefold(): wanted for seen, wanted in self.profile.entries}
        return {**folded, **dict(self.profile.entries)}

    @cached_property
    def _wanted(self) -> frozenset[str]:
        return frozenset(wanted for _, wanted in self.profile.entries)

    @cached_property
    def _wanted_tokens(self) -> frozenset[str]:
        return frozenset(token for wanted in self._wanted for token in _TOKEN.findall(wanted))

    @cached_property
    def _inside(self) -> re.Pattern[str] | None:
        """The entries that change something, the longest first; words of letters only as whole words."""
        changing = [seen for seen, wanted in self.profile.entries if seen != wanted]
        longest = sorted(changing, key=lambda seen: (-len(seen), seen))
        return re.compile("|".join(_bounded(seen) for seen in longest)) if longest else None

    @cached_property
    def _texts(self) -> Nearest:
        return Nearest([*self._wanted, *(seen for seen, _ in self.profile.entries)])

    @cached_property
    def _tokens(self) -> Nearest:
        seen = (seen for seen, wanted in self.profile.entries if _TOKEN.fullmatch(seen) and _TOKEN.fullmatch(wanted))
        return Nearest([*self._wanted_tokens, *seen])


dictionary = Dictionary


def _bounded(seen: str) -> str:
    """Scripts without spaces (Chinese, Japanese, Thai) have no words to keep whole."""
    spaced = seen[0].isalnum() and seen[-1].isalnum() and max(seen) < "\u0e00"
    return rf"(?<!\w){re.escape(seen)}(?!\w)" if spaced else re.escape(seen)


def _parsed(text: str, suffix: str) -> Entries:
    if suffix in (".json", ".toml"):
        content = json.loads(text) if suffix == ".json" else tomllib.loads(text)
        texts = content.values() if isinstance(content, dict) else content
        if not isinstance(content, (dict, list)) or not all(isinstance(one, str) for one in texts):
            raise ValueError("it must contain an object or a list of strings")
        return content
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    pairs = [line.partition("\t") for line in lines if line]
    return {seen.strip(): wanted.strip() or seen.strip() for seen, _, wanted in pairs}


def _learnt(pairs: list[tuple[str, str]], least: int) -> dict[str, str]:
    read: dict[str, Counter[str]] = defaultdict(Counter)
    for seen, wanted in pairs:
        read[seen.strip()][wanted.strip()] += 1
        tokens = _TOKEN.findall(seen), _TOKEN.findall(wanted)
        if 1 < len(tokens[0]) == len(tokens[1]):
            for token, right in zip(*tokens, strict=True):
                read[token][right] += 1
    return {
        seen: next(iter(wanted))
        for seen, wanted in read.items()
        if seen and len(wanted) == 1 and seen not in wanted and wanted.total() >= least
    }
