"""PDFs through the compiled crate `quire_native`: multi-threaded, with the GIL released."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import quire_native

from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import ConfigurationError, CorruptError, InputError, LimitError, PasswordError, UnsupportedError
from quire.core.types import OutlineEntry, PageInfo
from quire.pages.render.glyphs import COMPOSED, EXPANSIONS, SYMBOLS

_ERRORS: dict[str, type[InputError]] = {
    "corrupt": CorruptError,
    "limit": LimitError,
    "password": PasswordError,
    "unsupported": UnsupportedError,
}
_LIBRARIES = ("libpdfium.so", "libpdfium.dylib", "pdfium.dll")
_GLYPHS = quire_native.Glyphs(SYMBOLS, EXPANSIONS, COMPOSED)


class NativeReader:
    """A PDF opened with the compiled crate. May be used from any thread, by several at once.

    Work on the first pages starts when `text` or `render` is called, and runs a few pages ahead of the caller;
    dropping the iterator stops it.
    """

    def __init__(self, document: Document, data: bytes | None = None) -> None:
        self._name = document.name
        data = data or document.content
        path = document.path if data is None else None
        library = find_pdfium()
        self.name = f"pdfium-native {quire_native.SOURCE} on {pdfium_build(library)}"
        try:
            self._pdf = quire_native.PdfFile(library, path, data, document.password)
        except quire_native.PdfError as error:
            raise self._error(*error.args) from None
        self.page_count = self._pdf.page_count

    def info(self, number: int) -> PageInfo:
        try:
            width, height, rotation = self._pdf.info(number)
        except quire_native.PdfError as error:
            raise self._error(*error.args, page=number) from None
        return PageInfo(number, round(width, 3), round(height, 3), rotation)

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        found = self._pdf.text(pages, _GLYPHS, threads=threads)
        return (
            value if isinstance(value, bytes) else self._error(*value, page=number)
            for number, value in zip(pages, found, strict=True)
        )

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        found = self._pdf.render(
            pages,
            dpi=options.dpi,
            max_bytes=options.max_bytes,
            max_pixels=options.max_pixels,
            grey=options.grey,
            threads=threads,
        )
        return (
            PageImage(number, *value) if len(value) == 6 else self._error(*value, page=number)
            for number, value in zip(pages, found, strict=True)
        )

    def outline(self) -> Sequence[OutlineEntry]:
        return [OutlineEntry(level, title, page) for level, title, page in self._pdf.outline()]

    def metadata(self) -> Mapping[str, str]:
        return dict(self._pdf.metadata())

    def plain(self, max_bytes: int) -> bytes | None:
        return self._pdf.plain(max_bytes)

    def close(self) -> None:
        self._pdf.close()

    def _error(self, kind: str, message: str, page: int | None = None) -> InputError:
        return _ERRORS.get(kind, InputError)(message, document=self._name, page=page)


def find_pdfium() -> Path:
    """The library file that the `pypdfium2` wheel ships, found without importing its bindings."""
    spec = find_spec("pypdfium2_raw")
    for folder in (spec and spec.submodule_search_locations) or ():
        for name in _LIBRARIES:
            if (path := Path(folder, name)).is_file():
                return path
    raise ConfigurationError("PDFium is missing: install pypdfium2 from a wheel that ships it")


def pdfium_build(library: Path) -> int:
    """The number of the build of a PDFium that `pypdfium2` ships."""
    return int(json.loads(library.with_name("version.json").read_bytes())["build"])
