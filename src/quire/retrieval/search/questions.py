"""The intent of a question: the sentences that matter, the statements it is about, other words for its terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from quire.core.types import BlockKind
from quire.lexicon.finance.statement_kinds import Statement, statements_asked
from quire.lexicon.terms import query_terms
from quire.lexicon.words import phrase_patterns

_SENTENCES = re.compile(r"(?<=[.?!:;])\s+(?=[A-Z\"'(]|what|which|how|who|is|are|did|does)")
_INSTRUCTION = re.compile(
    r"(?:assume|answer|address|base|calculate|enumerate all of them|express|for example|format|give"
    r"|if\b.*\b(?:then|state)|note that|please|provide|respond|return|round|the answer|use|what was asked|write"
    r"|your answer)\b",
    re.IGNORECASE | re.DOTALL,
)
_KINDS: Mapping[BlockKind, re.Pattern[str]] = {
    "figure": re.compile(
        r"\b(?:figure|chart|graph|picture|photo|map|logo|image|screenshot|icon|diagram|colou?r|drawing)s?\b"
    ),
    "table": re.compile(r"\btables?\b(?! of contents)"),
}


@dataclass(frozen=True, slots=True)
class Intent:
    """The intent of a query, beyond its words.

    `text` is what to embed. `others` are terms that documents use for what is asked. `statements` says how surely a
    statement is asked for, from 0 to 1. `kinds` are kinds of blocks that are named.
    """

    text: str
    others: tuple[str, ...] = ()
    statements: tuple[tuple[Statement, float], ...] = ()
    kinds: tuple[BlockKind, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it is a question as one asks a person."""
        return "?" in self.text


def understood(text: str) -> Intent:
    """The intent of a query. Rules for English; a text that none fits is looked for as it is."""
    question = _focus(text)
    plain = question.casefold()
    phrases = phrase_patterns("query_synonyms").items()
    synonyms = dict.fromkeys(term for words, meant in phrases if meant.search(plain) for term in query_terms(words))
    terms = {*query_terms(question)}
    return Intent(
        question,
        tuple(term for term in synonyms if term not in terms),
        tuple(statements_asked(text, question).items()),
        tuple(kind for kind, pattern in _KINDS.items() if pattern.search(plain)),
    )


def _focus(text: str) -> str:
    """A question without the sentences that say how to answer it; as it is when nothing else is in it."""
    kept = [sentence for sentence in _SENTENCES.split(text) if not _INSTRUCTION.match(sentence)]
    return " ".join(kept) or text
