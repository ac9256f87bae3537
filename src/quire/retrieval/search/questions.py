"""What a question asks for: the sentences that matter, the statements it is about, and other words for its terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from quire.core.types import BlockKind
from quire.lexicon.finance.statement_kinds import Statement, implied_by, named_in
from quire.lexicon.terms import query_terms

_SENTENCES = re.compile(r"(?<=[.?!:;])\s+(?=[A-Z\"'(]|what|which|how|who|is|are|did|does)")
_INSTRUCTION = re.compile(
    r"(?:assume|answer|address|base|calculate|enumerate all of them|express|for example|format|give"
    r"|if\b.*\b(?:then|state)|note that|please|provide|respond|return|round|the answer|use|what was asked|write"
    r"|your answer)\b",
    re.IGNORECASE | re.DOTALL,
)
_EXPLAINED = re.compile(r"\b(?:what drove|drivers?|why|reason|because|explain(?:ed)? by|expects?|forecast|guidance)\b")
EXPLICIT, IMPLIED, EXPLAINED = 1.0, 0.5, 0.1
"""How surely a statement is asked for: it is named; a line or ratio of it is; the reasons are, found in prose."""

_OTHER_WORDS: Mapping[str, str] = {
    r"capital expenditures?|\bcapex\b": "purchases of property plant and equipment additions",
    r"\bpp&?e\b|\bppne\b": "property plant and equipment net",
    r"\bcogs\b|cost of goods sold": "cost of sales cost of revenue",
    r"free cash ?flow|\bfcf\b": "net cash provided by operating activities purchases of property",
    r"operating margin": "operating income revenue",
    r"gross margin": "gross profit cost of sales revenue",
    r"working capital|current ratio|quick ratio": "total current assets total current liabilities",
    r"effective tax rate": "provision for income taxes before",
    r"\beps\b": "earnings per share",
    r"\broa\b|return on assets": "net income total assets",
    r"\bdpo\b|days payable": "accounts payable cost of sales inventories",
    r"\bebitda\b": "operating income depreciation amortization",
    r"legal (?:battle|dispute|matter|proceeding)s?|lawsuits?": "legal proceedings litigation contingencies",
    r"acquisitions?|acquired": "acquisition acquired business combination",
    r"revenues?": "sales",
    r"stock repurchases?|buybacks?": "repurchased shares",
    r"spin(?:ning)? off": "spin-off separation",
    r"telephone|\bphone": "tel telephone phone",
}
_OTHERS = tuple((re.compile(pattern), tuple(query_terms(words))) for pattern, words in _OTHER_WORDS.items())
_KINDS: Mapping[BlockKind, re.Pattern[str]] = {
    "figure": re.compile(
        r"\b(?:figure|chart|graph|picture|photo|map|logo|image|screenshot|icon|diagram|colou?r|drawing)s?\b"
    ),
    "table": re.compile(r"\btables?\b(?! of contents)"),
}


@dataclass(frozen=True, slots=True)
class Intent:
    """What a query asks for, beyond its words.

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
    """What a text asks for. Rules for English; a text that none fits is looked for as it is."""
    asked = _focus(text)
    plain = asked.casefold()
    others = dict.fromkeys(term for pattern, words in _OTHERS if pattern.search(plain) for term in words)
    known = {*query_terms(asked)}
    return Intent(
        asked,
        tuple(term for term in others if term not in known),
        tuple(_statements(text.casefold(), plain).items()),
        tuple(kind for kind, pattern in _KINDS.items() if pattern.search(plain)),
    )


def _focus(text: str) -> str:
    """A question without the sentences that say how to answer it; as it is when nothing else is in it."""
    kept = [sentence for sentence in _SENTENCES.split(text) if not _INSTRUCTION.match(sentence)]
    return " ".join(kept) or text


def _statements(whole: str, asked: str) -> dict[Statement, float]:
    """The statements that are named anywhere in a text, or else implied by what is asked."""
    if named := named_in(whole):
        return dict.fromkeys(named, EXPLICIT)
    return dict.fromkeys(implied_by(asked), EXPLAINED if _EXPLAINED.search(asked) else IMPLIED)
