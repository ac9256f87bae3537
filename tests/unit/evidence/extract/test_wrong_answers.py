"""Values that stand on the page and answer another question: seen with the mark of a checked value.

Each document has its trap: the base of a tax beside the tax, the price of a litre, the bank in the footer, a slogan
above an address, and a table where a plural asks for its rows.
"""

from __future__ import annotations

import pytest

import quire
from quire.evidence.extract.values import Extraction
from tests.documents import Piece, placed

pytestmark = pytest.mark.both_readers

SENDER = (
    Piece(72, 60, "Weber Dachbau GmbH", 16, "Helvetica-Bold"),
    Piece(72, 110, "Gartenweg 12"),
    Piece(72, 125, "89073 Ulm"),
    Piece(350, 150, "Rechnung Nr. 2024-117"),
)
SUMS = (
    *(Piece(72, 430, "Nettobetrag"), Piece(400, 430, "1.000,00")),
    *(Piece(72, 450, "19 % MwSt."), Piece(400, 450, "190,00")),
    *(Piece(72, 470, "Gesamtbetrag"), Piece(400, 470, "1.190,00")),
)
ITEMS = (
    ("Artikel", "Menge", "Preis", "Betrag"),
    ("Dachziegel", "100", "5,00", "500,00"),
    ("Latten", "50", "10,00", "500,00"),
)


def extracted(pieces: list[Piece], fields: str) -> Extraction:
    return quire.read(placed(pieces)).extract(fields=fields)


def grid(rows: tuple[tuple[str, ...], ...], top: float) -> list[Piece]:
    lefts = (72, 180, 290, 400)
    return [
        Piece(x, top + 18 * at, text) for at, row in enumerate(rows) for x, text in zip(lefts, row, strict=True) if text
    ]


def test_the_base_of_a_tax_is_not_the_tax():
    """The only label with the word for the tax is that of its base."""
    lines = (("MwSt.-Bemessungsgrundlage", "1.000,00"), ("19 %", "190,00"), ("Zu zahlen", "1.190,00"))
    pieces = [
        Piece(x, 430 + 20 * at, text) for at, line in enumerate(lines) for x, text in zip((72, 400), line, strict=True)
    ]
    found = extracted([*SENDER, *pieces], "tax, net, total")
    assert found.values == {"tax": "190,00", "net": "1.000,00", "total": "1.190,00"}
    assert found["tax"].confidence["arithmetic"] == 1


def test_of_several_rates_the_sum_is_the_tax():
    rows = (
        ("Steuersatz", "Steuerbasis", "Steuer", "Brutto"),
        ("19 %", "1.000,00", "190,00", "1.190,00"),
        ("7 %", "200,00", "14,00", "214,00"),
        ("Summe", "1.200,00", "204,00", "1.404,00"),
    )
    found = extracted([*SENDER, *grid(rows, 400), Piece(300, 520, "Gesamtbetrag 1.404,00 EUR")], "net, tax, total")
    assert found.values == {"net": "1.200,00", "tax": "204,00", "total": "1.404,00 EUR"}


def test_the_price_of_a_litre_is_no_total():
    """Volume times price is the amount: the price is a factor, whatever its label says."""
    lines = (
        "HARBOUR FUELS",
        "12 Quay Road, Hull HU1 2AB",
        "VOLUME 42.10 L",
        "TOTAL PRICE/L 1.759 GBP",
        "SALE 74.05 GBP",
    )
    found = extracted([Piece(72, 60 + 20 * at, line) for at, line in enumerate(lines)], "total")
    assert found.values == {"total": "74.05 GBP"} or not found["total"].is_sure
    assert found.values["total"] != "1.759 GBP"


def test_the_bank_in_the_footer_is_not_the_buyer():
    bank = ("Bankverbindung", "Sparkasse Ulm", "Neue Str. 66", "89073 Ulm")
    footer = [Piece(72, 730 + 15 * at, line) for at, line in enumerate(bank)]
    found = extracted([*SENDER, *SUMS, *footer], "buyer, customer name, seller")
    assert found.values == {"buyer": None, "customer_name": None, "seller": "Weber Dachbau GmbH"}


@pytest.mark.parametrize(
    "slogan", ["Ihr Partner für Dach und Wand", "Quality you can trust", "Depuis 1921 à votre service"]
)
def test_a_slogan_above_the_address_is_no_customer(slogan):
    pieces = [
        Piece(72, 60, "WEBER DACHBAU GMBH", 18, "Helvetica-Bold"),
        *(Piece(350, 120 + 14 * at, line) for at, line in enumerate((slogan, "Gartenweg 12", "89073 Ulm"))),
        *SUMS,
    ]
    assert extracted(pieces, "customer").values == {"customer": None}


def test_the_recipient_with_an_address_is_still_the_buyer():
    recipient = [
        Piece(72, 180 + 15 * at, line) for at, line in enumerate(("Muster AG", "Hauptstr. 5", "80331 München"))
    ]
    assert extracted([*SENDER, *SUMS, *recipient], "buyer").values == {"buyer": "Muster AG"}


def test_the_rate_and_the_amount_of_a_tax_are_no_vat_number():
    found = extracted([*SENDER, Piece(300, 540, "MwSt 19 % 190,00"), *SUMS], "vat number")
    assert found.values == {"vat_number": None}


def test_a_plural_asks_for_the_rows_of_the_table():
    found = extracted([*SENDER, *grid(ITEMS, 300), *SUMS], "items, quantities, unit prices, total")
    assert found.values == {
        "items": ["Dachziegel", "Latten"],
        "quantities": ["100", "50"],
        "unit_prices": ["5,00", "10,00"],
        "total": "1.190,00",
    }
    assert found["items[1]"].status == "found"


def test_a_plural_without_a_table_is_refused_with_the_reason():
    found = extracted([*SENDER, Piece(72, 350, "Items: 3"), *SUMS], "items, total")
    assert found.values == {"items": None, "total": "1.190,00"}
    assert (
        found["items"].reason == "it asks for the rows of a table, and no table with such a column was found (offline)"
    )


def test_a_count_of_items_is_a_number():
    data = placed([*SENDER, Piece(72, 350, "Items: 3"), *SUMS])
    assert quire.read(data).extract({"properties": {"items": {"type": "integer"}}}).values == {"items": 3}
