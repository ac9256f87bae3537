"""Exports: every format is a function of a result, and one table maps formats to files.

The module of a format is imported lazily, when the format is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from quire.core.errors import ConfigurationError, QuireError, UsageError
from quire.core.plugins import loaded, offered
from quire.output.export.contracts import Exportable, Sourced, Structured, Traced

if TYPE_CHECKING:
    from quire.core.types import Block, PageInfo

__all__ = [
    "FORMATS",
    "Exportable",
    "Format",
    "Sourced",
    "Structured",
    "Traced",
    "alto",
    "csv_tables",
    "docling",
    "docling_json",
    "docling_references",
    "doctags",
    "excel",
    "files",
    "find_format",
    "format_names",
    "from_json",
    "hocr",
    "html",
    "json_",
    "markdown",
    "pdf",
    "show",
    "text",
]


def markdown(result: Exportable) -> str:
    """CommonMark with pipe tables, and HTML tables where cells span. No headers, footers and page numbers."""
    from quire.output.export import _converted, _markdown

    converted = _converted.document_of(result)
    return _markdown.markdown(result) if converted is None else converted.export_to_markdown()


def html(result: Exportable) -> str:
    """A self-contained HTML page, every block and cell with its page and box. No headers and footers."""
    from quire.output.export import _converted, _html

    converted = _converted.document_of(result)
    return _html.html(result) if converted is None else converted.export_to_html()


def text(result: Exportable) -> str:
    """The lines of the pages, without headers, footers and page numbers."""
    from quire.output.export import _converted, _text

    converted = _converted.document_of(result)
    return _text.text(result) if converted is None else converted.export_to_text()


def json_(result: Exportable, *, words: bool = False) -> str:
    """Everything, in the schema `quire/1`; the words of each block only when requested."""
    from quire.output.export import _json

    return _json.json_(result, words=words)


def from_json(text: str) -> tuple[list[PageInfo], list[Block]]:
    """The pages and blocks of a document in the schema `quire/1`."""
    from quire.output.export import _json

    return _json.from_json(text)


def docling(result: Exportable) -> dict[str, object]:
    """A DoclingDocument of schema 1.10 as plain values, ready for `DoclingDocument.model_validate`."""
    from quire.output.export import _converted, _docling

    converted = _converted.tree_of(result)
    return _docling.docling(result) if converted is None else converted


def docling_json(result: Exportable) -> str:
    """A DoclingDocument as JSON."""
    from quire.output.export import _converted, _docling

    converted = _converted.document_of(result)
    return (
        _docling.docling_json(result)
        if converted is None
        else converted.model_dump_json(by_alias=True, exclude_none=True)
    )


def docling_references(result: Exportable) -> Mapping[str, str | Sequence[str]]:
    """The items of each block in that DoclingDocument: block id to a reference like `#/texts/3`, or several."""
    from quire.output.export import _converted, _docling

    converted = _converted.document_of(result)
    if converted is None:
        return _docling.references(result)
    from quire.pages.formats.blocks import references_of

    return references_of(converted.export_to_dict())


def doctags(result: Exportable) -> str:
    """DocTags, docling's markup with locations."""
    from quire.output.export import _converted, _doctags

    converted = _converted.document_of(result)
    return _doctags.doctags(result) if converted is None else converted.export_to_doctags()


def csv_tables(result: Exportable) -> list[str]:
    """Each table as CSV, in reading order."""
    from quire.output.export import _csv

    return _csv.csv_tables(result)


def excel(result: Exportable) -> bytes:
    """A workbook with a sheet per table. Raises `ConfigurationError` when xlsxwriter is not installed."""
    from quire.output.export import _excel

    return _excel.excel(result)


def hocr(result: Exportable, *, dpi: float = 300) -> str:
    """hOCR 1.2 with every page, line and word; boxes in pixels of pages rendered at `dpi`."""
    from quire.output.export import _hocr

    return _hocr.hocr(result, dpi=dpi)


def alto(result: Exportable, *, dpi: float = 300) -> list[str]:
    """ALTO 4.4, one file per page, in page order; boxes in pixels of pages rendered at `dpi`."""
    from quire.output.export import _alto

    return _alto.alto(result, dpi=dpi)


def pdf(result: Exportable) -> bytes:
    """The source as a searchable PDF: the OCR words are an invisible text layer on its pages.

    Raises `ConfigurationError` when pikepdf is not installed, and `UsageError` when the result is not `Sourced`.
    """
    from quire.output.export import _pdf

    return _pdf.pdf(result)


def show(png: bytes, blocks: Iterable[Block], *, page: int) -> bytes:
    """The image of page `page` with the boxes of its blocks and cells, as PNG."""
    from quire.output.export import _show

    return _show.show(png, blocks, page=page)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files: `write(result, words)` returns the contents of each of them."""

    name: str
    suffix: str  # what follows the stem; {number} counts the files of a format that has several
    media_type: str
    write: Callable[[Exportable, bool], Sequence[str | bytes]]
    by_page: bool = False  # one file per page, {number} is the page number
    version: str = "1"  # of a format of another package: change it when `write` returns something else


FORMATS: Mapping[str, Format] = {
    format.name: format
    for format in (
        Format("md", ".md", "text/markdown", lambda result, _: [markdown(result)]),
        Format("html", ".html", "text/html", lambda result, _: [html(result)]),
        Format("txt", ".txt", "text/plain", lambda result, _: [text(result)]),
        Format("json", ".json", "application/json", lambda result, words: [json_(result, words=words)]),
        Format("docling", ".docling.json", "application/json", lambda result, _: [docling_json(result)]),
        Format("doctags", ".doctags", "text/plain", lambda result, _: [doctags(result)]),
        Format("csv", ".table-{number}.csv", "text/csv", lambda result, _: csv_tables(result)),
        Format(
            "xlsx",
            ".xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            lambda result, _: [excel(result)],
        ),
        Format("hocr", ".hocr", "text/vnd.hocr+html", lambda result, _: [hocr(result)]),
        Format("alto", ".page-{number}.alto.xml", "application/xml", lambda result, _: alto(result), by_page=True),
        Format("pdf", ".searchable.pdf", "application/pdf", lambda result, _: [pdf(result)]),
    )
}
"""The built-in formats by the name that `--to` takes."""


def format_names() -> tuple[str, ...]:
    """Every name that `--to` takes: the built-in formats, then those of other packages."""
    return (*FORMATS, *sorted(offered("format").keys() - FORMATS.keys()))


def find_format(name: str) -> Format:
    """A built-in format, or one that an installed package offers as an entry point of the group `quire.formats`.

    Raises `UsageError` for a name that does not exist, `ConfigurationError` when the package does not offer a `Format`.
    """
    if name in FORMATS:
        return FORMATS[name]
    point = offered("format").get(name)
    if point is None:
        raise UsageError(f"there is no format {name!r}; choose from {', '.join(format_names())}")
    found = loaded("format", point)
    if not isinstance(found, Format):
        raise ConfigurationError(f"the format {name} is {type(found).__name__}, not a quire.export.Format")
    return found


def files(result: Exportable, format: str, *, stem: str, words: bool = False) -> dict[str, bytes]:
    """The files of one format by name, text as UTF-8: `report.md`, `report.table-1.csv`, `report.page-1.alto.xml`.

    A document without tables has no CSV files. Raises `UsageError` for a format that does not exist, and a `QuireError`
    that names it when a format of another package fails.
    """
    chosen = find_format(format)
    try:
        return _files(chosen, result, stem, words=words)
    except QuireError:
        raise
    except Exception as error:  # one of another package may raise anything
        if format in FORMATS:
            raise
        message = f"{type(error).__name__}: {error}".rstrip(": ")
        advice = "leave it out, or report it to those who made it"
        raise QuireError(
            f"the format {format} of {_package(format)} failed for {result.name}: {message}; {advice}"
        ) from error


def _files(chosen: Format, result: Exportable, stem: str, *, words: bool) -> dict[str, bytes]:
    numbers = (page.number for page in result.pages) if chosen.by_page else count(1)
    return {
        stem + chosen.suffix.format(number=number): _encoded(content)
        for number, content in zip(numbers, chosen.write(result, words), strict=False)
    }


def _package(format: str) -> str:
    package = offered("format")[format].dist
    return f"the package {package.name}" if package else "another package"


def _encoded(content: str | bytes) -> bytes:
    """Lone surrogates, which damaged files can contain, cannot be encoded in UTF-8 and become `?`."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "replace")
