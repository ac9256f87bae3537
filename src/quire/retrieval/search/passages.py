"""The passage of a chunk: the text of it that is embedded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.retrieval.chunk.rows import ChunkRow

_AMOUNT = re.compile(r"[\s$€£¥(\-–—+]*[\d.,\s]*[%)x*]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_RULE = frozenset("|- :")


def passage(row: ChunkRow) -> str:
    """Its text. Of the rows of Markdown tables the words, each once, and the years: amounts say nothing to a model of
    sentences, and take most of the room that it has."""
    return passage_text(row["text"])


def passage_text(text: str) -> str:
    """As `passage`, of a text."""
    return "\n".join(filter(None, map(_words, text.split("\n"))))


def _words(line: str) -> str:
    if not line.startswith("|"):
        return line
    if _RULE.issuperset(line):
        return ""
    cells = (cell.strip() for cell in line.strip("|").split(" | "))
    kept = (cell for cell in cells if not _AMOUNT.fullmatch(cell) or _YEAR.fullmatch(cell))
    return ", ".join(dict.fromkeys(kept))
