"""The types of inputs, options and outputs, and type checks of values."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from quire.core.context import Json

TypeName = Literal["any", "string", "integer", "number", "boolean", "list", "object", "bytes", "document", "result"]
TYPES: tuple[TypeName, ...] = get_args(TypeName)
"""`document` is a file that has not been read yet, `result` a document that was read."""


@dataclass(frozen=True, slots=True)
class Type:
    name: TypeName = "any"
    items: Type | None = None
    enum: tuple[Json, ...] = ()
    nullable: bool = False

    def __str__(self) -> str:
        if self.enum:
            return "one of " + ", ".join(map(str, self.enum))
        return f"list of {self.items}" if self.items else self.name

    def problem(self, value: Json) -> str | None:
        """The reason why a value has the wrong type, like `is 3, not a string`; None if it is right."""
        if self.name == "any" or (value is None and self.nullable):
            return None
        if not _is_a(self.name, value):
            hint = "; write it in quotes" if self.name == "string" and isinstance(value, (bool, int, float)) else ""
            return f"is {_shown(value)}, not {_article(self.name)}{hint}"
        if self.enum and value not in self.enum:
            return f"is {_shown(value)}; choose from {', '.join(map(str, self.enum))}"
        if self.items is not None:
            wrong = ((at, self.items.problem(item)) for at, item in enumerate(value, start=1))
            return next((f"has an item, number {at}, that {problem}" for at, problem in wrong if problem), None)
        return None

    def accepts(self, given: Type) -> bool:
        """Whether a value of the other type may be accepted."""
        if "any" in (self.name, given.name):
            return True
        if self.name == "list" and given.name == "list" and self.items and given.items:
            return self.items.accepts(given.items)
        return self.name == given.name or (self.name, given.name) == ("number", "integer")

    def to_json(self) -> dict[str, Json]:
        schema: dict[str, Json] = {"type": self.name}
        if self.items is not None:
            schema["items"] = self.items.to_json()
        if self.enum:
            schema["enum"] = list(self.enum)
        return schema


ANY = Type()

_SIMPLE: Mapping[object, TypeName] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    bytes: "bytes",
    dict: "object",
    Mapping: "object",
    list: "list",
    tuple: "list",
    Sequence: "list",
}


def type_of_annotation(annotation: Any) -> Type:
    """The type of a parameter from its annotation; `any` if there is no counterpart."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return Type(_SIMPLE.get(type(arguments[0]), "any"), enum=arguments)
    if origin in (Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        if len(others) > 1:
            return ANY
        found = type_of_annotation(others[0])
        return Type(found.name, found.items, found.enum, nullable=len(others) < len(arguments))
    name = _SIMPLE.get(origin or annotation, "any")
    if name == "list" and arguments:
        items = type_of_annotation(arguments[0])
        return Type("list", None if items == ANY else items)
    return Type(name)


def _is_a(name: TypeName, value: Json) -> bool:
    match name:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, (list, tuple))
        case "object":
            return isinstance(value, dict)
        case "document":
            return isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("path"), str))
    return False  # bytes and results come only from steps


def _shown(value: Json) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


def _article(name: str) -> str:
    if name == "bytes":
        return "the bytes of a step"
    if name == "result":
        return "a document that was read"
    return f"an {name}" if name[0] in "aio" else f"a {name}"
