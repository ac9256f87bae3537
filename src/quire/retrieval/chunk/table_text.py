"""Tables as text for chunks: sentences like `row, column = value`, or Markdown. One string per row."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from quire.core.types import BBox, Part, Table
from quire.output.export._dataframe import column_name
from quire.output.export._grid import filled, header_rows, texts


@dataclass(frozen=True, slots=True)
class TableText:
    """The rows of a table as text, what separates them, and the head to repeat above rows that are cut off.

    `rows` holds the text of a row with its number in the table.
    """

    rows: tuple[tuple[int, str], ...]
    separator: str
    head: str = ""

    @property
    def text(self) -> str:
        joined = self.separator.join(row for _, row in self.rows)
        return f"{self.head}\n{joined}" if self.head and joined else self.head or joined


def triplets(table: Table) -> TableText:
    """`row, column = value`, as docling writes tables for search; positions without text are left out."""
    rows, head = filled(table), header_rows(table)
    names = [column_name(column) for column in zip(*rows[:head], strict=True)] if head else []
    if head == len(rows):
        return TableText(((0, ". ".join(filter(None, names))),) if any(names) else (), ". ")
    if len(rows[0]) == 1:
        return _one_column(rows, names[0] if names else "", head)
    written = ((number, _sentence(row, names)) for number, row in enumerate(rows) if number >= head)
    return TableText(tuple((number, text) for number, text in written if text), ". ")


def _sentence(row: list[str], names: list[str]) -> str:
    label, values = row[0], row[1:]
    if not any(values):
        return label
    if not names:
        return f"{label} = {', '.join(filter(None, values))}" if label else ", ".join(filter(None, values))
    return ". ".join(f"{label}, {name} = {value}" for name, value in zip(names[1:], values, strict=True) if value)


def _one_column(rows: list[list[str]], name: str, head: int) -> TableText:
    """The first row names the others when there is no header."""
    body = [(number, row[0]) for number, row in enumerate(rows) if number >= head and row[0]]
    if not name and len(body) > 1:
        name, body = body[0][1], body[1:]
    return TableText(tuple((number, f"{name} = {text}" if name else text) for number, text in body), ". ")


def pipes(table: Table) -> TableText:
    """Markdown. A header of several rows is written as one, with its parts joined by dots."""
    rows, head = texts(table), header_rows(table)
    cells = [[text.replace("|", "\\|") for text in row] for row in rows]
    if head > 1:
        named = [column_name(column) for column in zip(*filled(table)[:head], strict=True)]
        cells[head - 1] = [name.replace("|", "\\|") for name in named]
    first = max(head, 1)  # without a header the first row takes its place: Markdown has no table without one
    line = [f"| {' | '.join(row)} |" for row in cells]
    lines = f"{line[first - 1]}\n|{' --- |' * len(cells[0])}"
    body = tuple((number, line[number]) for number in range(first, len(rows)) if any(rows[number]))
    return TableText(body, "\n", lines)


def row_places(table: Table, rows: Set[int]) -> list[Part]:
    """The places of some rows of a table: the box around their cells, on each page."""
    boxes: dict[int, list[BBox]] = {}
    for cell in table.cells:
        if not rows.isdisjoint(range(cell.row, cell.row + cell.row_span)):
            boxes.setdefault(cell.page, []).append(cell.bbox)
    return [Part(page, BBox.union(found)) for page, found in boxes.items()]
