"""The built-in components, offered as entry points of the group `quire.components`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.context import Json
from quire.flow.components import Component, Port, component, component_of
from quire.flow.types import Type
from quire.recognize.options import EFFORTS, OCR_MODES

if TYPE_CHECKING:
    from quire.result import DocumentResult
    from quire.types import PageResult

_TEXT = Type("string")
_TEXTS = Type("list", _TEXT)
_COUNT = Type("integer")


def _option(type: Type, default: Json = None) -> Port:
    return Port(type, required=False, default=default)


READ = Component(
    name="read",
    unit="document",
    version="1",
    inputs={"source": Port(Type("document"))},
    options={
        "pages": _option(Type("string", nullable=True)),
        "ocr": _option(Type("string", enum=OCR_MODES), "auto"),
        "effort": _option(Type("string", enum=EFFORTS), "balanced"),
        "engines": _option(_TEXTS, []),
        "lang": _option(_TEXTS, []),
        "figures": _option(Type("boolean"), False),
        "redactions": _option(Type("boolean"), False),
        "hints": _option(_TEXTS, []),
        "retries": _option(_COUNT, 0),
        "retry_backoff_s": _option(Type("number"), 1.0),
    },
    outputs={"status": _TEXT, "ledger": Type("object"), "source": Type("object"), "failed": Type("list")},
    gives=Type("result"),
    workflow="document",
    description="Read a document: its pages, blocks and tables.",
)


EXPORT = Component(
    name="export",
    unit="document",
    version="1",
    inputs={"document": Port(Type("result")), "formats": Port(_TEXTS, required=False, default=["md"])},
    options={"words": _option(Type("boolean"), False), "trace": _option(Type("boolean"), False)},
    gives=Type("list"),
    service="export",
    description="Write a document in some formats; a file whose name begins with a dot is named after the document.",
)


RENDER = Component(
    name="render",
    unit="document",
    version="1",
    inputs={"document": Port()},
    options={
        "dpi": _option(_COUNT, 150),
        "grey": _option(Type("boolean"), False),
        "pages": _option(Type("string", nullable=True)),
    },
    gives=Type("list"),
    service="render",
    description="Render the pages of a document, read or not, as images in the store.",
)


@component(
    version="1",
    outputs={
        "page_count": int,
        "has_text_layer": bool,
        "text_pages": int,
        "recognised_pages": int,
        "needing_recognition": int,
        "empty_pages": int,
        "failed_pages": int,
        "tables": int,
        "format": str,
        "pages": list,
    },
)
def _pages(document: DocumentResult) -> dict[str, Json]:
    """What kind of document it is, page by page: with a text layer, read with OCR, in need of OCR."""
    kinds = [_kind(page) for page in document.pages]
    return {
        "page_count": len(kinds),
        "has_text_layer": "text" in kinds,
        "text_pages": kinds.count("text"),
        "recognised_pages": kinds.count("recognised"),
        "needing_recognition": kinds.count("needs-recognition"),
        "empty_pages": kinds.count("empty"),
        "failed_pages": kinds.count("failed"),
        "tables": len(document.tables),
        "format": document.media_type,
        "pages": [{"page": page.number, "kind": kind} for page, kind in zip(document.pages, kinds, strict=True)],
    }


def _kind(page: PageResult) -> str:
    if page.status in ("empty", "failed"):
        return page.status
    if page.status == "skipped":
        return "needs-recognition"
    return "recognised" if any(block.engine != "native" for block in page.blocks) else "text"


PAGES = component_of(_pages, "pages")
