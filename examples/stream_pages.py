"""Work with each page as soon as it is read: `python examples/stream_pages.py long.pdf`.

Pages come in order, and memory does not grow with their number. What crosses pages (running headers, the levels of
headings, tables over a page break) is not known yet: `quire.read` settles that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import quire

SAMPLE = Path(__file__).parent / "sample.pdf"

for page in quire.stream(sys.argv[1] if len(sys.argv) > 1 else SAMPLE):
    if page.status != "ok":
        print(f"page {page.number}: {page.status} {page.info.reason or ''}")
        continue
    words = len(page.text.split())
    headings = [block.text for block in page if block.kind == "heading"]
    print(f"page {page.number}: {len(page.blocks)} blocks, {words} words; {'; '.join(headings[:3])}")
