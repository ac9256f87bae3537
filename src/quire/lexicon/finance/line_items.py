"""The line items of financial statements, by their names in schemas and their labels on the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from quire.lexicon.words import folded_words, word_groups, words_by_language, words_of

_QUALIFIERS = frozenset(words_of("line_item_qualifiers"))
"""Words that may stand behind the name of a line item without making it another one."""
SHORTEST_MENTIONED = 6
"""Letters of a name in a question: shorter ones, such as sales, are said of many things."""
_NOTE = re.compile(r"\([^)]{0,3}\)|\((?:note|see|unaudited)[^)]*\)|[\d*†‡]+$", re.IGNORECASE)
_ABSENT = re.compile(r"\((?:loss|losses|benefit|deficit|income|used in|decrease|increase)\)|/\s*\(\w+\)", re.IGNORECASE)
_WORDS = re.compile(r"[a-z&]+")
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("s", ""))
_SAME = folded_words("line_item_synonyms")
_DROPPED = frozenset(words_of("line_item_fillers"))
_POINTS = frozenset(
    (
        *("cash", "cash_st_investments", "short_term_investments", "marketable_securities", "money_market_funds"),
        *("accounts_receivable", "total_receivables", "inventories", "current_assets", "property_plant_and_equipment"),
        *("goodwill", "total_assets", "accounts_payable", "current_liabilities", "total_liabilities", "long_term_debt"),
        *("short_term_debt", "total_debt", "dividends_payable", "retained_earnings", "additional_paid_in_capital"),
        *("shareholders_equity", "working_capital"),
    )
)
_OUTFLOWS = frozenset(("capex", "dividends_paid", "share_repurchases"))


@dataclass(frozen=True, slots=True)
class LineItem:
    """`names` are how schemas call it, `labels` how the statements of each language do, the usual ones first.

    `is_point`: it is for a day, not for a period. `is_outflow`: its name says that it is paid, so that a number in
    brackets is not negative.
    """

    names: Sequence[str]
    labels: Sequence[Sequence[str]]
    is_point: bool = False
    is_outflow: bool = False


@cache
def _line_items() -> Sequence[LineItem]:
    labels = words_by_language("line_item_labels").values()
    return [
        LineItem(names, [own[item] for own in labels if item in own], item in _POINTS, item in _OUTFLOWS)
        for item, names in word_groups("line_item_names").items()
    ]


def plain_label(text: str) -> str:
    """A label without notes, `(loss)` and the like, and what is in brackets."""
    return " ".join(_ABSENT.sub(" ", _NOTE.sub(" ", text)).replace("’", "'").split()).casefold()


@lru_cache(maxsize=4096)
def label_words(text: str) -> tuple[str, ...]:
    """The words of a label that say what it is, each in one form."""
    found = []
    for word in _WORDS.findall(plain_label(text).replace("'", "").replace("-", " ")):
        if word in _DROPPED:
            continue
        stem = next((word[: -len(end)] + put for end, put in _ENDINGS if word.endswith(end) and len(word) > 4), word)
        found.append(_SAME.get(stem, stem))
    return tuple(found)


@lru_cache(maxsize=512)
def item_named(name: str) -> LineItem | None:
    """The line item that a schema calls `name`; None for what is no known one."""
    spaced = _spaced(name)
    return next((item for item in _line_items() if spaced in item.names), None)


def item_in(question: str) -> LineItem | None:
    """The line item whose name is the longest that a text mentions."""
    text = f" {_spaced(question)} "
    mentioned = [
        (len(name), -at, item)
        for at, item in enumerate(_line_items())
        for name in (*item.names, *map(_spaced, chain.from_iterable(item.labels)))
        if len(name) >= SHORTEST_MENTIONED and f" {name} " in text
    ]
    return max(mentioned, key=lambda one: one[:2])[2] if mentioned else None


def _spaced(text: str) -> str:
    return " ".join(re.sub(r"[^\w&]|_", " ", text).casefold().split())


def likeness(label: str, item: LineItem) -> float:
    """The likeness of a label to those of an item, from 0 to 1; the usual labels of the item count a little more."""
    return max((_alike(label, own) - 0.02 * at for labels in item.labels for at, own in enumerate(labels)), default=0.0)


def _alike(label: str, own: str) -> float:
    words, names = label_words(label), label_words(own)
    if not names or not words:
        return 0.0
    if plain_label(label) == plain_label(own) or _is_owners(label, own):
        return 1.0
    if words == names:
        return 0.99
    is_longer = words[: len(names)] == names and (set(words[len(names) :]) <= _QUALIFIERS or "," in label)
    return 0.85 if is_longer else 0.0


def _is_owners(label: str, own: str) -> bool:
    """Whether a label is that of an item attributable to a company, whatever its name, and not to its minorities."""
    return own.endswith(" to") and plain_label(label).startswith(plain_label(own)) and "controlling" not in label
