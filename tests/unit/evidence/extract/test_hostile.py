"""Schemas and documents that are made to hurt: refused with a reason, or answered in bounded time and memory."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import quire
from quire.core.context import Json
from quire.core.errors import UsageError
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extraction_json import decode_extraction, encode_extraction
from quire.evidence.extract.schema import ExtractSchema
from tests import documents
from tests.unit.evidence.extract.bills import Saying, bill, bill_catalog, record_with

pytestmark = pytest.mark.both_readers

LAUGHS: Json = {
    "$ref": "#/$defs/d0",
    "$defs": {
        **{
            f"d{n}": {"properties": {f"p{m}": {"$ref": f"#/$defs/d{n + 1}"} for m in range(10)}, "type": "object"}
            for n in range(30)
        },
        "d30": {"type": "string"},
    },
}
DEEP: Json = {"type": "string"}
for _ in range(5000):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"$ref": "#"}, "refers to itself"),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}, "refers to itself"),
        ({"anyOf": [{"$ref": "#"}]}, "refers to itself"),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, "nested more than 32 deep"),
        ({"type": "object", "properties": {"a": {"$ref": "#/gone"}}}, "refers to '#/gone', which is not in it"),
        (DEEP, "nested more than 32 deep"),
        (LAUGHS, "asks for more than 10,000 values"),
        ({"properties": {"a": {"pattern": "a{99999999999999}"}}}, "is no regular expression"),
        ({"properties": {"a": {"x-quire": {"pages": ["x"]}}}}, "the pages of a should be a list of numbers from 1"),
        ({"properties": {"a": {"type": "object"}}}, "is an object without properties"),
    ],
)
def test_a_schema_that_cannot_be_filled_is_refused_with_the_place(schema, said):
    with pytest.raises(UsageError, match=said):
        ExtractSchema.of(schema)


@pytest.mark.parametrize("leaf", [{"oneOf": 3}, {"allOf": [{"properties": 3}]}, {"enum": {"x": 1}}, {"properties": 3}])
def test_something_else_where_a_list_belongs_is_ignored(leaf):
    assert [one.path for one in ExtractSchema.of({"properties": {"a": leaf}}).leaves] == ["a"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "NaN", [1], {"a": 1}, "", "12 34 56 and 78"])
def test_what_is_no_number_is_not_returned_as_one(value):
    schema = ExtractSchema.of({"properties": {"total": {"type": "number"}}})
    found = extract(bill_catalog(), schema, [Saying([("total", value, "1,250.00")])])
    assert found.values == {"total": None}
    assert decode_extraction(encode_extraction(found)) == found


def test_the_text_of_a_document_is_data_wherever_it_goes():
    hostile = "Total: ${7*7} {{x}} \u202e'; DROP TABLE runs; -- <b>1,250.00</b>"
    result = quire.read(bill((hostile,), ()))
    text = record_with(result.catalog(), "Total").text
    found = result.extract(fields="total, __proto__, constructor", extractors=[Saying([("total", text, "Total")])])
    assert json.loads(encode_extraction(found))["values"]["total"] == text


@pytest.mark.processes
def test_two_hundred_pages_keep_the_memory_bounded(tmp_path):
    (tmp_path / "long.pdf").write_bytes(documents.many_pages(200))
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from quire.cli.app import app\n"
        "try:\n"
        "    app(['extract', 'long.pdf', '--fields', 'invoice number, total', '-q'])\n"
        "finally:\n"  # ru_maxrss would include the process that started this one
        "    status = Path('/proc/self/status').read_text()\n"
        "    print(status.partition('VmHWM:')[2].split()[0], file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert json.loads(run.stdout)["not_found"][0]["pages"] == list(range(1, 201))
    assert int(run.stderr.split()[-1]) < 150_000, "kilobytes"
