"""`quire catalog`: everything of documents that a value can cite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.cli import chunk_options, options
from quire.cli.command_errors import print_report
from quire.cli.each_document import DocumentsRequest, Write, Written, file_writer, read_each
from quire.cli.progress import ProgressBar
from quire.cli.settings import reading_configuration
from quire.core.errors import UsageError
from quire.durable.folders.output_names import NamedSource
from quire.evidence.catalog.catalog_rows import catalog_rows, load_catalog_rows
from quire.evidence.catalog.comparison import compare_catalogs
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

    def content(read: DocumentResult) -> bytes:
        rows = catalog_rows(read.catalog())
        if to == "jsonl":
            return jsonl(rows)
        from quire import __version__
        from quire.evidence.catalog.catalog_rows import catalog_parquet

        return catalog_parquet(rows, created_by=f"quire {__version__}")

    if as_json and against is None:
        raise UsageError("--json is for a comparison; name the earlier catalog with --against")
    if against is not None and output is not None:
        raise UsageError("a comparison is printed; -o does not go with --against")
    write = file_writer(content, output, f"catalog.{to}") if against is None else _comparing(against, as_json=as_json)
    return read_each(files, DocumentsRequest(write, output, reading.pages, configuration, quiet=cache.quiet))


def _comparing(against: Path, *, as_json: bool) -> Write:
    """Prints how the catalog of a document differs from an earlier one."""
    before = load_catalog_rows(against)

    def write(read: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        changes = compare_catalogs(before, catalog_rows(read.catalog()))
        progress.stop()
        print_report(changes.to_json(), changes.lines(), as_json=as_json)
        return (), ()

    return write
