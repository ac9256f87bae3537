"""Texts side by side: addresses and signatures are read one after the other, tables and fields row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

import pytest

import quire
from quire.pages.layout.parties import is_address, names_addressee, names_party
from tests.documents import Piece, listed, placed, prose, wrapped

BILL = ("Bill to", "Acme Ltd", "1 High Street", "London SW1A 1AA")
SHIP = ("Ship to", "Widget GmbH", "Hauptstr. 2", "10115 Berlin", "Germany")
SELLER = ("Seller:", "Northwind Traders", "4200 Industrial Parkway", "Springfield, IL 62701")
BUYER = ("Buyer:", "Contoso Manufacturing", "88 Lake Shore Drive", "Chicago, IL 60601")
OFFICES = (
    ("Lumen Optics", "22 Mill Lane", "Leeds LS1 4AB"),
    ("Hikari Trading", "5-1 Marunouchi", "Tokyo 100-0005"),
    ("Global Freight", "Tel. +31 10 123456", "Fax +31 10 123457"),
)
SIGNED = ("ACME CORPORATION", "By: ______________", "Name: John Smith", "Title: Director")
COUNTERSIGNED = ("WIDGET GMBH", "By: ______________", "Name: Erika Muster", "Title: Manager")
LENDER = ("The Lender", "______________", "Omar Haddad", "Partner")
BORROWER = ("The Borrower", "______________", "Lucy Chen", "Chairwoman")

TABLES = {
    "capitals": (("Country", "Germany", "France", "Italy"), ("Capital", "Berlin", "Paris", "Rome")),
    "journeys": (("From", "Berlin", "Munich", "Hamburg"), ("To", "Paris", "Rome", "Madrid")),
    "branches": (("Hauptstr. 2", "Hafenweg 9", "Domplatz 1"), ("10115 Berlin", "20457 Hamburg", "50667 Cologne")),
    "prices": (("Tomato soup", "Green salad", "Grilled salmon"), ("6.50", "7.80", "18.90")),
    "fields": (("Street: 12 Mill Road", "Town: Ely CB7 4AB", "Phone: 55501"), ("Level: Gold", "Date: May", "No.: 4")),
    "blanks": (("Name: ________", "Street: ________"), ("Phone: ________", "E-mail: ________")),
}


def rows(*texts: Sequence[str], step: float = 13) -> list[Piece]:
    """The texts side by side, written row by row."""
    across = zip_longest(*texts, fillvalue="")
    cells = (
        [(60 + 170 * i, 150 + step * n, text) for i, text in enumerate(row) if text] for n, row in enumerate(across)
    )
    return [Piece(x, y, text) for x, y, text in chain.from_iterable(cells)]


def said(data: bytes) -> str:
    return " ".join(" ".join(block.text.split()) for block in quire.read(data).blocks)


@pytest.mark.parametrize(
    "texts",
    [(BILL, SHIP), (SELLER, BUYER), OFFICES, (SIGNED, COUNTERSIGNED), (LENDER, BORROWER)],
    ids=["bill and ship to", "seller and buyer", "three offices", "signatures", "rules to sign on"],
)
def test_texts_side_by_side_are_read_one_after_the_other(texts: Sequence[Sequence[str]]):
    page = [Piece(60, 100, "Order 4711", 16, "Helvetica-Bold"), *rows(*texts), *wrapped(prose(4), 60, 300, 470)]
    assert " ".join(map(" ".join, texts)) in said(placed(page))


def test_names_below_drawn_rules_to_sign_on_are_read_with_their_party():
    head, names = rows(["Quay Ltd"], ["Heron Ltd"]), rows(["Ann Keller", "Director"], ["Jan Vries", "Manager"])
    page = [*head, *(piece._replace(y=piece.y + 50) for piece in names), *wrapped(prose(4), 60, 300, 470)]
    found = said(placed(page, rules=[(60, 188, 160, 188), (230, 188, 330, 188)]))
    assert "Quay Ltd Ann Keller Director Heron Ltd Jan Vries Manager" in found


def test_an_address_is_read_before_the_fields_beside_it():
    fields = [Piece(340, 150 + 13 * i, text) for i, text in enumerate(("Number:", "Date:", "Terms:"))]
    values = [Piece(420, 150 + 13 * i, text) for i, text in enumerate(("2024-117", "12/03/2024", "Net 30"))]
    page = sorted([*listed(BILL[1:], 60, 150, size=10.4), *fields, *values], key=lambda piece: round(piece.y))
    found = said(placed(page))
    assert "Acme Ltd 1 High Street London SW1A 1AA" in found
    assert "Number: 2024-117 Date: 12/03/2024 Terms: Net 30" in found


@pytest.mark.parametrize("texts", TABLES.values(), ids=TABLES)
def test_rows_of_tables_and_fields_stay_rows(texts: Sequence[Sequence[str]]):
    found = said(placed([*rows(*texts), *wrapped(prose(4), 60, 300, 470)]))
    assert all(" ".join(row) in found for row in zip(*texts, strict=True))


def test_addresses_between_the_rules_of_a_table_are_its_cells():
    rules = [(50, y, 400, y) for y in (135, 155, 210)] + [(x, 135, x, 210) for x in (50, 220, 400)]
    assert [block.kind for block in quire.read(placed(rows(BILL, SHIP), rules=rules)).blocks] == ["table"]


@pytest.mark.parametrize("text", ["Bill To:", "Lieferadresse", "Adresse de facturation", "Enviar a", "納品先"])
def test_headings_of_addresses_are_known_in_several_languages(text: str):
    assert names_addressee(text)


def test_a_party_is_no_addressee_and_a_sentence_neither():
    assert names_party("Verkäufer") and not names_addressee("Verkäufer")
    assert not names_party("To the harbour master")


def test_an_address_has_a_town_below_its_name_and_something_else():
    assert is_address(["Grey Heron Ltd", "North Quay 4", "10115 Berlin"])
    assert not is_address(["10115 Berlin", "20457 Hamburg", "50667 Cologne"])
    assert not is_address(["Order: 4711", "Street: North Quay 4", "Town: 10115 Berlin"])
