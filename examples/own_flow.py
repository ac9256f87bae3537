"""Run a flow of your own over a document: `python examples/own_flow.py report.pdf word word`.

The flow is in own_flow/mentions.yaml, its component in own_flow/mentioning.py. Run it again with another word: the
document is not read again. Over a folder: `quire run letters/ -o out --flow examples/own_flow/mentions.yaml`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import quire

HERE = Path(__file__).parent

source = sys.argv[1] if len(sys.argv) > 1 else HERE / "sample.pdf"
words = sys.argv[2:] or ["freight", "harbour"]

flow = quire.Flow.load(HERE / "own_flow" / "mentions.yaml")
result = flow.run(source, inputs={"words": words}, store="store")

for number, found in enumerate(result.output["pages"], start=1):
    for mention in found:
        left, top = mention["at"]
        print(f"page {number} at {left:.2f}, {top:.2f}: {mention['word']}: {mention['text']}")
