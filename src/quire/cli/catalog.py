"""`quire catalog`: everything of documents that a value can cite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.cli import chunk_options, options
from quire.cli.command_errors import print_report
from quire.cli.each_document import DocumentsRequest, Written, read_each, write_or_print
from quire.cli.progress import ProgressBar
from quire.cli.read_server import ServerResult
from quire.cli.settings import reading_configuration
from quire.core.errors import UsageError
from quire.durable.folders.output_names import NamedSource
from quire.evidence.catalog.catalog_rows import CatalogRow, catalog_rows, load_catalog_rows
from quire.evidence.catalog.comparison import compare_catalogs
from quire.evidence.catalog.records import SourceCatalog
from quire.retrieval.chunk.rows import jsonl

if TYPE_CHECKING:
    from quire.reading.result import DocumentResult

FORMATS = ("jsonl", "parquet")

EXAMPLES = """\b
Examples:
  quire catalog report.pdf > catalog.jsonl
  quire catalog papers/ -o out --to parquet
  quire catalog report.pdf --against catalog.jsonl
"""


def catalog(
    files: options.Files,
    *,
    output: options.OutputOfEach = None,
    to: options.RowFormat = "jsonl",
    against: Annotated[
        Path | None,
        Option(metavar="FILE", help="An earlier catalog (jsonl): show what was added, what is gone and what moved."),
    ] = None,
    as_json: options.Json = False,
    reading: options.ReadingOptions,
    tables: options.Tables = None,
    cache: options.CacheOptions,
) -> int:
    """List the source catalog of PDFs, scans (OCR) and photos: every chunk, block and cell with its id, its text and
    its places, as a line of JSON for each, or Parquet files in a folder."""
    configuration = reading_configuration(locals(), "to", "output", "against", "as_json")
    chunk_options.check_format(to, FORMATS, "the catalog", output)
    if as_json and against is None:
        raise UsageError("--json is for a comparison; name the earlier catalog with --against")
    if against is not None and output is not None:
        raise UsageError("a comparison is printed; -o does not go with --against")
    compared = None if against is None else _Compared(load_catalog_rows(against), as_json)
    writer = compared or _Catalogs(to, output)
    request = DocumentsRequest(
        writer.write, output, reading.pages, configuration.settings, quiet=cache.quiet, areas=configuration.areas
    )
    return read_each(files, request)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Prints how the catalog of a document differs from an earlier one."""

    before: list[CatalogRow]
    as_json: bool

    def write(self, result: DocumentResult | ServerResult, source: NamedSource, progress: ProgressBar) -> Written:
        read = result.loaded() if isinstance(result, ServerResult) else result
        changes = compare_catalogs(self.before, catalog_rows(read.catalog()))
        progress.stop()
        print_report(changes.to_json(), changes.lines(), as_json=self.as_json)
        return (), ()


@dataclass(frozen=True, slots=True)
class _Catalogs:
    """Writes the catalog of each document, in the format of the options."""

    to: str
    output: Path | None

    def write(self, result: DocumentResult | ServerResult, source: NamedSource, progress: ProgressBar) -> Written:
        read = result.loaded() if isinstance(result, ServerResult) else result
        content = self._content(read.catalog())
        file = self.output / source.folder / f"{source.stem}.catalog.{self.to}" if self.output else None
        return write_or_print(content, file, progress)

    def _content(self, found: SourceCatalog) -> bytes:
        if self.to == "jsonl":
            return jsonl(catalog_rows(found))
        from quire import __version__
        from quire.evidence.catalog.catalog_rows import catalog_parquet

        return catalog_parquet(catalog_rows(found), created_by=f"quire {__version__}")
