"""What all answers share: boxes as four numbers, and cursors."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, Field

from quire.core.errors import UsageError
from quire.core.types import NO_BOX, BBox

BoxNumbers: TypeAlias = Annotated[
    list[float],
    Field(
        min_length=4,
        max_length=4,
        description="left, top, width, height as fractions of the displayed page, from its top left",
    ),
]
Cursor: TypeAlias = Annotated[
    str | None, Field(description="Pass it as `cursor` of the same call for what follows; null at the end.")
]


class Answer(BaseModel):
    """The structured content of a result."""

    def to_json(self) -> dict[str, Any]:
        """As clients get it: what is not known is left out."""
        return self.model_dump(mode="json", exclude_none=True)


def box_numbers(box: BBox | None) -> list[float] | None:
    """A box as an answer has it; None for a block without a place."""
    if box is None or box == NO_BOX:
        return None
    return [round(value, 4) for value in (box.left, box.top, box.width, box.height)]


def cursor_numbers(cursor: str | None, count: int) -> tuple[int, ...] | None:
    """The numbers of a cursor, which are separated by colons; None without one. Raises UsageError for another text."""
    if cursor is None:
        return None
    parts = cursor.split(":")
    if len(parts) != count or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise UsageError(f"the cursor {cursor[:50]!r} is none of this tool: pass `next` of an answer, or leave it out")
    return tuple(map(int, parts))
