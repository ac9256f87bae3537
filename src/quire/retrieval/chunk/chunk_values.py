"""A chunk, and the options that decide where chunks begin and end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from quire.core.errors import UsageError
from quire.core.keys import Profile
from quire.core.types import BlockKind, Part

ChunkerName = Literal["hybrid", "hierarchical"]
CHUNKERS: tuple[ChunkerName, ...] = get_args(ChunkerName)

DEFAULT_TOKENIZER = "sentence-transformers/all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class ChunkOptions(Profile):
    """The options of a chunker: how a document is cut.

    `hierarchical` makes one chunk of each paragraph, list, table and figure. `hybrid` also counts tokens: it splits
    what is longer than `max_tokens` (by default what the tokenizer's model takes) and, with `merge_peers`, joins
    neighbours under the same headings. A chunk below `min_tokens` is joined with its neighbour across a heading as
    well, if both have at most `max_tokens - soft_margin` tokens. `use_markdown_text` keeps emphasis and links.
    """

    chunker: ChunkerName = "hybrid"
    use_markdown_tables: bool = False
    use_markdown_images: bool = False
    image_placeholder: str = "![IMAGE]"
    use_markdown_text: bool = False
    max_tokens: int | None = None
    tokenizer: str = DEFAULT_TOKENIZER
    merge_peers: bool = True
    min_tokens: int = 0
    soft_margin: int = 64

    def __post_init__(self) -> None:
        if self.chunker not in CHUNKERS:
            raise UsageError(f"there is no chunker {self.chunker!r}; choose from {', '.join(CHUNKERS)}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(f"max_tokens is {self.max_tokens}; a chunk needs at least 1 token")
        if self.min_tokens < 0 or self.soft_margin < 0:
            raise UsageError("min_tokens and soft_margin cannot be negative")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document for search and language models, with where it comes from.

    `text` is what to embed: the headings above it, one per line, then `raw_text`. `start` and `end` are its place in
    the text of the document, which is the `raw_text` of its hierarchical chunks joined by line breaks. `places` are
    the boxes of its blocks, or of the rows of a table that was split. The `id` depends on the document, the options
    that matter, the blocks and the place, and on nothing else. `tokens` is None in hierarchical chunks.
    """

    id: str
    document: str
    index: int
    text: str
    raw_text: str
    headings: tuple[str, ...]
    captions: tuple[str, ...]
    kinds: tuple[BlockKind, ...]
    blocks: tuple[str, ...]
    pages: tuple[int, ...]
    places: tuple[Part, ...]
    start: int
    end: int
    tokens: int | None = None
    has_image: bool = False
