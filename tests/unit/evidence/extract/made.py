"""Source catalogs of documents that the tests make: printed pages, and blocks as OCR of a scan gives them."""

from __future__ import annotations

from collections.abc import Sequence

import quire
from quire.core.types import BBox, Block, PageInfo, Word
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.catalog.records import SourceCatalog
from tests.documents import Piece, placed

WIDTH, HEIGHT = 300.0, 600.0
LETTER = 6.0  # points: the width of a letter of OCR


def printed(*pieces: Piece) -> SourceCatalog:
    """What is read from a page with these texts."""
    return catalog_of(quire.read(placed(list(pieces)))._export)


def scanned(*lines: tuple[float, float, str], confidence: float = 0.98) -> SourceCatalog:
    """A receipt as OCR reads it: lines at (left, top) in points, each a block of its own."""
    blocks = [_block(number, line, confidence) for number, line in enumerate(lines, start=1)]
    return catalog_of(_Scan(blocks))


def read_as(*blocks: Block) -> SourceCatalog:
    """A document of which these blocks were read."""
    return catalog_of(_Scan(blocks))


def _block(number: int, line: tuple[float, float, str], confidence: float) -> Block:
    left, top, text = line
    words: list[Word] = []
    for word in text.split():
        box = BBox(round(left / WIDTH, 5), round(top / HEIGHT, 5), round(len(word) * LETTER / WIDTH, 5), 0.02)
        words.append(Word(word, box, confidence))
        left += (len(word) + 1) * LETTER
    box = BBox.union(word.bbox for word in words)
    return Block(f"p1-b{number}", 1, "paragraph", text, box, confidence=confidence, engine="rapidocr", words=words)


class _Scan:
    """A picture of one page that was read."""

    name, id, media_type = "receipt.png", "0" * 64, "image/png"
    pages: Sequence[PageInfo] = (PageInfo(1, WIDTH, HEIGHT),)

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
