"""Texts compared: what may differ, and what may not."""

from __future__ import annotations

import pytest

from quire.evidence.verify.matches import SearchedText, WantedValue, quoted_in
from quire.lexicon.amounts import currency_forms
from quire.lexicon.booleans import said_boolean


def found(value: object, text: str, *, compared: str = "text", recognised: bool = False) -> str | None:
    hit = next(WantedValue(value, compared).found_in(SearchedText(text, recognised=recognised)), None)
    return None if hit is None else f"{hit.agreement}: {text[slice(*hit.span)]}"


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        ("Harbour Office", "the HARBOUR\noffice keeps", "exact: HARBOUR\noffice"),
        ('the "Pilot"', "called the “Pilot” here", "exact: the “Pilot”"),
        ("A-17", "gate A–17", "exact: A–17"),
        ("Office", "the ofﬁce keeps", "exact: ofﬁce"),
        ("Acme Inc", "between Acme, Inc. and", "fuzzy: Acme, Inc"),
        ("Dampfschiff", "das Dampf-\nschiff liegt", "fuzzy: Dampf-\nschiff"),
    ],
)
def test_case_spaces_quotes_dashes_and_punctuation_may_differ(value, text, expected):
    assert found(value, text) == expected


def test_a_part_of_a_word_or_number_is_something_else():
    assert found("harbour", "harbourmaster") is None
    assert found("2.5", "12.50") is None
    assert found("12", "12.50") is None


def test_letters_may_be_misread_in_recognised_text_alone():
    assert found("Easthaven Chandlery Ltd", "Easthaven Chandlcry Ltd", recognised=True)
    assert found("Easthaven Chandlery Ltd", "Easthaven Chandlcry Ltd") is None


def test_digits_and_whole_words_are_never_misread():
    assert found("Easthaven Wharf Road 18", "Easthaven Wharf Road 19", recognised=True) is None
    assert found("sold by the Easthaven Chandlery", "sold to the Easthaven Chandlery", recognised=True) is None


def test_the_best_place_of_a_value_comes_first():
    text = "12 March 2024, that is 2024-03-12"
    assert found("2024-03-12", text, compared="date") == "exact: 2024-03-12"


def test_a_quote_is_found_with_its_punctuation_lost():
    printed = SearchedText("Total due:  12.50 EUR")
    assert [printed.text[slice(*span)] for span in quoted_in("total due 12.50", printed)] == ["Total due:  12.50"]


def test_words_and_boxes_say_yes_and_no():
    assert said_boolean("☒ Taxable") is True
    assert said_boolean("☐ Taxable") is False
    assert said_boolean("The goods are not insured") is False
    assert said_boolean("Ja") is True
    assert said_boolean("Insured goods") is None


def test_a_currency_is_known_by_its_sign():
    assert "$" in currency_forms("USD")
    assert "eur" in currency_forms("€")
