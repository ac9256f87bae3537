"""The options of commands that cut documents into chunks: `quire chunk` and `quire embed`."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from quire.chunk import ChunkOptions, Tokenizer, find_tokenizer
from quire.errors import UsageError

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


def tokenizer_of(options: ChunkOptions) -> Tokenizer | None:
    """The tokenizer of these options, None when they count no tokens. Raises UsageError when it cannot be used."""
    if options.chunker != "hybrid":
        return None
    counting = find_tokenizer(options.tokenizer)
    if options.max_tokens is None and counting.max_tokens is None:
        raise UsageError(f"the tokenizer {options.tokenizer} does not say how many tokens fit; give --max-tokens")
    return counting
