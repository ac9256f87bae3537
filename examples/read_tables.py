"""Print every table of a document, row by row, and where it stands: `python examples/read_tables.py report.pdf`."""

from __future__ import annotations

import sys
from pathlib import Path

import quire

SAMPLE = Path(__file__).parent / "sample.pdf"

result = quire.read(sys.argv[1] if len(sys.argv) > 1 else SAMPLE)
for number, block in enumerate(result.tables, start=1):
    table = block.table
    places = ", ".join(f"page {part.page} at {part.bbox.left:.2f} {part.bbox.top:.2f}" for part in block.places)
    print(f"Table {number}: {table.rows} rows, {table.columns} columns, {places}")
    for row in table.grid():
        print("  " + " | ".join(row))
