"""Read a scan and see how sure it is: `python examples/scan.py letter.jpg`.

Prints who read each page, every block with its confidence, the words to look at again, and what was blacked out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import quire

SAMPLE = Path(__file__).parent / "scan.png"
DOUBTFUL = 0.8  # words below this are worth a second look

result = quire.read(sys.argv[1] if len(sys.argv) > 1 else SAMPLE, redactions=True)

for page, attempts in result.path.items():
    told = "; ".join(f"{attempt.engine}: {attempt.outcome} {attempt.reason}".rstrip() for attempt in attempts)
    print(f"page {page} was read by {told}")
for block in result:
    sure = "" if block.confidence is None else f" ({block.confidence:.2f})"
    print(f"{block.id} {block.kind}{sure}: {' '.join(block.text.split())[:70]}")

doubtful = [
    word for block in result for word in block.words if word.confidence is not None and word.confidence < DOUBTFUL
]
print(f"{len(doubtful)} doubtful words: {', '.join(word.text for word in doubtful) or 'none'}")
for page, box, score in result.redactions:
    print(f"page {page}: blacked out at {box.left:.2f}, {box.top:.2f} (score {score:.2f})")
