"""What kind each word is: the labels of DocBank's pages beside the kinds of the blocks that the words are in.

The labels come from the LaTeX source and are weak: running heads are labelled as paragraphs, and some words like their
neighbour. So the share is given over all words, and over those that are in no running line as read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import quire
from benchmarks.corpus import CORPUS, pdfs
from benchmarks.report import Options, Report, Table
from quire.core.types import FURNITURE, BBox, Block

SET = "layout-docbank"
GOAL = 0.93
GRAPHIC = "##"
RIGHT: dict[str, frozenset[str]] = {
    "title": frozenset({"title", "heading"}),
    "section": frozenset({"title", "heading"}),
    "paragraph": frozenset({"paragraph", "code"}),
    "abstract": frozenset({"paragraph"}),
    "author": frozenset({"paragraph"}),
    "date": frozenset({"paragraph"}),
    "list": frozenset({"list_item"}),
    "reference": frozenset({"list_item", "paragraph"}),
    "caption": frozenset({"caption"}),
    "table": frozenset({"table"}),
    "equation": frozenset({"formula"}),
    "figure": frozenset({"figure"}),
    "footer": frozenset({"footnote", "footer", "page_number"}),
}
"""The kinds of blocks that are right for each label."""

Token = tuple[str, float, float, float, float, str]


def run(options: Options) -> Report:
    pages = pdfs(SET)
    chosen = pages[:2] if options.quick else pages
    counts = [judged(path) for path in chosen]
    report = Report("Kinds of words", data={"goal": GOAL})
    parts = [("tuned", counts[0::2]), ("untuned", counts[1::2]), ("all", counts)]
    rows = [[name, len(part), *_shares(part)] for name, part in parts]
    report.tables = [Table(["pages", "n", "words", "right", "right outside running lines"], rows)]
    mistakes = sum((count for count in counts), Counter[tuple[str, str]]())
    wrong = [(pair, count) for pair, count in mistakes.most_common() if not _is_right(pair)]
    table = [[label, kind, count] for (label, kind), count in wrong[:12]]
    report.tables.append(Table(["label", "read as", "words"], table, title="most frequent mistakes"))
    return report


def judged(path: Path) -> Counter[tuple[str, str]]:
    """How many words have which label and are in which kind of block; `none` for words that are in no block."""
    truth = json.loads((CORPUS / SET / "truth" / f"{path.stem}.json").read_text())
    tokens: list[Token] = [tuple(token) for token in truth["tokens"] if not token[0].startswith(GRAPHIC)]
    places = list(_places(quire.read(str(path)).blocks))
    return Counter((token[5], _kind_at(token, places)) for token in tokens)


def _places(blocks: Iterable[Block]) -> Iterable[tuple[BBox, str]]:
    return chain.from_iterable([(word.bbox, block.kind) for word in block.words] for block in blocks)


def _kind_at(token: Token, places: list[tuple[BBox, str]]) -> str:
    """The kind of the word that covers most of a labelled one."""
    best, kind = 0.0, "none"
    _, left, top, width, height, _ = token
    for box, found in places:
        across = min(box.right, left + width) - max(box.left, left)
        down = min(box.bottom, top + height) - max(box.top, top)
        if across > 0 and down > 0 and across * down > best:
            best, kind = across * down, found
    return kind


def _is_right(pair: tuple[str, str]) -> bool:
    return pair[1] in RIGHT[pair[0]]


def _shares(part: list[Counter[tuple[str, str]]]) -> list[object]:
    """The number of words, the share of right ones, and that outside the lines read as header or footer."""
    whole = sum(part, Counter[tuple[str, str]]())
    inside = Counter({pair: n for pair, n in whole.items() if pair[1] not in FURNITURE})
    shares = [sum(n for pair, n in c.items() if _is_right(pair)) / max(c.total(), 1) for c in (whole, inside)]
    return [whole.total(), *shares]
