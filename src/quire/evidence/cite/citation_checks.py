"""Checks what a language model wrote against the passages that it cites. What fails is dropped, with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.lexicon.amounts import numbers_in
from quire.lexicon.terms import query_terms, terms

LEAST_SHARED = 0.5
"""Of the words of a sentence, as a fraction: fewer words of its passages mean that it says something else."""
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|‘([^’]{2,})’')
_CITED = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer, with the numbers of the passages that it is from. Numbers start at 1."""

    text: str
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DroppedSentence:
    """A sentence that its passages do not support, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class CitedReply:
    """The sentences that stand, and those that were dropped."""

    sentences: tuple[CitedSentence, ...]
    dropped: tuple[DroppedSentence, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "sentences": [{"text": one.text, "passages": list(one.passages)} for one in self.sentences],
            "dropped": [{"text": one.text, "reason": one.reason} for one in self.dropped],
        }


def checked(sentences: Sequence[CitedSentence], passages: Sequence[str]) -> CitedReply:
    """The sentences that the passages support; `passages` are their whole texts, in the order of their numbers."""
    kept: list[CitedSentence] = []
    dropped: list[DroppedSentence] = []
    for given in sentences:
        sentence = CitedSentence(_CITED.sub("", given.text).strip(), tuple(dict.fromkeys(given.passages)))
        reason = _fault(sentence, passages)
        if reason:
            dropped.append(DroppedSentence(sentence.text, reason))
        else:
            kept.append(sentence)
    return CitedReply(tuple(kept), tuple(dropped))


def _fault(sentence: CitedSentence, passages: Sequence[str]) -> str:
    """Why a sentence does not stand; empty if it does."""
    if not sentence.text:
        return "it is empty"
    if not sentence.passages:
        return "it cites no passage"
    unknown = [number for number in sentence.passages if not 1 <= number <= len(passages)]
    if unknown:
        return f"it cites passage {unknown[0]}, which does not exist"
    cited_text = "\n".join(passages[number - 1] for number in sentence.passages)
    cited = ", ".join(map(str, sentence.passages))
    for quote in _QUOTED.finditer(sentence.text):
        words = next(group for group in quote.groups() if group)
        if _plain(words) not in _plain(cited_text):
            return f"it quotes “{words}”, which is not in passage {cited}"
    there = {abs(value) for number in numbers_in(cited_text) for value in number.readings | number.plain}
    for number in numbers_in(sentence.text):
        if there.isdisjoint(map(abs, number.readings | number.plain)):
            return f"it says {sentence.text[slice(*number.digits)]}, which is not in passage {cited}"
    words, known = query_terms(sentence.text), {*terms(cited_text)}
    if sum(word in known for word in words) < LEAST_SHARED * len(words):
        return f"most of its words are not in passage {cited}"
    return ""


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" .,;:").casefold()
