"""Labels, and how well they name something: words in any inflection, abbreviations, misread letters."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache, cached_property, lru_cache

from quire.lexicon.phrases import folded, without_accents
from quire.lexicon.similar_texts import Nearest
from quire.lexicon.words import folded_words, word_groups, word_weights, words_of

ALIKE = 0.75
"""The least similarity of two words that may be one, misread."""
ALIKE_LONG, SHORT = 0.84, 5
"""The least similarity of words with more letters: one wrong letter in six, two in twelve."""
SHORTEST_MISREAD = 4
"""Letters: shorter words must be equal."""
EXTRA = 0.22
"""The share of the score that each further word of a label takes."""
MOST_WORDS = 12
MOST_MISREAD = 7
"""Words: a longer text is no label, so that misread words in it do not matter."""
_UNIT = re.compile(r"[(\[][a-z%€$£°/.²³]{1,5}[)\]]\s*:?\s*$", re.IGNORECASE)
_SIGNS = re.compile(r"#|\bn\s?[°º]|№", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+|\d+")
_MIXED = re.compile(r"\b(?=\w*[a-z]{2})[a-z015]*(?:[a-z][015]|[015][a-z])[a-z015]*\b")
_DOTTED = re.compile(r"\b(?:[a-z]\.){2,}(?:[a-z]\b\.?)?")  # T.V.A., P.O. Number
_LETTERS = str.maketrans("015", "ols")
_SAME = folded_words("label_synonyms")
_EMPTY = frozenset(folded(word, without_accents) for word in words_of("label_fillers"))


@lru_cache(maxsize=4096)
def label_words(text: str) -> tuple[str, ...]:
    """The words of a label: lower case, without accents, `no`, `nr` and `#` as `number`, without articles."""
    text = _UNIT.sub("", text)
    if not text.isascii():
        text = _SIGNS.sub(" number ", text)
        letters = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
        text = "".join(one for one in letters if not unicodedata.combining(one))
    else:
        text = text.replace("#", " number ")
    text = text.casefold()
    if "." in text:
        text = _DOTTED.sub(lambda match: match[0].replace(".", "") + " ", text)
    if _MIXED.search(text):  # T0tal, 1nvoice
        text = _MIXED.sub(lambda match: match[0].translate(_LETTERS), text)
    words = [_SAME.get(word, word) for word in _WORD.findall(text)]
    kept = [word for word in words if word not in _EMPTY and not word.isdigit()]
    return tuple(kept[-MOST_WORDS:])


_FORM_WORDS = frozenset(words_of("form_words"))


@cache
def _usual_words() -> frozenset[str]:
    listed = (*word_groups("labels").values(), *word_weights("label_weights").values())
    return _FORM_WORDS | {word for labels in listed for label in labels for word in label_words(label)}


def is_form_word(word: str) -> bool:
    """Whether one of the words of `label_words` is usual in labels."""
    return word in _usual_words()


def is_form_label(text: str) -> bool:
    """Whether a text is made of such words alone."""
    written = label_words(text)
    return bool(written) and all(map(is_form_word, written))


class LabelMatcher:
    """Tells which of many things a label names, and how surely. Each thing has labels with weights. Without `misread`,
    words must be equal."""

    def __init__(self, named: Mapping[str, Mapping[str, float]], *, misread: bool = True) -> None:
        self._misread = misread
        self._aliases: list[tuple[str, frozenset[str], float]] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for name, labels in named.items():
            for words, weight in _distinct(labels):
                for word in words:
                    self._by_word[word].append(len(self._aliases))
                self._aliases.append((name, words, weight))
        known = [*self._by_word, *(short for short, word in _SAME.items() if word in self._by_word)]
        self._nearest = Nearest(word for word in known if len(word) >= SHORTEST_MISREAD)
        self._known: dict[str, Mapping[str, float]] = {}

    @cached_property
    def exact(self) -> LabelMatcher:
        """The same for text that was not read by OCR: an employer is no misread employee."""
        same = copy(self)
        same._misread, same._known = False, {}
        return same

    def names(self, text: str) -> Mapping[str, float]:
        """The things that a label names, each with a score from 0 to its weight: 1 for exactly a label of it."""
        found = self._known.get(text)
        if found is None:
            if len(self._known) > 20_000:
                self._known.clear()
            found = self._known[text] = self._matched(text)
        return found

    def _matched(self, text: str) -> Mapping[str, float]:
        words: dict[str, float] = {}
        written = label_words(text)
        for word in written:
            known, likeness = self._word(word) if self._misread and len(written) <= MOST_MISREAD else (word, 1.0)
            words[known] = max(words.get(known, 0.0), likeness)
        counted = len(dict.fromkeys(written))
        best: dict[str, float] = {}
        for number in {number for word in words for number in self._by_word.get(word, ())}:
            name, wanted, weight = self._aliases[number]
            if not wanted <= words.keys():
                continue
            sure = min(words[word] for word in wanted)
            score = weight * sure / (1 + EXTRA * max(counted - len(wanted), 0))
            if score > best.get(name, 0.0):
                best[name] = score
        return best

    def _word(self, word: str) -> tuple[str, float]:
        """The known word that a word is, or of which it is a misreading, and how alike they are."""
        if word in self._by_word or word in _FORM_WORDS:  # an employee is no misread employer
            return word, 1.0
        if (whole := word.replace("rn", "m")) in self._by_word:  # how OCR reads an m
            return whole, 0.9
        if len(word) >= SHORTEST_MISREAD:
            for likeness, known in self._nearest.similar(word, ALIKE):
                if abs(len(known) - len(word)) <= 1 and (likeness >= ALIKE_LONG or len(word) <= SHORT):
                    return _SAME.get(known, known), 0.5 + likeness / 2
        return word, 1.0


def _distinct(labels: Mapping[str, float]) -> Iterable[tuple[frozenset[str], float]]:
    """The words of each label once, with the highest weight of labels that have the same."""
    found: dict[frozenset[str], float] = {}
    for label, weight in labels.items():
        if words := frozenset(label_words(label)):
            found[words] = max(weight, found.get(words, 0.0))
    return found.items()
