"""The elements of a document, in reading order: what a chunk holds at least. Each knows the headings above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quire.core.types import Block
from quire.output.export._flow import TextRun, flow, runs, with_superscripts
from quire.output.export._markdown import is_latex, without_dollars
from quire.output.export._structure import (
    Item,
    are_fields,
    body,
    by_numbering,
    captions,
    is_numbered,
    marker_length,
    nested,
    with_lists,
)
from quire.retrieval.chunk.chunk_values import ChunkOptions
from quire.retrieval.chunk.table_text import TableText, pipes, triplets

INDENT = "    "


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an element that is not cut unless it is too long on its own: a paragraph, a list item, a table row.

    `before` is what separates it from the piece before it. `head` is repeated above it where a chunk begins with it.
    `start` and `end` are its place in the text of the document. `row` is its row in a table of which `rows` are pieces.
    """

    text: str
    block: Block
    before: str = "\n"
    head: str = ""
    start: int = 0
    end: int = 0
    row: int = 0
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Element:
    """A paragraph, a list, a table or a figure with its caption; a heading with nothing below it."""

    pieces: tuple[Piece, ...]
    headings: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        return joined(self.pieces)


def joined(pieces: Sequence[Piece]) -> str:
    """The text of some pieces: separated, and below the head of their table, once."""
    text, head = "", ""
    for piece in pieces:
        if not piece.text:
            continue
        text += piece.before if text else ""
        text += f"{piece.head}\n" if piece.head and piece.head != head else ""
        text += piece.text
        head = piece.head
    return text


def elements(blocks: Sequence[Block], options: ChunkOptions) -> list[Element]:
    """The elements with a text, without page furniture, placed in the text of the document."""
    placed, position = [], 0
    for element in _with_headings(blocks, options):
        if not element.text:
            continue
        pieces = tuple(_placed(element.pieces, position))
        position = pieces[-1].end + 1
        placed.append(replace(element, pieces=pieces))
    return placed


def _placed(pieces: Sequence[Piece], position: int) -> Iterator[Piece]:
    """The head of a table belongs to its first row."""
    for number, piece in enumerate(pieces):
        start = position + (len(piece.before) if number and piece.text else 0)
        head = len(piece.head) + 1 if piece.head and (number == 0 or pieces[number - 1].head != piece.head) else 0
        position = start + head + len(piece.text)
        yield replace(piece, start=start, end=position)


def _with_headings(blocks: Sequence[Block], options: ChunkOptions) -> Iterator[Element]:
    """Each element with the titles and headings above it; a heading that nothing follows is an element itself."""
    beside = captions(blocks)
    linked = {caption.id for caption in beside.values()}
    above: dict[int, Block] = {}  # by level, 0 is the title
    unused: Block | None = None
    for part in with_lists((block for block in body(blocks) if block.id not in linked), fields=True):
        if isinstance(part, Block) and part.kind in ("title", "heading"):
            level = 0 if part.kind == "title" else max(part.level or 1, 1)
            if unused is not None and any(one is unused for at, one in above.items() if at >= level):
                yield _heading(unused, above)
                unused = None
            above = {at: one for at, one in above.items() if at < level} | {level: part}
            unused = part if flow(part.text) else unused
            continue
        for pieces in _pieces(part, beside, options):
            if joined(pieces):
                unused = None
                yield Element(tuple(pieces), _path(above))
    if unused is not None:
        yield _heading(unused, above)


def _heading(block: Block, above: dict[int, Block]) -> Element:
    return Element((text_piece(block),), _path({at: one for at, one in above.items() if one is not block}))


def _path(above: dict[int, Block]) -> tuple[Block, ...]:
    return tuple(above[level] for level in sorted(above) if flow(above[level].text))


def _pieces(part: Block | list[Block], beside: dict[str, Block], options: ChunkOptions) -> Iterator[Sequence[Piece]]:
    if isinstance(part, list) and are_fields(part):
        yield [text_piece(block, options) for block in part]
    elif isinstance(part, list):
        for _, items in by_numbering(nested(part)):
            yield [piece for item in items for piece in _item(item, 0, options)]
    elif part.table is not None and part.table.cells:
        written = pipes(part.table) if options.use_markdown_tables else triplets(part.table)
        yield _below(beside.get(part.id), options, _rows(part, written))
    elif part.kind == "figure":
        image = [options.image_placeholder] if options.use_markdown_images else []
        texts = [Piece(text, part) for text in (flow(part.text), *image) if text]
        yield _below(beside.get(part.id), options, texts or [Piece("", part)])
    else:
        yield _below(beside.get(part.id), options, [text_piece(part, options)])


def _below(caption: Block | None, options: ChunkOptions, pieces: list[Piece]) -> list[Piece]:
    """A caption and what it belongs to, with an empty line between them, as docling writes it."""
    if caption is None or not flow(caption.text):
        return pieces
    return [text_piece(caption, options), *(replace(piece, before="\n\n") for piece in pieces[:1]), *pieces[1:]]


def text_piece(block: Block, options: ChunkOptions | None = None) -> Piece:
    return Piece(_written(block, options), block)


def _written(block: Block, options: ChunkOptions | None, *, skip: int = 0) -> str:
    """The flowing text of a block; code in a fence, formulas in LaTeX between dollars, as docling writes them."""
    if block.kind == "code":
        return f"```\n{block.text.strip()}\n```" if block.text.strip() else ""
    if block.kind == "formula" and (block.latex or is_latex(block.text)):
        return f"$${flow(block.latex or without_dollars(block.text))}$$"
    if options is None or not options.use_markdown_text:
        return flow(with_superscripts(block)[skip:])
    return "".join(map(_marked, runs(block, skip=skip)))


def _marked(run: TextRun) -> str:
    """Emphasis and links as Markdown, without escapes: the text is for models, not for a renderer."""
    core = run.written.strip()
    if not core or run.is_plain:
        return run.text
    if run.latex:
        return f"${run.latex}$"
    before, after = run.text[: len(run.text) - len(run.text.lstrip())], run.text[len(run.text.rstrip()) :]
    mark = "**" * run.bold + "*" * run.italic
    marked = f"`{core}`" if run.code else f"{mark}{core}{mark[::-1]}"
    return before + (f"[{marked}]({run.link})" if run.link else marked) + after


def _item(item: Item, depth: int, options: ChunkOptions) -> Iterator[Piece]:
    block = item.block
    marker = block.marker if is_numbered(block) else "-"
    text = _written(block, options, skip=marker_length(block))
    yield Piece(f"{INDENT * depth}{marker} {text}".rstrip(), block)
    for child in item.children:
        yield from _item(child, depth + 1, options)


def _rows(block: Block, written: TableText) -> list[Piece]:
    rows = [
        Piece(text, block, written.separator if position else "\n", written.head, row=number, rows=len(written.rows))
        for position, (number, text) in enumerate(written.rows)
    ]
    return rows or [Piece(written.head, block)]
