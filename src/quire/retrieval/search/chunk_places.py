"""The page to which a chunk belongs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.retrieval.chunk.rows import ChunkRow


def main_page(row: ChunkRow) -> int:
    """The page that holds most of a chunk, by area; the first of several that hold as much. 0 without pages."""
    areas: Counter[int] = Counter()
    for box in row["boxes"]:
        areas[box["page"]] += box["width"] * box["height"]  # type: ignore[assignment]
    if not areas:
        return min(row["pages"], default=0)
    return max(areas, key=lambda page: (areas[page], -page))
