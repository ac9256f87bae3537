"""The built-in components, offered as entry points of the group `quire.components`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from quire.core.context import Json
from quire.core.table_areas import TABLES_MODES
from quire.evidence.extract.values import SURE
from quire.flow.components import Component, Port, component, component_of
from quire.flow.value_types import Type
from quire.pages.recognize.options import EFFORTS, OCR_MODES
from quire.retrieval.chunk import DEFAULT_TOKENIZER, ChunkerName, ChunkOptions
from quire.retrieval.embed.vector_options import VECTOR_FORMATS, LexicalOptions
from quire.system.stage_versions import stage_version

if TYPE_CHECKING:
    from quire.core.types import PageResult
    from quire.reading.result import DocumentResult

_TEXT = Type("string")
_TEXTS = Type("list", _TEXT)
_COUNT = Type("integer")


def _option(type: Type, default: Json = None) -> Port:
    return Port(type, required=False, default=default)


READ = Component(
    name="read",
    unit="document",
    version=stage_version("read"),
    inputs={"source": Port(Type("document"))},
    options={
        "pages": _option(Type("string", nullable=True)),
        "ocr": _option(Type("string", enum=OCR_MODES), "auto"),
        "effort": _option(Type("string", enum=EFFORTS), "balanced"),
        "engines": _option(_TEXTS, []),
        "lang": _option(_TEXTS, []),
        "figures": _option(Type("boolean"), False),
        "redactions": _option(Type("boolean"), False),
        "tables": _option(Type("string", enum=TABLES_MODES), "auto"),
        "areas": _option(Type("list", items=Type("object")), []),
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
    version=stage_version("export"),
    inputs={"document": Port(Type("result")), "formats": Port(_TEXTS, required=False, default=["md"])},
    options={
        "words": _option(Type("boolean"), False),
        "trace": _option(Type("boolean"), False),
        "figures": _option(Type("boolean"), False),
        "images": _option(Type("string", nullable=True, enum=("embed",))),
    },
    gives=Type("list"),
    service="export",
    description="Write a document in some formats; a file whose name begins with a dot is named after the document.",
)


RENDER = Component(
    name="render",
    unit="document",
    version=stage_version("render"),
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
    version=stage_version("pages"),
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


@component(version=stage_version("chunk"))
def _chunk(  # noqa: PLR0913 - one argument per option
    document: DocumentResult,
    *,
    chunker: str = "hybrid",
    max_tokens: int | None = None,
    tokenizer: str = DEFAULT_TOKENIZER,
    merge_peers: bool = True,
    min_tokens: int = 0,
    soft_margin: int = 64,
    use_markdown_tables: bool = False,
    use_markdown_images: bool = False,
    image_placeholder: str = "![IMAGE]",
    use_markdown_text: bool = False,
    include_raw_text: bool = False,
) -> list[dict[str, Json]]:
    """The chunks of a document, with their headings, blocks, pages and boxes."""
    options = ChunkOptions(
        chunker=cast(ChunkerName, chunker),  # checked by the options
        max_tokens=max_tokens,
        tokenizer=tokenizer,
        merge_peers=merge_peers,
        min_tokens=min_tokens,
        soft_margin=soft_margin,
        use_markdown_tables=use_markdown_tables,
        use_markdown_images=use_markdown_images,
        image_placeholder=image_placeholder,
        use_markdown_text=use_markdown_text,
    )
    from quire.retrieval.chunk.rows import rows

    return [dict(row) for row in rows(document, document.chunks(options), raw_text=include_raw_text)]


CHUNK = component_of(_chunk, "chunk")


EMBED = Component(
    name="embed",
    unit="document",
    version=stage_version("embed"),
    inputs={"chunks": Port(Type("list"))},
    options={
        "embedders": _option(_TEXTS, []),
        "families": _option(_TEXTS, []),
        "to": _option(Type("string", enum=VECTOR_FORMATS), "parquet"),
        "k1": _option(Type("number"), LexicalOptions.k1),
        "b": _option(Type("number"), LexicalOptions.b),
        "min_df": _option(_COUNT, LexicalOptions.min_df),
        "max_df_ratio": _option(Type("number"), LexicalOptions.max_df_ratio),
    },
    gives=Type("list"),
    service="embed",
    description="Embed the chunks of a document: a file with vectors for each family, dense, sparse or lexical.",
)


EXTRACT = Component(
    name="extract",
    unit="document",
    version=stage_version("extract"),
    inputs={"document": Port(Type("result"))},
    options={
        "schema": _option(Type("object", nullable=True)),
        "fields": _option(_TEXTS, []),
        "extractors": _option(_TEXTS, []),
        "min_confidence": _option(Type("number"), 0.0),
        "reread": _option(_TEXT, ""),
        "lang": _option(_TEXTS, []),
    },
    outputs={
        "document": _TEXT,
        "name": _TEXT,
        "schema": _TEXT,
        "catalog": _TEXT,
        "values": Type("any"),
        "evidence": Type("object"),
        "coverage": Type("object"),
        "conflicts": Type("list"),
        "not_found": Type("list"),
        "extractors": _TEXTS,
        "failures": Type("list"),
        "reread": _TEXT,
    },
    gives=Type("object"),
    service="extract",
    description="Extract values by a schema or a list of fields, each with its evidence.",
)


REPORT = Component(
    name="report",
    unit="document",
    version=stage_version("report"),
    inputs={
        "document": Port(Type("result")),
        "extraction": Port(Type("object")),
        "formats": Port(_TEXTS, required=False, default=["json"]),
    },
    gives=Type("list"),
    service="report",
    description="Write an extraction as JSON, CSV, a workbook with the pictures of its places, or a page of HTML.",
)


REVIEW = Component(
    name="review",
    unit="document",
    version=stage_version("review"),
    inputs={"document": Port(Type("result")), "extraction": Port(Type("object"))},
    options={
        "schema": _option(Type("object", nullable=True)),
        "fields": _option(_TEXTS, []),
        "doubts": _option(_TEXTS, []),
        "below": _option(Type("number"), SURE),
    },
    outputs=EXTRACT.outputs,
    gives=Type("object"),
    service="review",
    description="Wait until people have decided about the doubtful values of an extraction, and go on with theirs.",
)
