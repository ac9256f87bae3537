"""Searchable PDF: the pages of the source unchanged, with the OCR words as an invisible text layer."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from quire.core.document import Document
from quire.core.errors import ConfigurationError, InputError, PasswordError, UsageError, install_advice
from quire.core.pagetext import INVISIBLE, PageText
from quire.core.types import Word
from quire.output.export import _glyphless
from quire.output.export._lines import BlockPlace, Size, places_of
from quire.output.export._textlayer import operators
from quire.output.export.contracts import Exportable, Sourced
from quire.pages.layout.quality import judge
from quire.system.budget import cpu_budget

Matrix = tuple[float, float, float, float, float, float]
Places = Mapping[int, Sequence[BlockPlace]]

_BLANK: Size = (595.0, 842.0)  # A4, for a picture of unknown size


def pdf(result: Exportable) -> bytes:
    """All pages of the source. A PDF that needs no text layer is returned unchanged."""
    if not isinstance(result, Sourced):
        raise UsageError("a searchable PDF needs the source document, which this result lacks; read the document again")
    placed = places_of(result)
    with result.source() as document:
        if document.bundle is not None:
            return document.bundle.pdf or _unprinted(document)
        if document.media_type != "application/pdf":
            return _of_pictures(document, placed)
        if any(_is_recognised(place) for places in placed.values() for place in places):
            return _with_text(document, placed)
        return document.read_bytes()


def _unprinted(document: Document) -> bytes:
    reason = document.bundle.unprinted if document.bundle else ""
    raise UsageError(f"{document.name} has no printed pages: {reason or 'LibreOffice is not installed'}")


def _is_recognised(place: BlockPlace) -> bool:
    return place.block.engine != "native"


def _pikepdf() -> Any:
    try:
        return import_module("pikepdf")
    except ImportError as error:
        raise ConfigurationError(f"a searchable PDF needs pikepdf: {install_advice('pdf')}") from error


class _Layer:
    """Puts invisible text below the contents of pages, all with one font."""

    def __init__(self, pikepdf: Any, file: Any) -> None:
        self._pikepdf, self._file = pikepdf, file
        self._codes = _glyphless.Codes()
        self._font = file.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Font))

    def add(
        self, page: Any, places: Iterable[BlockPlace], size: Size, matrix: Matrix, is_free: Callable[[Word], bool]
    ) -> None:
        """Write on a page of `size` as displayed; `matrix` maps its points to those of the file."""
        name = self._free_name(page)
        lines = (line for place in places for line in place.all_lines())
        content = operators(lines, size, name, self._codes, is_free)
        if content:
            page.add_resource(self._font, self._pikepdf.Name.Font, self._pikepdf.Name(f"/{name}"))
            # First, because the state that the contents leave behind (matrix, clipping) is unreliable.
            page.contents_add(b"q %s cm\n%s\nQ\n" % (_operands(matrix), content), prepend=True)

    def finish(self) -> bytes:
        """The file, once the font knows its characters. The same input produces the same bytes."""
        if len(self._codes):
            self._define_font()
        target = io.BytesIO()
        self._file.save(target, deterministic_id=True)
        return target.getvalue()

    def _free_name(self, page: Any) -> str:
        """A name for the font that the page does not use yet: the file may already be an export of Quire."""
        fonts = page.resources.get("/Font", {})
        name, number = "QuireText", 1
        while f"/{name}" in fonts:
            number += 1
            name = f"QuireText{number}"
        return name

    def _define_font(self) -> None:
        """A composite font with its own codes (PDF 32000-1, 9.7)."""
        dictionary, name, stream = self._pikepdf.Dictionary, self._pikepdf.Name, self._file.make_stream
        base = name(f"/{_glyphless.NAME}")
        ascent, descent, width = _glyphless.ASCENT, _glyphless.DESCENT, _glyphless.WIDTH
        program = _glyphless.font_file()
        descriptor = dictionary(
            Type=name.FontDescriptor,
            FontName=base,
            Flags=5,  # fixed pitch, symbolic
            FontBBox=[0, descent, width, ascent],
            ItalicAngle=0,
            Ascent=ascent,
            Descent=descent,
            CapHeight=ascent,
            StemV=80,
            FontFile2=stream(program, Length1=len(program)),
        )
        descendant = dictionary(
            Type=name.Font,
            Subtype=name.CIDFontType2,
            BaseFont=base,
            CIDSystemInfo=dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
            FontDescriptor=self._file.make_indirect(descriptor),
            DW=width,
            CIDToGIDMap=stream(self._codes.to_glyphs()),
        )
        self._font.Subtype = name.Type0
        self._font.BaseFont = base
        self._font.Encoding = name("/Identity-H")
        self._font.DescendantFonts = [self._file.make_indirect(descendant)]
        self._font.ToUnicode = stream(self._codes.to_unicode())


def _with_text(document: Document, placed: Places) -> bytes:
    """A PDF with a text layer on the OCR pages. The output of an encrypted file is not encrypted."""
    from quire.output.export._old_text import without_invisible_text

    pikepdf = _pikepdf()
    try:
        with document.open() as source, pikepdf.open(source, password=document.password or "") as file:
            layer = _Layer(pikepdf, file)
            for number, places in placed.items():
                recognised = [place for place in places if _is_recognised(place)]
                if recognised and number <= len(file.pages):
                    page = file.pages[number - 1]
                    whole = len(recognised) == len(places)
                    native = _native(document, number)
                    if whole and native is not None and native.invisible:
                        without_invisible_text(pikepdf, file, page)
                    size, matrix = _frame(page)
                    layer.add(page, recognised, size, matrix, _beside(native, visible_only=whole))
            written = layer.finish()
            document.check_unchanged()
            return written
    except pikepdf.PasswordError as error:
        message = "cannot be written without the password that opens it"
        raise PasswordError(message, document=document.name) from error
    except pikepdf.PdfError as error:
        raise InputError(f"cannot be rewritten as a searchable PDF ({error})", document=document.name) from error


def _native(document: Document, number: int) -> PageText | None:
    text = next(iter(document.reader.text([number])))
    return None if isinstance(text, InputError) else PageText.from_bytes(text)


def _beside(native: PageText | None, *, visible_only: bool) -> Callable[[Word], bool]:
    """Whether a word is where the file has no usable text of its own, so that no text is duplicated."""
    if native is None or judge(native).status != "usable":
        return lambda _: True
    boxes = [
        native.boxes[4 * run : 4 * run + 4]
        for run, flags in enumerate(native.flags)
        if not (visible_only and flags & INVISIBLE)
    ]
    width, height = native.width, native.height

    def is_free(word: Word) -> bool:
        x, y = (word.bbox.left + word.bbox.width / 2) * width, (word.bbox.top + word.bbox.height / 2) * height
        return not any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)

    return is_free


def _frame(page: Any) -> tuple[Size, Matrix]:
    """The size of a page as it is displayed, and the transform from there to the coordinates of its contents."""
    left, bottom, right, top = _visible(page)
    width, height = right - left, top - bottom
    match page.rotation % 360:
        case 90:
            return (height, width), (0, 1, -1, 0, right, bottom)
        case 180:
            return (width, height), (-1, 0, 0, -1, right, top)
        case 270:
            return (height, width), (0, -1, 1, 0, left, top)
        case _:
            return (width, height), (1, 0, 0, 1, left, bottom)


def _visible(page: Any) -> tuple[float, float, float, float]:
    """The crop box within the media box (PDF 32000-1, 14.11.2); the media box where they do not overlap."""
    media, crop = (_box([float(value) for value in box]) for box in (page.mediabox, page.cropbox))
    left, bottom = max(media[0], crop[0]), max(media[1], crop[1])
    right, top = min(media[2], crop[2]), min(media[3], crop[3])
    return (left, bottom, right, top) if right > left and top > bottom else media


def _box(corners: Sequence[float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _of_pictures(document: Document, placed: Places) -> bytes:
    """A page for each image of the file, of the same size; an empty one where an image is damaged."""
    from quire.output.export._pictures import pictures

    pikepdf = _pikepdf()
    size = _BLANK
    with pikepdf.new() as file:
        layer = _Layer(pikepdf, file)
        for number, image in enumerate(pictures(pikepdf, file, document, threads=cpu_budget()), 1):
            page = file.add_blank_page(page_size=size)
            try:
                size = document.reader.info(number).size
            except InputError:
                continue
            page.mediabox = [0, 0, *size]
            if isinstance(image, InputError):
                continue
            page.add_resource(image.stream, pikepdf.Name.XObject, pikepdf.Name.Im0)
            matrix = _turned(image.orientation, size)
            page.contents_add(b"q %s cm /Im0 Do Q\n" % _operands(matrix))
            layer.add(page, placed.get(number, ()), size, (1, 0, 0, 1, 0, 0), lambda _: True)
        return layer.finish()


def _turned(orientation: int, size: Size) -> Matrix:
    """The transform of an image's unit square for its EXIF orientation (1 is upright)."""
    width, height = size
    return {
        2: (-width, 0, 0, height, width, 0),
        3: (-width, 0, 0, -height, width, height),
        4: (width, 0, 0, -height, 0, height),
        5: (0, -height, -width, 0, width, height),
        6: (0, -height, width, 0, 0, height),
        7: (0, height, width, 0, 0, 0),
        8: (0, height, -width, 0, width, 0),
    }.get(orientation, (width, 0, 0, height, 0, 0))


def _operands(matrix: Matrix) -> bytes:
    return b" ".join(b"%.4f" % value for value in matrix)
