"""DoclingDocument, schema version 1.10.0, written as docling writes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from quire.core.types import FURNITURE, BBox, Block, Cell, PageInfo
from quire.output.export._flow import flow, runs, uniform
from quire.output.export._grid import cell_text, header_rows
from quire.output.export._structure import (
    Item,
    by_numbering,
    captions,
    is_numbered,
    marker_length,
    nested,
    with_lists,
)
from quire.output.export.contracts import Described, Exportable

VERSION = "1.10.0"

LABELS = {
    "title": "title",
    "heading": "section_header",
    "list_item": "list_item",
    "caption": "caption",
    "formula": "formula",
    "code": "code",
    "header": "page_header",
    "footer": "page_footer",
    "footnote": "footnote",
}
"""Kind of a block to docling's label; every other text is `text`."""


def docling(result: Exportable) -> dict[str, object]:
    """The document as a tree of plain values, ready for `json.dumps` or `DoclingDocument.model_validate`."""
    return _Writer(result).document()


def references(result: Exportable) -> dict[str, str]:
    """The item of each block in the DoclingDocument of a result: block id to `#/texts/3`."""
    writer = _Writer(result)
    writer.document()
    return writer.references


def origin(result: Described) -> dict[str, Any]:
    return {
        "mimetype": result.media_type,
        "binary_hash": int(result.id, 16) & 0xFFFFFFFFFFFFFFFF,
        "filename": result.name,
        "uri": None,
    }


def docling_json(result: Exportable) -> str:
    return json.dumps(docling(result), ensure_ascii=False, allow_nan=False) + "\n"


def label(block: Block) -> str:
    """Docling has no page numbers: they are part of the header or footer that contains them."""
    if block.kind == "page_number":
        return "page_header" if block.bbox.top + block.bbox.height / 2 < 0.5 else "page_footer"
    return LABELS.get(block.kind, "text")


class _Writer:
    """Collects the items of each kind; an item is referred to by its kind and its number in the collection."""

    def __init__(self, result: Exportable) -> None:
        self.result = result
        self.sizes = {page.number: page.size for page in result.pages}
        self.captions = captions(result.blocks)
        self.linked = {caption.id for caption in self.captions.values()}
        self.body = _node("#/body", None, name="_root_", label="unspecified")
        self.references: dict[str, str] = {}
        self.items: dict[str, list[dict[str, Any]]] = {"groups": [], "texts": [], "pictures": [], "tables": []}

    def document(self) -> dict[str, Any]:
        for part in with_lists(block for block in self.result.blocks if block.id not in self.linked):
            if isinstance(part, list):
                self.add_list(nested(part), self.body)
            else:
                self.add_block(part)
        return {
            "schema_name": "DoclingDocument",
            "version": VERSION,
            "name": PurePath(self.result.name).stem,
            "origin": origin(self.result),
            "furniture": _node("#/furniture", None, layer="furniture", name="_root_", label="unspecified"),
            "body": self.body,
            **self.items,
            "key_value_items": [],
            "form_items": [],
            "pages": {str(page.number): _page(page) for page in self.result.pages},
        }

    def add_block(self, block: Block) -> None:
        if block.table is not None:
            self.add_table(block)
        elif block.kind == "figure":
            self.add_figure(block)
        else:
            self.add_text(block, self.body)

    def add_text(self, block: Block, parent: dict[str, Any], *, skip: int = 0, **more: object) -> dict[str, Any]:
        listed = runs(block, skip=skip)
        original = block.text if block.kind == "code" else flow(block.text)
        text = original if block.kind == "code" else "".join(run.written for run in listed)
        look = uniform(listed) if block.kind not in ("title", "heading", "code", "formula") else None
        if block.kind == "heading":
            more["level"] = max(block.level or 1, 1)
        if block.kind == "code":
            more |= {**_floating(), "code_language": "unknown"}
        return self.add_item(
            block,
            "texts",
            parent,
            layer="furniture" if block.kind in FURNITURE else "body",
            label=label(block),
            prov=self.provenance(block, len(original)),
            orig=original,
            text=block.latex or text,
            formatting={
                "bold": look.bold,
                "italic": look.italic,
                "underline": False,
                "strikethrough": False,
                "script": "super" if look.superscript else "sub" if look.subscript else "baseline",
            }
            if look
            else None,
            hyperlink=look.link if look else None,
            **more,
        )

    def add_list(self, items: Sequence[Item], parent: dict[str, Any]) -> None:
        for _, listed in by_numbering(items):
            group = self.add("groups", parent, name="list", label="list")
            for item in listed:
                block = item.block
                node = self.add_text(
                    block,
                    group,
                    skip=marker_length(block),
                    enumerated=is_numbered(block),
                    marker=block.marker or "-",
                )
                if item.children:
                    self.add_list(item.children, node)

    def add_table(self, block: Block) -> None:
        assert block.table is not None
        table, head = block.table, header_rows(block.table)
        cells = [self.cell(cell, block, head) for cell in table.cells]
        data = {"table_cells": cells, "num_rows": table.rows, "num_cols": table.columns}
        node = self.add_item(block, "tables", self.body, label="table", prov=self.provenance(block, 0), **_floating())
        node |= {"data": data, "annotations": []}
        self.add_caption(block, node)

    def cell(self, cell: Cell, block: Block, head: int) -> dict[str, Any]:
        """A cell on a later page than its table has no box: docling assumes that boxes are on the first."""
        assert block.table is not None
        size = self.sizes.get(cell.page)
        box = _top_left(cell.bbox, size) if size and cell.page == block.page else None
        in_head = cell.row < head
        return {
            "bbox": box,
            "row_span": cell.row_span,
            "col_span": cell.column_span,
            "start_row_offset_idx": cell.row,
            "end_row_offset_idx": min(cell.row + cell.row_span, block.table.rows),
            "start_col_offset_idx": cell.column,
            "end_col_offset_idx": min(cell.column + cell.column_span, block.table.columns),
            "text": cell_text(cell),
            "column_header": cell.header and in_head,
            "row_header": cell.header and not in_head,
            "row_section": False,
            "fillable": False,
        }

    def add_figure(self, block: Block) -> None:
        """Text inside a figure is a child of it."""
        node = self.add_item(
            block, "pictures", self.body, label="picture", prov=self.provenance(block, 0), **_floating()
        )
        node["annotations"] = []
        self.add_caption(block, node)
        if flow(block.text):
            self.add_text(block, node)

    def add_caption(self, block: Block, node: dict[str, Any]) -> None:
        caption = self.captions.get(block.id)
        if caption is not None:
            node["captions"].append({"$ref": self.add_text(caption, node)["self_ref"]})

    def add_item(
        self, block: Block, collection: str, parent: dict[str, Any], *, layer: str = "body", **more: object
    ) -> dict[str, Any]:
        node = self.add(collection, parent, layer=layer, **more)
        self.references.setdefault(block.id, node["self_ref"])  # text inside a figure is a second item of its block
        return node

    def add(self, collection: str, parent: dict[str, Any], *, layer: str = "body", **more: object) -> dict[str, Any]:
        reference = f"#/{collection}/{len(self.items[collection])}"
        node = _node(reference, parent["self_ref"], layer=layer, **more)
        self.items[collection].append(node)
        parent["children"].append({"$ref": reference})
        return node

    def provenance(self, block: Block, length: int) -> list[dict[str, Any]]:
        """Every place of the block; which characters are in which place is unknown, so each has them all."""
        return [
            {"page_no": part.page, "bbox": _bottom_left(part.bbox, self.sizes[part.page]), "charspan": [0, length]}
            for part in block.places
            if part.page in self.sizes
        ]


def _node(reference: str, parent: str | None, *, layer: str = "body", **more: object) -> dict[str, Any]:
    return {
        "self_ref": reference,
        "parent": {"$ref": parent} if parent else None,
        "children": [],
        "content_layer": layer,
        "meta": None,
        **more,
    }


def _floating() -> dict[str, Any]:
    return {"captions": [], "references": [], "footnotes": [], "image": None}


def _page(page: PageInfo) -> dict[str, Any]:
    size = {"width": round(page.width, 2), "height": round(page.height, 2)}
    return {"size": size, "image": None, "page_no": page.number}


def _top_left(box: BBox, size: tuple[float, float]) -> dict[str, Any]:
    left, top, right, bottom = (round(value, 3) for value in box.points(size))
    return {"l": left, "t": top, "r": right, "b": bottom, "coord_origin": "TOPLEFT"}


def _bottom_left(box: BBox, size: tuple[float, float]) -> dict[str, Any]:
    left, top, right, bottom = box.points(size)
    return {
        "l": round(left, 3),
        "t": round(size[1] - top, 3),
        "r": round(right, 3),
        "b": round(size[1] - bottom, 3),
        "coord_origin": "BOTTOMLEFT",
    }
