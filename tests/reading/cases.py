"""The documents of the suite, and who is asked about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests import bombs, documents, scans
from tests.rawpdf import assemble, stream


@dataclass(frozen=True)
class Case:
    """A document, how it is read, and what becomes of its pages everywhere.

    `pipeline` says why a pipeline is not compared; it is empty where it is.
    """

    data: Callable[[], bytes]
    statuses: str
    engines: tuple[str, ...] = ("reads",)
    ocr: str = "auto"
    attempts: tuple[tuple[str, str], ...] = ()
    """What happened to the sheet on which an engine misbehaves: engine and outcome."""
    error: str = ""
    """The error with which the document is refused."""
    pipeline: str = ""
    beside: str = ""
    """The contents of the file beside the document with the areas of its tables."""


DIGITAL = "a pipeline reads the picture of every page, and never the text of the file"


def _sheets() -> bytes:
    return scans.numbered_scans(3)


def _mixed() -> bytes:
    """Text, a scan, an empty scan, and text with a scan among it."""
    blank = scans.Sheet(Image.new("L", scans.numbered_sheet(1).picture.size, 246), ())

    def draw(canvas: Canvas) -> None:
        documents.Pen(canvas).text(documents.prose(6))
        canvas.showPage()
        scans.scan_page(canvas, scans.numbered_sheet(7))
        scans.scan_page(canvas, blank)
        canvas.setPageSize(A4)
        documents.Pen(canvas).text(documents.prose(8))
        canvas.drawImage(ImageReader(scans.numbered_sheet(9).picture), 60, 80, 480, 360)
        canvas.showPage()

    return documents.drawn(draw)


def _lost_page() -> bytes:
    """Three pages, of which the second is an object that the file does not have."""
    page = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R 99 0 R 6 0 R]/Count 3/MediaBox[0 0 595 842]>>",
            page,
            stream("BT /F1 12 Tf 72 700 Td (The harbour is open) Tj ET"),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            page,
        ]
    )


CASES: dict[str, Case] = {
    "digital": Case(lambda: documents.simple(5), "ok ok ok ok ok", pipeline=DIGITAL),
    "areas-by-hand": Case(
        lambda: documents.simple(2), "ok ok", pipeline=DIGITAL, beside='[[area]]\npages = "2"\ncolumns = [0.5]\n'
    ),
    "scanned": Case(_sheets, "ok ok ok", attempts=(("reads", "ok"),)),
    "mixed": Case(_mixed, "ok ok empty ok", pipeline=DIGITAL),
    "lost-page": Case(_lost_page, "ok failed ok", pipeline=DIGITAL),
    "hostile-page": Case(bombs.doubling_forms, "ok failed", pipeline=DIGITAL),
    "hostile-document": Case(bombs.claimed_pages, "", error="LimitError"),
    "unusable-text": Case(documents.garbage_mapping, "skipped", ocr="never", pipeline=DIGITAL),
    "engine-raises": Case(_sheets, "ok failed ok", ("raises",), attempts=(("raises", "failed"),)),
    "engine-hangs": Case(_sheets, "ok failed ok", ("hangs",), attempts=(("hangs", "timeout"),)),
    "engine-crashes": Case(_sheets, "ok failed ok", ("crashes",), attempts=(("crashes", "crashed"),)),
    "engine-talks-nonsense": Case(
        _sheets, "ok failed ok", ("talks-nonsense",), attempts=(("talks-nonsense", "garbage"),)
    ),
    "engine-is-odd": Case(_sheets, "ok ok ok", ("is-odd",), attempts=(("is-odd", "ok"),)),
    "second-engine": Case(
        _sheets,
        "ok ok ok",
        ("is-weak", "reads"),
        attempts=(*(("is-weak", "weak"),) * 4, ("reads", "ok")),  # in each orientation
        pipeline="a pipeline has one engine; who wants several composes them",
    ),
    "next-engine-after-a-crash": Case(
        _sheets,
        "ok ok ok",
        ("crashes", "reads"),
        attempts=(("crashes", "crashed"), ("reads", "ok")),
        pipeline="a pipeline has one engine; who wants several composes them",
    ),
}

LIMITED = Case(_sheets, "ok ok ok", ("single",))
"""For programs that share an engine which takes one question at a time; each brings a document of its own."""
