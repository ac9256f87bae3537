"""Fields of invoices, receipts and forms without a language model."""

from __future__ import annotations

import pytest

from quire.core.context import Json
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.rules import RulesExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Proposal
from quire.evidence.extract.verification import checked
from tests.documents import Piece, listed
from tests.unit.evidence.extract.made import printed, scanned

pytestmark = pytest.mark.both_readers

BOLD = "Helvetica-Bold"


def proposals(catalog: SourceCatalog, fields: dict[str, Json] | str) -> dict[str, Proposal]:
    schema = ExtractSchema.of({"type": "object", "properties": fields} if isinstance(fields, dict) else fields)
    return {one.path: one for one in RulesExtractor().propose(catalog, schema)}


def values(catalog: SourceCatalog, fields: dict[str, Json] | str) -> dict[str, Json]:
    return {path: one.value for path, one in proposals(catalog, fields).items()}


def german_invoice() -> SourceCatalog:
    return printed(
        Piece(72, 70, "Nordlicht Werften GmbH", 16, BOLD),
        *listed(["Hafenstraße 12", "24103 Kiel"], 72, 95),
        *listed(["Meerblick Reederei AG", "Am Kai 3", "20457 Hamburg"], 72, 160),
        Piece(72, 230, "Rechnung", 18, BOLD),
        *(
            Piece(72, 255 + 16 * n, label)
            for n, label in enumerate(("Rechnungsnr.:", "Rechnungsdatum:", "Zahlbar bis:"))
        ),
        *(Piece(200, 255 + 16 * n, text) for n, text in enumerate(("RE-2024-0815", "7. Mai 2024", "21.05.2024"))),
        *(
            Piece(330, 400 + 18 * n, label)
            for n, label in enumerate(("Nettobetrag", "zzgl. 19% MwSt.", "Gesamtbetrag"))
        ),
        *(Piece(470, 400 + 18 * n, text) for n, text in enumerate(("1.000,00 €", "190,00 €", "1.190,00 €"))),
        *listed(["IBAN: DE89 3704 0044 0532 0130 00", "www.nordlicht-werften.de"], 72, 700),
    )


def test_a_german_invoice_is_read_by_its_labels_its_layout_and_its_sums():
    found = values(
        german_invoice(),
        {
            "issuer": {"type": "string"},
            "invoice_number": {"type": "string"},
            "date": {"type": "string", "format": "date"},
            "due_date": {"type": "string", "format": "date"},
            "net": {"type": "number"},
            "tax": {"type": "number", "x-quire": {"kind": "amount"}},
            "total": {"type": "number"},
            "currency": {"type": "string"},
            "iban": {"type": "string"},
        },
    )
    assert found == {
        "issuer": "Nordlicht Werften GmbH",
        "invoice_number": "RE-2024-0815",
        "date": "2024-05-07",
        "due_date": "2024-05-21",
        "net": 1000,
        "tax": 190,
        "total": 1190,
        "currency": "EUR",
        "iban": "DE89 3704 0044 0532 0130 00",
    }


def test_every_value_of_an_invoice_stands_where_it_is_said_to():
    catalog = german_invoice()
    schema = ExtractSchema.of("issuer, invoice number, date, total, iban, address")
    for proposal in RulesExtractor().propose(catalog, schema):
        leaf = schema.leaf(proposal.path)
        assert leaf is not None
        assert checked(proposal, leaf, catalog).status == "found", proposal


def receipt(*lines: tuple[float, float, str]) -> SourceCatalog:
    head = (
        (90, 20, "GREY HERON SUPPLIES LTD"),
        (110, 36, "(481516-K)"),
        (80, 52, "NO. 4, NORTH QUAY ROAD,"),
        (100, 68, "24103 EASTHAVEN"),
        (90, 100, "TEL: 03-1234 5678"),
        (20, 130, "Date: 25/12/2018 12:31"),
        (20, 150, "2 x Rope"),
        (230, 150, "40.00"),
    )
    return scanned(*head, *lines)


RECEIPT = "company, date, address, total"


def test_a_receipt_names_its_sender_at_the_top_and_the_address_below():
    found = values(receipt((20, 200, "TOTAL"), (230, 200, "40.00")), RECEIPT)
    assert found["company"] == "GREY HERON SUPPLIES LTD"
    assert found["address"] == "NO. 4, NORTH QUAY ROAD, 24103 EASTHAVEN"
    assert (found["date"], found["total"]) == ("2018-12-25", "40.00")


def test_of_two_totals_the_one_that_was_paid_is_meant():
    lines = (
        (20, 180, "Total"),
        (230, 180, "40.03"),
        (20, 200, "Rounding"),
        (230, 200, "-0.03"),
        (20, 220, "Total Sales"),
        (230, 220, "40.00"),
        (20, 240, "Cash"),
        (230, 240, "50.00"),
        (20, 260, "Change"),
        (230, 260, "10.00"),
    )
    assert values(receipt(*lines), "total") == {"total": "40.00"}


def test_a_tax_and_a_count_are_no_totals():
    lines = (
        (20, 180, "Total GST"),
        (230, 180, "2.26"),
        (20, 200, "Total Qty"),
        (230, 200, "200.00"),
        (20, 220, "Total Incl. GST"),
        (230, 220, "40.00"),
    )
    found = proposals(receipt(*lines), "total")["total"]
    assert (found.value, found.label) == ("40.00", "Total Incl. GST")


def test_a_misread_label_still_names_its_value():
    lines = ((20, 180, "Involce Nurnber: KX-7734"), (20, 200, "T0tal Amount: 40.00"), (20, 220, "Table: 12"))
    assert values(receipt(*lines), "invoice number") == {"invoice_number": "KX-7734"}


ORDER = (
    Piece(300, 60, "ORDER", 16, BOLD),
    *(Piece(72 + 140 * n, 110, text, 8) for n, text in enumerate(("Order #", "Flight Dates", "Advertiser"))),
    *(
        Piece(72 + 140 * n, 121, text, 8)
        for n, text in enumerate(("378700", "01/14/20 - 01/20/20", "Friends of Herons"))
    ),
    *(Piece(72 + 140 * n, 150, text, 8) for n, text in enumerate(("Alt Order #", "Estimate", "Agency"))),
    *(Piece(72 + 140 * n, 161, text, 8) for n, text in enumerate(("09736523", "28", "Quay Media"))),
    *(
        Piece(330, 300 + 14 * n, text, 9)
        for n, text in enumerate(("Gross Total", "Agency Commission", "Net Amount Due"))
    ),
    *(Piece(470, 300 + 14 * n, text, 9) for n, text in enumerate(("$4,190.00", "$628.50", "$3,561.50"))),
)


def test_labels_above_their_values_are_found_and_a_range_of_dates_is_taken_apart():
    fields = {
        "contract_num": {"type": "string"},
        "advertiser": {"type": "string"},
        "gross_amount": {"type": "string", "kind": "amount"},
        "flight_from": {"type": "string", "kind": "date"},
        "flight_to": {"type": "string", "kind": "date"},
    }
    assert values(printed(*ORDER), fields) == {
        "contract_num": "378700",
        "advertiser": "Friends of Herons",
        "gross_amount": "$4,190.00",
        "flight_from": "2020-01-14",
        "flight_to": "2020-01-20",
    }


def test_a_form_of_two_columns_keeps_labels_and_values_of_each_apart():
    left = (("Vessel:", "Grey Heron"), ("Captain:", "Ada Marlow"), ("Port:", "Easthaven"))
    right = (("Agent:", "Quay Media"), ("Berth:", "B-17"), ("Draught:", "4.20"))
    pieces = [
        Piece(x + 90 * column, 120 + 20 * row, text)
        for x, pairs in ((60, left), (320, right))
        for row, pair in enumerate(pairs)
        for column, text in enumerate(pair)
    ]
    found = values(printed(*pieces), "vessel, captain, port, agent, berth, draught")
    assert found == {
        "vessel": "Grey Heron",
        "captain": "Ada Marlow",
        "port": "Easthaven",
        "agent": "Quay Media",
        "berth": "B-17",
        "draught": "4.20",
    }


def test_the_names_that_a_schema_gives_are_looked_for_first():
    pieces = [Piece(72, 100, "Liegeplatz: 12-C"), Piece(72, 120, "Kennung: 99-X"), Piece(72, 140, "Schiff: Reiher")]
    fields = {"berth": {"type": "string", "x-quire": {"aliases": ["Liegeplatz"], "kind": "code"}}}
    found = proposals(printed(*pieces), fields)["berth"]
    assert (found.value, found.label) == ("12-C", "Liegeplatz")


def test_nothing_is_proposed_for_what_a_document_does_not_say():
    found = values(german_invoice(), "order number, advertiser, phone, delivery date, blood type")
    assert found == {}


def test_other_values_are_given_as_alternatives_with_less_confidence():
    lines = ((20, 180, "Total"), (230, 180, "40.00"), (20, 200, "Grand Total"), (230, 200, "42.40"))
    found = proposals(receipt(*lines), "total")["total"]
    assert found.value == "42.40"
    assert [one.value for one in found.alternatives][:1] == ["40.00"]
    assert found.confidence > found.alternatives[0].confidence


@pytest.mark.parametrize("pattern, expected", [(r"[A-Z]{2}-\d{4}-\d{4}", {"number": "RE-2024-0815"}), (r"\d{9}", {})])
def test_a_value_has_the_pattern_of_its_leaf(pattern, expected):
    fields = {"number": {"type": "string", "title": "invoice number", "pattern": pattern}}
    assert values(german_invoice(), fields) == expected


def test_the_same_document_gives_the_same_proposals():
    schema = ExtractSchema.of("issuer, date, total, address")
    assert RulesExtractor().propose(german_invoice(), schema) == RulesExtractor().propose(german_invoice(), schema)


def test_values_have_the_type_of_their_leaf_or_are_left_out():
    pieces = [
        Piece(72, 100, "Paid: yes"),
        Piece(72, 120, "Method: Credit Card"),
        Piece(72, 140, "Berths: seven"),
        Piece(72, 160, "Crew: 12"),
    ]
    fields: dict[str, Json] = {
        "paid": {"type": "boolean"},
        "method": {"type": "string", "enum": ["cash", "credit_card"]},
        "berths": {"type": "integer"},
        "crew": {"type": "integer"},
    }
    assert values(printed(*pieces), fields) == {"paid": True, "method": "credit_card", "crew": 12}
