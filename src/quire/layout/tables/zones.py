"""Text columns of a page, so that rows are not read across them."""

from __future__ import annotations

from quire.layout.tables.strokes import Rules
from quire.layout.tables.words import Row


def find_zones(rows: list[Row], rules: Rules) -> list[list[Row | None]]:
    return [list(rows)]
