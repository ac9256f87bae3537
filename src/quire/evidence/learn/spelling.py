"""Spellings that samples confirm, against misread letters: whole values, and the words of values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from quire.core.context import Json
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.learn.choices import LeafChoice
from quire.evidence.learn.features import feature
from quire.evidence.learn.samples import Sample
from quire.lexicon.dictionary import Dictionary
from quire.lexicon.vocabulary import Vocabulary

LEAST_ALIKE = 0.85
"""The least similarity of a misread value to a confirmed one."""
TWICE = 2
"""Samples that must have a spelling: what stands in one only is forgotten with it."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_RUN = re.compile(r"[^\W_]+")
_UNSPELT = ("date", "amount", "number", "percentage", "duration", "email", "url", "iban", "code", "phone")


@dataclass(frozen=True)
class KnownSpellings:
    """Values and words that at least two samples confirm, the words with how many do. `usual` are hashes of words that
    at least two documents have anywhere: they are not misread."""

    values: tuple[str, ...] = ()
    words: tuple[tuple[str, int], ...] = ()
    usual: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls, leaf: LeafSpec, confirmed: Iterable[Sequence[Json]], documents: Iterable[frozenset[int]]
    ) -> KnownSpellings:
        """From the values of a leaf in each sample, and the hashes of the words of its document."""
        if leaf.kind in _UNSPELT or leaf.type != "string" or leaf.enum:
            return cls()
        found = cls.of_texts([[str(value) for value in values] for values in confirmed])
        times = Counter(word for words in documents for word in words)
        return replace(found, usual=frozenset(word for word, many in times.items() if many >= TWICE))

    @classmethod
    def of_texts(cls, samples: Sequence[Sequence[str]]) -> KnownSpellings:
        values = Counter(value for texts in samples for value in {*texts})
        words = Counter(word.casefold() for texts in samples for word in {*_WORD.findall(" ".join(texts))})
        return cls(
            tuple(sorted(value for value, times in values.items() if times >= TWICE)),
            tuple(sorted((word, times) for word, times in words.items() if times >= TWICE)),
        )

    def __bool__(self) -> bool:
        return bool(self.values or self.words)

    @cached_property
    def _dictionary(self) -> Dictionary:
        return Dictionary(self.values, fuzzy=LEAST_ALIKE, token_fuzzy=2)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(dict(self.words))

    def of_choice(self, choice: LeafChoice) -> Json:
        """The value of a choice; where OCR read it, as samples spell it."""
        if choice.candidate.confidence is None or not isinstance(choice.value, str) or not self:
            return choice.value
        whole = self._dictionary.corrected(choice.value)
        return whole if whole != choice.value else _RUN.sub(self._word, choice.value)

    def _word(self, match: re.Match[str]) -> str:
        word = match[0]
        return word if feature(word.casefold()) in self.usual else self._vocabulary.corrected(word)


def words_of(catalog: SourceCatalog) -> frozenset[int]:
    """Hashes of the words of a document."""
    return frozenset(feature(word.casefold()) for block in catalog.blocks for word in _WORD.findall(block.text))


def dictionary_of(samples: Iterable[Sample]) -> Dictionary:
    """A corrector for reading such documents: mistakes that were corrected in at least two samples, always the same
    way, and values that at least two of them confirm."""
    listed = list(samples)
    pairs = [
        (place.quote, str(value))
        for sample in listed
        for path, value in sample.values.items()
        if isinstance(value, str) and (place := sample.places.get(path)) is not None and place.quote
    ]
    learnt = Dictionary.from_samples(pairs, least=TWICE).entries
    known = KnownSpellings.of_texts([_texts(sample) for sample in listed])
    return Dictionary({**learnt, **{value: value for value in known.values}})


def vocabulary_of(samples: Iterable[Sample]) -> Vocabulary:
    """A corrector that knows the words of confirmed values of at least two samples."""
    return Vocabulary(dict(KnownSpellings.of_texts([_texts(sample) for sample in samples]).words))


def _texts(sample: Sample) -> list[str]:
    return [
        value
        for path, value in sample.values.items()
        if isinstance(value, str) and (leaf := sample.leaves.leaf(path)) is not None and leaf.kind not in _UNSPELT
    ]
