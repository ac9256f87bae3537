"""Values that were extracted, each with its evidence."""

from __future__ import annotations

from pydantic import Field

from quire.core.types import BBox
from quire.evidence.extract.value_paths import value_at
from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.mcp.answers.answer import Answer, BoxNumbers, Cursor, box_numbers, cursor_numbers
from quire.mcp.token_budget import ENVELOPE, first_fitting, tokens_of

LONGEST_QUOTE = 400


class ExtractedValue(Answer):
    """One value and where it stands."""

    path: str = Field(description="its place in the data, like items[0].price")
    value: str | int | float | bool | None = None
    status: str = Field(
        description="found: it stands at that place. repaired: not where it was cited, but there. conflict: two places "
        "differ. unverified: nowhere. not_found: there is no value. confirmed, corrected: by a person."
    )
    probability: float | None = Field(default=None, description="how likely it answers the field")
    page: int | None = None
    box: BoxNumbers | None = None
    block: str | None = None
    quote: str = ""
    reason: str = ""


class ExtractAnswer(Answer):
    """The values, or how far the work is: call again with the same arguments, which begins nothing anew."""

    document: str
    state: str = Field(description="finished, or running: call again with the same arguments")
    values: list[ExtractedValue] = Field(default_factory=list)
    total: int = 0
    supported: int = Field(default=0, description="values that the document says")
    next: Cursor = None


def extract_answer(document: str, extraction: Extraction, cursor: str | None, max_tokens: int) -> ExtractAnswer:
    """The values from a cursor on."""
    (first,) = cursor_numbers(cursor, 1) or (0,)
    listed = [_value(extraction, path, one) for path, one in extraction.evidence.items()]
    left = max_tokens - ENVELOPE
    shown = first_fitting(listed[first:], left, lambda one: tokens_of(one.to_json()))
    following = first + len(shown)
    return ExtractAnswer(
        document=document,
        state="finished",
        values=list(shown),
        total=len(listed),
        supported=extraction.coverage.found,
        next=str(following) if following < len(listed) else None,
    )


def _value(extraction: Extraction, path: str, evidence: LeafEvidence) -> ExtractedValue:
    value = value_at(extraction.values, path)
    return ExtractedValue(
        path=path,
        value=value if isinstance(value, str | int | float) else None,  # a list without rows has no value
        status=evidence.status,
        probability=None if evidence.probability is None else round(evidence.probability, 2),
        page=evidence.page,
        box=box_numbers(BBox.union(evidence.bboxes) if evidence.bboxes else None),
        block=next(iter(evidence.blocks), None),
        quote=evidence.quote[:LONGEST_QUOTE],
        reason=evidence.reason,
    )
