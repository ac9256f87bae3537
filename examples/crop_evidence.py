"""Show where a sentence stands: `python examples/crop_evidence.py "377,000 passengers" report.pdf`.

Finds the first block that holds the words, draws its page, and cuts the block out as `evidence.png`.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image

import quire

SAMPLE = Path(__file__).parent / "sample.pdf"
MARGIN = 12  # pixels around the crop

wanted = sys.argv[1] if len(sys.argv) > 1 else "377,000 passengers"
source = sys.argv[2] if len(sys.argv) > 2 else SAMPLE

block = next((block for block in quire.read(source) if wanted in " ".join(block.text.split())), None)
if block is None:
    sys.exit(f"no block says {wanted!r}")

with quire.Document(source) as document:
    picture = document.page(block.page).image(quire.RenderOptions(dpi=200))
page = Image.open(io.BytesIO(picture.png))
left, top, right, bottom = block.bbox.points(page.size)
page.crop((int(left) - MARGIN, int(top) - MARGIN, int(right) + MARGIN, int(bottom) + MARGIN)).save("evidence.png")

print(f"{block.id}, a {block.kind} on page {block.page}: {' '.join(block.text.split())[:60]}…")
print("evidence.png shows it")
