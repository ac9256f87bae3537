"""`quire chunk`: documents to chunks for search and language models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.cli import chunk_options, options
from quire.cli.each_document import DocumentsRequest, file_writer, read_each
from quire.cli.settings import reading_configuration
from quire.core.keys import digest_of
from quire.retrieval.chunk import settings_of
from quire.retrieval.chunk.rows import jsonl, rows

if TYPE_CHECKING:
    from quire.reading.result import DocumentResult

FORMATS = ("jsonl", "parquet")

EXAMPLES = """\b
Examples:
  quire chunk report.pdf > chunks.jsonl
  quire chunk papers/ -o out --to parquet --max-tokens 512
  quire chunk report.pdf --chunker hierarchical --markdown-tables
  quire chunk report.pdf --tokenizer models/e5/tokenizer.json --max-tokens 400
"""


def chunk(
    files: options.Files,
    *,
    output: options.OutputOfEach = None,
    to: options.RowFormat = "jsonl",
    chunking: chunk_options.ChunkingOptions,
    raw_text: Annotated[bool, Option("--raw-text", help="Add the text without its headings.")] = False,
    reading: options.LayoutReadingOptions,
    cache: options.CacheOptions,
) -> int:
    """Cut PDFs, scans (OCR) and photos into chunks: a line of JSON for each, or Parquet files in a folder."""
    configuration = reading_configuration(locals(), "to", "output")
    chosen = chunking.chosen()
    chunk_options.check_format(to, FORMATS, "chunks", output)
    tokenizer = chunk_options.tokenizer_of(chosen)

    def content(read: DocumentResult) -> bytes:
        listed = rows(read, read.chunks(chosen), raw_text=raw_text)
        if to == "jsonl":
            return jsonl(listed)
        from quire import __version__
        from quire.retrieval.chunk.parquet import parquet

        return parquet(listed, settings=digest_of(settings_of(chosen, tokenizer)), created_by=f"quire {__version__}")

    write = file_writer(content, output, f"chunks.{to}")
    return read_each(files, DocumentsRequest(write, output, reading.pages, configuration, quiet=cache.quiet))
