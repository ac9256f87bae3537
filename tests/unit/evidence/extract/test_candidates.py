"""Candidates: what may be a value on a page, of which kind, and what stands around it."""

from __future__ import annotations

import pytest

from quire.core.types import BBox, Block, Cell, Table
from quire.evidence.extract.candidates import Candidate, find_candidates
from quire.evidence.extract.candidates.spans import spans_of
from tests.documents import Piece
from tests.unit.evidence.extract.made import printed, scanned

pytestmark = pytest.mark.both_readers


def one(candidates: list[Candidate], kind: str, text: str) -> Candidate:
    return next(candidate for candidate in candidates if (candidate.kind, candidate.text) == (kind, text))


@pytest.mark.parametrize(
    "text, kinds",
    [
        ("Total: $4,190.00", {"amount": "$4,190.00", "currency": "$"}),
        ("1.234,56 €", {"amount": "1.234,56 €", "currency": "€"}),
        ("(1,234.50)", {"amount": "(1,234.50)"}),
        ("25/12/2018 12:31", {"date": "25/12/2018"}),
        ("7. Mai 2014", {"date": "7. Mai 2014"}),
        ("MwSt. 19 %", {"percentage": "19 %"}),
        ("# RE-2024/0815", {"code": "RE-2024/0815"}),
        ("IBAN DE89 3704 0044 0532 0130 00", {"iban": "DE89 3704 0044 0532 0130 00"}),
        ("ada@heron.example", {"email": "ada@heron.example"}),
        ("for a term of two (2) years", {"number": "(2)", "duration": "two (2) years"}),
    ],
)
def test_spans_of_a_line_have_kinds(text, kinds):
    assert {span.kind: text[span.start : span.end] for span in spans_of(text)} == kinds


def test_a_range_of_dates_is_two_candidates_that_see_each_other():
    found = find_candidates(
        printed(Piece(72, 100, "Flight: 01/14/20 - 01/20/20"), Piece(72, 130, "Agency: Quay Media"))
    )
    start, end = one(found, "date", "01/14/20"), one(found, "date", "01/20/20")
    assert (start.value, start.after) == ("2020-01-14", "- 01/20/20")
    assert (end.value, end.before[-10:]) == ("2020-01-20", "01/14/20 -")
    assert start.bbox.right < end.bbox.left


def test_a_candidate_knows_the_texts_to_its_left_and_above():
    found = find_candidates(scanned((20, 20, "Amount"), (20, 60, "Total"), (200, 40, "RM"), (200, 60, "40.00")))
    amount = one(found, "amount", "40.00")
    assert (amount.left, amount.above, amount.confidence) == ("Total", "RM", 0.98)


def test_a_cell_knows_the_heads_of_its_row_and_column():
    cells = [
        Cell(row, column, text, 1, BBox(0.1 + 0.3 * column, 0.1 + 0.05 * row, 0.25, 0.03), header=row == 0)
        for row, texts in enumerate(
            (("Month", "Gross", "Net"), ("May", "870.00", "739.50"), ("Totals", "870.00", "739.50"))
        )
        for column, text in enumerate(texts)
    ]
    table = Table(3, 3, tuple(cells))
    block = Block("p1-b1", 1, "table", table.text, BBox(0.1, 0.1, 0.85, 0.13), table=table)
    catalog = printed(Piece(72, 72, "Order"))
    found = find_candidates(type(catalog)(catalog.document, "made", catalog.version, (), catalog.pages, [block]))
    net = [candidate for candidate in found if candidate.text == "739.50" and candidate.kind == "amount"][-1]
    assert (net.row_head, net.column_head, net.record) == ("Totals", "Net", "p1-b1:r2c2")


def test_lines_below_each_other_are_an_address_until_something_else_begins():
    found = find_candidates(
        scanned(
            (20, 20, "GREY HERON LTD"),
            (20, 36, "4 North Quay Road,"),
            (20, 52, "24103 Easthaven"),
            (20, 68, "Tel: 03-1234 5678"),
        )
    )
    longest = max((candidate for candidate in found if candidate.kind == "address"), key=lambda one: len(one.text))
    assert longest.value == "4 North Quay Road, 24103 Easthaven"
    assert (longest.record, longest.more) == ("p1-b2", ("p1-b3",))


def test_a_name_is_also_found_without_the_number_that_follows_it():
    found = find_candidates(scanned((20, 20, "GREY HERON LTD (481516-K)"), (20, 60, "Thank you")))
    assert one(found, "name", "GREY HERON LTD").origin == "span"
