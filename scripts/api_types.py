"""Writes `tests/web/api.d.ts`: the JSON of the API as types for the page's type check, from the models of the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from quire.service.api import review_schemas, schemas, solve_schemas

TARGET = Path(__file__).parents[1] / "tests/web/api.d.ts"
HEAD = "// The JSON of the API. Made by scripts/api_types.py from the models in quire.service.api.\n"
NAMES = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
OPEN: dict[tuple[str, str], str] = {
    ("PageView", "blocks"): "Block[]",
    ("ReviewedItem", "evidence"): "Evidence",
    ("ReviewedItem", "conflict"): "Conflict | null",
    ("ReviewedItem", "missing"): "Missing | null",
    ("ReviewedItem", "decision"): "Decision | null",
    ("ReviewEntry", "decision"): "Decision | null",
}
"""Parts that the models leave open: `tests/web/page.d.ts` describes them."""


def main() -> None:
    TARGET.write_text(declarations())


def declarations() -> str:
    """The declarations: what the page sends may leave out what has a default, what it gets is whole."""
    models = [
        model
        for module in (schemas, review_schemas, solve_schemas)
        for model in vars(module).values()
        if isinstance(model, type) and issubclass(model, BaseModel) and model.__module__ == module.__name__
    ]
    sent = [model for model in models if issubclass(model, schemas.ApiSchema) and model is not schemas.ApiSchema]
    got = [model for model in models if not issubclass(model, schemas.ApiSchema)]
    _, asked = models_json_schema([(model, "validation") for model in sent])
    _, told = models_json_schema([(model, "serialization") for model in got])
    described = {**asked["$defs"], **told["$defs"]}
    lines = [line for name, schema in sorted(described.items()) for line in _declared(name, schema)]
    return HEAD + "declare namespace Api {\n" + "\n".join(lines) + "\n}\n"


def _declared(name: str, schema: dict[str, Any]) -> Iterator[str]:
    if "properties" not in schema:
        yield f"  type {name} = {_type(schema)};"
        return
    yield f"  interface {name} {{"
    for field, about in schema["properties"].items():
        mark = "" if field in schema.get("required", ()) else "?"
        yield f"    {field}{mark}: {OPEN.get((name, field)) or _type(about)};"
    yield "  }"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "anyOf" in schema:
        return " | ".join(_type(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
        item = _type(schema.get("items", {}))
        return f"({item})[]" if " " in item else f"{item}[]"
    if schema.get("type") == "object":
        more = schema.get("additionalProperties")
        return f"Record<string, {_type(more) if isinstance(more, dict) else 'any'}>"
    return NAMES.get(schema.get("type", ""), "any")


if __name__ == "__main__":
    main()
