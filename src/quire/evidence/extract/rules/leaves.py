"""The meaning of the leaves of a schema: the concept of each, the labels that name it, the kinds of its value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from quire.evidence.extract.naming.concepts import BY_ID, CONCEPTS, Concept
from quire.evidence.extract.schema import LeafSpec, ValueKind
from quire.lexicon.labels import LabelMatcher

WHOLE = 0.9
"""The least with which the name of a leaf names a concept. A word more makes it another thing: a tax code is no tax."""
DESCRIBED = 0.88
"""The least with which a description does."""
SHORT_DESCRIPTION = 40
"""Characters: a longer description explains, and is no label."""
_KINDS: Mapping[ValueKind, Mapping[ValueKind, float]] = {
    "amount": {"amount": 1.0, "number": 0.55},
    "number": {"number": 1.0, "amount": 0.9, "percentage": 0.5},
    "percentage": {"percentage": 1.0, "number": 0.4, "amount": 0.3},
    "date": {"date": 1.0},
    "duration": {"duration": 1.0},
    "code": {"code": 1.0, "number": 0.9, "text": 0.6, "name": 0.6, "iban": 0.7, "phone": 0.4, "date": 0.2},
    "name": {"name": 1.0, "text": 0.6},
    "address": {"address": 1.0, "text": 0.6},
    "text": {
        **{"text": 0.9, "name": 1.0, "code": 0.9},
        **dict.fromkeys(("date", "amount", "number", "percentage", "duration", "phone", "email", "url", "iban"), 0.85),
    },
    "email": {"email": 1.0},
    "phone": {"phone": 1.0, "code": 0.7, "number": 0.5},
    "url": {"url": 1.0},
    "iban": {"iban": 1.0, "code": 0.6},
    "currency": {"currency": 1.0},
    "boolean": {"text": 0.8, "name": 0.8},
}
_OF_CONCEPT: Mapping[str, Mapping[ValueKind, float]] = {concept.id: _KINDS[concept.kind] for concept in CONCEPTS}
_NUMBER_KINDS: frozenset[ValueKind] = frozenset({"amount", "number", "percentage"})


@dataclass(frozen=True)
class WantedLeaf:
    """A leaf with what is known about it. `key` names its own labels in the matcher of the schema."""

    leaf: LeafSpec
    concept: Concept | None
    kind: ValueKind
    key: str

    @property
    def kinds(self) -> Mapping[ValueKind, float]:
        return _KINDS[self.kind]

    @property
    def others(self) -> Sequence[ValueKind]:
        """The kinds that its value may have, too, where only its name says which: `From` is a date, or a person."""
        is_guess = self.leaf.kind in (None, "text") and self.leaf.type == "string"
        return [kind for kind in ("name", "text") if kind not in self.kinds] if is_guess else []

    @cached_property
    def names(self) -> Mapping[str, float]:
        """The things that a label may name for its value to be this leaf's, each with a weight."""
        named = {self.key: 1.0}
        if self.concept is not None:
            named |= {self.concept.id: 1.0, **self.concept.related}
        return named


def may_name(name: str, kind: ValueKind) -> bool:
    """Whether a value of a kind can be what a label names: a code is no tax, but a tax number."""
    return _OF_CONCEPT.get(name, {kind: 1.0}).get(kind, 0.0) >= 0.5


@lru_cache(maxsize=64)
def wanted_leaves(leaves: tuple[LeafSpec, ...]) -> tuple[list[WantedLeaf], LabelMatcher]:
    """The leaves, each understood as far as it can be, and the matcher for labels of their documents."""
    wanted = [_wanted(leaf) for leaf in leaves]
    named: dict[str, Mapping[str, float]] = {concept.id: concept.labels for concept in CONCEPTS}
    for one in wanted:
        named[one.key] = _own_labels(one.leaf)
    return wanted, LabelMatcher(named)


def _wanted(leaf: LeafSpec) -> WantedLeaf:
    concept = _concept_of(leaf)
    return WantedLeaf(leaf, concept, _kind(leaf, concept), f"leaf:{leaf.path}")


def _own_labels(leaf: LeafSpec) -> dict[str, float]:
    labels = {_spaced(leaf.name): 1.0, _spaced(leaf.title): 1.0}
    labels |= dict.fromkeys(leaf.aliases, 1.15)
    if leaf.description and len(leaf.description) <= SHORT_DESCRIPTION:
        labels.setdefault(leaf.description, 0.9)
    return {label: weight for label, weight in labels.items() if label}


def _concept_of(leaf: LeafSpec) -> Concept | None:
    """The concept that the name of a leaf names best; that of its parents helps: `seller.name`."""
    path = _spaced(re.sub(r"\[\d*\]", "", leaf.path).replace(".", " "))
    names = [path, _spaced(leaf.name), _spaced(leaf.title)]
    named = [(text, 1 - 0.01 * at, WHOLE) for at, text in enumerate([*names, *map(_telling, names)])]
    best, score = None, 0.0
    for text, weight, least in [*named, (leaf.description, 0.85, DESCRIBED)]:
        for name, found in _NAMES.names(text).items() if text else ():
            concept = BY_ID[name]
            if found > least and weight * found > score and _may_be(leaf, concept):
                best, score = concept, weight * found
    return best


def _may_be(leaf: LeafSpec, concept: Concept) -> bool:
    """Whether the value of a leaf may be of the kind of a concept."""
    if leaf.kind in (None, "text"):
        return leaf.type == "string" or concept.kind in _NUMBER_KINDS
    if leaf.kind in _NUMBER_KINDS:
        return concept.kind in _NUMBER_KINDS
    return leaf.kind == concept.kind or concept.kind in ("text", "code", "name")


def _kind(leaf: LeafSpec, concept: Concept | None) -> ValueKind:
    if leaf.kind not in (None, "text"):
        return leaf.kind
    if leaf.type in ("number", "integer"):
        return concept.kind if concept is not None and concept.kind in _NUMBER_KINDS else "number"
    if concept is not None:
        return concept.kind
    words = set(_spaced(leaf.name).casefold().split())
    for kind, hints in _HINTS.items():
        if words & hints:
            return kind
    return "text"


_NEUTRAL = frozenset(
    {
        *("amount", "value", "number", "no", "num", "nr", "name", "full", "sum", "total", "grand", "final", "field"),
        *("invoice", "receipt", "document", "bill", "text", "eur", "usd", "gbp"),
        *("betrag", "nummer", "rechnung", "montant", "facture", "importe", "factura"),
    }
)
_HINTS: Mapping[ValueKind, frozenset[str]] = {
    "date": frozenset({"date", "datum", "fecha", "data", "day"}),
    "amount": frozenset({"amount", "price", "cost", "fee", "betrag", "montant", "total", "value", "sum"}),
    "percentage": frozenset({"rate", "percent", "percentage"}),
    "code": frozenset({"number", "id", "code", "no", "nummer", "num", "nr", "reference"}),
    "name": frozenset({"name", "company", "person", "party"}),
    "address": frozenset({"address", "adresse", "street"}),
    "duration": frozenset({"duration", "term"}),
}


def _telling(name: str) -> str:
    """A name without the words that change nothing: the total of an invoice is a total."""
    return " ".join(word for word in name.split() if word.casefold() not in _NEUTRAL)


def _spaced(name: str) -> str:
    """`grossAmount` and `gross_amount` as `gross amount`."""
    return re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip()


_NAMES = LabelMatcher(
    {
        concept.id: {
            **{label: 0.93 for label, weight in concept.labels.items() if weight >= 1},
            **dict.fromkeys(concept.names, 1.0),
        }
        for concept in CONCEPTS
    },
    misread=False,
)
