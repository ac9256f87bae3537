"""CSV: one text per table, in reading order."""

from __future__ import annotations

import csv
import io
import re

from quire.core.types import Table
from quire.output.export._grid import texts
from quire.output.export._structure import tables
from quire.output.export.contracts import Exportable


def csv_tables(result: Exportable) -> list[str]:
    """Every table; a cell that spans rows or columns has its text in the first of them."""
    return [csv_table(block.table) for block in tables(result.blocks) if block.table is not None]


_FORMULA = re.compile(r"\s*[-=+@＝＋－＠]")
_INERT = re.compile(r"\s*(?:[-+][\d.,\s%$€£¥]*(?:[eE][-+]?\d+)?|\W*)")
"""A signed number in any notation, or no letter and no digit at all: a dash for "none"."""


def inert(text: str) -> str:
    """Protect against CSV injection: text that begins like a formula gets an apostrophe, numbers do not."""
    return f"'{text}" if _FORMULA.match(text) and not _INERT.fullmatch(text) else text


def csv_table(table: Table) -> str:
    """One table."""
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([inert(text) for text in row] for row in texts(table))
    return target.getvalue()
