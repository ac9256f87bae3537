"""Notes on cells: what the document says about the value there."""

from __future__ import annotations

from typing import Any

from quire.evidence.extract.values import LeafEvidence
from quire.solving.workbook.cell_values import cell_text

_AUTHOR = "Quire"
_LONGEST_QUOTE = 500
_WIDTH, _LINE = 280, 18
"""Pixels of a note, and of a line in it."""
_WORDS = {
    "found": "The document says this.",
    "repaired": "The document says this, at another place than the one that was cited.",
    "unverified": "NOT VERIFIED: the text of the document does not say this.",
    "conflict": "CONFLICT: the document says different things.",
    "not_found": "NOT FOUND in the document.",
    "corrected": "A person corrected this.",
    "confirmed": "A person confirmed this.",
}


def write_note(cell: Any, evidence: LeafEvidence, document: str) -> None:
    """Put the evidence into the note of a cell, before what the template has there."""
    from openpyxl.comments import Comment

    before = cell.comment.text if cell.comment is not None else ""
    lines = [*_lines(evidence, document), *(["", before] if before else [])]
    text = cell_text("\n".join(lines))
    rows = sum(1 + len(line) // 42 for line in text.split("\n"))
    cell.comment = Comment(text, _AUTHOR, height=_LINE * min(rows + 1, 20), width=_WIDTH)


def _lines(evidence: LeafEvidence, document: str) -> list[str]:
    sure = evidence.probability
    place = ", ".join(filter(None, (document, f"page {evidence.page}" if evidence.page else "")))
    quote = evidence.quote if len(evidence.quote) <= _LONGEST_QUOTE else f"{evidence.quote[:_LONGEST_QUOTE]}…"
    return [
        _WORDS[evidence.status],
        *([f"{int(100 * sure)} % sure that it answers the field"] if sure is not None else []),
        *([place] if place else []),
        *([f"“{quote}”"] if quote else []),
        *([evidence.reason] if evidence.reason else []),
    ]
