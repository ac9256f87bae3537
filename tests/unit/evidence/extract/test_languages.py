"""Invoices in the official languages of the EU: their standard labels name the fields of an English schema."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from quire.evidence.extract.extraction import extract
from quire.evidence.extract.naming.concepts import BY_ID
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from tests.unit.evidence.extract.made import scanned

FOLDER = files("quire.lexicon").joinpath("languages")
LANGUAGES = [
    "bg",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fi",
    "fr",
    "ga",
    "hr",
    "hu",
    "it",
    "lt",
    "lv",
    "mt",
    "nl",
    "pl",
    "pt",
    "ro",
    "sk",
    "sl",
    "sv",
]
VALUES = {
    "invoice_number": "2024-0117",
    "date": "12.03.2024",
    "due_date": "11.04.2024",
    "net": "1000.00",
    "tax": "210.00",
    "total": "1210.00",
    "tax_number": "NL810433941B01",
    "iban": "DE89370400440532013000",
    "buyer": "Quay Trading",
    "seller": "Harbour Supplies",
}
SCHEMA = ExtractSchema.of(
    {
        "properties": {
            "invoice_number": {"type": "string"},
            "date": {"type": "string", "format": "date"},
            "due_date": {"type": "string", "format": "date"},
            **{name: {"type": "number"} for name in ("net", "tax", "total")},
            **{name: {"type": "string"} for name in ("vat_number", "iban", "customer")},
        }
    }
)


def labels_of(language: str) -> dict[str, list[str]]:
    listed = json.loads(FOLDER.joinpath(f"{language}.json").read_text("utf-8"))
    weighted = listed.get("label_weights", {})
    return {name: [*listed["labels"].get(name, ()), *weighted.get(name, ())] for name in BY_ID}


def test_every_language_has_labels_of_every_field_of_an_invoice():
    for language in LANGUAGES:
        assert all(labels_of(language)[name] for name in (*VALUES, "quantity", "unit_price", "product"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_standard_labels_of_an_invoice_are_understood(language):
    labels = labels_of(language)
    lines = [(20.0, 40.0 + 30 * at, f"{labels[name][0]}: {value}") for at, (name, value) in enumerate(VALUES.items())]
    found = extract(scanned(*lines), SCHEMA, [OfflineExtractor()])
    assert found.values == {
        "invoice_number": "2024-0117",
        "date": "2024-03-12",
        "due_date": "2024-04-11",
        "net": 1000,
        "tax": 210,
        "total": 1210,
        "vat_number": "NL810433941B01",
        "iban": "DE89370400440532013000",
        "customer": "Quay Trading",
    }


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("BTW-nr: NL810433941B01", "NL810433941B01"),
        ("Btw-id: NL810433941B01", "NL810433941B01"),
        ("BTW nummer NL 8104.33.941.B01", "NL 8104.33.941.B01"),
        ("Btw-identificatienummer: NL810433941B01", "NL810433941B01"),
        ("N° TVA intracommunautaire : FR60421938861", "FR60421938861"),
        ("TVA Intracom. : FR 60 421938861", "FR 60 421938861"),
        ("N° d'identification TVA : FR60421938861", "FR60421938861"),
        ("N° TVA: FR 60 421 938 861", "FR 60 421 938 861"),
    ],
)
def test_dutch_and_french_labels_of_vat_numbers(line, number):
    lines = [
        (20.0, 40.0, "Harbour Supplies"),
        (20.0, 80.0, line),
        (20.0, 120.0, "BTW 21%: 21.00"),
        (20.0, 160.0, "Total: 121.00"),
    ]
    schema = ExtractSchema.of("vat number, tax, total")
    assert extract(scanned(*lines), schema, [OfflineExtractor()]).values["vat_number"] == number
