"""`quire catalog`: everything of documents that a value can cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.cli import chunk_options, options
from quire.cli.each_document import DocumentsRequest, file_writer, read_each
from quire.cli.settings import reading_configuration
from quire.evidence.catalog.catalog_rows import catalog_rows
from quire.retrieval.chunk.rows import jsonl

if TYPE_CHECKING:
    from quire.reading.result import DocumentResult

FORMATS = ("jsonl", "parquet")

EXAMPLES = """\b
Examples:
  quire catalog report.pdf > catalog.jsonl
  quire catalog papers/ -o out --to parquet
"""


def catalog(
    files: options.Files,
    *,
    output: options.OutputOfEach = None,
    to: options.RowFormat = "jsonl",
    reading: options.ReadingOptions,
    tables: options.Tables = None,
    cache: options.CacheOptions,
) -> int:
    """List the source catalog of PDFs, scans (OCR) and photos: every chunk, block and cell with its id, its text and
    its places, as a line of JSON for each, or Parquet files in a folder."""
    configuration = reading_configuration(locals(), "to", "output")
    chunk_options.check_format(to, FORMATS, "the catalog", output)

    def content(read: DocumentResult) -> bytes:
        rows = catalog_rows(read.catalog())
        if to == "jsonl":
            return jsonl(rows)
        from quire import __version__
        from quire.evidence.catalog.catalog_rows import catalog_parquet

        return catalog_parquet(rows, created_by=f"quire {__version__}")

    write = file_writer(content, output, f"catalog.{to}")
    return read_each(files, DocumentsRequest(write, output, reading.pages, configuration, quiet=cache.quiet))
