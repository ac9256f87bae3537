"""Documents to export, built by hand."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from quire.core.document import Document
from quire.core.types import BBox, Block, Cell, PageInfo, Part, Span, Table, Word
from tests.documents import blank

BOX = BBox(0.1, 0.1, 0.5, 0.05)


@dataclass(frozen=True)
class Result:
    """The minimum that an export requires."""

    blocks: tuple[Block, ...] = ()
    pages: tuple[PageInfo, ...] = (PageInfo(1, 600.0, 800.0), PageInfo(2, 600.0, 800.0))
    name: str = "report.pdf"
    id: str = field(default=hashlib.sha256(b"report").hexdigest())
    media_type: str = "application/pdf"

    def source(self) -> Document:
        return Document(blank(2), name=self.name)


def result(*blocks: Block) -> Result:
    return Result(blocks)


def block(kind, text="", *, id=None, page=1, bbox=BOX, **more) -> Block:
    return Block(id=id or f"p{page}-{kind}-{len(text)}", page=page, kind=kind, text=text, bbox=bbox, **more)


def item(text, marker="•", level=1, **more) -> Block:
    return block("list_item", f"{marker} {text}".strip(), marker=marker, level=level, **more)


def table(rows, *, header=1, spans=None, page=1, pages=None, id="p1-t1", **more) -> Block:
    """Rows of texts; None leaves a position without a cell. `spans` maps (row, column) to the spans there."""
    spans = spans or {}
    cells = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text is None:
                continue
            row_span, column_span = spans.get((r, c), (1, 1))
            cells.append(
                Cell(
                    row=r,
                    column=c,
                    text=text,
                    page=pages[r] if pages else page,
                    bbox=BBox(round(0.1 + c * 0.2, 5), round(0.2 + r * 0.05, 5), 0.2 * column_span, 0.05 * row_span),
                    row_span=row_span,
                    column_span=column_span,
                    header=r < header,
                )
            )
    grid = Table(len(rows), len(rows[0]), tuple(cells))
    box = BBox(0.1, 0.2, 0.8, 0.3)
    return Block(id=id, page=page, kind="table", text=grid.text, bbox=box, table=grid, **more)


def report() -> Result:
    """A document with a block of every kind, over two pages."""
    return result(
        block("header", "Annual report", id="p1-b1", bbox=BBox(0.1, 0.02, 0.8, 0.02)),
        block("title", "The year\nin numbers", id="p1-b2", bbox=BBox(0.1, 0.05, 0.8, 0.05)),
        block("heading", "1. Results", id="p1-b3", level=1),
        block(
            "paragraph",
            "Sales rose by\na fifth, see below.",
            id="p1-b4",
            spans=(Span(0, 5, bold=True), Span(27, 32, link="https://example.org/below")),
            words=(Word("Sales", BBox(0.1, 0.1, 0.05, 0.02)),),
            parts=(Part(1, BOX), Part(2, BBox(0.1, 0.1, 0.4, 0.02))),
        ),
        item("first", "1.", 1, id="p1-b5"),
        item("inner", "•", 2, id="p1-b6"),
        item("second", "2.", 1, id="p1-b7"),
        table([["Region", "Sales"], ["North", "12.50"], ["South", "007"]], id="p1-b8"),
        block("caption", "Table 1: Sales", id="p1-b9", bbox=BBox(0.1, 0.51, 0.4, 0.02)),
        block("page_number", "1", id="p1-b10", bbox=BBox(0.5, 0.97, 0.02, 0.01)),
        block("figure", "", id="p2-b1", page=2, bbox=BBox(0.1, 0.1, 0.8, 0.3)),
        block("caption", "Figure 1: Growth", id="p2-b2", page=2, bbox=BBox(0.1, 0.41, 0.4, 0.02)),
        block("formula", "E = mc2", id="p2-b3", page=2),
        block("code", "if a < b:\n    return", id="p2-b4", page=2),
        block("field", "Name: Ada", id="p2-b5", page=2),
        block("footnote", "1 In euros.", id="p2-b6", page=2, confidence=0.987654),
        block("footer", "Confidential", id="p2-b7", page=2, bbox=BBox(0.1, 0.96, 0.3, 0.02)),
    )
