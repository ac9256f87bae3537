"""`quire chunk`: documents to chunks for search and language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

from quire.atomic_files import write_files
from quire.chunk import DEFAULT_TOKENIZER, ChunkerName, ChunkOptions, Tokenizer, find_tokenizer, settings_of
from quire.chunk.rows import ChunkRow, jsonl, rows
from quire.cli import options
from quire.cli.each_document import DocumentsRequest, Written, read_each, write_to_stdout
from quire.cli.progress import ProgressBar
from quire.cli.read_server import ServerResult, check_server_options
from quire.cli.settings import configuration_of
from quire.durable.folders.naming import NamedSource
from quire.errors import UsageError
from quire.keys import digest_of

if TYPE_CHECKING:
    from quire.result import DocumentResult

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
    chunker: Annotated[
        str, Option(metavar="NAME", help="hybrid: by tokens (default); hierarchical: by structure.", show_default=False)
    ] = "hybrid",
    max_tokens: Annotated[
        int | None, Option(metavar="N", help="Most tokens of a chunk; what the model takes by default.", min=1)
    ] = None,
    min_tokens: Annotated[
        int, Option(metavar="N", help="Join smaller chunks across headings.", min=0, show_default=False)
    ] = 0,
    soft_margin: Annotated[
        int, Option(metavar="N", help="Tokens kept free where a heading is crossed; 64.", min=0, show_default=False)
    ] = 64,
    tokenizer: Annotated[
        str, Option(metavar="NAME", help="Model, or path of its tokenizer.json; all-MiniLM-L6-v2.", show_default=False)
    ] = DEFAULT_TOKENIZER,
    merge_peers: Annotated[
        bool, Option("--merge-peers/--no-merge-peers", help="Join neighbours below the same headings.")
    ] = True,
    markdown_tables: Annotated[bool, Option("--markdown-tables", help="Tables as Markdown, not as sentences.")] = False,
    markdown_images: Annotated[bool, Option("--markdown-images", help="A placeholder where a figure is.")] = False,
    image_placeholder: Annotated[
        str, Option(metavar="TEXT", help="That placeholder; ![IMAGE].", show_default=False)
    ] = "![IMAGE]",
    markdown_text: Annotated[bool, Option("--markdown-text", help="Keep emphasis and links as Markdown.")] = False,
    raw_text: Annotated[bool, Option("--raw-text", help="Add the text without its headings.")] = False,
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
    store: Annotated[
        str | None, Option(metavar="PLACE", help="Cache folder or bucket: a page is not processed twice.")
    ] = None,
    facts: options.Facts = None,
    workers: options.Workers = None,
    server: options.Server = None,
    api_key: options.ApiKey = None,
    quiet: options.Quiet = False,
) -> int:
    """Cut PDFs, scans (OCR) and photos into chunks: a line of JSON for each, or Parquet files in a folder."""
    given = dict(locals())
    configuration = configuration_of({name: value for name, value in given.items() if name not in ("to", "output")})
    settings = configuration.settings
    if settings.server:
        check_server_options(settings, given)
    chosen = ChunkOptions(
        chunker=cast(ChunkerName, chunker),  # checked by the options
        max_tokens=max_tokens,
        min_tokens=min_tokens,
        soft_margin=soft_margin,
        tokenizer=tokenizer,
        merge_peers=merge_peers,
        use_markdown_tables=markdown_tables,
        use_markdown_images=markdown_images,
        image_placeholder=image_placeholder,
        use_markdown_text=markdown_text,
    )
    _check(to, output)
    counting = find_tokenizer(tokenizer) if chosen.chunker == "hybrid" else None
    if counting is not None and max_tokens is None and counting.max_tokens is None:
        raise UsageError(f"the tokenizer {tokenizer} does not say how many tokens fit; give --max-tokens")
    wanted = _Chunks(chosen, counting, to, output, raw_text)
    request = DocumentsRequest(wanted.write, output, pages, settings, quiet=quiet, areas=configuration.areas)
    request.check()
    return read_each(files, request)


def _check(to: str, output: Path | None) -> None:
    if to not in FORMATS:
        raise UsageError(f"there is no format {to!r} for chunks; choose from {', '.join(FORMATS)}")
    if to == "parquet":
        from quire.chunk.parquet import check_parquet

        check_parquet()
        if output is None:
            raise UsageError("parquet cannot go to standard output; give an output folder with -o DIR")


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
        if self.output is None:
            write_to_stdout(content, progress)
            return (), ()
        file = self.output / source.folder / f"{source.stem}.chunks.{self.to}"
        write_files({file: content})
        return [file], ()

    def _content(self, listed: Sequence[ChunkRow]) -> bytes:
        if self.to == "jsonl":
            return jsonl(listed)
        from quire import __version__
        from quire.chunk.parquet import parquet

        settings = digest_of(settings_of(self.options, self.tokenizer))
        return parquet(listed, settings=settings, created_by=f"quire {__version__}")
