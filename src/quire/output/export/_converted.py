"""The DoclingDocument of a document that was converted: docling-core writes it as docling does."""

from __future__ import annotations

import json
import warnings
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from quire.core.errors import ConfigurationError, install_advice
from quire.output.export.contracts import Exportable, Structured

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument


def tree_of(result: Exportable) -> dict[str, Any] | None:
    """As plain values. The structure is written that way; only one with pages that were not read is validated."""
    structure = result.structure if isinstance(result, Structured) else None
    if structure is None:
        return None
    tree: dict[str, Any] = json.loads(_named(structure(), result))
    if {page["page_no"] for page in tree.get("pages", {}).values()} <= {page.number for page in result.pages}:
        return tree
    document = document_of(result)
    return None if document is None else document.export_to_dict()


def document_of(result: Exportable) -> DoclingDocument | None:
    """With the pages that were read; None for a document that was not converted."""
    structure = result.structure if isinstance(result, Structured) else None
    if structure is None:
        return None
    try:
        from docling_core.types.doc.document import DoclingDocument
    except ImportError as error:
        raise ConfigurationError(f"this export is written by docling-core: {install_advice('formats')}") from error
    document = DoclingDocument.model_validate_json(_named(structure(), result))
    read = {page.number for page in result.pages}
    return _only(document, read) if set(document.pages) - read else document


def _named(structure: bytes, result: Exportable) -> bytes:
    """With the name of this document: what it was converted from may have had another one, with the same contents.

    A DoclingDocument that is read keeps its own, and so does one that docling names by its contents.
    """
    tree = json.loads(structure)
    origin = tree.get("origin")
    if not origin or result.media_type == "application/json":
        return structure
    before = origin["filename"]
    names = {before: result.name, PurePath(before).stem: PurePath(result.name).stem}
    tree["name"] = names.get(tree["name"], tree["name"])
    origin["filename"] = result.name
    return json.dumps(tree, ensure_ascii=False).encode("utf-8", "replace")


def _only(document: DoclingDocument, pages: set[int]) -> DoclingDocument:
    """Some pages of the document. What has no place is where the item before it is, as in its blocks."""
    from docling_core.types.doc.base import BoundingBox
    from docling_core.types.doc.common.content_layer import ContentLayer
    from docling_core.types.doc.common.reference import ProvenanceItem
    from docling_core.types.doc.items.node import DocItem

    page = min(document.pages)
    for item, _ in document.iterate_items(included_content_layers=set(ContentLayer), traverse_pictures=True):
        if isinstance(item, DocItem):
            page = item.prov[-1].page_no if item.prov else page
            nowhere = ProvenanceItem(page_no=page, bbox=BoundingBox(l=0, t=0, r=0, b=0), charspan=(0, 0))
            item.prov = item.prov or [nowhere]
    with warnings.catch_warnings(action="ignore"):  # lists that begin on another page
        part = document.filter(page_nrs=pages)
    for item, _ in part.iterate_items(included_content_layers=set(ContentLayer), traverse_pictures=True):
        if isinstance(item, DocItem):
            item.prov = [place for place in item.prov if place.bbox.l != place.bbox.r]
    return part
