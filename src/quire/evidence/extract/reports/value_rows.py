"""The values of an extraction one after the other, each with its evidence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire.core.context import Json
from quire.core.types import NO_BOX, BBox
from quire.evidence.extract.value_paths import values_by_path

if TYPE_CHECKING:
    from quire.evidence.extract.values import EvidenceStatus, Extraction, LeafEvidence

STATUS_WORDS: Mapping[EvidenceStatus, str] = {
    "found": "at its place",
    "repaired": "at another place",
    "unverified": "not in the text",
    "conflict": "conflict",
    "not_found": "not found",
    "corrected": "corrected",
    "confirmed": "confirmed",
}
"""The status of a value as reports and tables print it."""


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value and its evidence; the value is None where nothing was found."""

    path: str
    value: Json
    evidence: LeafEvidence

    @property
    def text(self) -> str:
        return shown(self.value)

    @property
    def confidence(self) -> float | None:
        return self.evidence.confidence.get("total")

    @property
    def status(self) -> str:
        """The status of the value in words, with how sure it is."""
        return " · ".join(filter(None, (STATUS_WORDS[self.evidence.status], self.sure)))

    @property
    def sure(self) -> str:
        """The probability that the value answers its field, in words; nothing where it is not known."""
        sure = self.evidence.probability
        return "" if sure is None else f"{int(100 * sure)} % sure"  # rounded down: never surer than it is

    @property
    def boxes(self) -> tuple[BBox, ...]:
        return placed(self.evidence.bboxes)


def value_rows(extraction: Extraction) -> list[ValueRow]:
    """Every value in the order of the schema."""
    values = dict(values_by_path(extraction.values))
    return [ValueRow(path, values.get(path), one) for path, one in extraction.evidence.items()]


def placed(boxes: tuple[BBox, ...]) -> tuple[BBox, ...]:
    """Boxes with a place on the page: a document without pages has none."""
    return tuple(box for box in boxes if box != NO_BOX)


def shown(value: Json) -> str:
    """A value as text: as it is, numbers as in JSON, nothing for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
