"""Terms: one spelling for numbers, dates, amounts, identifiers and words of several languages."""

from __future__ import annotations

import pytest

from quire.lexicon.terms import places_of, query_terms, terms


@pytest.mark.parametrize("written", ["1,234.50", "1.234,50", "1'234.5", "1 234.5", "1234.5"])
def test_a_number_is_one_term_however_it_is_written(written: str) -> None:
    assert terms(written) == ["1234.5"]


@pytest.mark.parametrize(
    "written",
    [
        "2021-03-12",
        "12.03.2021",
        "3/12/2021",
        "March 12, 2021",
        "12 March 2021",
        "12. März 2021",
        "12 mars 2021",
        "12 de marzo de 2021",
        "12 marzo 2021",
        "12 de março de 2021",
    ],
)
def test_a_date_is_found_however_it_is_written(written: str) -> None:
    assert "2021-03-12" in terms(f"signed on {written} in Bern")


def test_a_day_that_no_month_has_is_no_date() -> None:
    assert "2021-13-45" not in terms("45.13.2021")


def test_an_identifier_is_found_whole_and_by_its_parts() -> None:
    found = terms("Invoice INV-2021/0042")
    assert "inv-2021-0042" in found
    assert {"inv", "2021", "0042"} <= {*found}


def test_fiscal_years_are_years() -> None:
    assert "2022" in terms("FY2022")
    assert "2022" in terms("FY22")
    assert "2023" in terms("Q22023")
    assert "2023" in terms("Q2'2023")


def test_currency_signs_are_terms() -> None:
    assert terms("$ 5 € 7") == ["usd", "5", "eur", "7"]


def test_accents_case_and_plurals_do_not_matter() -> None:
    assert terms("Umsätze STRASSE Straße Inventories") == ["umsatze", "strasse", "strasse", "inventory"]


def test_scripts_without_spaces_become_pairs() -> None:
    assert terms("営業利益") == ["営業", "業利", "利益"]
    assert terms("利益2021年") == ["利益", "2021", "年"]


def test_stop_words_are_left_out_of_queries_unless_there_is_nothing_else() -> None:
    assert query_terms("what is the gross margin") == ["gross", "margin"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]


def test_matching_words_are_marked_in_any_spelling() -> None:
    text = "Inventories of 1,234,567 units, March 12, 2021"
    marked = [text[begin:end] for begin, end in places_of({"inventory", "1234567", "2021-03-12"}, text)]
    assert marked == ["Inventories", "1,234,567", "March 12, 2021"]


def test_only_the_matching_characters_of_a_run_without_spaces_are_marked() -> None:
    text = "当期営業利益率"
    assert [text[begin:end] for begin, end in places_of({*query_terms("営業利益")}, text)] == ["営業利益"]


def test_the_mark_of_a_note_is_no_part_of_its_word():
    assert terms("377,000 passengers¹,² pay 10⁻² per m²") == [
        *("377000", "passenger", "1", "2", "pay", "10", "2", "per", "m2")
    ]
