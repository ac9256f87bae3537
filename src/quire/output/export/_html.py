"""HTML: one self-contained page, every block with its page and box."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from quire.core.types import NO_BOX, BBox, Block, Cell
from quire.output.export._figures import view_of
from quire.output.export._flow import TextRun, flow, runs
from quire.output.export._grid import cell_text, header_rows, span_attributes, written
from quire.output.export._mathml import mathml
from quire.output.export._structure import (
    Item,
    are_fields,
    body,
    by_numbering,
    captions,
    depths,
    field_of,
    is_plain_number,
    marker_length,
    nested,
    value_start,
    with_lists,
)
from quire.output.export.contracts import Exportable
from quire.pages.layout.lines import is_right_to_left

_STYLE = """\
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #bbb; padding: .2rem .5rem; text-align: start; vertical-align: top; }
caption, figcaption { color: #555; text-align: start; }
figure { margin: 1rem 0; padding: .5rem; border: 1px dashed #bbb; }
figure:not(:has(img, p))::before { content: "figure"; color: #999; }
figure img { max-width: 100%; }
pre { overflow: auto; padding: .5rem; background: #f4f4f4; }
dl > div { display: flex; gap: .5rem; }
dt { font-weight: bold; }
dt:not(:empty)::after { content: ":"; }
dd { margin: 0; }
li.marked { list-style: none; }
.footnote { font-size: .85rem; }
.formula { text-align: center; }"""


def html(result: Exportable) -> str:
    """The text of the document, without running headers, footers and page numbers."""
    parts = [_HEAD.format(title=escape(result.name), style=_STYLE), *_Writer(result).lines(), "</body>", "</html>", ""]
    return "\n".join(parts)


_HEAD = """\
<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>"""


class _Writer:
    """Holds what a block needs to know about the others while the document is written."""

    def __init__(self, result: Exportable) -> None:
        self.blocks = body(result.blocks)
        self.figures = view_of(result)
        self.depths = depths(result.blocks)
        self.captions = captions(result.blocks)
        self.linked = {caption.id for caption in self.captions.values()}
        self.first_on_page: dict[str, str] = {}
        for block in self.blocks:
            self.first_on_page.setdefault(f"#page={block.page}", f"#{block.id}")

    def lines(self) -> list[str]:
        return [
            self.group(part) if isinstance(part, list) else self.block(part)
            for part in with_lists((block for block in self.blocks if block.id not in self.linked), fields=True)
        ]

    def group(self, blocks: Sequence[Block]) -> str:
        if are_fields(blocks):
            return "\n".join(["<dl>", *map(self.field, blocks), "</dl>"])
        return self.list(nested(blocks))

    def block(self, block: Block) -> str:
        match block.kind:
            case "title" | "heading":
                return _element(f"h{self.depths[block.id]}", block, escape(flow(block.text)))
            case "table" if block.table is not None:
                return self.table(block)
            case "figure":
                return self.figure(block)
            case "code":
                return _element("pre", block, f"<code>{escape(block.text, quote=False)}</code>")
            case "formula":
                return _element("div", block, self.inline(runs(block), display=True), name="formula")
            case "paragraph":
                return _element("p", block, self.inline(runs(block)))
            case _:
                return _element("p", block, self.inline(runs(block)), name=block.kind)

    def figure(self, block: Block) -> str:
        picture = self.figures.pictures.get(block.id)
        inner = f'<img src="{escape(picture)}" alt="figure">' if picture else ""
        if rows := self.figures.rows(block):
            inner += f"<p>{'<br>'.join(escape(row, quote=False) for row in rows)}</p>"
        caption = self.captions.get(block.id)
        if caption is not None:
            shown = _element("figcaption", caption, self.inline(runs(caption)))
            inner = shown + inner if caption.bbox.top < block.bbox.top else inner + shown
        return _element("figure", block, inner)

    def table(self, block: Block) -> str:
        assert block.table is not None
        rows = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in written(block.table)]
        head = header_rows(block.table)
        if any(cell.row < head < cell.row + cell.row_span for cell in block.table.cells):
            head = 0  # a browser clips cells at the end of the header
        lines = []
        if caption := self.captions.get(block.id):
            lines.append(_element("caption", caption, self.inline(runs(caption))))
        if head:
            lines += ["<thead>", *rows[:head], "</thead>"]
        if rows[head:]:
            lines += ["<tbody>", *rows[head:], "</tbody>"]
        return _element("table", block, "\n" + "\n".join(lines) + "\n")

    def list(self, items: Sequence[Item]) -> str:
        lists = []
        for numbered, group in by_numbering(items):
            tag = "ol" if numbered else "ul"
            lists.append("\n".join([f"<{tag}>", *map(self.item, group), f"</{tag}>"]))
        return "\n".join(lists)

    def field(self, block: Block) -> str:
        """The label and the value, each with its own box."""
        field = field_of(block)
        label = f"<dt{_place(field.label_bbox)}>{escape(flow(field.label), quote=False)}</dt>"
        value = self.inline(runs(block, skip=value_start(block)))
        return _element("div", block, f"{label}<dd{_place(field.value_bbox)}>{value}</dd>")

    def item(self, item: Item) -> str:
        """A number that the browser would print differently stays in the text."""
        block = item.block
        native = not block.marker or not any(c.isalnum() for c in block.marker) or _is_counted(block)
        text = self.inline(runs(block, skip=marker_length(block) if native else 0))
        value = f' value="{block.marker.rstrip(".")}"' if _is_counted(block) else ""
        inner = f"{text}\n{self.list(item.children)}\n" if item.children else text
        return _element("li", block, inner, name="" if native else "marked", more=value)

    def inline(self, listed: Sequence[TextRun], *, display: bool = False) -> str:
        return "".join(mathml(run.latex, display=display) if run.latex else self.run(run) for run in listed)

    def run(self, run: TextRun) -> str:
        text = escape(run.text, quote=False)
        for tag, applies in (
            ("code", run.code),
            ("sup", run.superscript),
            ("sub", run.subscript),
            ("em", run.italic),
            ("strong", run.bold),
        ):
            if applies:
                text = f"<{tag}>{text}</{tag}>"
        target = self.first_on_page.get(run.link, run.link) if run.link else None
        return f'<a href="{escape(target)}">{text}</a>' if target else text


def _is_counted(item: Block) -> bool:
    return is_plain_number(item) and not item.marker.endswith(")")


def _element(tag: str, block: Block, inner: str, *, name: str = "", more: str = "") -> str:
    """An element with the id, page and box of the block, and all its places when there are several."""
    attributes = f' id="{escape(block.id)}"'
    if name:
        attributes += f' class="{name}"'
    attributes += f' data-page="{block.page}" data-bbox="{_box(block.bbox)}"'
    if len(block.parts) > 1:
        places = "; ".join(f"{part.page}: {_box(part.bbox)}" for part in block.parts)
        attributes += f' data-parts="{places}"'
    if is_right_to_left(block.text):
        attributes += ' dir="auto"'
    return f"<{tag}{attributes}{more}>{inner}</{tag}>"


def _place(box: BBox) -> str:
    return "" if box == NO_BOX else f' data-bbox="{_box(box)}"'


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    tag = "th" if cell.header else "td"
    direction = ' dir="auto"' if is_right_to_left(cell.text) else ""
    place = f' data-page="{cell.page}" data-bbox="{_box(cell.bbox)}"'
    return f"<{tag}{span_attributes(cell)}{place}{direction}>{escape(cell_text(cell), quote=False)}</{tag}>"


def _box(box: BBox) -> str:
    """Left, top, width and height as fractions of the page."""
    return " ".join(f"{round(value, 5) + 0.0:g}" for value in (box.left, box.top, box.width, box.height))
