"""The result of a pipeline: the document, and the regions and recognitions of each page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quire.document import Document
from quire.engine import Recognition
from quire.result import DocumentResult
from quire.types import Block, Layout, PageInfo


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page after all its stages. Boxes are fractions of the displayed page."""

    info: PageInfo
    blocks: tuple[Block, ...] = ()
    layout: Layout = field(default_factory=Layout)
    recognitions: tuple[Recognition, ...] = ()


class PipelineResult(DocumentResult):
    """A `DocumentResult` that also holds the regions of each page and their recognitions, by page number.

    `errors` are those of exporters that failed under `error_policy="attach"`.
    """

    def __init__(self, document: Document, pages: Sequence[PageReading]) -> None:
        blocks = [block for page in pages for block in page.blocks]
        super().__init__(document, [page.info for page in pages], blocks)
        self.layouts: Mapping[int, Layout] = {page.info.number: page.layout for page in pages}
        self.recognitions: Mapping[int, tuple[Recognition, ...]] = {p.info.number: p.recognitions for p in pages}
        self.errors: tuple[Exception, ...] = ()
