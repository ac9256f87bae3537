"""Labels with their values: what is a field, and what only looks like one."""

from __future__ import annotations

import pytest

import quire
from tests import documents
from tests.documents import Piece, listed, placed, prose, wrapped

BOLD = "Helvetica-Bold"


def fields(data: bytes) -> list[tuple[str, str]]:
    found = [block.field for block in quire.read(data).blocks if block.kind == "field"]
    return [(field.label, field.value) for field in found if field]


def test_a_label_and_a_value_far_to_the_right_are_one_block():
    assert fields(documents.key_values()) == list(documents.PAIRS)


def test_a_field_has_the_box_of_its_label_and_that_of_its_value():
    block = next(block for block in quire.read(documents.key_values()).blocks if block.field)
    assert block.field
    label, value = block.field.label_bbox, block.field.value_bbox
    assert block.bbox.left == label.left < label.right < value.left
    assert value.right == pytest.approx(block.bbox.right, abs=1e-4)
    assert block.text == "Vessel: Grey Heron"


def test_lines_with_a_colon_below_each_other_are_fields():
    lines = ["Invoice number: 993548900", "Customer: Grey Heron", "Date: 19 April 2014"]
    found = fields(documents.invoice(listed(lines, 72, 200)))
    assert found == [("Invoice number", "993548900"), ("Customer", "Grey Heron"), ("Date", "19 April 2014")]


def test_totals_without_a_colon_keep_their_amounts():
    rows = [("Tax 21%", "€ 124,61"), ("Card on 21 April 2015", "€ 717,97")]
    pieces = [piece for i, row in enumerate(rows) for piece in _row(400 + 30 * i, *row)]
    assert fields(documents.invoice(pieces)) == rows


def test_a_label_above_its_value_is_a_field():
    pieces = [Piece(72, 200, "Account number:", 8), Piece(72, 215, "296664039561", 14)]
    assert fields(documents.invoice(pieces)) == [("Account number", "296664039561")]


def test_an_address_below_its_label_is_the_value():
    pieces = [Piece(72, 200, "Bill to:", 9), *listed(["Ada Marlow", "12 Quay Street", "Easthaven"], 72, 212)]
    assert fields(documents.invoice(pieces)) == [("Bill to", "Ada Marlow\n12 Quay Street\nEasthaven")]


def test_a_value_of_two_lines_does_not_take_the_value_below():
    pieces = [
        *(Piece(72, 200, "Buyer:"), Piece(150, 200, "Ada Marlow")),
        *(Piece(72, 213, "Seller:"), Piece(150, 213, "Grey Heron Ltd"), Piece(150, 226, "Easthaven")),
    ]
    assert fields(documents.invoice(pieces)) == [("Buyer", "Ada Marlow"), ("Seller", "Grey Heron Ltd\nEasthaven")]


def test_a_label_with_nothing_beside_it_is_an_empty_field_among_others():
    pieces = [Piece(72, 200, "Buyer:"), Piece(72, 213, "Seller:"), Piece(150, 213, "Grey Heron Ltd")]
    (first, second) = [block for block in quire.read(documents.invoice(pieces)).blocks if block.field]
    assert first.field == quire.Field("Buyer", "", first.bbox)
    assert second.text == "Seller: Grey Heron Ltd"


def test_boxes_with_a_small_label_at_the_top_are_fields_row_by_row():
    assert fields(documents.boxed_form()) == [
        *(("Contract", "2015382"), ("Order", "")),
        *(("Advertiser", "Grey Heron"), ("Dates", "05/25/20 - 06/01/20")),
    ]


def test_bold_labels_below_each_other_need_no_colon():
    rows = [("Agency", "Marlow and Sons"), ("Buyer", "Ada Marlow"), ("Handling", "None"), ("Brand", "Salt and Timber")]
    pieces = []
    for i, (label, value) in enumerate(rows):
        pieces += [Piece(72, 200 + 14 * i, label, 9, BOLD), Piece(150, 201.5 + 14 * i, value, 9, "Helvetica")]
    assert fields(documents.invoice(pieces)) == rows


def test_an_empty_field_does_not_take_what_is_behind_its_column():
    rows = [("Order:", "1649539"), ("Product:", "Salt"), ("Estimate:", ""), ("Dates:", "06/12/20"), ("Type:", "NORMAL")]
    pieces = [Piece(430, 228, "HERON", 10, BOLD)]
    for i, (label, value) in enumerate(rows):
        pieces += [Piece(72, 200 + 14 * i, label), *([Piece(150, 200 + 14 * i, value)] if value else ())]
    assert fields(documents.invoice(pieces)) == [(label[:-1], value) for label, value in rows]


def test_labels_and_values_over_rules_are_fields_and_no_table():
    pieces = [
        piece
        for i in range(4)
        for piece in (
            *(Piece(72, 200 + 16 * i, f"Code {'ABCD'[i]}:"), Piece(150, 200 + 16 * i, f"heron {i}")),
            *(Piece(320, 200 + 16 * i, f"Office {'ABCD'[i]}:"), Piece(420, 200 + 16 * i, f"quay {i}")),
        )
    ]
    rules = [(x, 203 + 16 * i, x + 100, 203 + 16 * i) for x in (150, 420) for i in range(4)]
    found = fields(placed(pieces, rules=rules))
    assert found[:3] == [("Code A", "heron 0"), ("Office A", "quay 0"), ("Code B", "heron 1")]
    assert len(found) == 8


def test_names_and_addresses_of_a_form_are_no_headings():
    pieces = [
        *listed(["Ada Marlow", "Quay Street 12", "1025 Easthaven"], 72, 150, size=12),
        *listed(["Number: 42", "Customer: 6669263", "Date: 19 April 2014", "Order: 12572103"], 72, 220, size=9),
        Piece(72, 300, "Page 1 of 3", 12),
    ]
    headings = [
        block.text for block in quire.read(documents.invoice(pieces)).blocks if block.kind in ("heading", "title")
    ]
    assert headings == ["INVOICE"]


def test_a_table_with_two_lines_in_its_cells_is_no_form():
    cells = [("Port", "Cargo"), ("Easthaven\nNorth Quay", "Salt\nand timber"), ("Westhaven\nOld Quay", "Tea\nand wool")]
    data = documents.two_line_cells(cells)
    assert fields(data) == []
    assert len(quire.read(data).tables) == 1


@pytest.mark.parametrize(
    "line",
    [
        "Note: the harbour master keeps the register of every ship.",
        "Dear Captain Marlow:",
        "Figure 1: Ships in the harbour",
        "There are two ports:",
    ],
)
def test_a_sentence_with_a_colon_is_no_field(line):
    pieces = [*wrapped(prose(8), 72, 90, 450), Piece(72, 250, line), *wrapped(prose(8, start=3), 72, 275, 450)]
    assert fields(placed(pieces)) == []


def test_chapters_with_page_numbers_are_no_fields():
    pieces = [p for i in range(6) for p in _row(100 + 20 * i, f"Chapter about {documents.PAIRS[i % 5][0]}", str(9 + i))]
    assert fields(placed(pieces)) == []


def test_every_character_of_a_field_is_in_its_block():
    for data in (documents.key_values(), documents.boxed_form()):
        (page,) = quire.read(data).pages
        characters = page.info.characters
        assert characters
        assert characters.unaccounted == 0
        assert characters.left_out == {}


def _row(y: float, label: str, value: str) -> list[Piece]:
    return [Piece(72, y, label), Piece(420, y, value)]
