"""Hand a document to docling: `python examples/to_docling.py report.pdf`. Needs `pip install docling-core`."""

from __future__ import annotations

import sys
from pathlib import Path

import quire

try:
    from docling_core.types.doc import DoclingDocument
except ModuleNotFoundError:
    sys.exit("this example needs docling-core: pip install docling-core")

SAMPLE = Path(__file__).parent / "sample.pdf"

result = quire.read(sys.argv[1] if len(sys.argv) > 1 else SAMPLE)
document = DoclingDocument.model_validate(result.to_docling())

print(f"{document.name}: {document.num_pages()} pages, {len(document.texts)} texts, {len(document.tables)} tables")
for table in document.tables:
    place = table.prov[0]
    print(f"page {place.page_no}, {place.bbox.as_tuple()}: {table.data.num_rows} x {table.data.num_cols}")
