"""Detects the language of a text: by its script, and by frequent words and letters where several share one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache

from quire.core.engine import Recognition
from quire.core.keys import Profile
from quire.lexicon.words import words_by_language

_SCRIPTS = (
    ("ja", "\u3040", "\u30ff"),
    ("ko", "\uac00", "\ud7af"),
    ("zh", "\u3400", "\u9fff"),
    ("el", "\u0370", "\u03ff"),
    ("he", "\u0590", "\u05ff"),
    ("ar", "\u0600", "\u06ff"),
    ("hi", "\u0900", "\u097f"),
    ("th", "\u0e00", "\u0e7f"),
)
_WORD = re.compile(r"[^\W\d_]+")
_KANA_SHARE = 0.08  # minimum share of kana among the characters of Japanese


@dataclass(frozen=True, slots=True)
class LanguageProfile(Profile):
    least: float


@dataclass(frozen=True, slots=True)
class LanguageDetector:
    """Sets the language of a recognition, unless the engine did; leaves it unset when the text is not conclusive."""

    profile: LanguageProfile
    name: str = "language_detector"
    version: str = "1"

    def correct(self, recognition: Recognition) -> Recognition:
        if recognition.language is not None or not recognition.text:
            return recognition
        return replace(recognition, language=language_of(recognition.text, least=self.profile.least))


def language_detector(*, least: float = 2.0) -> LanguageDetector:
    """`least` is by how many frequent words a language must lead the others."""
    return LanguageDetector(LanguageProfile(least))


def language_of(text: str, *, least: float = 2.0) -> str | None:
    """The code of the language (as in `--lang`), None when the text is too short or not conclusive."""
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return None
    counts = {code: sum(low <= letter <= high for letter in letters) for code, low, high in _SCRIPTS}
    if counts["ja"] >= _KANA_SHARE * len(letters) and counts["ja"] + counts["zh"] > len(letters) / 2:
        return "ja"
    script = max(counts, key=lambda code: counts[code])
    if counts[script] > len(letters) / 2:
        return script
    return _by_words(text.casefold(), least)


def _by_words(text: str, least: float) -> str | None:
    scores: dict[str, float] = defaultdict(float)
    for word in _WORD.findall(text):
        for code, weight in _weights().get(word, {}).items():
            scores[code] += weight
    for code, letters in words_by_language("letters").items():
        scores[code] += min(3.0, sum(text.count(letter) * _rarity()[letter] for letter in letters))
    ranked = sorted(scores.items(), key=lambda one: -one[1])[:2]
    if not ranked or ranked[0][1] < least:
        return None
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return ranked[0][0] if ranked[0][1] >= 1.15 * second else None


@cache
def _weights() -> dict[str, dict[str, float]]:
    """Each frequent word with its languages; one that many share weighs less."""
    shared: dict[str, list[str]] = {}
    for code, words in words_by_language("frequent_words").items():
        for word in words:
            shared.setdefault(word, []).append(code)
    return {word: dict.fromkeys(codes, 1 / len(codes)) for word, codes in shared.items()}


@cache
def _rarity() -> dict[str, float]:
    shared = Counter(letter for letters in words_by_language("letters").values() for letter in letters)
    return {letter: 1 / count for letter, count in shared.items()}
