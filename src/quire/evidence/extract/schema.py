"""Schemas of extractions: the leaves of a JSON Schema, or a simple list of names, as a tree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast, get_args

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import Digest, digest_of
from quire.evidence.extract.patterns import value_pattern
from quire.evidence.extract.value_paths import field_of

LeafType = Literal["string", "number", "integer", "boolean"]
ValueKind = Literal[
    "text",
    "name",
    "address",
    "amount",
    "number",
    "percentage",
    "currency",
    "date",
    "duration",
    "code",
    "email",
    "phone",
    "url",
    "iban",
    "boolean",
]
VALUE_KINDS: tuple[ValueKind, ...] = get_args(ValueKind)
_FORMATS: dict[str, ValueKind] = {
    "date": "date",
    "date-time": "date",
    "duration": "duration",
    "email": "email",
    "uri": "url",
    "iban": "iban",
    "phone": "phone",
}
_DEEPEST = 32
MOST_NODES = 10_000
"""Of a schema: one whose definitions refer to each other may be small, and mean billions of values."""
_EXTENSION = "x-quire"


@dataclass(frozen=True, slots=True)
class LeafSpec:
    """One value that is asked for. `path` is `total`, `seller.name` or `items[].price`.

    `kind` says what it looks like on the page, None where the schema does not say. `several` allows more than one
    value for a leaf that is no list: None leaves that to the extractor. `pages` are where to look first.
    """

    path: str
    name: str
    type: LeafType = "string"
    kind: ValueKind | None = None
    title: str = ""
    description: str = ""
    enum: tuple[Json, ...] = ()
    pattern: str = ""
    aliases: tuple[str, ...] = ()
    unit: str = ""
    pages: tuple[int, ...] = ()
    several: bool | None = None


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """An object with its properties, in the order of the schema. `required` are those that may not be null."""

    path: str
    properties: Mapping[str, SchemaNode]
    title: str = ""
    description: str = ""
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListSpec:
    """A list whose items are all alike."""

    path: str
    items: SchemaNode
    title: str = ""
    description: str = ""


SchemaNode: TypeAlias = LeafSpec | ObjectSpec | ListSpec


@dataclass(frozen=True, slots=True)
class ExtractSchema:
    """The tree of values to extract from a document."""

    root: SchemaNode
    digest: Digest
    title: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Json] | Sequence[str] | str) -> ExtractSchema:
        """From a JSON Schema, or from names: a list, or `invoice number, date, total`.

        Raises UsageError for a schema that cannot be filled, naming the place in it.
        """
        if isinstance(given, Mapping):
            schema = _unwrapped(given)
            root = _Parser(schema).node(schema, "", 0)
            try:
                return cls(root, digest_of(schema), str(schema.get("title", "")))
            except RecursionError:
                raise UsageError("the schema is nested too deep") from None
        listed = given.split(",") if isinstance(given, str) else list(given)
        names = [name for one in listed if (name := " ".join(str(one).split()))]
        if not names:
            raise UsageError("no field is asked for; write for example 'invoice number, date, total'")
        keys = [re.sub(r"\W+", "_", name.casefold()).strip("_") or name for name in names]
        if len({*keys}) < len(keys):
            twice = next(name for key, name in zip(keys, names, strict=True) if keys.count(key) > 1)
            raise UsageError(f"the field {twice!r} is asked for twice")
        leaves = {key: LeafSpec(key, key, title=name) for key, name in zip(keys, names, strict=True)}
        return cls(ObjectSpec("", leaves), digest_of({"fields": names}))

    @property
    def leaves(self) -> tuple[LeafSpec, ...]:
        return tuple(_leaves(self.root))

    def leaf(self, path: str) -> LeafSpec | None:
        """The leaf of a path in the data (`items[3].price`) or in the schema (`items[].price`)."""
        wanted = field_of(path)
        found = next((leaf for leaf in self.leaves if leaf.path == wanted), None)
        if found is None and wanted.endswith("[]"):  # one of several values of a leaf that is no list
            found = next((leaf for leaf in self.leaves if leaf.path == wanted[:-2]), None)
        return found

    def only(self, paths: Collection[str]) -> ExtractSchema | None:
        """The schema of some of the leaves, by their paths in the schema; None if there is none of them."""
        root = _narrowed(self.root, frozenset(paths))
        return None if root is None else ExtractSchema(root, digest_of([self.digest, sorted(paths)]), self.title)


def asked_schema(schema: Mapping[str, Json] | None, fields: Sequence[str] | str | None) -> ExtractSchema:
    """From a schema or a list of fields. Raises UsageError unless exactly one of them is given."""
    if schema is not None and fields:
        raise UsageError("a schema and a list of fields are given; give one of them")
    if schema is None and not fields:
        raise UsageError("nothing is asked for; give a schema, or fields such as 'invoice number, date, total'")
    return ExtractSchema.of(fields or () if schema is None else schema)


def _leaves(node: SchemaNode) -> Iterator[LeafSpec]:
    if isinstance(node, LeafSpec):
        yield node
    elif isinstance(node, ListSpec):
        yield from _leaves(node.items)
    else:
        for child in node.properties.values():
            yield from _leaves(child)


def _narrowed(node: SchemaNode, paths: Collection[str]) -> SchemaNode | None:
    if isinstance(node, LeafSpec):
        return node if node.path in paths else None
    if isinstance(node, ListSpec):
        items = _narrowed(node.items, paths)
        return None if items is None else replace(node, items=items)
    kept = {name: one for name, child in node.properties.items() if (one := _narrowed(child, paths)) is not None}
    return replace(node, properties=kept) if kept else None


def _unwrapped(given: Mapping[str, Json]) -> Mapping[str, Json]:
    """The schema itself, where a file holds it under a name (`schema`, `schema_definition`) beside other settings."""
    if {"properties", "type", "items", "$ref", "anyOf", "allOf"} & given.keys():
        return given
    inner = [value for value in given.values() if isinstance(value, Mapping) and {"properties", "$ref"} & value.keys()]
    if len(inner) != 1:
        raise UsageError("the schema has no `properties`: it should be a JSON Schema of an object")
    return cast(Mapping[str, Json], inner[0])


class _Parser:
    def __init__(self, root: Mapping[str, Json]) -> None:
        self._root = root
        self._nodes = 0

    def node(self, given: Json, path: str, depth: int) -> SchemaNode:
        if depth > _DEEPEST:
            raise UsageError(f"the schema is nested more than {_DEEPEST} deep at {path or 'its root'}")
        if not isinstance(given, Mapping):
            raise UsageError(f"the schema of {path or 'the root'} is {type(given).__name__}, not an object")
        schema = self._resolved(given, path)
        title, description = str(schema.get("title", "")), str(schema.get("description", ""))
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            inside = {
                str(name): self.node(one, f"{path}.{name}" if path else str(name), depth + 1)
                for name, one in properties.items()
            }
            return ObjectSpec(path, inside, title, description, _required(schema, properties))
        type_ = _type(schema, path)
        if type_ == "object":
            raise UsageError(f"the schema of {path or 'the root'} is an object without properties")
        if type_ == "array":
            if "items" not in schema:
                raise UsageError(f"the schema of the list {path or 'at the root'} does not say what its items are")
            return ListSpec(path, self.node(schema["items"], f"{path}[]", depth + 1), title, description)
        if not path:
            raise UsageError("the schema asks for a single value; give an object with properties")
        return _leaf(schema, path, type_, title, description)

    def _resolved(self, given: Mapping[str, Json], path: str, inside: int = 0) -> dict[str, Json]:
        """Without `$ref`, `allOf` and nullable `anyOf`/`oneOf`: their first option that is no null."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise UsageError(f"the schema asks for more than {MOST_NODES:,} values; divide it")
        schema = dict(given)
        for _ in range(_DEEPEST - inside):
            if isinstance(ref := schema.pop("$ref", None), str):
                schema = {**self._referred(ref, path), **schema}
            elif isinstance(parts := schema.pop("allOf", None), list):
                for part in reversed([part for part in parts if isinstance(part, Mapping)]):
                    schema = _merged(self._resolved(part, path, inside + 1), schema)
            elif isinstance(options := schema.pop("anyOf", None) or schema.pop("oneOf", None), list):
                chosen = [one for one in options if isinstance(one, Mapping) and one.get("type") != "null"]
                schema = {**(chosen[0] if chosen else {}), **schema}
            else:
                return schema
        raise UsageError(f"the schema of {path or 'the root'} refers to itself")

    def _referred(self, ref: str, path: str) -> Mapping[str, Json]:
        found: Any = self._root
        for part in filter(None, ref.removeprefix("#").split("/")):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        if not ref.startswith("#") or not isinstance(found, Mapping):
            raise UsageError(f"the schema of {path or 'the root'} refers to {ref!r}, which is not in it")
        return found


def _merged(first: Mapping[str, Json], second: Mapping[str, Json]) -> dict[str, Json]:
    both = {**first, **second}
    inside = first.get("properties"), second.get("properties")
    if isinstance(inside[0], Mapping) and isinstance(inside[1], Mapping):
        both["properties"] = {**inside[0], **inside[1]}
    return both


def _required(schema: Mapping[str, Json], properties: Mapping[str, Json]) -> tuple[str, ...]:
    """The properties that must have a value: what may be null may be absent from the document."""
    named = schema.get("required")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return tuple(name for name in names if name in properties and not _may_be_null(properties[name]))


def _may_be_null(schema: Json) -> bool:
    if not isinstance(schema, Mapping):
        return False
    type_ = schema.get("type")
    options = schema.get("anyOf") or schema.get("oneOf")
    return (
        type_ == "null"
        or (isinstance(type_, list) and "null" in type_)
        or (isinstance(options, list) and any(map(_may_be_null, options)))
    )


def _type(schema: Mapping[str, Json], path: str) -> str:
    given = schema.get("type")
    if isinstance(given, list):
        given = next((one for one in given if one != "null"), None)
    if given is None:
        given = "array" if "items" in schema else "string"
    if given not in (known := ("object", "array", *get_args(LeafType))):
        raise UsageError(f"the schema of {path or 'the root'} has the type {given!r}; choose from {', '.join(known)}")
    return str(given)


def _leaf(schema: Mapping[str, Json], path: str, type_: str, title: str, description: str) -> LeafSpec:
    ours = schema.get(_EXTENSION, {})
    if not isinstance(ours, Mapping):
        raise UsageError(f"`{_EXTENSION}` of {path} is {type(ours).__name__}, not an object")
    kind = ours.get("kind", schema.get("kind", _FORMATS.get(str(schema.get("format", "")))))
    if kind not in VALUE_KINDS:
        if "kind" in ours:
            raise UsageError(f"there is no kind {kind!r} ({path}); choose from {', '.join(VALUE_KINDS)}")
        kind = "boolean" if type_ == "boolean" else None
    pattern = str(schema.get("pattern", ""))
    try:
        value_pattern(pattern)
    except ValueError as error:
        raise UsageError(f"the pattern of {path} is no regular expression that can be used: {error}") from error
    enum = schema["enum"] if isinstance(schema.get("enum"), list) else ([schema["const"]] if "const" in schema else [])
    leaf = LeafSpec(path, re.split(r"[.\[]", path.removesuffix("[]"))[-1], cast(LeafType, type_), kind, title)
    return replace(
        leaf,
        description=description,
        enum=tuple(one for one in enum if one is not None),
        pattern=pattern,
        aliases=_texts(ours.get("aliases"), path),
        unit=str(ours.get("unit", "")),
        pages=_pages(ours.get("pages"), path),
        several=ours.get("several") if isinstance(ours.get("several"), bool) else None,
    )


def _pages(given: Json, path: str) -> tuple[int, ...]:
    if given is None:
        return ()
    numbers = given if isinstance(given, list) else [given]
    if not all(isinstance(one, int) and one >= 1 for one in numbers):
        raise UsageError(f"the pages of {path} should be a list of numbers from 1")
    return tuple(numbers)


def _texts(given: Json, path: str) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise UsageError(f"the aliases of {path} should be a list of texts")
    return tuple(given)
