"""Lists from tables."""

from __future__ import annotations

from quire.core.keys import Digest
from quire.core.types import BBox, Block, Cell, PageInfo, Table
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.tables import TableExtractor

ITEMS = {
    "properties": {
        "number": {"type": "string"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string"},
                    "quantity": {"type": "integer"},
                    "unit_price": {"type": "number"},
                    "amount": {"type": "number"},
                },
            },
        },
    }
}


def table(name, rows, *, page=1, header=True):
    cells = [
        Cell(row, column, text, page, BBox(0.1 * column, 0.05 * row, 0.1, 0.04), header=header and row == 0)
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    ]
    made = Table(len(rows), len(rows[0]), tuple(cells))
    return Block(name, page, "table", made.text, BBox(0, 0, 1, 1), table=made)


def items(*blocks, schema=ITEMS):
    pages = [PageInfo(number, 612, 792) for number in (1, 2)]
    catalog = SourceCatalog("d" * 64, "invoice.pdf", Digest("v"), [], pages, blocks)
    proposed = TableExtractor().propose(catalog, ExtractSchema.of(schema))
    return proposed, {one.path: one.value for one in proposed}


HEAD = ["Pos", "Description", "Qty", "Unit price", "Amount"]


def test_columns_are_properties_and_rows_are_items():
    goods = table(
        "p1-b3", [HEAD, ["1", "Rope, 20 m", "2", "12.50", "25.00"], ["2", "Buoy", "1", "1,040.00", "1,040.00"]]
    )
    proposed, values = items(goods)
    assert values == {
        "items[0].description": "Rope, 20 m",
        "items[0].quantity": 2,
        "items[0].unit_price": 12.5,
        "items[0].amount": 25,
        "items[1].description": "Buoy",
        "items[1].quantity": 1,
        "items[1].unit_price": 1040,
        "items[1].amount": 1040,
    }
    assert proposed[0].records == ("p1-b3:r1c1",)
    assert (proposed[0].label, proposed[0].quote) == ("Description", "Rope, 20 m")


def test_a_total_is_no_item():
    _, values = items(table("p1-b1", [HEAD, ["1", "Rope", "2", "3.00", "6.00"], ["", "Total", "", "", "6.00"]]))
    assert {path.split(".")[0] for path in values} == {"items[0]"}


def test_a_table_that_goes_on_continues_the_list():
    first = table("p1-b1", [HEAD, ["1", "Rope", "2", "3.00", "6.00"]])
    second = table("p2-b1", [HEAD, ["2", "Buoy", "1", "4.00", "4.00"]], page=2)
    assert items(first, second)[1]["items[1].description"] == "Buoy"


def test_a_head_in_an_ordinary_row_is_found():
    rows = [["Order 12", "", "", "", ""], HEAD, ["1", "Rope", "2", "3.00", "6.00"]]
    assert items(table("p1-b1", rows, header=False))[1]["items[0].amount"] == 6


def test_a_table_of_other_things_is_left_alone():
    assert items(table("p1-b1", [["Bank", "Sort code"], ["Harbour Bank", "01-02-03"]]))[1] == {}


def test_of_a_list_in_a_list_each_table_is_an_item_with_what_stands_above_its_head():
    person = {"type": "object", "properties": {"athlete": {"type": "string"}, "country": {"type": "string"}}}
    result = {"type": "object", "properties": {"rank": {"type": "integer"}, "who": person}}
    results = {"type": "array", "items": result}
    group = {"type": "object", "properties": {"age_group": {"type": "string"}, "results": results}}
    schema = {"properties": {"groups": {"type": "array", "items": group}}}
    head = ["Rank", "Name", "Fed."]
    young = [["", "Age Group: 25-29", ""], head, ["1", "Ada QUAY", "GBR"], ["2", "Åse BRYGGE", "NOR"]]
    old = [["", "Age Group: 90-94", ""], head, ["1", "Bo PIER", "SWE"]]
    _, values = items(table("p1-b1", young), table("p2-b1", old, page=2), schema=schema)
    assert values == {
        "groups[0].age_group": "25-29",
        "groups[0].results[0].rank": 1,
        "groups[0].results[0].who.athlete": "Ada QUAY",
        "groups[0].results[0].who.country": "GBR",
        "groups[0].results[1].rank": 2,
        "groups[0].results[1].who.athlete": "Åse BRYGGE",
        "groups[0].results[1].who.country": "NOR",
        "groups[1].age_group": "90-94",
        "groups[1].results[0].rank": 1,
        "groups[1].results[0].who.athlete": "Bo PIER",
        "groups[1].results[0].who.country": "SWE",
    }
