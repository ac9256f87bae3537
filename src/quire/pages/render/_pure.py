"""PDFs through `pypdfium2` alone, for machines without the compiled crate: same results, one thread."""

from __future__ import annotations

import io
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any

import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from pypdfium2.version import PDFIUM_INFO

from quire.core.affine import Affine
from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import CorruptError, InputError, LimitError, PasswordError, UnsupportedError
from quire.core.pagetext import PageText
from quire.core.png import encoded
from quire.core.types import OutlineEntry, PageInfo
from quire.pages.render._pure_annotations import read_fields, read_links, read_tags
from quire.pages.render._pure_graphics import read_graphics
from quire.pages.render._pure_text import read_runs

LEAST_DPI = 8
MOST_ENTRIES = 20_000  # of the outline
_LOWER = 0.75  # the dpi of a picture that is too large is multiplied by this or less
_PDFIUM = RLock()


@contextmanager
def _alone() -> Iterator[None]:
    """PDFium keeps state of its own in a process: a call waits for those of all other documents."""
    with _PDFIUM:
        yield


class PureReader:
    """A PDF opened with `pypdfium2`, one call of a process at a time; `threads` is accepted and not used."""

    name = f"pdfium-python on {PDFIUM_INFO.build}"

    @_alone()
    def __init__(self, document: Document, data: bytes | None = None) -> None:
        self._name = document.name
        self._source: bytes | Path = data or document.content or document.path or b""
        self._password = document.password
        self._pdf = self._open()
        if len(self._pdf) == 0:
            self._pdf.close()
            raise CorruptError("has no pages", document=self._name)
        if self._pdf.get_formtype() != pdfium.FORMTYPE_NONE:
            self._pdf.init_forms()
        self._tagged = bool(pdfium.FPDFCatalog_IsTagged(self._pdf))

    @property
    @_alone()
    def page_count(self) -> int:
        return len(self._pdf)

    @_alone()
    def info(self, number: int) -> PageInfo:
        page = self._load(number)
        try:
            width, height = page.get_size()
            return PageInfo(number, round(width, 3), round(height, 3), page.get_rotation())
        finally:
            page.close()

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        for number in pages:
            try:
                yield self._text(number)
            except InputError as error:
                yield error

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        for number in pages:
            try:
                yield self._render(number, options)
            except InputError as error:
                yield error

    @_alone()
    def outline(self) -> Sequence[OutlineEntry]:
        return [self._entry(mark) for mark in islice(self._pdf.get_toc(max_depth=15), MOST_ENTRIES)]

    @_alone()
    def metadata(self) -> Mapping[str, str]:
        found = {key.lower(): value.strip() for key, value in self._pdf.get_metadata_dict(skip_empty=True).items()}
        version = self._pdf.get_version()
        found["pdf_version"] = f"{version // 10}.{version % 10}" if version else ""
        found["encrypted"] = "yes" if pdfium.FPDF_GetSecurityHandlerRevision(self._pdf) >= 0 else "no"
        found["tagged"] = "yes" if self._tagged else "no"
        return found

    @_alone()
    def plain(self, max_bytes: int) -> bytes | None:
        pdf, written = self._open(), io.BytesIO()  # a separate handle: PDFium drops what it has written from memory
        try:
            pdf.save(written, flags=pdfium.FPDF_REMOVE_SECURITY)
        except pdfium2.PdfiumError:
            return None
        finally:
            pdf.close()
        return written.getvalue() if written.tell() <= max_bytes else None

    @_alone()
    def close(self) -> None:
        self._pdf.close()

    def _open(self) -> pdfium2.PdfDocument:
        password = None if self._password is None else self._password.encode() + b"\0"
        if isinstance(self._source, Path):
            handle = pdfium.FPDF_LoadDocument(os.fsencode(self._source) + b"\0", password)
        else:  # it reads these bytes until the document is closed
            handle = pdfium.FPDF_LoadMemDocument64(self._source, len(self._source), password)
        if not handle:
            raise self._refused(pdfium.FPDF_GetLastError())
        return pdfium2.PdfDocument(handle)

    def _refused(self, code: int) -> InputError:
        if code == pdfium.FPDF_ERR_PASSWORD:
            what = "the password is wrong" if self._password else "is encrypted; pass its password"
            return PasswordError(what, document=self._name)
        if code == pdfium.FPDF_ERR_SECURITY:
            return UnsupportedError("is encrypted in a way that PDFium does not know", document=self._name)
        if code == pdfium.FPDF_ERR_FILE:
            return CorruptError("cannot be opened as a file", document=self._name)
        return CorruptError("is not a PDF that can be opened: damaged or cut off", document=self._name)

    def _load(self, number: int) -> Any:
        try:
            return self._pdf[number - 1]
        except (pdfium2.PdfiumError, IndexError) as error:
            raise CorruptError("the page cannot be loaded", document=self._name, page=number) from error

    @_alone()
    def _text(self, number: int) -> bytes:
        page = self._load(number)
        try:
            width, height = page.get_size()
            if not (0 < width < math.inf and 0 < height < math.inf):
                raise LimitError(f"the page is {width} by {height} points", document=self._name, page=number)
            transform = _transform(page)
            graphics = read_graphics(page.raw, transform)
            textpage = page.get_textpage()
            try:
                runs = read_runs(textpage.raw, transform, graphics.spans, tagged=self._tagged)
            finally:
                textpage.close()
            return PageText(
                number=number,
                width=round(width, 3),
                height=round(height, 3),
                rotation=page.get_rotation(),
                chars=runs.chars,
                unmapped=runs.unmapped,
                invisible=runs.invisible,
                font_table=runs.font_table,
                links=read_links(self._pdf.raw, page.raw, transform),
                fields=read_fields(self._pdf.formenv, page.raw, transform),
                tags=read_tags(page.raw) if self._tagged else [],
                texts=runs.texts,
                boxes=runs.boxes,
                baselines=runs.baselines,
                sizes=runs.sizes,
                colors=runs.colors,
                fonts=runs.fonts,
                angles=runs.angles,
                mcids=runs.mcids,
                flags=runs.flags,
                rulings=graphics.rulings,
                rects=graphics.rects,
                rect_colors=graphics.rect_colors,
                images=graphics.images,
                drawings=graphics.drawings,
                lost=max(0, graphics.text_objects - runs.text_objects),
                left_out=runs.left_out,
            ).to_bytes()
        except pdfium2.PdfiumError as error:
            raise CorruptError("the text of the page cannot be read", document=self._name, page=number) from error
        finally:
            page.close()

    @_alone()
    def _render(self, number: int, options: RenderOptions) -> PageImage:
        page = self._load(number)
        try:
            dpi = options.dpi
            while True:
                started = time.perf_counter()
                image = self._draw(page, number, dpi, options)
                if len(image[0]) <= options.max_bytes:
                    png, width, height, mode = image
                    return PageImage(number, png, width, height, dpi, mode, (time.perf_counter() - started) * 1e3)
                if dpi <= LEAST_DPI:
                    raise LimitError(
                        f"its picture has {len(image[0])} bytes at {dpi} dpi, over the limit of {options.max_bytes}",
                        document=self._name,
                        page=number,
                    )
                share = (options.max_bytes / len(image[0])) ** 0.5
                dpi = max(LEAST_DPI, int(dpi * min(_LOWER, share)))
        finally:
            page.close()

    def _draw(self, page: Any, number: int, dpi: int, options: RenderOptions) -> tuple[bytes, int, int, str]:
        points = page.get_size()
        width, height = (max(1, math.ceil(side * dpi / 72)) for side in points)
        if width * height > options.max_pixels:
            raise LimitError(
                f"{width} x {height} pixels at {dpi} dpi pass the limit of {options.max_pixels}; ask for a lower dpi",
                document=self._name,
                page=number,
            )
        bitmap = page.render(scale=dpi / 72, grayscale=options.grey, rev_byteorder=not options.grey, prefer_bgrx=False)
        try:
            channels = bitmap.n_channels
            rows = bytes(bitmap.buffer)
            stride = bitmap.stride
            width, height = bitmap.width, bitmap.height
        finally:
            bitmap.close()
        lines = [rows[y * stride : y * stride + width * channels] for y in range(height)]
        if channels == 3 and all(line[0::3] == line[1::3] == line[2::3] for line in lines):
            lines, channels = [line[0::3] for line in lines], 1
        return encoded(lines, (width, height), channels), width, height, "L" if channels == 1 else "RGB"

    def _entry(self, mark: Any) -> OutlineEntry:
        destination = mark.get_dest()
        index = destination.get_index() if destination else None
        page = index + 1 if index is not None and 0 <= index < len(self._pdf) else None
        return OutlineEntry(mark.level + 1, mark.get_title().strip(), page)


def _transform(page: Any) -> Affine:
    """User space to points of the displayed page: the visible box moved to the origin, rotated, y downwards."""
    rect = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, rect)
    left, top, right, bottom = rect.left, rect.top, rect.right, rect.bottom
    match page.get_rotation():
        case 90:
            return Affine(0, 1, -bottom, 1, 0, -left)
        case 180:
            return Affine(-1, 0, right, 0, 1, -bottom)
        case 270:
            return Affine(0, -1, top, -1, 0, right)
        case _:
            return Affine(1, 0, -left, 0, -1, top)
