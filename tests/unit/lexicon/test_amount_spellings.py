"""One definition of an amount: layout, extraction, search and verification agree on how money is written."""

from __future__ import annotations

from decimal import Decimal

import pytest

from quire.evidence.extract.candidates.spans import spans_of
from quire.lexicon.amounts import has_amount, is_amount, is_measure, is_number, is_price, number_readings
from quire.pages.layout.labels import is_numeric, names_number

SPELLINGS = {
    "1,234.56": "1234.56",
    "1.234,56 €": "1234.56",
    "CHF 12.50": "12.50",
    "$1,234.56": "1234.56",
    "€ 99,00": "99",
    "1 234,56": "1234.56",
    "1'234.50": "1234.50",
    "RM31.80": "31.80",
    "12.50 EUR": "12.50",
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_part_takes_a_spelling_of_money_for_an_amount(text):
    assert is_number(text) and is_amount(text) and is_measure(text) and has_amount(f"Total {text}")
    assert is_numeric(text) and names_number("Total of all 12 positions", text)
    assert Decimal(SPELLINGS[text]) in number_readings(text)
    assert any(span.kind == "amount" and text[span.start : span.end].strip() == text for span in spans_of(text))


@pytest.mark.parametrize("text", ["(1,234)", "-12", "12.5%", ".75", "2024", "$ (1,168)", "12,34,567"])
def test_a_number_without_money_is_a_number(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "-", "1.0.2.28", "-14-", "12/03/2024", "A7", "3rd", "GST 6%", "2023))", "1,2,3"])
def test_other_texts_with_digits_are_no_numbers(text):
    assert not is_number(text) and not is_amount(text) and not is_price(text)


def test_a_price_has_a_currency_and_cents():
    assert is_price("$9.90") and is_price("-$7.32") and is_price("Rs.36.45")
    assert not is_price("9.90") and not is_price("$9")


def test_a_year_is_no_measure():
    assert not is_measure("2024") and not is_measure("(1996)") and not is_measure("469)")
    assert is_measure("1,487") and is_measure("34%") and is_measure("$110")
