"""Blocks of a document from its structure, a DoclingDocument as plain values. Pure functions.

Every item of the body becomes a block on the page that its provenance names, or on the first one. Texts of an inline
group are one block with spans. Furniture keeps its kind; speaker notes and comments become footnotes; what is hidden
in the file is left out, as in docling's own exports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quire.core.types import NO_BOX, BBox, Block, BlockKind, Cell, PageInfo, PageResult, Part, Span, Table

Item = Mapping[str, Any]

_POINTS: Mapping[str, float] = {"pptx": 1 / 12700, "xlsx": 0.0, "ods": 0.0, "iwork_numbers": 0.0}
"""Points per unit of a page: slides are measured in English Metric Units, sheets in cells, which have no size."""

_KINDS: Mapping[str, BlockKind] = {
    "title": "title",
    "section_header": "heading",
    "list_item": "list_item",
    "code": "code",
    "formula": "formula",
    "caption": "caption",
    "footnote": "footnote",
    "page_header": "header",
    "page_footer": "footer",
}
_CLOSING = (",", ".", ";", ":", "!", "?", ")")
"""Pieces of a text are joined by a space, but not before these."""
_CHECKBOXES = {"checkbox_selected": "☒", "checkbox_unselected": "☐"}


def pages_of(structure: Item, *, input_format: str, printed: bool = False) -> tuple[PageResult, ...]:
    """The pages with their blocks: those that the structure has, or a single one without a size.

    `printed` says that its pages are printed ones, measured in points.
    """
    sizes = _sizes(structure, 1.0 if printed else _POINTS.get(input_format, 1.0))
    blocks = list(_Blocks(structure, sizes).all())
    begun: dict[int, list[Block]] = {number: [] for number in sizes}
    for block in blocks:
        begun[block.page].append(block)
    shown = {part.page for block in blocks for part in block.places}
    return tuple(
        PageResult(
            PageInfo(number, *size, status="ok" if number in shown else "empty"),
            tuple(replace(block, id=f"p{number}-b{at}") for at, block in enumerate(begun[number], 1)),
        )
        for number, size in sizes.items()
    )


def references_of(structure: Item) -> dict[str, tuple[str, ...]]:
    """The items of each block of `pages_of`: block id to references like `#/texts/3`."""
    walk = _Blocks(structure, _sizes(structure, 1.0))
    numbers = Counter[int]()
    found: dict[str, tuple[str, ...]] = {}
    for block, items in zip(list(walk.all()), walk.items, strict=True):
        numbers[block.page] += 1
        found[f"p{block.page}-b{numbers[block.page]}"] = items
    return found


def _sizes(structure: Item, scale: float) -> dict[int, tuple[float, float]]:
    """The size of each page in points; zero where it is unknown."""
    pages = {int(page["page_no"]): page.get("size") or {} for page in (structure.get("pages") or {}).values()}
    sizes = {
        number: (float(pages[number].get("width", 0.0)) * scale, float(pages[number].get("height", 0.0)) * scale)
        for number in sorted(pages)
    }
    return sizes or {1: (0.0, 0.0)}


@dataclass
class _Rich:
    """A text that is put together from pieces, with the spans of those that have a style or a link."""

    text: str = ""
    spans: list[Span] = field(default_factory=list)
    pieces: list[Item] = field(default_factory=list)
    """The items that it is put together from."""

    def add(self, item: Item, text: str, *, inline: bool = False) -> None:
        if not text:
            return
        self.pieces.append(item)
        if self.text and not self.text.endswith((" ", "\n", "(")) and not text.startswith(_CLOSING):
            self.text += " "
        start = len(self.text)
        self.text += text
        span = _span(item, start, len(self.text), inline=inline)
        if span is not None:
            self.spans.append(span)


def _span(item: Item, start: int, end: int, *, inline: bool) -> Span | None:
    look = item.get("formatting") or {}
    script = look.get("script", "baseline")
    span = Span(
        start,
        end,
        bold=bool(look.get("bold")),
        italic=bool(look.get("italic")),
        superscript=script == "super",
        subscript=script == "sub",
        code=inline and item.get("label") == "code",
        link=item.get("hyperlink") or None,
    )
    return span if span != Span(start, end) else None


class _Blocks:
    """Walks the tree of a structure; each item is written once."""

    def __init__(self, structure: Item, sizes: Mapping[int, tuple[float, float]]) -> None:
        self._structure, self._sizes = structure, sizes
        self._scales = {
            int(page["page_no"]): page.get("size") or {} for page in (structure.get("pages") or {}).values()
        }
        self._first = next(iter(sizes))
        self._page = self._first
        self._done: set[str] = set()
        self.items: list[tuple[str, ...]] = []
        """The references of the items of each block, in the order of the blocks."""

    def all(self) -> Iterator[Block]:
        for root in ("furniture", "body"):
            yield from self._below(self._structure.get(root) or {}, 0)

    def _below(self, item: Item, depth: int) -> Iterator[Block]:
        for child in item.get("children", ()):
            yield from self._item(child["$ref"], depth)

    def _item(self, ref: str, depth: int) -> Iterator[Block]:
        if ref in self._done:
            return
        self._done.add(ref)
        item = self._at(ref)
        if item.get("content_layer") in ("invisible", "background"):
            return
        match ref.split("/")[1]:
            case "groups" if item.get("label") == "inline":
                rich = self._inline(item)
                yield from self._text(self._first_of(item), "paragraph", rich)
            case "groups":
                deeper = item.get("label") in ("list", "ordered_list")
                yield from self._below(item, depth + deeper)
            case "tables":
                yield from self._captions(item)
                yield self._table(item)
                yield from self._below(item, depth)
            case "pictures":
                yield self._block(item, "figure", _Rich(_described(item)))
                yield from self._captions(item)
                yield from self._below(item, depth)
            case "texts":
                yield from self._textual(item, depth)
            case _:  # forms and key-value pairs: their texts are children
                yield from self._below(item, depth)

    def _textual(self, item: Item, depth: int) -> Iterator[Block]:
        kind = _KINDS.get(str(item.get("label")), "paragraph")
        rich = _Rich()
        rich.add(item, _CHECKBOXES.get(str(item.get("label")), "") + str(item.get("text") or ""))
        if not rich.text:  # the text of an item with several styles is in an inline group below it
            children = item.get("children", ())
            if children and (group := self._at(children[0]["$ref"])).get("label") == "inline":
                self._done.add(children[0]["$ref"])
                rich = self._inline(group)
        yield from self._text(item, kind, rich, depth)
        yield from self._below(item, depth)

    def _text(self, item: Item, kind: BlockKind, rich: _Rich, depth: int = 0) -> Iterator[Block]:
        if not rich.text.strip():
            return
        layer = item.get("content_layer")
        if layer == "furniture" and kind not in ("header", "footer"):
            kind = "header"
        elif layer == "notes":
            kind = "footnote"
        level, marker = None, ""
        if kind == "heading":
            level = int(item.get("level") or 1)
        elif kind == "list_item":
            level = max(1, depth)
            marker = str(item.get("marker") or "") or "•"
            rich = _Rich(
                f"{marker} {rich.text}",
                [replace(s, start=s.start + len(marker) + 1, end=s.end + len(marker) + 1) for s in rich.spans],
                rich.pieces,
            )
        yield replace(self._block(item, kind, rich), level=level, marker=marker)

    def _inline(self, group: Item) -> _Rich:
        rich = _Rich()
        for child in group.get("children", ()):
            self._done.add(child["$ref"])
            item = self._at(child["$ref"])
            if child["$ref"].startswith("#/groups/"):
                inner = self._inline(item)
                rich.text += " " if rich.text and inner.text else ""
                at = len(rich.text)
                rich.text += inner.text
                rich.spans += [replace(span, start=span.start + at, end=span.end + at) for span in inner.spans]
                rich.pieces += inner.pieces
            else:
                rich.add(item, str(item.get("text") or ""), inline=True)
        return rich

    def _first_of(self, group: Item) -> Item:
        """The first item of a group stands for it: groups have no provenance and no layer of their own."""
        children = group.get("children", ())
        return self._at(children[0]["$ref"]) if children else group

    def _captions(self, item: Item) -> Iterator[Block]:
        for name, kind in (("captions", "caption"), ("footnotes", "footnote")):
            for ref in item.get(name, ()):
                if ref["$ref"] not in self._done:
                    self._done.add(ref["$ref"])
                    text = self._at(ref["$ref"])
                    rich = _Rich()
                    rich.add(text, str(text.get("text") or ""))
                    yield from self._text(text, kind, rich)  # type: ignore[arg-type]

    def _table(self, item: Item) -> Block:
        data = item.get("data") or {}
        bare = self._block(item, "table", _Rich())
        cells = tuple(self._cell(cell, bare.page) for cell in data.get("table_cells", ()))
        table = Table(int(data.get("num_rows", 0)), int(data.get("num_cols", 0)), cells)
        return replace(bare, text=table.text, table=table)

    def _cell(self, cell: Item, page: int) -> Cell:
        row, column = int(cell["start_row_offset_idx"]), int(cell["start_col_offset_idx"])
        if reference := cell.get("ref"):  # a cell with items of its own: they are written here, not again below
            self._consume(reference["$ref"])
        page = int(cell.get("page_no", page))
        box = self._box(cell.get("bbox"), page) if cell.get("bbox") else NO_BOX
        return Cell(
            row,
            column,
            str(cell.get("text") or ""),
            page,
            box,
            int(cell["end_row_offset_idx"]) - row,
            int(cell["end_col_offset_idx"]) - column,
            bool(cell.get("column_header")),
        )

    def _consume(self, ref: str) -> None:
        if ref not in self._done:
            self._done.add(ref)
            for child in self._at(ref).get("children", ()):
                self._consume(child["$ref"])

    def _block(self, item: Item, kind: BlockKind, rich: _Rich) -> Block:
        places = self._places(rich.pieces or [item])
        if places:
            self._page = places[-1].page
        first = places[0] if places else Part(self._page, NO_BOX)
        parts = tuple(places) if len(places) > 1 else ()
        self.items.append(tuple(str(piece.get("self_ref", "")) for piece in rich.pieces or [item]))
        return Block("", first.page, kind, rich.text, first.bbox, parts=parts, spans=tuple(rich.spans))

    def _places(self, items: Sequence[Item]) -> list[Part]:
        """The pages that items are on, each with one box around what is there."""
        found: dict[int, list[BBox]] = {}
        for place in (place for item in items for place in item.get("prov", ())):
            page = int(place.get("page_no", 0))
            if page in self._sizes:
                box = self._box(place.get("bbox"), page)
                found.setdefault(page, []).extend([] if box == NO_BOX else [box])
        return [Part(page, BBox.union(boxes) if boxes else NO_BOX) for page, boxes in found.items()]

    def _box(self, box: Item | None, page: int) -> BBox:
        width, height = self._sizes[page]
        size = self._scales.get(page) or {}
        if not box or not width or not height or not size.get("width") or not size.get("height"):
            return NO_BOX
        whole = float(size["width"]), float(size["height"])
        top, bottom = float(box["t"]), float(box["b"])
        if box["l"] == box["r"] or top == bottom:  # it is on the page, but where is not known
            return NO_BOX
        if box.get("coord_origin") == "BOTTOMLEFT":
            top, bottom = whole[1] - top, whole[1] - bottom
        return BBox.of_points((float(box["l"]), min(top, bottom), float(box["r"]), max(top, bottom)), whole)

    def _at(self, ref: str) -> Item:
        _, kind, *number = ref.split("/")
        found: Any = self._structure.get(kind, {})
        item: Item = found[int(number[0])] if number else found
        return item


def _described(picture: Item) -> str:
    """The description of a picture, if its file or a model gave one."""
    notes: Sequence[Item] = picture.get("annotations") or ()
    meta = (picture.get("meta") or {}).get("description") or {}
    return str(meta.get("text") or next((note["text"] for note in notes if note.get("text")), ""))
