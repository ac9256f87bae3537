"""A form that was read: its fields, check boxes and tables, as JSON and as a workbook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quire.core.context import Json
from quire.core.types import BBox, Block
from quire.output.export._json import box_json
from quire.system.atomic_files import write_files


@dataclass(frozen=True, slots=True)
class FormField:
    """A label with its value. `sure` is False where only their places say that they belong together.

    `confidence` is that of the OCR engine in the value, None for text of the file.
    """

    label: str
    value: str
    page: int
    label_bbox: BBox
    value_bbox: BBox
    confidence: float | None = None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class CheckedBox:
    """A check box with the text beside it."""

    label: str
    is_checked: bool
    page: int
    bbox: BBox


@dataclass(frozen=True, slots=True)
class Form:
    """The fields, check boxes and tables of a document."""

    name: str
    fields: tuple[FormField, ...]
    boxes: tuple[CheckedBox, ...]
    tables: tuple[Block, ...]

    @property
    def values(self) -> Mapping[str, str]:
        """The values by their labels; the first of a label that is there twice."""
        found: dict[str, str] = {}
        for field in self.fields:
            found.setdefault(field.label.rstrip(": "), field.value)
        return found

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "fields": [
                {
                    "label": one.label,
                    "value": one.value,
                    "page": one.page,
                    "label_bbox": box_json(one.label_bbox),
                    "value_bbox": box_json(one.value_bbox),
                    "confidence": one.confidence,
                    "sure": one.sure,
                }
                for one in self.fields
            ],
            "check_boxes": [
                {"label": one.label, "checked": one.is_checked, "page": one.page, "bbox": box_json(one.bbox)}
                for one in self.boxes
            ],
            "tables": [block.table.grid() for block in self.tables if block.table is not None],
        }

    def to_workbook(self) -> bytes:
        """Sheets for fields, check boxes and each table; cells that OCR read have the colour of its confidence.

        Raises ConfigurationError when xlsxwriter is not installed.
        """
        from quire.pipelines.domains.forms.form_workbook import form_workbook

        return form_workbook(self)

    def save(self, path: str | Path) -> Path:
        """Write the workbook."""
        target = Path(path)
        write_files({target: self.to_workbook()})
        return target
