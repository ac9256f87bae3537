"""The result of a pipeline: the document, and the regions and recognitions of each page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quire.core.document import Document
from quire.core.engine import Recognition
from quire.core.types import Block, Layout, PageInfo, PageResult
from quire.pages.assemble import assemble_pages
from quire.reading.result import DocumentResult, ResultStatus


@dataclass(frozen=True, slots=True)
class PageReading:
    """One page after all its stages. Boxes are fractions of the displayed page."""

    info: PageInfo
    blocks: tuple[Block, ...] = ()
    layout: Layout = field(default_factory=Layout)
    recognitions: tuple[Recognition, ...] = ()


class PipelineResult(DocumentResult):
    """A `DocumentResult` that also holds the regions of each page and their recognitions, by page number.

    `errors` are those of exporters that failed under `error_policy="attach"`. What spans pages is resolved as in
    `read`.
    """

    def __init__(self, document: Document, pages: Sequence[PageReading]) -> None:
        read = [PageResult(page.info, page.blocks) for page in pages]
        super().__init__(document, *assemble_pages(read, document.reader.outline()))
        self.layouts: Mapping[int, Layout] = {page.info.number: page.layout for page in pages}
        self.recognitions: Mapping[int, tuple[Recognition, ...]] = {p.info.number: p.recognitions for p in pages}
        self.errors: tuple[Exception, ...] = ()

    @property
    def status(self) -> ResultStatus:
        """`complete`, or `partial` when a page failed or was skipped, or a region of one could not be read."""
        unread = any(one.error for page in self.recognitions.values() for one in page)
        return "partial" if unread else super().status
