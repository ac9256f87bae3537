"""The DoclingDocument of a document that was converted: docling-core writes it as docling does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from quire.errors import ConfigurationError, install_advice
from quire.export import Exportable, Structured

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument


def tree_of(result: Exportable) -> dict[str, Any] | None:
    """As plain values. The structure is written that way; only one with pages that were not read is validated."""
    structure = result.structure if isinstance(result, Structured) else None
    if structure is None:
        return None
    tree: dict[str, Any] = json.loads(structure())
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
    document = DoclingDocument.model_validate_json(structure())
    read = {page.number for page in result.pages}
    return document.filter(page_nrs=read) if set(document.pages) - read else document
