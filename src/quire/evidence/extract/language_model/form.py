"""The form of an answer: what the model is asked for, the JSON Schema that constrains it, and the proposals in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.core.context import Json
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, SchemaNode
from quire.evidence.extract.values import Proposal

CONFIDENCE = 0.8
"""Of a value of a model whose server does not say how likely it is: the check of the value counts."""
MOST_ROWS = 5000
MOST_IDS = 500
"""Of records in a JSON Schema: some servers refuse longer lists."""
LONGEST_QUOTE = 1000
_DESCRIBED = 300


def answer_schema(schema: ExtractSchema, records: Sequence[str] = ()) -> dict[str, Json]:
    """The JSON Schema of the answer: the tree that is asked for, with a citation in place of each value.

    With `records`, only these ids can be cited, unless there are more than servers take.
    """
    form = _object({"values": _form(schema.root)})
    known: dict[str, Json] = {"type": "string"}
    if 0 < len(records) <= MOST_IDS:
        known["enum"] = list(records)
    return {**form, "$defs": {"record": known}}


def _form(node: SchemaNode) -> dict[str, Json]:
    if isinstance(node, ListSpec):
        return {"type": "array", "items": _form(node.items)}
    if not isinstance(node, LeafSpec):
        return _object({name: _form(child) for name, child in node.properties.items()})
    value: dict[str, Json] = {"enum": list(node.enum)} if node.enum else {"type": node.type}
    named: dict[str, Json] = {"record": {"$ref": "#/$defs/record"}, "quote": {"type": "string"}, "value": value}
    cited: dict[str, Json] = {"anyOf": [_object(named), {"type": "null"}]}
    return {"type": "array", "items": cited} if node.several else cited


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def described(schema: ExtractSchema) -> str:
    """The leaves in words, a line each."""
    return "\n".join(map(_line, schema.leaves))


def _line(leaf: LeafSpec) -> str:
    parts = [leaf.title, leaf.description, f"also called {', '.join(leaf.aliases)}" if leaf.aliases else ""]
    parts += [f"in {leaf.unit}" if leaf.unit else "", f"matching {leaf.pattern}" if leaf.pattern else ""]
    parts += [f"one of {', '.join(map(str, leaf.enum))}" if leaf.enum else "", "all of them" if leaf.several else ""]
    meaning = "; ".join(" ".join(one.split()) for one in parts if one.strip())
    kind = leaf.kind if leaf.kind and leaf.kind != leaf.type else ""
    shape = ", ".join(filter(None, (leaf.type, kind)))
    return f"- {leaf.path} ({shape})" + (f": {meaning[:_DESCRIBED]}" if meaning else "")


def proposals_in(
    tree: Any, schema: ExtractSchema, catalog: SourceCatalog, extractor: str, certainties: Mapping[str, float]
) -> list[Proposal]:
    """The proposals in an answer, without those that are not in the form: they could not be checked.

    `certainties` are how sure the model was, by the paths in its answer.
    """
    return list(_Reading(catalog, extractor, certainties).node(schema.root, tree, ""))


class _Reading:
    def __init__(self, catalog: SourceCatalog, extractor: str, certainties: Mapping[str, float]) -> None:
        self._catalog, self._extractor, self._certainties = catalog, extractor, certainties

    def node(self, node: SchemaNode, given: Any, path: str) -> Iterator[Proposal]:
        if isinstance(node, LeafSpec):
            if isinstance(given, list):
                for at, one in enumerate(given[:MOST_ROWS]):
                    yield from self._leaf(one, f"{path}[{at}]")
            else:
                yield from self._leaf(given, path)
        elif isinstance(node, ListSpec):
            for at, one in enumerate(given[:MOST_ROWS] if isinstance(given, list) else ()):
                yield from self.node(node.items, one, f"{path}[{at}]")
        elif isinstance(given, dict):
            for name, child in node.properties.items():
                yield from self.node(child, given.get(name), f"{path}.{name}" if path else name)

    def _leaf(self, given: Any, path: str) -> Iterator[Proposal]:
        """A value with its citation; a bare value cites nothing, and the check has to find it."""
        cited = given if isinstance(given, dict) else {"value": given}
        value, quote, record = cited.get("value"), cited.get("quote"), cited.get("record")
        if not isinstance(value, (str, int, float, bool)) or value == "":
            return
        quoted = quote[:LONGEST_QUOTE].strip() if isinstance(quote, str) else ""
        records = (
            (tightest(self._catalog, record.strip(" []"), quoted),)
            if isinstance(record, str) and record.strip(" []")
            else ()
        )
        yield Proposal(path, value, records, quoted, self._sure(path), self._extractor)

    def _sure(self, path: str) -> float:
        named = (f"{root}{path}{end}" for root in ("values.", "") for end in (".value", ""))
        return next((self._certainties[one] for one in named if one in self._certainties), CONFIDENCE)


def tightest(catalog: SourceCatalog, record: str, quote: str) -> str:
    """The cell of a table in which a quote stands, if there is one; else what was cited."""
    if record not in catalog.block_by_id or not quote:
        return record
    wanted = " ".join(quote.split())
    cells = [one for one in catalog.records_of((record,)) if one.level == "cell"]
    holding = [one.id for one in cells if wanted in " ".join(one.text.split())]
    return holding[0] if len(holding) == 1 else record
