"""Concepts: the meanings that a field of a document can have, with their labels in several languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.evidence.extract.schema import ValueKind
from quire.lexicon.words import word_groups, word_weights


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that many documents say. `names` are how schemas call it, `labels` how pages do, each with a weight.

    `related` are concepts whose labels also name it where its own are missing, with how much they count. `document`
    is the word for the kind of document that it belongs to: an invoice number is the number of an invoice.
    """

    id: str
    kind: ValueKind
    names: tuple[str, ...]
    labels: Mapping[str, float]
    related: Mapping[str, float] = field(default_factory=dict)
    document: str = ""


_NAMES, _LABELS, _WEIGHTS = word_groups("field_names"), word_groups("labels"), word_weights("label_weights")


def _concept(id_: str, kind: ValueKind, *, related: Mapping[str, float] | None = None, document: str = "") -> Concept:
    labels = dict.fromkeys(_LABELS.get(id_, ()), 1.0) | _WEIGHTS.get(id_, {})
    return Concept(id_, kind, tuple(_NAMES[id_]), labels, related or {}, document)


CONCEPTS: tuple[Concept, ...] = (
    _concept("invoice_number", "code", related={"document_number": 0.7}, document="invoice"),
    _concept("order_number", "code", document="order"),
    _concept("contract_number", "code", related={"order_number": 0.72, "invoice_number": 0.72}, document="contract"),
    _concept("customer_number", "code"),
    _concept("reference", "code"),
    _concept("document_number", "code"),
    _concept("date", "date", related={"order_date": 0.6, "print_date": 0.5, "time": 0.4}),
    _concept("effective_date", "date", related={"date": 0.9, "period_from": 0.8}),
    _concept("due_date", "date"),
    _concept("order_date", "date"),
    _concept("delivery_date", "date"),
    _concept("print_date", "date"),
    _concept("birth_date", "date"),
    _concept("period_from", "date"),
    _concept("period_to", "date"),
    _concept("time", "text"),
    _concept("total", "amount", related={"gross": 0.8, "net": 0.5}),
    _concept("amount_due", "amount", related={"total": 0.85}),
    _concept("net", "amount"),
    _concept("tax", "amount"),
    _concept("tax_rate", "percentage"),
    _concept("gross", "amount", related={"total": 0.8}),
    _concept("commission", "amount"),
    _concept("paid", "amount"),
    _concept("change", "amount"),
    _concept("rounding", "amount"),
    _concept("service_charge", "amount"),
    _concept("quantity", "number"),
    _concept("unit_price", "amount"),
    _concept("seller", "name"),
    _concept("buyer", "name"),
    _concept("ship_to", "name"),
    _concept("advertiser", "name"),
    _concept("agency", "name"),
    _concept("product", "name"),
    _concept("address", "address"),
    _concept("phone", "phone"),
    _concept("fax", "phone"),
    _concept("email", "email"),
    _concept("website", "url"),
    _concept("iban", "iban"),
    _concept("bic", "code"),
    _concept("bank", "name"),
    _concept("tax_number", "code"),
    _concept("company_number", "code"),
    _concept("currency", "currency"),
    _concept("term", "duration"),
    _concept("payment_terms", "text"),
    _concept("payment_method", "text"),
    _concept("cashier", "name"),
    _concept("estimate", "code"),
    _concept("page_count", "number"),
    _concept("name", "name"),
)
"""The concepts that the rules know; a field that is none of them is found by its own name."""

BY_ID: Mapping[str, Concept] = {concept.id: concept for concept in CONCEPTS}
