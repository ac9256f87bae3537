"""Plain text: the lines of the page, a blank line between blocks, the cells of a row separated by tabs."""

from __future__ import annotations

from quire.core.types import Block
from quire.output.export._figures import FigureView, view_of
from quire.output.export._flow import with_superscripts
from quire.output.export._grid import texts
from quire.output.export._structure import body, with_lists
from quire.output.export.contracts import Exportable


def text(result: Exportable) -> str:
    """The text of the document, without running headers, footers and page numbers."""
    written = [
        "\n".join(map(_item, part)) if isinstance(part, list) else _block(part, view_of(result))
        for part in with_lists(body(result.blocks), fields=True)
    ]
    joined = "\n\n".join(part for part in written if part)
    return f"{joined}\n" if joined else ""


def _block(block: Block, figures: FigureView) -> str:
    if block.kind == "figure":
        return "\n".join(figures.rows(block))
    if block.table is not None:
        return "\n".join("\t".join(row).rstrip() for row in texts(block.table))
    return with_superscripts(block).strip("\n")


def _item(item: Block) -> str:
    """A list item, indented by its level, including continuation lines; a field, each line as it is."""
    if item.kind == "field":
        return item.text.strip()
    indent = "  " * ((item.level or 1) - 1)
    return indent + with_superscripts(item).strip().replace("\n", f"\n{indent}  ")
