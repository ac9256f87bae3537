"""CSV: one text per table, in reading order."""

from __future__ import annotations

import csv
import io

from quire.export import Exportable
from quire.export._grid import texts
from quire.export._structure import tables
from quire.types import Table


def csv_tables(result: Exportable) -> list[str]:
    """Every table; a cell over several rows or columns has its text in the first of them."""
    return [_table(block.table) for block in tables(result.blocks) if block.table is not None]


def _table(table: Table) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows(texts(table))
    return target.getvalue()
