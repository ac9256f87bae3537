"""Reads a bundle: pages that were converted before. Renders the printed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from quire.core.bundle import Bundle
from quire.core.document import Document, PageImage, Reader, RenderOptions
from quire.core.errors import InputError, UnsupportedError
from quire.core.types import OutlineEntry, PageInfo


class BundleReader:
    """A `document.Reader` of a converted document. Its bytes were made here, so they are not untrusted."""

    def __init__(self, bundle: Bundle, *, name: str) -> None:
        self._bundle, self._document = bundle, name
        self._printed: Document | None = None

    @property
    def name(self) -> str:
        return self._bundle.reader

    @property
    def page_count(self) -> int:
        return len(self._bundle.pages)

    def info(self, number: int) -> PageInfo:
        return self._bundle.pages[number - 1]

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        return (self._bundle.texts[number - 1] for number in pages)

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        printed = self._printer()
        if printed is not None:
            return printed.render(pages, options, threads=threads)
        reason = self._bundle.unprinted or "only office files are printed, by LibreOffice where it is installed"
        return iter(
            [
                UnsupportedError(f"has no printed pages to render: {reason}", document=self._document, page=number)
                for number in pages
            ]
        )

    def outline(self) -> Sequence[OutlineEntry]:
        return ()  # headings have their levels already

    def metadata(self) -> Mapping[str, str]:
        return {"converter": self._bundle.reader}

    def close(self) -> None:
        if self._printed is not None:
            self._printed.close()
            self._printed = None

    def _printer(self) -> Reader | None:
        if self._bundle.pdf is None:
            return None
        if self._printed is None:
            self._printed = Document(self._bundle.pdf, name=self._document)
        return self._printed.reader
