"""Warming up: before a server is ready, a worker has imported what reads documents, and loaded the OCR engine."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from quire.core.errors import QuireError
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.tasks import task_jobs as jobs
from quire.durable.tasks.task_steps import SHORT_S
from quire.output.export.docling_images import OutputOptions
from quire.reading.call import read
from quire.service.logs import log
from quire.store.temporary import TemporaryStore

TEXT = b"BT /F1 24 Tf 72 720 Td (A page to begin with) Tj ET"
PDF = b"""%%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>> endobj
4 0 obj <</Length %d>> stream
%s
endstream endobj
5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
trailer <</Root 1 0 R>>
""" % (len(TEXT), TEXT)
OUTPUTS: OutputOptions = {
    "formats": ["md", "json"],
    "image_mode": "placeholder",
    "images": False,
    "page_images": False,
    "images_scale": 2.0,
    "page_break": "",
    "compact_tables": False,
    "version": None,
    "titles": False,
}


def warm_up(workers: int | None) -> None:
    """Convert a page of text, read a picture of one, and forget both. Blocks; what goes wrong is logged."""
    try:
        with tempfile.TemporaryDirectory(prefix="quire-warm-up-") as folder:
            text, picture = Path(folder, "text.pdf"), Path(folder, "picture.png")
            text.write_bytes(PDF)
            picture.write_bytes(_picture())
            steps = DocumentSteps(TemporaryStore(), workers=workers)
            settings = jobs.OutputSettings({**OUTPUTS}, chunking=None, archive=False, name=text.name)
            with steps.short_request(ReadRequest(SourceRef.of(text))) as asked:
                steps.work("quire.durable.tasks.task_jobs:short", jobs.ShortRequest(asked, settings), SHORT_S)
            read(picture, ocr="always", isolate=True, workers=steps.workers)
    except QuireError as error:
        log.warning("the first documents may take longer: %s", error)


def _picture() -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (600, 120), 255)
    ImageDraw.Draw(picture).text((30, 40), "A page to begin with", font=ImageFont.load_default(36), fill=0)
    written = io.BytesIO()
    picture.save(written, "PNG", dpi=(150, 150))
    return written.getvalue()
