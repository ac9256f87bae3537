"""The built-in components, offered as entry points of the group `quire.components`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from quire.core.context import Json
from quire.core.keys import digest_bytes
from quire.durable.reads.read_request import ReadRequest
from quire.evidence.extract.values import SURE
from quire.flow.components import Component, Port, component, component_of, field_options
from quire.flow.value_types import Type
from quire.retrieval.chunk import ChunkOptions
from quire.retrieval.embed.vector_options import VECTOR_FORMATS, LexicalOptions
from quire.system.stage_versions import stage_version

if TYPE_CHECKING:
    from quire.core.types import PageResult
    from quire.reading.result import DocumentResult

_TEXT = Type("string")
_TEXTS = Type("list", _TEXT)
_SCHEMA = Type("object", nullable=True)


def built_in(
    name: str,
    description: str,
    *,
    inputs: Mapping[str, Port],
    gives: Type,
    options: Mapping[str, Port] = MappingProxyType({}),
    outputs: Mapping[str, Type] | None = None,
    workflow: str = "",
    function: Callable[..., object] | None = None,
) -> Component:
    """A component for whole documents that a workflow or a function runs, or else the service of its own name. Its
    version is that of the stage of its name."""
    return Component(
        name=name,
        unit="document",
        version=stage_version(name),
        inputs=inputs,
        options=options,
        outputs=outputs,
        gives=gives,
        function=function,
        workflow=workflow,
        service="" if workflow or function else name,
        description=description,
    )


def option(type: Type, default: Json = None) -> Port:
    """An option that a step may leave out."""
    return Port(type, required=False, default=default)


READ = built_in(
    "read",
    "Read a document: its pages, blocks and tables.",
    inputs={"source": Port(Type("document"))},
    options={
        **field_options(ReadRequest, without=("source", "scope", "deadline", "max_pages")),
        "areas": option(Type("list", Type("object")), []),
    },
    outputs={"status": _TEXT, "ledger": Type("object"), "source": Type("object"), "failed": Type("list")},
    gives=Type("result"),
    workflow="document",
)

EXPORT = built_in(
    "export",
    "Write a document in some formats; a file whose name begins with a dot is named after the document.",
    inputs={"document": Port(Type("result")), "formats": option(_TEXTS, ["md"])},
    options={
        "words": option(Type("boolean"), False),
        "trace": option(Type("boolean"), False),
        "figures": option(Type("boolean"), False),
        "images": option(Type("string", nullable=True, enum=("embed",))),
    },
    gives=Type("list"),
)

RENDER = built_in(
    "render",
    "Render the pages of a document, read or not, as images in the store.",
    inputs={"document": Port()},
    options={
        "dpi": option(Type("integer"), 150),
        "grey": option(Type("boolean"), False),
        "pages": option(Type("string", nullable=True)),
    },
    gives=Type("list"),
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


def _chunk(document: DocumentResult, *, include_raw_text: bool, **options: Json) -> list[dict[str, Json]]:
    from quire.retrieval.chunk.rows import rows

    return [dict(row) for row in rows(document, document.chunks(ChunkOptions(**options)), raw_text=include_raw_text)]


CHUNK = built_in(
    "chunk",
    "The chunks of a document, with their headings, blocks, pages and boxes.",
    inputs={"document": Port(Type("result"))},
    options={**field_options(ChunkOptions), "include_raw_text": option(Type("boolean"), False)},
    gives=Type("list", Type("object")),
    function=_chunk,
)

EMBED = built_in(
    "embed",
    "Embed the chunks of a document: a file with vectors for each family, dense, sparse or lexical.",
    inputs={"chunks": Port(Type("list"))},
    options={
        "embedders": option(_TEXTS, []),
        "families": option(_TEXTS, []),
        "to": option(Type("string", enum=VECTOR_FORMATS), "parquet"),
        **field_options(LexicalOptions),
    },
    gives=Type("list"),
)

EXTRACT = built_in(
    "extract",
    "Extract values by a schema or a list of fields, each with its evidence.",
    inputs={"document": Port(Type("result"))},
    options={
        "schema": option(_SCHEMA),
        "fields": option(_TEXTS, []),
        "extractors": option(_TEXTS, []),
        "min_confidence": option(Type("number"), 0.0),
        "reread": option(_TEXT, ""),
        "lang": option(_TEXTS, []),
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
)

REPORT = built_in(
    "report",
    "Write an extraction as JSON, CSV, a workbook with the pictures of its places, or a page of HTML.",
    inputs={
        "document": Port(Type("result")),
        "extraction": Port(Type("object")),
        "formats": option(_TEXTS, ["json"]),
    },
    gives=Type("list"),
)

SOLVE = built_in(
    "solve",
    "Solve a task over a document: values by a schema, verified, checked, and as a workbook.",
    inputs={"document": Port(Type("result"))},
    options={
        "task": Port(_TEXT),
        "schema": option(_SCHEMA),
        "fields": option(_TEXTS, []),
        "template": option(Type("string", nullable=True)),
        "runners": option(_TEXTS, ["offline"]),
        "reviewer": option(_TEXT, ""),
        "rounds": option(Type("integer"), 2),
        "attempts": option(Type("integer"), 2),
        "review": option(Type("string", enum=("none", "queue", "wait")), "none"),
    },
    outputs={
        "status": _TEXT,
        "workspace": _TEXT,
        "values": Type("any"),
        "evidence": Type("object"),
        "coverage": Type("object"),
        "findings": Type("list"),
        "attempts": Type("list"),
        "extraction": Type("object"),
        "files": Type("list"),
    },
    gives=Type("object"),
)


def _evaluate(extraction: Mapping[str, Json], *, fixture: Mapping[str, Json]) -> dict[str, Json]:
    from quire.evidence.extract.extraction_json import encode_extraction, extraction_of
    from quire.solving.evaluation.evaluation_report import evaluation_report
    from quire.solving.evaluation.fixture import recorded_fixture
    from quire.solving.evaluation.grades import grade

    made = extraction_of(extraction)
    graded = recorded_fixture(str(fixture.get("name", made.name)), {"documents": [], **fixture}, [made.document])
    digests = {graded.name: digest_bytes(encode_extraction(made))}
    return evaluation_report([grade(graded, made)], [], digests, list(made.extractors))


EVALUATE = built_in(
    "evaluate",
    "Compare the values of an extraction, or of a solution, with the expected ones of a fixture.",
    inputs={"extraction": Port(Type("object"))},
    options={"fixture": Port(Type("object"))},
    gives=Type("object"),
    function=_evaluate,
)

REVIEW = built_in(
    "review",
    "Wait until people have decided about the doubtful values of an extraction, and go on with theirs.",
    inputs={"document": Port(Type("result")), "extraction": Port(Type("object"))},
    options={
        "schema": option(_SCHEMA),
        "fields": option(_TEXTS, []),
        "doubts": option(_TEXTS, []),
        "below": option(Type("number"), SURE),
    },
    outputs=EXTRACT.outputs,
    gives=Type("object"),
)
