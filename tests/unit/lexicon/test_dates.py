"""Dates and durations as they are printed in the world, by value."""

from __future__ import annotations

import pytest

from quire.lexicon.dates import date_readings, dates_in
from quire.lexicon.durations import duration_of, durations_in


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("dated 2024-03-12", "2024-03-12"),
        ("12 March 2024", "2024-03-12"),
        ("March 12th, 2024", "2024-03-12"),
        ("12. März 2024", "2024-03-12"),
        ("Fait à Lyon, le 3 avril 2021", "2021-04-03"),
        ("el 5 de mayo de 2019", "2019-05-05"),
        ("1er janvier 2020", "2020-01-01"),
        ("6 czerwca 2020", "2020-06-06"),
        ("12 марта 2024 г.", "2024-03-12"),
        ("2024年3月12日", "2024-03-12"),
        ("made this 5th day of May, 2011", "2011-05-05"),
        ("as of the first day of June, 2015", "2015-06-01"),
        ("15-MAR-18", "2018-03-15"),
        ("25.12.2019", "2019-12-25"),
        ("20180315", "2018-03-15"),
        ("December 2020", "2020-12"),
        ("03/2019", "2019-03"),
    ],
)
def test_a_date_is_read_by_value(text, day):
    assert [found.readings for found in dates_in(text)] == [frozenset({day})]


def test_a_date_that_may_mean_two_days_has_both():
    assert date_readings("03/04/24") == {"2024-03-04", "2024-04-03"}
    assert date_readings("25/12/18") == {"2018-12-25"}
    assert date_readings("99/99/99") == frozenset()


def test_a_range_is_two_dates():
    found = dates_in("Flight: Jan. 5, 2020 - Feb. 6, 2020")
    assert [one.readings for one in found] == [{"2020-01-05"}, {"2020-02-06"}]


def test_a_text_with_more_than_a_date_is_no_date():
    assert date_readings("INV/2024-03-12/7") == frozenset()
    assert date_readings("2024-03-12T10:00:00Z") == {"2024-03-12"}


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("for three (3) years", 36, "months"),
        ("24 months", 24, "months"),
        ("a period of two years from", 24, "months"),
        ("ninety (90) days", 90, "days"),
        ("drei Jahre", 36, "months"),
        ("a one-year term", 12, "months"),
        ("six weeks", 42, "days"),
        ("P2Y", 24, "months"),
    ],
)
def test_a_duration_is_read_by_value(text, number, unit):
    assert [found[1:] for found in durations_in(text)] == [(number, unit)]


def test_a_year_is_no_duration():
    assert duration_of("in 2024") is None
