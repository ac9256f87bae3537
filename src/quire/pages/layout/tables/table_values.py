"""The result types of table detection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quire.core.types import Box


@dataclass(slots=True)
class FoundCell:
    """One cell: its place in the grid, its box in points and its runs in reading order."""

    row: int
    column: int
    row_span: int
    column_span: int
    header: bool
    box: Box
    runs: list[int] = field(default_factory=list)


@dataclass(slots=True)
class FoundTable:
    """A grid of cells; every position belongs to exactly one cell, empty ones included."""

    box: Box
    rows: int
    columns: int
    cells: list[FoundCell]


def runs_in(tables: Iterable[FoundTable]) -> set[int]:
    """The runs that are in cells of tables."""
    return {run for table in tables for cell in table.cells for run in cell.runs}
