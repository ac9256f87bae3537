"""Numbers as they are printed in the world, by value."""

from __future__ import annotations

from decimal import Decimal

import pytest

from quire.lexicon.amounts import decimal_mark, number_readings, numbers_in, scale_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", "1234.5"),
        ("1.234,50", "1234.5"),
        ("1'234.50", "1234.5"),
        ("1 234 567,89 €", "1234567.89"),
        ("12,34,567.89", "1234567.89"),
        ("RM12.50", "12.5"),
        ("USD 1,200.00", "1200"),
        ("12. 50", "12.5"),
        ("(1,234.00)", "-1234"),
        ("$ (1,234.00)", "-1234"),
        ("-5", "-5"),
        ("−5.5", "-5.5"),
        ("1,234.00-", "-1234"),
        ("41.2 %", "41.2"),
        ("41.2 %", "0.412"),
        ("$1.5 million", "1500000"),
        ("EUR 3,5 Mio", "3500000"),
        ("2.4 bn", "2400000000"),
        ("2 lakh", "200000"),
        ("5 crore", "50000000"),
        ("28.40 ----- 28.40", "28.4"),
    ],
)
def test_a_number_is_read_by_value(text, value):
    assert any(Decimal(value) in number.readings for number in numbers_in(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1,234.00)", "1234"),
        ("1,234.00-", "1234"),
        ("-5", "5"),
        ("$1.5 million", "1.5"),
        ("12.50", "12"),
        ("1,234.50", "234.5"),
        ("41.2 %", "412"),
    ],
)
def test_another_sign_or_scale_is_another_number(text, value):
    assert not any(Decimal(value) in number.readings for number in numbers_in(text))


def test_a_comma_is_read_both_ways_until_the_document_shows_its_decimals():
    assert number_readings("1,234") == {Decimal(1234), Decimal("1.234")}
    assert decimal_mark(["Total 12.50", "Tax 1,003.20"]) == "."
    assert decimal_mark(["Summe 12,50"]) == ","
    assert decimal_mark(["12.50 and 12,50"]) is None
    assert number_readings("1,234", mark=".") == {Decimal(1234)}
    assert number_readings("1,234", mark=",") == {Decimal("1.234")}


def test_the_head_of_a_table_says_the_scale_of_its_figures():
    assert scale_of("(in thousands, except per share data)") == 1000
    assert scale_of("Amounts in EUR million") == 10**6
    assert scale_of("$000") == 1000
    assert scale_of("Vessels in the harbour") == 1
    assert numbers_in("1,234", mark=".", scale=1000)[0].readings == {Decimal(1234), Decimal(1234000)}


def test_a_figure_in_a_code_is_no_number():
    assert [number.in_code for number in numbers_in("model A7 has 7 wheels")] == [True, False]


def test_a_text_with_more_than_a_number_has_no_value():
    assert number_readings("Section 12 applies") == frozenset()
    assert number_readings(True) == frozenset()
    assert number_readings("$4,190.00") == {Decimal("4190.00")}
