"""Financial statements: cells that must stand in one row of one table, and under one year.

`statements.json` holds 40 statements of the ten reports in `finance-qa`: file, page, the years of the columns and rows
as printed, a label and its amounts. A statement is right when one table has every row with each amount in a cell of
its own, its currency sign with it, and above the amount a header cell with the year ("" where a column has none).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import quire
from benchmarks.corpus import CORPUS, pdfs
from benchmarks.report import Options, Report, Table
from quire.core.types import Cell
from quire.core.types import Table as Grid

EXPECTED = Path(__file__).with_name("statements.json")
GOAL = 38


class Statement(TypedDict):
    file: str
    page: int
    years: list[str]
    rows: list[list[str]]


def run(options: Options) -> Report:
    pdfs("finance-qa")
    statements: list[Statement] = json.loads(EXPECTED.read_text())
    files = sorted({statement["file"] for statement in statements})
    report = Report("Financial statements")
    rows: list[list[object]] = []
    for half, name in enumerate(("tuned", "untuned")):
        chosen = [s for s in statements if files.index(s["file"]) % 2 == half]
        chosen = chosen[:4] if options.quick else chosen
        wrong = [(s, fault) for s in chosen if (fault := fault_of(s))]
        rows.append([name, len(chosen), len(chosen) - len(wrong)])
        report.notes += [f"{s['file']}, page {s['page']}: {fault}" for s, fault in wrong]
    rows.append(["all", *(sum(int(str(row[i])) for row in rows) for i in (1, 2))])
    report.tables = [Table(["reports", "statements", "fully right"], rows)]
    report.data = {"goal": GOAL}
    return report


def fault_of(statement: Statement) -> str:
    """What is wrong with a statement as it is read; nothing if it is right."""
    path = CORPUS / "finance-qa" / "pdf" / statement["file"]
    result = quire.read(str(path), pages=str(statement["page"]))
    faults = [_fault(block.table, statement) for block in result.blocks if block.table]
    return min(faults, key=lambda fault: fault[0])[1] if faults else "no table"


def _fault(table: Grid, statement: Statement) -> tuple[int, str]:
    """How many rows are wrong in a table, and what is wrong with the first."""
    faults = [fault for row in statement["rows"] if (fault := _row_fault(table, row, statement["years"]))]
    return len(faults), f"{len(faults)} of {len(statement['rows'])} rows: {faults[0]}" if faults else ""


def _row_fault(table: Grid, expected: Sequence[str], years: Sequence[str]) -> str:
    label, *amounts = expected
    found = "no row"
    for number in range(table.rows):
        cells = [cell for cell in table.cells if cell.row <= number < cell.row + cell.row_span]
        if not any(_plain(label) in _plain(cell.text) for cell in cells):
            continue
        texts = [_plain(cell.text) for cell in cells if cell.text]
        if [text for text in texts if text in set(map(_plain, amounts))] != list(map(_plain, amounts)):
            found = f"cells {texts[1:]}"
            continue
        places = [cell for cell in cells if _plain(cell.text) in set(map(_plain, amounts))]
        missing = [year for year, cell in zip(years, places, strict=True) if not _under(table, cell, year)]
        if not missing:
            return ""
        found = f"not under {missing[0]}"
    return f"{label!r}: {found}"


def _under(table: Grid, cell: Cell, year: str) -> bool:
    above = [c for c in table.cells if c.header and c.row < cell.row]
    return not year or any(
        year in c.text and c.column < cell.column + cell.column_span and cell.column < c.column + c.column_span
        for c in above
    )


def _plain(text: str) -> str:
    return "".join(text.split()).replace("–", "-").replace("—", "-").casefold()
