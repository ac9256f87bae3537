"""Labels with their values on forms of several kinds, whose fields nobody named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

import quire
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.pairs import find_pairs
from quire.evidence.extract.schema import ExtractSchema
from tests.documents import Piece, placed
from tests.unit.evidence.extract.made import printed, scanned

pytestmark = pytest.mark.both_readers

Pairs = dict[str, str]

MEMBER: Sequence[Pairs] = (
    {"Surname": "Okafor", "First name": "Chidi", "Date of birth": "14 March 1979"},
    {"Street": "22 Linden Road", "City": "Bath", "Postcode": "BA1 5NB"},
    {"Telephone": "01225 555 014", "E-mail": "c.okafor@example.org", "Occupation": "Engineer"},
)
STATEMENT: Sequence[Pairs] = (
    {"a Employee's social security number": "123-45-6789", "1 Wages, tips, other compensation": "48,500.00"},
    {"b Employer identification number": "98-7654321", "3 Social security wages": "50,000.00"},
    {"e Employee's first name": "Maria", "Last name": "Sandoval"},
)
INSPECTION: Sequence[Pairs] = (
    {"Site": "North Pier, Hall 4", "Inspector": "J. Mbeki"},
    {"Permit number": "NP-2031-884", "Visit": "12 May 2031"},
    {"Contractor": "Stahlbau Weser GmbH", "Weather": "Rain, 9 °C"},
    {"Scaffold type": "Modular, 3 levels", "Approved": "Yes"},
)


def found(catalog: SourceCatalog) -> list[tuple[str, str]]:
    return [(pair.label, pair.value) for pair in find_pairs(catalog)]


def every(rows: Iterable[Pairs]) -> list[tuple[str, str]]:
    return [pair for row in rows for pair in row.items()]


def stacked(rows: Sequence[Pairs], *, apart: float, label: float, value: float) -> list[Piece]:
    """Rows of small labels above what was typed, or below it where `apart` is negative."""
    pieces = []
    for number, row in enumerate(rows):
        for column, (name, text) in enumerate(row.items()):
            x, y = 50 + 170 * column, 120 + 50 * number
            pieces += [Piece(x, y, name, label), Piece(x, y + apart, text, value, "Courier")]
    return pieces


def test_labels_have_their_values_in_the_line_to_the_right_and_below():
    pairs = find_pairs(
        scanned(
            (20, 20, "Vessel: Grey Heron"),
            (20, 60, "Captain:"),
            (150, 60, "Ada Marlow"),
            (20, 100, "Remarks:"),
            (20, 116, "Salt and timber"),
            (20, 130, "for the museum"),
        )
    )
    assert [(pair.label, pair.value) for pair in pairs] == [
        ("Vessel:", "Grey Heron"),
        ("Captain:", "Ada Marlow"),
        ("Remarks:", "Salt and timber for the museum"),
    ]
    assert pairs[2].records == ("p1-b5", "p1-b6")


def test_cells_under_the_heads_of_columns_are_pairs_with_them():
    rows = [("Group", "Dosage", "Result"), ("1", "1800", "1/6"), ("2", "2160", "0/6"), ("3", "2592", "3/6")]
    lines = [
        (20 + 90 * column, 100 + 20 * row, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)
    ]
    found = {(pair.label, pair.value) for pair in find_pairs(scanned(*lines))}
    assert {("Group", "1"), ("Dosage", "2160"), ("Result", "3/6")} <= found


def test_values_stand_below_small_labels():
    assert found(printed(*stacked(MEMBER, apart=15, label=8, value=11))) == every(MEMBER)


def test_values_stand_above_labels_under_a_line():
    assert sorted(found(printed(*stacked(MEMBER, apart=-12, label=8, value=11)))) == sorted(every(MEMBER))


def test_labels_of_numbered_boxes_are_labels():
    assert found(printed(*stacked(STATEMENT, apart=14, label=6, value=10))) == every(STATEMENT)


def test_labels_without_colons_have_what_stands_right_of_them_two_to_a_row():
    columns = (50, 150, 320, 420)
    pieces = [
        Piece(x, 100 + 18 * number, text, 10, font)
        for number, row in enumerate(INSPECTION)
        for x, text, font in zip(columns, sum(row.items(), ()), ("Helvetica-Bold", "Helvetica") * 2, strict=True)
    ]
    assert found(printed(*pieces)) == every(INSPECTION)


def test_a_table_of_texts_has_the_heads_of_its_columns_as_labels():
    rows = [
        ("Defect", "Location", "Severity"),
        ("Loose coupling", "Bay 3", "High"),
        ("Missing toe board", "Bay 7", "Medium"),
        ("Cracked plank", "Bay 9", "High"),
    ]
    pieces = [
        Piece(50 + 140 * column, 120 + 16 * number, text, 10, "Helvetica" if number else "Helvetica-Bold")
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
    ]
    wanted = [(head, row[column]) for row in rows[1:] for column, head in enumerate(rows[0])]
    assert sorted(found(printed(*pieces))) == sorted(wanted)


def test_a_label_without_a_colon_ends_before_a_figure_and_before_small_letters():
    lines = ((20, 20, "JOB # 5546/1481"), (20, 60, "SOURCE Grey Heron Lines"), (20, 100, "Grand Total EUR 26.20"))
    assert found(scanned(*lines)) == [
        ("JOB #", "5546/1481"),
        ("SOURCE", "Grey Heron Lines"),
        ("Grand Total", "EUR 26.20"),
    ]


def test_the_name_of_something_is_a_label_as_a_whole():
    rows = [{"Name of driver": "L. Petrov", "Vehicle": "B-KL 4471"}, {"Received by": "A. Lindqvist", "Pallets": "14"}]
    assert sorted(found(printed(*stacked(rows, apart=-12, label=8, value=11)))) == sorted(every(rows))


def test_a_line_has_several_labels():
    lines = ((20, 20, "Date: 3/5/90 Time: 10:30 Place of birth: Bath"), (20, 60, "TESTED 3/18/81 REPORTED: 4/14/81"))
    assert found(scanned(*lines)) == [
        ("Date:", "3/5/90"),
        ("Time:", "10:30"),
        ("Place of birth:", "Bath"),
        ("TESTED", "3/18/81"),
        ("REPORTED:", "4/14/81"),
    ]


def test_a_cross_belongs_to_the_text_beside_it():
    lines = ((20, 20, "Domestic"), (100, 20, "X"), (20, 60, "X Export"), (20, 100, "x"), (36, 100, "Married"))
    assert found(scanned(*lines)) == [("Domestic", "X"), ("Export", "X"), ("Married", "x")]


def test_a_cell_is_named_by_its_row_and_by_its_column():
    rows = [
        ("Test", "Present sample", "Mean"),
        ("Weight", "12.4", "12.1"),
        ("Draw", "3.1", "3.3"),
        ("Tar", "9.1", "9.0"),
    ]
    pieces = [
        Piece(50 + 140 * column, 120 + 16 * number, text, 10)
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
    ]
    pairs = found(printed(*pieces))
    assert {("Weight", "12.4"), ("Present sample", "12.4"), ("Tar", "9.0"), ("Mean", "9.0")} <= {*pairs}
    assert not [pair for pair in pairs if pair[0] == "Test"]


@pytest.mark.parametrize("apart", [15, -12], ids=["below", "above"])
def test_fields_that_are_named_have_the_value_that_the_page_gives_their_label(apart: float):
    result = quire.read(placed(stacked(MEMBER, apart=apart, label=8, value=11)))
    values = result.extract(fields="surname, first name, street, city, e-mail, occupation").values
    assert [*values.values()] == ["Okafor", "Chidi", "22 Linden Road", "Bath", "c.okafor@example.org", "Engineer"]


def test_the_label_of_the_next_box_is_no_value():
    rows = [*STATEMENT, {"g Broker": "", "7 Tips": ""}]
    values = quire.read(placed(stacked(rows, apart=14, label=6, value=10))).extract(fields="last name, broker").values
    assert values == {"last_name": "Sandoval", "broker": None}


def test_a_name_that_usually_means_a_date_may_be_a_person_where_the_page_says_so():
    lines = ((20, 20, "From:"), (80, 20, "Joyce Bagby"), (20, 60, "Date:"), (80, 60, "3 May 2031"))
    found = extract(scanned(*lines), ExtractSchema.of(["from", "date"]), [OfflineExtractor()])
    assert found.values == {"from": "Joyce Bagby", "date": "2031-05-03"}


def test_a_value_behind_its_label_in_one_line_needs_no_colon():
    found = extract(
        scanned((20, 20, "SOURCE Grey Heron Lines"), (20, 60, "Response 40 %")),
        ExtractSchema.of(["source", "response"]),
        [OfflineExtractor()],
    )
    assert found.values == {"source": "Grey Heron Lines", "response": "40 %"}


def test_an_employee_is_no_misread_employer():
    lines = (
        (20, 20, "Employee name:"),
        (150, 20, "Maria"),
        (20, 60, "Employer name, address:"),
        (180, 60, "Heron Ltd"),
    )
    found = extract(scanned(*lines), ExtractSchema.of(["employer name"]), [OfflineExtractor()])
    assert found.values == {"employer_name": "Heron Ltd"}


def test_a_page_with_thousands_of_lines_is_no_form():
    lines = [(20 + row % 3 * 80, 2 + row // 3, text) for row in range(700) for text in ("Date:", "3 May", "Name")]
    assert found(scanned(*lines)) == []
