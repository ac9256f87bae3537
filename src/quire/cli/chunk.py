"""`quire chunk`: documents to chunks for search and language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import chunk_options, options
from quire.cli.each_document import DocumentsRequest, Written, read_each, write_or_print
from quire.cli.progress import ProgressBar
from quire.cli.read_server import ServerResult
from quire.cli.settings import reading_configuration
from quire.core.keys import digest_of
from quire.durable.folders.output_names import NamedSource
from quire.retrieval.chunk import DEFAULT_TOKENIZER, ChunkOptions, Tokenizer, settings_of
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


def chunk(  # noqa: PLR0913 - one argument per option
    files: Annotated[list[str], Argument(metavar="FILE...", help="PDFs, images, folders of them, or URLs.")],
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="DIR", help="Output folder, with a file for each document.")
    ] = None,
    to: Annotated[str, Option(metavar="FORMAT", help="jsonl (default) or parquet.", show_default=False)] = "jsonl",
    chunker: chunk_options.Chunker = "hybrid",
    max_tokens: chunk_options.MaxTokens = None,
    min_tokens: chunk_options.MinTokens = 0,
    soft_margin: chunk_options.SoftMargin = 64,
    tokenizer: chunk_options.TokenizerName = DEFAULT_TOKENIZER,
    merge_peers: chunk_options.MergePeers = True,
    markdown_tables: chunk_options.MarkdownTables = False,
    markdown_images: chunk_options.MarkdownImages = False,
    image_placeholder: chunk_options.ImagePlaceholder = "![IMAGE]",
    markdown_text: chunk_options.MarkdownText = False,
    raw_text: chunk_options.RawText = False,
    pages: options.Pages = None,
    password: options.Password = None,
    password_for: options.PasswordFor = None,
    allow_private_urls: options.AllowPrivateUrls = None,
    ocr: options.Ocr = None,
    lang: options.Lang = None,
    engine: options.Engine = None,
    effort: options.Effort = None,
    preset: options.Preset = None,
    figures: options.Figures = None,
    redactions: options.Redactions = None,
    tables: options.Tables = None,
    store: chunk_options.CacheStore = None,
    facts: options.Facts = None,
    workers: options.Workers = None,
    server: options.Server = None,
    api_key: options.ApiKey = None,
    quiet: options.Quiet = False,
) -> int:
    """Cut PDFs, scans (OCR) and photos into chunks: a line of JSON for each, or Parquet files in a folder."""
    given = dict(locals())
    configuration = reading_configuration(given, "to", "output")
    chosen = chunk_options.options_of(given)
    chunk_options.check_format(to, FORMATS, "chunks", output)
    wanted = _Chunks(chosen, chunk_options.tokenizer_of(chosen), to, output, raw_text)
    request = DocumentsRequest(
        wanted.write, output, pages, configuration.settings, quiet=quiet, areas=configuration.areas
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
