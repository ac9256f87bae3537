"""What a schema asks for."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, ObjectSpec

INVOICE = {
    "type": "object",
    "title": "Invoice",
    "properties": {
        "number": {"type": "string", "x-quire": {"aliases": ["Rechnung Nr."], "kind": "code", "pages": [1]}},
        "date": {"type": ["string", "null"], "format": "date"},
        "seller": {"$ref": "#/$defs/party"},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"price": {"anyOf": [{"type": "number"}, {"type": "null"}]}}},
        },
        "currency": {"enum": ["EUR", "USD", None]},
        "paid": {"type": "boolean"},
    },
    "$defs": {"party": {"type": "object", "properties": {"name": {"type": "string"}}}},
}


def test_the_leaves_of_a_schema_have_paths_types_and_kinds():
    schema = ExtractSchema.of(INVOICE)
    assert [(leaf.path, leaf.type, leaf.kind) for leaf in schema.leaves] == [
        ("number", "string", "code"),
        ("date", "string", "date"),
        ("seller.name", "string", None),
        ("items[].price", "number", None),
        ("currency", "string", None),
        ("paid", "boolean", "boolean"),
    ]
    assert schema.title == "Invoice"
    assert schema.leaf("number").aliases == ("Rechnung Nr.",)
    assert schema.leaf("number").pages == (1,)
    assert schema.leaf("currency").enum == ("EUR", "USD")


def test_a_path_of_the_data_finds_its_leaf():
    schema = ExtractSchema.of(INVOICE)
    assert schema.leaf("items[12].price").name == "price"
    assert schema.leaf("paid[1]").path == "paid"
    assert schema.leaf("items[0]") is None


def test_names_are_a_schema():
    schema = ExtractSchema.of("Invoice number,  date ,total")
    assert schema.root == ObjectSpec(
        "",
        {
            "invoice_number": LeafSpec("invoice_number", "invoice_number", title="Invoice number"),
            "date": LeafSpec("date", "date", title="date"),
            "total": LeafSpec("total", "total", title="total"),
        },
    )
    assert schema == ExtractSchema.of(["Invoice number", "date", "total"])


def test_a_schema_under_a_name_is_found():
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert ExtractSchema.of({"name": "x", "schema_definition": inner}) == ExtractSchema.of(inner)


def test_parts_of_a_schema_are_joined():
    schema = ExtractSchema.of(
        {
            "allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "array", "items": {}}}}],
        }
    )
    assert isinstance(schema.root, ObjectSpec)
    assert isinstance(schema.root.properties["b"], ListSpec)
    assert [leaf.path for leaf in schema.leaves] == ["a", "b[]"]


def test_the_digest_follows_the_schema_and_not_the_order_of_its_keys():
    first = {"type": "object", "properties": {"a": {"type": "string", "title": "A"}}}
    second = {"properties": {"a": {"title": "A", "type": "string"}}, "type": "object"}
    assert ExtractSchema.of(first).digest == ExtractSchema.of(second).digest
    assert ExtractSchema.of("a").digest != ExtractSchema.of("b").digest


def deep(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def many(levels):
    """Ten to the power of `levels` values, in a few lines."""
    named = {str(level): {"$ref": f"#/$defs/{level + 1}"} for level in range(levels)}
    each = {name: {"properties": {key: {**one} for key in "abcdefghij"}} for name, one in named.items()}
    return {"$defs": {**each, str(levels): {"type": "string"}}, "$ref": "#/$defs/0"}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("", "no field is asked for"),
        (["total", " Total"], "'total' is asked for twice"),
        ({"name": "x"}, "no `properties`"),
        ({"type": "string"}, "a single value"),
        ({"properties": {"a": "string"}}, "the schema of a is str"),
        ({"properties": {"a": {"type": "object"}}}, "a is an object without properties"),
        ({"properties": {"a": {"type": "array"}}}, "list a does not say"),
        ({"properties": {"a": {"type": "text"}}}, "a has the type 'text'"),
        ({"properties": {"a": {"$ref": "#/$defs/x"}}}, "a refers to '#/\\$defs/x'"),
        ({"properties": {"a": {"$ref": "other.json#/x"}}}, "a refers to 'other.json#/x'"),
        ({"$defs": {"x": {"$ref": "#/$defs/x"}}, "properties": {"a": {"$ref": "#/$defs/x"}}}, "a refers to itself"),
        ({"$defs": {"x": {"properties": {"a": {"$ref": "#/$defs/x"}}}}, "$ref": "#/$defs/x"}, "more than 32 deep"),
        ({"properties": {"a": {"pattern": "("}}}, "the pattern of a"),
        ({"properties": {"a": {"x-quire": {"kind": "sum"}}}}, "there is no kind 'sum'"),
        ({"properties": {"a": {"x-quire": {"aliases": [1]}}}}, "aliases of a"),
        ({"$defs": {"x": {"allOf": [{"$ref": "#/$defs/x"}]}}, "$ref": "#/$defs/x"}, "refers to itself"),
        (deep(40), "more than 32 deep"),
        (many(9), "more than 10,000 values"),
    ],
)
def test_a_schema_that_cannot_be_filled_is_refused_with_the_place(given, complaint):
    with pytest.raises(UsageError, match=complaint):
        ExtractSchema.of(given)
