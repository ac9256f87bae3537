"""Office files, web pages and markup: Markdown beside docling's own, the share placed on pages, and the time."""

from __future__ import annotations

import io
import os
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from importlib import import_module

from docling_core.types.doc.document import DoclingDocument
from tests import office_files

import quire
from benchmarks import clock, corpus, family
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.core.bundle import Bundle
from quire.core.document import Document
from quire.core.encoding import decode_page
from quire.core.errors import QuireError
from quire.core.pagetext import PageText
from quire.core.types import Block
from quire.output.export.docling_images import OutputOptions
from quire.output.export.docling_outputs import render
from quire.pages.formats import libreoffice
from quire.pages.formats.conversion import convert

SOURCES = "office-docling"
EQUAL = ("docx", "pptx", "xlsx", "html", "md")
"""The formats whose Markdown must be docling's own."""
UNPRINTED = ("footnote", "header", "footer")
"""Kinds of blocks that need not be on the printed pages: notes of speakers, comments, titles of web pages."""
OUTPUTS: OutputOptions = {
    "formats": ["md"],
    "image_mode": "placeholder",
    "images": True,
    "page_images": False,
    "images_scale": 2.0,
    "page_break": "",
    "compact_tables": False,
    "version": None,
}


@dataclass
class Figures:
    """Of the files of one format."""

    api: list[float] = field(default_factory=list)
    command: list[float] = field(default_factory=list)
    blocks: int = 0
    placed: int = 0
    body: int = 0
    body_placed: int = 0
    plain: list[clock.Sample] = field(default_factory=list)
    printed: list[clock.Sample] = field(default_factory=list)


def run(options: Options) -> Report:
    if libreoffice.version() is None:
        raise LeftOut("LibreOffice is not installed")
    found: dict[str, Figures] = defaultdict(Figures)
    differing: list[str] = []
    # docling would start LibreOffice for each drawing; without pixels its Markdown is the same.
    with _environment(DOCLING_LIBREOFFICE_CMD="false", QUIRE_PRINT="no"):
        for name, data in _files(options):
            input_format, theirs = _theirs(name, data)
            figures = found[input_format]
            read = quire.read(Document.from_bytes(data, name=name))
            api = _alike(str(render(read.to_docling(), OUTPUTS).contents["md"]), theirs)
            figures.api.append(api)
            printed = _place(name, data, figures)
            figures.command.append(min(_alike(text, theirs) for text in (read.to_markdown(), printed)))
            if min(api, figures.command[-1]) < 1:
                differing.append(f"{name} ({api:.3f}, {figures.command[-1]:.3f})")
    rows = [[input_format, *_row(input_format, found[input_format])] for input_format in sorted(found)]
    columns = ["format", "files", "API = docling", "goal", "reached", "quire read --to md", "blocks placed"]
    columns += ["placed, body only", "ms, not printed", "s, printed"]
    notes = [
        "Similarity of the Markdown to what docling's own backend of docling-slim writes in the same run: 1 is equal, "
        "byte for byte; the mean of all files. `API` is `to_formats: md` with placeholders for images; "
        "`quire read --to md` is the worse of printed and not printed.",
        "Blocks with a box on the pages that LibreOffice prints; `body only` leaves out notes, comments, and what is "
        "in the head of a web page, which are not printed. Web pages are printed with `QUIRE_PRINT=all`.",
        "CPU time of one conversion in a process that has docling loaded: the median of the files, without and with "
        "printing; nothing in a store.",
        f"Files of `tests/office_files.py`, and of ../shared/corpus/{SOURCES} where it is there. "
        f"Printed by LibreOffice {libreoffice.version()}.",
        f"Not equal: {', '.join(differing) or 'none'}.",
    ]
    data = {name: vars(figures) | {"plain": [], "printed": []} for name, figures in found.items()}
    return Report("Office files", [Table(columns, rows)], notes, data)


def _row(input_format: str, figures: Figures) -> list[object]:
    api = min(figures.api)
    asked = goal(api, 1.0) if input_format in EQUAL else ["", ""]
    share = figures.placed / figures.blocks if figures.printed and figures.blocks else None
    body = figures.body_placed / figures.body if figures.printed and figures.body else None
    plain = 1000 * statistics.median(sample.cpu for sample in figures.plain)
    printed = statistics.median(sample.cpu for sample in figures.printed) if figures.printed else None
    means = statistics.mean(figures.api), statistics.mean(figures.command)
    return [len(figures.api), means[0], *asked, means[1], share, body, plain, printed]


def _files(options: Options) -> Iterator[tuple[str, bytes]]:
    yield from office_files.all_of_them().items()
    sources = sorted((corpus.CORPUS / SOURCES / "sources").glob("*"))
    for path in sources[:: 8 if options.quick else 1]:
        yield path.name, path.read_bytes()


def _theirs(name: str, data: bytes) -> tuple[str, str]:
    """What docling makes of it: its rules of detection, its backend, its options, its Markdown."""
    from docling.datamodel.backend_options import EmailBackendOptions
    from docling.datamodel.base_models import DocumentStream
    from docling.datamodel.document import InputDocument, _DocumentConversionInput

    from quire.pages.formats.backends import BACKENDS

    stream = DocumentStream(name=name, stream=io.BytesIO(data))
    found = _DocumentConversionInput(path_or_stream_iterator=[])._guess_format(stream)
    module, kind = BACKENDS[found.value].place.split(":")
    options = EmailBackendOptions(list_attachments=True) if found.value == "email" else None
    backend = getattr(import_module(f"docling.backend.{module}"), kind)
    given = InputDocument(io.BytesIO(data), found, backend, backend_options=options, filename=name)
    return found.value, given._backend.convert().export_to_markdown()


def _alike(ours: str, theirs: str) -> float:
    if ours == theirs:
        return 1.0
    return SequenceMatcher(None, ours.split(), theirs.split(), autojunk=False).ratio()


def _place(name: str, data: bytes, figures: Figures) -> str:
    """Count what is placed on printed pages; returns the Markdown of the structure with these places."""
    document = Document.from_bytes(data, name=name)
    convert(document)  # its backend is imported here
    figures.plain.append(clock.timed(partial(convert, document))[1])
    with _environment(QUIRE_PRINT="all"):
        (bundle, structure), sample = clock.timed(partial(convert, document), cpu=family.cpu_seconds)
    markdown = DoclingDocument.model_validate_json(structure).export_to_markdown()
    if bundle.pdf is None:
        if bundle.unprinted:
            raise QuireError(f"{name} is not printed: {bundle.unprinted}")
        return markdown
    figures.printed.append(sample)
    for block in _blocks(bundle):
        figures.blocks += 1
        figures.placed += block.placed
        if block.kind not in UNPRINTED:
            figures.body += 1
            figures.body_placed += block.placed
    return markdown


def _blocks(bundle: Bundle) -> Iterator[Block]:
    texts = [PageText.from_bytes(text) for text in bundle.texts]
    return (block for text in texts for block in decode_page(text.ready.encode(), lambda page: texts[page - 1]))


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
