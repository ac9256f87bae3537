"""The options of commands that cut documents into chunks: `quire chunk` and `quire embed`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from typer import Option

from quire.cli.option_groups import OptionGroup
from quire.core.errors import UsageError
from quire.retrieval.chunk import DEFAULT_TOKENIZER, ChunkOptions, Tokenizer, find_tokenizer


class ChunkingOptions(OptionGroup):
    """The options for cutting documents into chunks."""

    chunker: Annotated[
        str, Option(metavar="NAME", help="hybrid: by tokens (default); hierarchical: by structure.", show_default=False)
    ] = "hybrid"
    max_tokens: Annotated[
        int | None, Option(metavar="N", help="Most tokens of a chunk; what the model takes by default.", min=1)
    ] = None
    min_tokens: Annotated[
        int, Option(metavar="N", help="Join smaller chunks across headings.", min=0, show_default=False)
    ] = 0
    soft_margin: Annotated[
        int, Option(metavar="N", help="Tokens kept free where a heading is crossed; 64.", min=0, show_default=False)
    ] = 64
    tokenizer: Annotated[
        str, Option(metavar="NAME", help="Model, or path of its tokenizer.json; all-MiniLM-L6-v2.", show_default=False)
    ] = DEFAULT_TOKENIZER
    merge_peers: Annotated[
        bool, Option("--merge-peers/--no-merge-peers", help="Join neighbours below the same headings.")
    ] = True
    markdown_tables: Annotated[bool, Option("--markdown-tables", help="Tables as Markdown, not as sentences.")] = False
    markdown_images: Annotated[bool, Option("--markdown-images", help="A placeholder where a figure is.")] = False
    image_placeholder: Annotated[
        str, Option(metavar="TEXT", help="That placeholder; ![IMAGE].", show_default=False)
    ] = "![IMAGE]"
    markdown_text: Annotated[bool, Option("--markdown-text", help="Keep emphasis and links as Markdown.")] = False

    def chosen(self) -> ChunkOptions:
        """The options of chunks: their names, but that those for Markdown begin with `use_`."""
        named = {f"use_{name}" if name.startswith("markdown_") else name: one for name, one in vars(self).items()}
        return ChunkOptions(**named)


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
