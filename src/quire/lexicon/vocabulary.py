"""Corrects words by a word list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from quire.core.engine import Recognition
from quire.core.keys import Profile
from quire.lexicon.rewritten import rewritten
from quire.lexicon.similar_texts import Nearest

SHORTEST = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LOOKALIKES = str.maketrans({"0": "o", "1": "l", "5": "s", "8": "b", "6": "b", "|": "l", "$": "s"})


@dataclass(frozen=True, slots=True)
class VocabularyProfile(Profile):
    words: tuple[tuple[str, int], ...]
    fuzzy: float


class Vocabulary:
    """Replaces a word that is not in the list with the most similar one, if one clearly is; case is kept.

    Words with digits are left alone unless the digits look like letters of a word of the list (T0tal). Of equally
    similar words the more frequent wins if it is ten times as frequent; otherwise nothing is changed.
    """

    name = "vocabulary"
    version = "1"

    def __init__(self, words: Iterable[str] | Mapping[str, int], *, fuzzy: float = 0.8) -> None:
        counts = words if isinstance(words, Mapping) else dict.fromkeys(words, 1)
        found: dict[str, int] = {}
        for word, count in counts.items():
            found[word.casefold()] = found.get(word.casefold(), 0) + count
        self.profile = VocabularyProfile(tuple(sorted(found.items())), fuzzy)

    def correct(self, recognition: Recognition) -> Recognition:
        return rewritten(recognition, self.corrected)

    def corrected(self, text: str) -> str:
        return _WORD.sub(lambda match: self._word(match[0]), text)

    def _word(self, word: str) -> str:
        folded = word.casefold()
        if folded in self._counts:
            return word
        letters = folded.translate(_LOOKALIKES)
        if any(letter.isdigit() for letter in folded):
            known = letters in self._counts and any(letter.isalpha() for letter in folded)
            return _cased(letters, word) if known else word
        if len(word) < SHORTEST:
            return word
        return _cased(best, word) if (best := self._best(folded)) else word

    def _best(self, word: str) -> str | None:
        found = self._nearest.similar(word, self.profile.fuzzy)
        if not found:
            return None
        top = [text for ratio, text in found if ratio > found[0][0] - 0.02]
        ranked = sorted(top, key=lambda text: -self._counts[text])
        if len(ranked) > 1 and self._counts[ranked[0]] < 10 * self._counts[ranked[1]]:
            return None
        return ranked[0]

    @cached_property
    def _counts(self) -> dict[str, int]:
        return dict(self.profile.words)

    @cached_property
    def _nearest(self) -> Nearest:
        return Nearest(self._counts)


def vocabulary(words: Iterable[str] | Mapping[str, int], *, fuzzy: float = 0.8) -> Vocabulary:
    """Valid words, or the frequency of each."""
    return Vocabulary(words, fuzzy=fuzzy)


def _cased(word: str, like: str) -> str:
    letters = [letter for letter in like if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
