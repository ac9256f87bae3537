"""`quire read --server`: documents read by a server, with the files and messages of a local read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from quire.client import Client, ClientDocument
from quire.client.connection import error_with
from quire.core.config import Settings
from quire.core.document import Document
from quire.core.engine import Attempt
from quire.core.errors import InputError, QuireError, RunCancelled, UsageError
from quire.core.events import Sink
from quire.core.table_areas import TableArea, TablesMode
from quire.core.types import PageResult
from quire.durable.folders.output_names import NamedSource
from quire.output.export import _json, find_format, from_json, show
from quire.pages.recognize.options import Effort, OcrMode
from quire.reading.result import DocumentResult, ReadSource, ResultStatus
from quire.system.atomic_files import fitting_stem, write_files

DPI = 150


def check_server_options(settings: Settings, given: Mapping[str, object]) -> None:
    """Raises UsageError for options that decide where and how this machine reads: the server has its own."""
    local = [
        name for name in ("store", "facts", "workers", "similar", "allow_private_urls", "images") if given.get(name)
    ]
    if local:
        option = local[0].replace("_", "-")
        raise UsageError(f"--{option} is for documents that are read here; with --server, the server decides that")
    if settings.password or settings.password_for:
        raise UsageError("passwords are not sent to a server: read encrypted documents here, without --server")


def read_on_server(
    client: Client,
    source: NamedSource,
    settings: Settings,
    pages: str | None,
    on_event: Sink,
    areas: Sequence[TableArea] = (),
) -> ServerResult:
    """Submit a document, and wait for its end. Raises the error of a document that could not be read."""
    run = client.submit(
        source.url or source.path,
        pages=pages,
        ocr=cast("OcrMode", settings.ocr),  # one of its choices
        effort=cast("Effort", settings.effort),
        engines=settings.engine,
        lang=settings.lang,
        figures=settings.figures,
        redactions=settings.redactions,
        tables=cast("TablesMode", settings.tables),
        areas=areas,
    )
    try:
        for event in run.events():
            on_event(event)
    except BaseException:
        with suppress(QuireError):
            run.cancel()
        raise
    (document,) = run.documents
    report = document.report
    if report.state == "cancelled":
        raise RunCancelled("the run was cancelled on the server")
    if report.state != "finished":
        raise error_with(report.error or "could not be read", report.category or "runtime")
    return ServerResult(document)


class ServerResult:
    """A document that a server has read: the part of a `DocumentResult` that the command needs."""

    def __init__(self, document: ClientDocument) -> None:
        self._document = document
        rows = document.page_list()
        self.pages = tuple(PageResult(_json.read_page(row)) for row in rows)
        self.path: Mapping[int, Sequence[Attempt]] = {row["number"]: () for row in rows if row["attempts"]}

    @property
    def status(self) -> ResultStatus:
        return self._document.report.status or "complete"

    def to_bytes(
        self,
        format: str,
        *,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
        images: object = None,
        crop: object = None,
    ) -> bytes:
        """As of a `DocumentResult`; `check_server_options` rejects `images`."""
        files = list(self._document.files(format, words=words, trace=trace, figures=figures).values())
        if len(files) != 1:
            each = "page" if find_format(format).by_page else "table"
            raise UsageError(f"{format} is one file per {each}, here {len(files)}; give an output folder with -o DIR")
        return files[0]

    def save(
        self,
        folder: Path,
        formats: Sequence[str],
        *,
        stem: str,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
        images: object = None,
        crop: object = None,
    ) -> list[Path]:
        document, stem = self._document, fitting_stem(stem)
        paths = {
            folder / name: data
            for format in formats
            for name, data in document.files(format, stem=stem, words=words, trace=trace, figures=figures).items()
        }
        write_files(paths)
        return list(paths)

    def loaded(self) -> DocumentResult:
        """The document with all its blocks, to be worked on here. Its source stays on the server."""
        report = self._document.report
        infos, blocks = from_json(self.to_bytes("json").decode())
        return DocumentResult(
            ReadSource(report.sha256 or "", report.name, report.media_type or "", _on_the_server), infos, blocks
        )

    def shown(self) -> Iterator[tuple[int, bytes | InputError]]:
        """The pages with the boxes drawn."""
        for page in self.pages:
            try:
                image, blocks = self._document.image(page.number, dpi=DPI), self._document.page(page.number).blocks
            except InputError as error:
                yield page.number, InputError(str(error.args[0]), page=page.number)
                continue
            yield page.number, show(image, blocks, page=page.number)


def _on_the_server() -> Document:
    raise UsageError("the document is on the server; read it here to draw its pages")
