"""`quire chunk`: documents to chunks for search and language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.cli import chunk_options, options
from quire.cli.each_document import DocumentsRequest, Written, read_each, write_or_print
from quire.cli.progress import ProgressBar
from quire.cli.read_server import ServerResult
from quire.cli.settings import reading_configuration
from quire.core.keys import digest_of
from quire.durable.folders.output_names import NamedSource
from quire.retrieval.chunk import ChunkOptions, Tokenizer, settings_of
from quire.retrieval.chunk.rows import ChunkRow, jsonl, rows

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
    wanted = _Chunks(chosen, chunk_options.tokenizer_of(chosen), to, output, raw_text)
    request = DocumentsRequest(
        wanted.write, output, reading.pages, configuration.settings, quiet=cache.quiet, areas=configuration.areas
    )
    return read_each(files, request)


@dataclass(frozen=True, slots=True)
class _Chunks:
    """What is written of each document, from the options."""

    options: ChunkOptions
    tokenizer: Tokenizer | None
    to: str
    output: Path | None
    raw_text: bool

    def write(self, result: DocumentResult | ServerResult, source: NamedSource, progress: ProgressBar) -> Written:
        read = result.loaded() if isinstance(result, ServerResult) else result
        content = self._content(rows(read, read.chunks(self.options), raw_text=self.raw_text))
        file = self.output / source.folder / f"{source.stem}.chunks.{self.to}" if self.output else None
        return write_or_print(content, file, progress)

    def _content(self, listed: Sequence[ChunkRow]) -> bytes:
        if self.to == "jsonl":
            return jsonl(listed)
        from quire import __version__
        from quire.retrieval.chunk.parquet import parquet

        settings = digest_of(settings_of(self.options, self.tokenizer))
        return parquet(listed, settings=settings, created_by=f"quire {__version__}")
