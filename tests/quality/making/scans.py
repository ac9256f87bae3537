"""Scans: pictures of a few golden pages, small enough that OCR of all takes seconds."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pypdfium2
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.quality.making.printing import save
from tests.quality.truth import GoldenDocument, documents_of

SOURCES = (("articles", 1), ("invoices", 2), ("tables-ruled", 1), ("letters", 3))
DPI = 130


def scan_pages() -> list[GoldenDocument]:
    buffer, documents = BytesIO(), []
    canvas = Canvas(buffer, invariant=1)
    for place, (family, number) in enumerate(SOURCES, start=1):
        source = documents_of(family)[number - 1]
        with pypdfium2.PdfDocument(source.path) as pdf:
            page = pdf[number - 1]
            size = page.get_size()
            picture = page.render(scale=DPI / 72, grayscale=True).to_pil()
        turned = picture.rotate(0.4, fillcolor=255, resample=Image.Resampling.BICUBIC)
        jpeg = BytesIO()
        turned.save(jpeg, "JPEG", quality=45)
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(jpeg), 0, 0, *size)
        canvas.showPage()
        documents.append(replace(source, family="scans", first=place, last=place))
    canvas.save()
    save("scans", buffer.getvalue(), documents)
    return documents
