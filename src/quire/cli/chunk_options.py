"""The options of commands that cut documents into chunks: `quire chunk` and `quire embed`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from quire.core.errors import UsageError
from quire.retrieval.chunk import ChunkOptions, Tokenizer, find_tokenizer

Chunker = Annotated[
    str, Option(metavar="NAME", help="hybrid: by tokens (default); hierarchical: by structure.", show_default=False)
]
MaxTokens = Annotated[
    int | None, Option(metavar="N", help="Most tokens of a chunk; what the model takes by default.", min=1)
]
MinTokens = Annotated[int, Option(metavar="N", help="Join smaller chunks across headings.", min=0, show_default=False)]
SoftMargin = Annotated[
    int, Option(metavar="N", help="Tokens kept free where a heading is crossed; 64.", min=0, show_default=False)
]
TokenizerName = Annotated[
    str, Option(metavar="NAME", help="Model, or path of its tokenizer.json; all-MiniLM-L6-v2.", show_default=False)
]
MergePeers = Annotated[bool, Option("--merge-peers/--no-merge-peers", help="Join neighbours below the same headings.")]
MarkdownTables = Annotated[bool, Option("--markdown-tables", help="Tables as Markdown, not as sentences.")]
MarkdownImages = Annotated[bool, Option("--markdown-images", help="A placeholder where a figure is.")]
ImagePlaceholder = Annotated[str, Option(metavar="TEXT", help="That placeholder; ![IMAGE].", show_default=False)]
MarkdownText = Annotated[bool, Option("--markdown-text", help="Keep emphasis and links as Markdown.")]
RawText = Annotated[bool, Option("--raw-text", help="Add the text without its headings.")]
CacheStore = Annotated[
    str | None, Option(metavar="PLACE", help="Cache folder or bucket: a page is not processed twice.")
]


def options_of(given: Mapping[str, Any]) -> ChunkOptions:
    """The options for chunks among the arguments of a command."""
    same = ("chunker", "max_tokens", "min_tokens", "soft_margin", "tokenizer", "merge_peers", "image_placeholder")
    markdown = ("markdown_tables", "markdown_images", "markdown_text")
    return ChunkOptions(**{name: given[name] for name in same}, **{f"use_{name}": given[name] for name in markdown})


def check_format(to: str, formats: Sequence[str], what: str, output: Path | None) -> None:
    """Reject a format that is unknown, or that cannot be written here."""
    if to not in formats:
        raise UsageError(f"there is no format {to!r} for {what}; choose from {', '.join(formats)}")
    if to == "parquet":
        from quire.retrieval.chunk.parquet import check_parquet

        check_parquet()
        if output is None:
            raise UsageError("parquet cannot go to standard output; give an output folder with -o DIR")


def tokenizer_of(options: ChunkOptions) -> Tokenizer | None:
    """The tokenizer of these options, None when they count no tokens. Raises UsageError when it cannot be used."""
    if options.chunker != "hybrid":
        return None
    counting = find_tokenizer(options.tokenizer)
    if options.max_tokens is None and counting.max_tokens is None:
        raise UsageError(f"the tokenizer {options.tokenizer} does not say how many tokens fit; give --max-tokens")
    return counting
