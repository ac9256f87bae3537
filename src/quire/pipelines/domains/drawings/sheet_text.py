"""Drawings read: text of the file where there is some, tiles for pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quire.core.document import Document, Source, document_of
from quire.core.engine import Engine
from quire.core.errors import InputError
from quire.core.page_ranges import Pages, page_numbers
from quire.core.pagetext import PageText
from quire.pages.recognize import rapidocr
from quire.pipelines.detect import tiles
from quire.pipelines.domains.drawings.grammar import tag_of
from quire.pipelines.domains.drawings.sheet import Drawing, Sheet
from quire.pipelines.domains.drawings.tags import TagGrammar, find_tags
from quire.pipelines.domains.drawings.texts import SheetText, native_texts, tiled_texts
from quire.pipelines.domains.drawings.title_block import title_block
from quire.pipelines.pipeline import Pipeline
from quire.pipelines.pipeline_options import Cache
from quire.pipelines.regions import pad

ENOUGH = 40
"""Characters of a page's own text from which on it is not read by OCR."""
DPI = 400
"""The resolution of sheets that are read in tiles; images keep their own, up to this or more."""


@dataclass(frozen=True, slots=True)
class DrawingReader:
    """Reads drawings. Its parts can be changed: `reader.replace(grammar=mine)`.

    `pipeline` reads the pages without text; its detector says how they are cut. `grammar` says which texts are tags.
    """

    pipeline: Pipeline
    grammar: TagGrammar = tag_of
    ocr: bool = False

    def replace(self, *, pipeline: Pipeline | None = None, grammar: TagGrammar | None = None) -> DrawingReader:
        """The same reader with other parts."""
        return replace(self, pipeline=pipeline or self.pipeline, grammar=grammar or self.grammar)

    def __call__(self, source: Source | Document, *, pages: Pages | None = None) -> Drawing:
        """Read a drawing. Raises InputError when it cannot be opened."""
        with document_of(source) as document:
            numbers = page_numbers(pages, document.page_count)
            sheets = {sheet.page: sheet for sheet in self._native(document, numbers)}
            left = [number for number in numbers if number not in sheets]
            sheets |= {sheet.page: sheet for sheet in self._tiled(document, left)}
            return Drawing(document.name, tuple(sheets[number] for number in numbers))

    def _native(self, document: Document, numbers: Sequence[int]) -> Iterator[Sheet]:
        """The sheets whose own text says enough."""
        for data in () if self.ocr else document.reader.text(numbers):
            if isinstance(data, InputError):
                continue
            text = PageText.from_bytes(data)
            if text.chars - text.unmapped - text.invisible >= ENOUGH:
                yield self._sheet(text.number, native_texts(text), "text")

    def _tiled(self, document: Document, numbers: Sequence[int]) -> Iterator[Sheet]:
        if not numbers:
            return
        result = self.pipeline(document, pages=list(numbers))
        for page in result.pages:
            read = result.recognitions[page.number]
            texts = tiled_texts(page.number, result.layouts[page.number], read)
            unread = max(sum(bool(one.error) for one in read), page.status == "failed")
            yield replace(self._sheet(page.number, texts, "ocr", page.info.reason), unread=unread)

    def _sheet(self, page: int, texts: Sequence[SheetText], source: str, reason: str | None = None) -> Sheet:
        block = title_block(texts)
        values = {field.value_bbox for field in block.values()}
        drawn = [text for text in texts if text.bbox not in values]  # the number of a drawing may look like a tag
        return Sheet(page, tuple(texts), tuple(find_tags(drawn, self.grammar)), block, source, reason)


def reader(
    *,
    engine: Engine | None = None,
    grammar: TagGrammar = tag_of,
    side_px: int = 1024,
    overlap_px: int = 256,
    cache: Cache = None,
    ocr: bool = False,
) -> DrawingReader:
    """A reader of drawings: tiles of `side_px` read by `engine`, RapidOCR by default.

    `cache` is a store, or its folder: a tile is never read twice. With `ocr`, text of the file is not used.
    """
    pipeline = Pipeline(
        tiles(side_px=side_px, overlap_px=overlap_px),
        pad(8),
        engine or rapidocr.engine(effort="balanced", languages=()),
        error_policy="attach",
        cache=cache,
        dpi=DPI,
        languages=("en",),
    )
    return DrawingReader(pipeline, grammar, ocr)


def read(source: Source | Document, *, pages: Pages | None = None, cache: Cache = None) -> Drawing:
    """Read a drawing: its tags by kind, with boxes and angles, and its title block."""
    return reader(cache=cache)(source, pages=pages)
