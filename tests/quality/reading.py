"""Golden documents as Quire reads them, each once in a process."""

from __future__ import annotations

from functools import cache

import quire
from quire.core.document import Document
from quire.core.pagetext import PageText
from quire.core.types import Block
from tests.quality.truth import PAGES, GoldenDocument, documents_of

SCANS = "scans"


@cache
def blocks_of(family: str, first: int) -> tuple[Block, ...]:
    document = next(one for one in documents_of(family) if one.first == first)
    return tuple(quire.read(str(document.path), pages=document.pages).blocks)


def read_blocks(document: GoldenDocument) -> tuple[Block, ...]:
    return blocks_of(document.family, document.first)


@cache
def texts_of(family: str) -> tuple[PageText, ...]:
    """The native text of each page of a family."""
    with Document(PAGES / f"{family}.pdf") as document:
        outcomes = document.reader.text(range(1, document.page_count + 1))
        return tuple(PageText.from_bytes(outcome) for outcome in outcomes if isinstance(outcome, bytes))
