"""Page ranges as people write them."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.core.page_ranges import check_pages, page_numbers


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        (None, [1, 2, 3, 4, 5]),
        ("1-3,5", [1, 2, 3, 5]),
        (" 2 - 3 , 2", [2, 3]),
        ("4-", [4, 5]),
        ("-2", [1, 2]),
        ("-8", [1, 2, 3, 4, 5]),
        ("3-99", [3, 4, 5]),
        ("4-99999999999", [4, 5]),
        ("1,900-901,7-", [1]),
        ("5", [5]),
        ([5, 1, 5], [1, 5]),
        (range(2, 4), [2, 3]),
        (3, [3]),
    ],
)
def test_pages_come_once_and_in_order(pages, expected):
    assert list(page_numbers(check_pages(pages), 5)) == expected


@pytest.mark.parametrize(
    "pages", ["", "x", "1,,2", "-", "3-1", "0", "0-2", "1;2", "1-2-3", [0], [-1], ["1"], [True], []]
)
def test_what_names_no_page_is_explained(pages):
    with pytest.raises(UsageError, match="page"):
        check_pages(pages)


@pytest.mark.parametrize("pages", ["6", "1-3,6", "6-6", "7-", "900-901", [1, 6]])
def test_a_page_beyond_the_document_is_named(pages):
    with pytest.raises(UsageError, match=r"there is no page (6|7|900): the document has 5 pages"):
        page_numbers(check_pages(pages), 5)


def test_numbers_that_come_only_once_can_be_used():
    assert page_numbers(check_pages(number for number in (1, 3)), 5) == [1, 3]
