"""A bill to extract from, and extractors that propose what a test says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import quire
from quire.core.context import Json
from quire.core.errors import EngineError
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Proposal
from tests import documents

LINES = (
    "Invoice number: INV-2041",
    "Invoice date: 12 March 2024",
    "Seller: Harbour Supplies Ltd",
    "Paid: yes",
    "Total: EUR 1,250.00",
)
LAST = ("Summary of the account", "Total: EUR 1,350.00")


def bill(lines: Sequence[str] = LINES, last: Sequence[str] = LAST) -> bytes:
    """Two pages; the second says another total than the first."""
    pages = [
        [documents.Piece(72, 100 + 40 * at, line, 11, "Helvetica") for at, line in enumerate(listed)]
        for listed in (lines, last)
        if listed
    ]
    return documents.placed(*pages)


@cache
def bill_catalog() -> SourceCatalog:
    return quire.read(bill()).catalog()


def record_with(catalog: SourceCatalog, text: str) -> EvidenceRecord:
    return next(one for one in catalog.records if one.level == "block" and text in one.text)


@dataclass(frozen=True)
class Saying:
    """Proposes what it is given: value, quote, and the text of the block that it cites."""

    said: Sequence[tuple[str, Json, str]]
    name: str = "saying"
    version: str = "1"
    confidence: float = 0.8
    label: str = ""
    others: Sequence[tuple[Json, str]] = field(default=())

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> list[Proposal]:
        return [
            self._proposal(catalog, path, value, quote, tuple(self._others(catalog, path)))
            for path, value, quote in self.said
        ]

    def _others(self, catalog: SourceCatalog, path: str) -> list[Proposal]:
        return [self._proposal(catalog, path, value, quote, ()) for value, quote in self.others]

    def _proposal(
        self, catalog: SourceCatalog, path: str, value: Json, quote: str, others: tuple[Proposal, ...]
    ) -> Proposal:
        cited = (record_with(catalog, quote).id,)
        return Proposal(path, value, cited, quote, self.confidence, self.name, label=self.label, alternatives=others)


class Failing:
    """Cannot answer."""

    name, version = "failing", "1"

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error or EngineError("failing", "the server did not answer")

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> list[Proposal]:
        raise self._error
