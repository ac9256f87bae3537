"""Schemas proposed from documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from quire.core.errors import UsageError
from quire.pipelines.domains import discover
from tests.documents import Pen, Piece, drawn, placed
from tests.unit.cli.test_cli import quire


def bill(number: int, *, date: str, total: str, extra: str = "") -> bytes:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for row, text in enumerate((f"Invoice number: INV-{number}", f"Invoice date: {date}", extra)):
            canvas.drawString(72, 720 - 16 * row, text)
        rows = [["Item", "Quantity", "Price"], ["Rope", "2", "60.00"], ["Sail", str(number), "75.50"]]
        Pen(canvas, top=200).table(rows, [("GRID", (0, 0), (-1, -1), 0.5, "black")])
        canvas.drawString(72, 300, f"Total: EUR {total}")

    return drawn(draw)


BILLS = [
    bill(1, date="3 May 2024", total="120.00", extra="Berth: north quay"),
    bill(2, date="12 June 2024", total="75.50"),
    bill(3, date="1 July 2024", total="8.00"),
]


CABINS = ("Cabin: 4711", "Cabin: 4712", "Cabin: B-4713")


def test_labels_kinds_and_lists_that_most_documents_have_are_proposed():
    found = discover.schema(BILLS)
    assert [(field.path, field.kind, field.documents) for field in found.fields] == [
        ("invoice_number", "code", 3),
        ("invoice_date", "date", 3),
        ("total", "amount", 3),
        ("items[].item", "text", 3),
        ("items[].quantity", "number", 3),
        ("items[].price", "amount", 3),
    ]
    properties = found.schema["properties"]
    assert properties["invoice_date"]["format"] == "date"
    assert properties["total"] == {
        "title": "Total",
        "type": "number",
        "x-quire": {"kind": "amount"},
        "examples": ["EUR 120.00", "EUR 75.50", "EUR 8.00"],
    }


def test_the_item_table_of_invoices_is_proposed_however_each_seller_calls_its_columns():
    heads = (("Artikel", "Menge", "Einzelpreis", "Betrag"), ("Description", "Qty", "Unit price", "Amount"))
    rows = (("Rope", "2", "30.00", "60.00"), ("Anchor", "1", "15.50", "15.50"))
    invoices = [
        placed(
            [
                Piece(72, 100, f"Invoice number: INV-{number}"),
                *(
                    Piece(x, 200 + 18 * at, text)
                    for at, row in enumerate((head, *rows))
                    for x, text in zip((72, 250, 330, 420), row, strict=True)
                ),
            ]
        )
        for number, head in enumerate(heads, start=1)
    ]
    found = discover.schema(invoices, share=1.0)
    assert [field.path for field in found.fields if field.path.startswith("items")] == [
        "items[].description",
        "items[].quantity",
        "items[].unit_price",
        "items[].amount",
    ]
    assert [one.values["items"][1]["description"] for one in found.fill()] == ["Anchor", "Anchor"]


def test_the_proposed_schema_is_filled_with_values_at_their_place():
    found = discover.schema(BILLS[:2])
    first, _ = found.fill()
    assert first.values["invoice_number"] == "INV-1"
    assert first.values["invoice_date"] == "2024-05-03"
    assert first.values["items"][0] == {"item": "Rope", "quantity": 2, "price": 60}
    assert first.coverage.found == first.coverage.leaves - first.coverage.not_found


def till(shop: str, label: str, total: str, date: str) -> bytes:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for row, text in enumerate((shop, "4 Harbour Street", "Port Aurora PA1 2BC", date, f"{label}    {total}")):
            canvas.drawString(72, 720 - 16 * row, text)

    return drawn(draw)


def test_what_documents_call_differently_or_not_at_all_is_proposed_by_its_meaning():
    found = discover.schema(
        [
            till("Northlight Chandlers Ltd", "Grand Total", "EUR 26.20", "3 May 2024"),
            till("The Lantern Pantry Ltd", "Amount due", "EUR 64.54", "12 June 2024"),
        ]
    )
    proposed = {field.path: field.kind for field in found.fields}
    assert {"date": "date", "total": "amount", "seller": "name"}.items() <= proposed.items()
    assert [one.values["total"] for one in found.fill()] == [26.2, 64.54]


def test_a_label_with_numbers_and_codes_is_no_number():
    found = discover.schema([drawn(lambda canvas, text=text: canvas.drawString(72, 700, text)) for text in CABINS])
    assert found.schema["properties"]["cabin"]["x-quire"] == {"kind": "code"}


def test_what_one_document_has_alone_is_proposed_only_when_it_suffices():
    assert "berth" not in discover.schema(BILLS).schema["properties"]
    assert "berth" in discover.schema(BILLS, share=0.3).schema["properties"]
    assert "berth" in discover.schema(BILLS[:1]).schema["properties"]


def test_documents_without_anything_in_common_are_refused():
    blank = drawn(lambda canvas: canvas.drawString(72, 700, "Nothing to see"))
    with pytest.raises(UsageError, match="have no label with a value and no table in common"):
        discover.schema([blank, blank])
    with pytest.raises(UsageError, match="no document is given"):
        discover.schema([])
    with pytest.raises(UsageError, match="the share is 2"):
        discover.schema([blank], share=2)


@pytest.mark.processes
def test_the_command_writes_a_schema_that_extract_takes(tmp_path: Path):
    for number, data in enumerate(BILLS):
        (tmp_path / f"{number}.pdf").write_bytes(data)
    files = [f"{number}.pdf" for number in range(3)]
    run = quire("discover", *files, "-o", "schema.json", "--values", "values.jsonl", "-q", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (0, "")
    schema = json.loads((tmp_path / "schema.json").read_text())
    rows = [json.loads(line) for line in (tmp_path / "values.jsonl").read_text().splitlines()]
    assert [row["values"]["invoice_number"] for row in rows] == ["INV-1", "INV-2", "INV-3"]
    assert list(rows[0]["values"]) == list(schema["properties"])
    assert json.loads(quire("discover", *files, "-q", cwd=tmp_path).stdout) == schema


def test_labels_without_colons_above_what_was_typed_are_proposed():
    def draw(canvas: Canvas) -> None:
        rows = [
            [("1 Surname", "Okafor"), ("2 Date of birth", "14 March 1979")],
            [("3 Street", "Linden Road"), ("4 City", "Bath")],
        ]
        for row, fields in enumerate(rows):
            for column, (label, value) in enumerate(fields):
                canvas.setFont("Helvetica", 7)
                canvas.drawString(72 + 200 * column, 700 - 40 * row, label)
                canvas.setFont("Courier", 11)
                canvas.drawString(72 + 200 * column, 686 - 40 * row, value)

    properties = discover.schema([drawn(draw)]).schema["properties"]
    shown = {name: properties[name]["examples"] for name in ("surname", "date_of_birth", "street", "city")}
    assert shown == {
        "surname": ["Okafor"],
        "date_of_birth": ["14 March 1979"],
        "street": ["Linden Road"],
        "city": ["Bath"],
    }
