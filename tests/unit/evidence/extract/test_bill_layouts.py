"""Bills of many layouts: who sends them and who receives them, what is to be paid, and what is on them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.core.context import Json
from quire.core.types import BBox, Word
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates.readings import Readings
from quire.evidence.extract.rules import RulesExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.tables import TableExtractor
from quire.lexicon.companies import has_legal_form, is_one_name, is_registration
from tests.documents import Piece, listed
from tests.unit.evidence.extract.made import printed, read_as, scanned
from tests.unit.evidence.extract.test_tables import ITEMS, items, table

pytestmark = pytest.mark.both_readers

RECEIPT = {
    "company": {"type": "string"},
    "date": {"type": "string", "format": "date"},
    "address": {"type": "string"},
    "total": {"type": "number"},
}
INVOICE = {
    "invoice_number": {"type": "string"},
    "due_date": {"type": "string", "format": "date"},
    "seller": {"type": "object", "properties": {"name": {"type": "string"}, "address": {"type": "string"}}},
    "buyer": {"type": "object", "properties": {"name": {"type": "string"}}},
    "total": {"type": "number"},
    "amount_due": {"type": "number"},
    "currency": {"type": "string"},
}


def values(catalog: SourceCatalog, fields: dict[str, Json]) -> dict[str, Json]:
    schema = ExtractSchema.of({"type": "object", "properties": fields})
    return {one.path: one.value for one in RulesExtractor().propose(catalog, schema)}


def receipt(*lines: str) -> SourceCatalog:
    """Lines below each other; what stands behind a bar is at the right edge."""
    placed: list[tuple[float, float, str]] = []
    for number, line in enumerate(lines):
        left, _, right = line.partition("|")
        if left:
            placed.append((20, 20 + 18 * number, left))
        if right:
            placed.append((280 - 6 * len(right), 20 + 18 * number, right))
    return scanned(*placed)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(
            ("HARBOUR MART", "HARBOUR DAILY TRADING SDN BHD", "(1039482-V)", "12 JALAN KENARI 5,", "47100 PUCHONG"),
            {"company": "HARBOUR DAILY TRADING SDN BHD", "address": "12 JALAN KENARI 5, 47100 PUCHONG"},
            id="a brand above the company",
        ),
        pytest.param(
            ("ORCHARD MARKET", "Store #0482", "2210 SE HAWTHORNE BLVD", "PORTLAND, OR 97214", "DATE 08/03/2019"),
            {"company": "ORCHARD MARKET", "address": "2210 SE HAWTHORNE BLVD PORTLAND, OR 97214", "date": "2019-08-03"},
            id="a street with what looks like a legal form, and the month first",
        ),
        pytest.param(
            ("Gasthaus Hirsch", "Inh. Josef Bauer", "Marktplatz 3", "94032 Passau", "P.IVA 04412330481"),
            {"company": "Gasthaus Hirsch", "address": "Marktplatz 3 94032 Passau"},
            id="an owner, and a tax number below the address",
        ),
        pytest.param(
            ("NOODLE HOUSE PTE LTD", "No. 11 Tampines Road", "#01-07", "Singapore 528729", "Te1 01244 555 019"),
            {"address": "No. 11 Tampines Road #01-07 Singapore 528729"},
            id="the unit of a floor, and a misread telephone",
        ),
        pytest.param(
            ("PARTS SHOP", "OIL FILTER|8.99", "5W30 OIL|28.99", "|$37.98", "DEBIT CARD|37.98"),
            {"total": 37.98},
            id="a total without a label",
        ),
        pytest.param(
            ("GIFT SHOP", "VASE|60.31", "TOTAL|60.31", "ROUNDING ADJ|-0.01", "|60.30", "CASH|70.30", "CHANGE|10.00"),
            {"total": 60.3},
            id="a total after its rounding without a label",
        ),
        pytest.param(("Taxi Yilmaz", "Fahrpreis|24,60", "inkl. 7% MwSt|1,61"), {"total": 24.6}, id="a fare"),
    ],
)
def test_a_receipt_is_read_as_its_shop_prints_it(lines: tuple[str, ...], expected: dict[str, Json]):
    found = values(receipt(*lines), RECEIPT)
    assert {name: found.get(name) for name in expected} == expected


def sums(*rows: tuple[str, str], top: float = 420) -> list[Piece]:
    return [
        piece
        for number, (label, amount) in enumerate(rows)
        for piece in (Piece(330, top + 18 * number, label), Piece(480, top + 18 * number, amount))
    ]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param(
            [
                Piece(72, 60, "Weber Elektrotechnik GmbH", 15),
                Piece(72, 120, "Weber Elektrotechnik GmbH · Gartenweg 12 · 89073 Ulm", 7),
                *listed(["Hausverwaltung Sonnenberg KG", "Frau Katrin Vogel", "Am Hang 5", "89081 Ulm"], 72, 140),
                Piece(72, 260, "Rechnung Nr. 4410 2281 90", 14),
                Piece(72, 600, "Bitte überweisen Sie den Betrag bis zum 21.07.2022 auf unser Konto."),
                *sums(("Gesamtbetrag", "1.979,57 €")),
            ],
            {
                "seller.name": "Weber Elektrotechnik GmbH",
                "seller.address": "Gartenweg 12 · 89073 Ulm",
                "buyer.name": "Hausverwaltung Sonnenberg KG",
                "due_date": "2022-07-21",
                "total": 1979.57,
                "currency": "EUR",
            },
            id="the window of an envelope",
        ),
        pytest.param(
            [
                Piece(400, 60, "Van Dijk Webdesign"),
                *listed(["Herengracht 200", "1016 BS Amsterdam", "KvK 62341122"], 400, 74),
                *listed(
                    ["Fietsen Jansen B.V.", "t.a.v. P. Jansen", "Stationsstraat 14", "3811 MJ Amersfoort"], 72, 120
                ),
                Piece(72, 60, "FACTUUR", 18),
                *sums(("Totaal incl. btw", "€ 121,00")),
            ],
            {
                "seller.name": "Van Dijk Webdesign",
                "seller.address": "Herengracht 200 1016 BS Amsterdam",
                "buyer.name": "Fietsen Jansen B.V.",
            },
            id="a sender on the right without a legal form",
        ),
        pytest.param(
            [
                Piece(72, 60, "ATELIER MOREAU SARL", 14),
                *sums(
                    ("Total HT", "2 400,00 €"),
                    ("TVA 20 %", "480,00 €"),
                    ("Total T.T.C.", "2 880,00 €"),
                    ("Acompte versé", "-800,00 €"),
                    ("Net à payer", "2 080,00 €"),
                ),
            ],
            {"total": 2880, "amount_due": 2080},
            id="a deposit",
        ),
        pytest.param(
            [
                Piece(72, 60, "Brightwater Textiles plc", 14),
                Piece(72, 90, "CREDIT NOTE", 18),
                *sums(("Net", "-372.00"), ("VAT 20%", "-74.40"), ("Total credit GBP", "-446.40")),
            ],
            {"total": -446.4},
            id="a credit note",
        ),
        pytest.param(
            [
                Piece(72, 60, "MEGAH PRINTING SDN BHD", 14),
                *listed(["No. 18, Jalan PJS 11/20, Bandar Sunway,", "46150 Petaling Jaya"], 72, 80),
                Piece(72, 150, "INVOICE", 16),
                *(Piece(360, 190 + 16 * n, text) for n, text in enumerate(("No.", "Date"))),
                *(Piece(440, 190 + 16 * n, text) for n, text in enumerate(("IV-00872", "16/10/2019"))),
            ],
            {"invoice_number": "IV-00872"},
            id="a number that is not that of the house",
        ),
    ],
)
def test_an_invoice_is_read_as_its_sender_lays_it_out(pieces: list[Piece], expected: dict[str, Json]):
    found = values(printed(*pieces), INVOICE)
    assert {name: found.get(name) for name in expected} == expected


def test_items_end_where_they_are_added_up_and_their_numbers_are_not_what_they_are():
    _, found = items(
        table(
            "t",
            [
                ["Item", "Details", "Qty", "Prix unitaire", "Line total"],
                ["1", "Oak door", "2", "385.00", "770.00"],
                ["", "", "", "Net", "770.00"],
                ["", "", "", "VAT 20%", "154.00"],
                ["", "", "20 %", "154.00", "924.00"],
            ],
        )
    )
    assert found == {
        "items[0].description": "Oak door",
        "items[0].quantity": 2,
        "items[0].unit_price": 385,
        "items[0].amount": 770,
    }


def test_two_columns_in_one_are_read_apart_with_the_place_of_each():
    made = table("t", [["Service", "Hours Rate", "Amount"], ["Workshop", "16 €95.00", "€1,520.00"]])
    words = [Word("16", BBox(0.1, 0.06, 0.02, 0.02)), Word("€95.00", BBox(0.15, 0.06, 0.04, 0.02))]
    catalog = read_as(replace(made, words=words))
    proposed = {one.path: one for one in TableExtractor().propose(catalog, ExtractSchema.of(ITEMS))}
    quantity, price = proposed["items[0].quantity"], proposed["items[0].unit_price"]
    assert (quantity.value, quantity.quote, quantity.places[0].bbox.left) == (16, "16", 0.1)
    assert (price.value, price.quote, price.places[0].bbox.left) == (95, "€95.00", 0.15)


@pytest.mark.parametrize(
    ("first", "second", "taller", "is_one"),
    [
        ("GARDEN BAKERIES", "(KL) SDN BHD", 1.0, True),
        ("THREE SISTERS", "BISTRO & CAFE", 1.1, True),
        ("PETROLEO", "STESEN MINYAK BAYU ENTERPRISE", 1.6, False),
        ("Casa Manolo", "Casa Manolo Restauración S.L.", 1.0, False),
        ("KEDAI WARISAN SDN BHD", "CITY BRANCH", 1.0, False),
        ("HOTEL DU PORT", "SARL DUPONT FRERES", 1.5, False),
    ],
)
def test_two_lines_are_one_name_unless_the_first_is_a_brand(first: str, second: str, taller: float, is_one: bool):
    assert is_one_name(first, second, taller) is is_one


@pytest.mark.parametrize(
    ("text", "is_form"), [("Aurora, CO", False), ("Cortiças, Lda.", True), ("2210 SE Park", False)]
)
def test_a_legal_form_stands_behind_a_name(text: str, is_form: bool):
    assert has_legal_form(text) is is_form


@pytest.mark.parametrize(("text", "is_number"), [("(801580-T)", True), ("519822-W", True), ("413-555-0166", False)])
def test_a_registration_number_is_no_telephone_number(text: str, is_number: bool):
    assert is_registration(text) is is_number


@pytest.mark.parametrize(
    ("texts", "iso"),
    [
        (["Boulder, CO 80304"], "2019-08-03"),
        (["47100 Puchong"], "2019-03-08"),
        (["Boulder, CO 80304", "14/03/2019"], "2019-03-08"),
    ],
)
def test_the_month_comes_first_where_the_document_is_american(texts: list[str], iso: str):
    assert Readings(texts, ["08/03/2019", *texts[1:]]).date("08/03/2019") == iso


def test_two_amounts_go_to_the_fields_of_their_own_labels():
    catalog = receipt("HARBOUR SUPPLY", "TOTAL|144.00", "AMOUNT DUE|145.00")
    found = values(catalog, {"total": {"type": "number"}, "amount_due": {"type": "number"}})
    assert found == {"total": 144, "amount_due": 145}
