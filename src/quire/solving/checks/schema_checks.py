"""Checks an answer against its schema, and for what is missing in it."""

from __future__ import annotations

from collections.abc import Iterator

from quire.core.context import Json
from quire.evidence.extract.schema import LeafSpec, ListSpec, ObjectSpec, SchemaNode
from quire.evidence.extract.schema_fit import Unfit, fitted
from quire.evidence.extract.value_paths import value_at
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue
from quire.solving.findings import Finding


def schema_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Values of the wrong type, choice or pattern, those not asked for, and required ones that are missing."""
    if reviewed.answer.schema != reviewed.schema.digest:
        yield Finding("", "invalid", "the answer was made for another schema")
    known = {one.path for one in reviewed.values}
    for path, value in reviewed.given.items():
        if path not in known:
            yield Finding(path, "invalid", "the schema does not ask for it", value=value)
    for one in reviewed.values:
        if reason := _unfit(one):
            yield reviewed.finding(one, "invalid", reason)
    for path in _required(reviewed.schema.root, reviewed.answer.values, ""):
        reason = "the schema requires a value, and there is none"
        yield Finding(path, "invalid", reason, open="[" not in path)  # a table may have no such column at all


def missing_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Values that evidence speaks of and the answer lacks, and those that the documents surely have."""
    for path, stored in reviewed.answer.evidence.items():
        if path not in reviewed.given and stored.status != "not_found":
            yield Finding(
                path,
                "missing",
                f"the answer has no value, and its evidence says {stored.status}",
                document=stored.document,
                page=stored.page,
                bboxes=stored.bboxes,
                quote=stored.quote,
            )
    for leaf in reviewed.schema.leaves:
        found = reviewed.source.offline.evidence.get(leaf.path)
        lacks = "[]" not in leaf.path and value_at(reviewed.answer.values, leaf.path) in (None, "", [])
        if lacks and found is not None and found.is_sure and leaf.path not in reviewed.decided:
            value = value_at(reviewed.source.offline.values, leaf.path)
            where = f"page {found.page}" + (f" of {found.document}" if found.document else "")
            yield Finding(
                leaf.path,
                "missing",
                f"{where} has {_shown(value)}",
                other=value,
                document=found.document,
                page=found.page,
                bboxes=found.bboxes,
                quote=found.quote,
                record=found.records[0] if found.records else "",
            )


def _unfit(one: ReviewedValue) -> str:
    """Why a value is not what the leaf asks for: verified answers have it in the type and words of the schema."""
    try:
        wanted = fitted(one.value, one.leaf, one.evidence.quote if one.evidence else "")
    except Unfit as error:
        return str(error)
    if _is_of(one.value, one.leaf) and (not one.leaf.enum or one.value == wanted):
        return ""
    return f"{_shown(one.value)} is not {_named(one.leaf)}"


def _is_of(value: Json, leaf: LeafSpec) -> bool:
    if leaf.enum:
        return True
    match leaf.type:
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)


def _named(leaf: LeafSpec) -> str:
    return f"one of {', '.join(map(str, leaf.enum))[:200]}" if leaf.enum else f"of the type {leaf.type}"


def _required(node: SchemaNode, values: Json, path: str) -> Iterator[str]:
    """The paths of required properties without a value, in each object that there is."""
    if isinstance(node, ListSpec):
        for at, item in enumerate(values if isinstance(values, list) else ()):
            yield from _required(node.items, item, f"{path}[{at}]")
    elif isinstance(node, ObjectSpec):
        tree = values if isinstance(values, dict) else {}
        for name, child in node.properties.items():
            below = f"{path}.{name}" if path else name
            if name in node.required and isinstance(child, LeafSpec) and tree.get(name) in (None, "", []):
                yield below
            elif not isinstance(child, LeafSpec) and (name in node.required or tree.get(name)):
                yield from _required(child, tree.get(name), below)


def _shown(value: Json) -> str:
    return repr(value)[:80]
