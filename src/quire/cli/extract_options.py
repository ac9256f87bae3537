"""The options for extractions: a schema or fields, and who proposes values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, cast

from typer import Option

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.durable.extracts.extract_request import ExtractRequest
from quire.evidence.extract.extractor_registry import DEFAULT

LARGEST = 4 << 20
"""Bytes of the file of a schema."""

SchemaFile = Annotated[
    Path | None, Option("--schema", metavar="FILE", help="JSON Schema of the values.", readable=False)
]
Fields = Annotated[str | None, Option(metavar="NAMES", help="Values by name, instead of a schema: 'date, total'.")]
Extractors = Annotated[
    list[str] | None,
    Option(
        "--extractor",
        metavar="NAME",
        help="Who proposes values: offline (default), model, fallback, consensus, uncertainty_first. Repeatable.",
    ),
]
Learned = Annotated[
    Path | None, Option(metavar="FILE", help="What `quire learn` has learnt from samples.", readable=False)
]
MinConfidence = Annotated[
    float | None, Option(metavar="N", help="Leave out values with a lower confidence, from 0 to 1.", min=0, max=1)
]
Reread = Annotated[
    str | None,
    Option(metavar="ENGINE", help="OCR engine that reads the pictures of the values again; see `quire engines`."),
]


def extract_request(
    schema: Path | None,
    fields: str | None,
    extractors: list[str] | None = None,
    learned: Path | None = None,
    min_confidence: float | None = None,
    reread: str | None = None,
    lang: list[str] | None = None,
) -> ExtractRequest:
    """Raises UsageError for a schema that cannot be read or filled, and for an unknown extractor or engine."""
    names = list(extractors or ())
    if learned is not None:
        names.append(f"learned:{learned.absolute()}")
    loaded = None if schema is None else load_schema(schema)
    return ExtractRequest.of(loaded, fields, names, min_confidence or 0.0, reread or "", lang or ())


def given_inputs(schema: Path | None, fields: str | None) -> dict[str, Json]:
    """The inputs of a flow that extracts, for commands that run any flow: empty without either option."""
    if schema is None and fields is None:
        return {}
    return flow_inputs(extract_request(schema, fields))


def load_schema(path: Path) -> dict[str, Json]:
    """The schema in a file. Raises UsageError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"the schema {path} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UsageError(f"the schema {path} is larger than {LARGEST >> 20} MB")
    try:
        schema = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the schema {path} is no JSON: {error}") from error
    if not isinstance(schema, dict):
        raise UsageError(f"the schema {path} is a JSON {type(schema).__name__}, not an object")
    return cast("dict[str, Json]", schema)


def flow_inputs(request: ExtractRequest) -> dict[str, Json]:
    """The inputs of the flow `extract`; what is not given is left out, because it would change the key."""
    inputs = {
        "schema": dict(request.schema) if request.schema is not None else None,
        "fields": list(request.fields) or None,
        "extractors": list(request.extractors) if request.extractors != DEFAULT else None,
        "min_confidence": request.min_confidence or None,
        "reread": request.reread or None,
    }
    return {name: value for name, value in inputs.items() if value is not None}
