"""A span of a page that may be the value of a field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quire.core.context import Json
from quire.core.types import BBox
from quire.evidence.extract.schema import ValueKind

CandidateOrigin = Literal["field", "cell", "line", "span", "block"]
"""The place of a candidate: the value of a key-value pair, a cell of a table, a line, a part of a line, a block."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place on a page with a value of some kind. One place may be several candidates, of different kinds.

    `text` is what stands there, `value` what it means: a number, an ISO date, a text without line breaks. `record` is
    the id of the block or cell in the catalog. The texts around it are empty where there is none: `left` and `above`
    are the nearest texts in these directions, `row_head` and `column_head` those of its cell, `section` the heading
    above, `before` and `after` what stands in the same line or sentence.
    """

    kind: ValueKind
    text: str
    value: Json
    page: int
    bbox: BBox
    record: str
    block: str
    origin: CandidateOrigin
    order: int
    """Its place in the reading order of the document."""
    left: str = ""
    skipped: int = 0
    """Texts without words between it and what is `left` of it: other values of the same label."""
    above: str = ""
    row_head: str = ""
    column_head: str = ""
    section: str = ""
    before: str = ""
    after: str = ""
    paired: str = ""
    """The label that it is the value of, by how the whole page is set."""
    is_part: bool = False
    """Whether it is only one line of the value of a label."""
    is_label: bool = False
    """Whether it is a label, by how the whole page is set."""
    size: float = 1.0
    """Height of its type, relative to the median of the document."""
    bold: bool = False
    confidence: float | None = None
    """Of the OCR; None for text of the file."""
    more: tuple[str, ...] = ()
    """Further records that it continues in: those of the other lines of an address."""
