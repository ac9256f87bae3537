"""A bill of several pages, its schema, and an extraction of it with every kind of doubt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quire.core.keys import digest_of
from quire.core.types import BBox
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import (
    Alternative,
    EvidenceConflict,
    EvidenceStatus,
    Extraction,
    LeafEvidence,
    Missing,
)
from tests.documents import Piece, Rows, placed, prose, wrapped

HOSTILE = "<img src=x onerror=alert(1)>"
"""What must stay a text wherever it is shown."""
SCHEMA: dict[str, Any] = {
    "title": "Bill",
    "type": "object",
    "properties": {
        "number": {"type": "string", "title": "Invoice number", "description": f"As printed {HOSTILE}"},
        "date": {"type": "string", "format": "date"},
        "total": {"type": "number", "title": "Total", "x-quire": {"kind": "amount"}},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "seller": {"type": "object", "properties": {"name": {"type": "string"}}},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
            },
        },
    },
}
ROWS = (("Rope", "10.00"), (HOSTILE, "20.50"), ("Anchor", "113.50"))

Words = Mapping[int, Sequence[tuple[str, BBox, str]]]
"""The words of each page with their boxes and blocks."""


def bill(pages: int = 2, rows: Rows = ROWS) -> bytes:
    """The first page is a bill; the last one repeats its total, differently; prose stands between."""
    first = [
        Piece(72, 90, "HARBOUR SUPPLY", 18, "Helvetica-Bold"),
        Piece(72, 140, "Invoice number: INV-2041"),
        Piece(72, 160, "Date: 3 April 2026"),
        *(Piece(x, 220, text, font="Times-Bold") for x, text in ((72, "Article"), (400, "Price"))),
        *(Piece(x, 245 + 20 * at, text) for at, row in enumerate(rows) for x, text in zip((72, 400), row, strict=True)),
        Piece(300, 330, "Total: 144.00", font="Times-Bold"),
        *wrapped(prose(4), 72, 400, 450),
    ]
    between = [wrapped(prose(6, start=at), 72, 100, 450) for at in range(pages - 2)]
    return placed(first, *between, [Piece(72, 120, "Amount due 145.00"), *wrapped(prose(4), 72, 200, 450)])


def words_of(pages: Iterable[tuple[int, Mapping[str, Any]]]) -> Words:
    """The words of views of pages, as the API gives them."""
    return {
        number: [
            (word["text"], BBox(**word["bbox"]), block["id"])
            for block in view["blocks"]
            for word in block.get("words", ())
        ]
        for number, view in pages
    }


def found(words: Words, page: int, text: str) -> tuple[tuple[BBox, ...], tuple[str, ...]]:
    """Where a text stands on a page, and in which block."""
    wanted, there = text.split(), words[page]
    at = next(i for i in range(len(there)) if [one[0] for one in there[i : i + len(wanted)]] == wanted)
    hit = there[at : at + len(wanted)]
    left, top = min(box.left for _, box, _ in hit), min(box.top for _, box, _ in hit)
    right = max(box.left + box.width for _, box, _ in hit)
    bottom = max(box.top + box.height for _, box, _ in hit)
    return (BBox(left, top, right - left, bottom - top),), (hit[0][2],)


def anywhere(pages: int = 2) -> Words:
    """Words of the bill at some places, for tests without a document."""
    texts = ["INV-2041", "3 April 2026", "144.00", "145.00", "HARBOUR SUPPLY", *(text for row in ROWS for text in row)]
    every = [
        (word, BBox(0.1, round(0.02 * at, 5), 0.1, 0.01), "p1-b1")
        for at, word in enumerate(" ".join(texts).split(), start=1)
    ]
    return dict.fromkeys(range(1, pages + 1), every)


def bill_extraction(
    document: str, words: Words, *, name: str = "bill.pdf", last: int = 2, rows: Rows = ROWS
) -> Extraction:
    """One value of each kind: `number` unverified, `date` not sure, `total` in conflict, `currency` not
    found, `seller.name` at its place, and in the list one cell unverified and one not sure."""

    def evidence(path: str, status: EvidenceStatus, text: str, total: float, **more: Any) -> LeafEvidence:
        boxes, blocks = found(words, 1, text)
        place = {"page": 1, "bboxes": boxes, "blocks": blocks, "records": blocks, "extractor": "rules"}
        return LeafEvidence(path, status, total, quote=text, confidence={"total": total}, **place, **more)

    def alternative(value: Any, page: int, text: str) -> Alternative:
        return Alternative(value, text, page, *found(words, page, text), confidence=0.6, extractor="rules")

    listed = [
        evidence("number", "unverified", "INV-2041", 0.4, reason="I stands where the value has 1"),
        evidence("date", "found", "3 April 2026", 0.5, match="date"),
        evidence(
            "total",
            "conflict",
            "144.00",
            0.6,
            alternatives=(alternative(145.0, last, "145.00"), alternative(113.5, 1, "113.50")),
        ),
        LeafEvidence("currency", "not_found", reason="no currency stands beside an amount"),
        evidence("seller.name", "found", "HARBOUR SUPPLY", 0.95, match="exact"),
        *(
            evidence(f"items[{at}].{field}", "unverified" if (at, field) == (1, "name") else "found", text, total)
            for at, row in enumerate(rows)
            for field, text, total in (("name", row[0], 0.9), ("price", row[1], 0.3 if at == 2 else 0.9))
        ),
    ]
    return Extraction(
        document=document,
        name=name,
        schema=ExtractSchema.of(SCHEMA).digest,
        catalog=digest_of([document]),
        values={
            "number": "1NV-2041",
            "date": "2026-04-03",
            "total": 144.0,
            "currency": None,
            "seller": {"name": "HARBOUR SUPPLY"},
            "items": [{"name": text, "price": float(price)} for text, price in rows],
        },
        evidence={one.path: one for one in listed},
        conflicts=(
            EvidenceConflict(
                "total",
                (alternative(144.0, 1, "144.00"), alternative(145.0, last, "145.00")),
                "two amounts are called the total",
            ),
        ),
        not_found=(Missing("currency", tuple(range(1, last + 1)), "no currency stands beside an amount"),),
        extractors=("rules 1",),
    )
