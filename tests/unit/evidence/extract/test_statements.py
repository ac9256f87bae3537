"""Figures of financial statements: the row that a field names, the period of each column."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quire.core.types import BBox, Block, Cell, Table
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from quire.lexicon.finance.periods import fiscal_label, stated_period
from tests.unit.evidence.extract.made import read_as

FIGURE = {
    "type": "object",
    "properties": {
        "value": {"type": "number"},
        "unit": {"type": "string"},
        "scale": {"type": "integer"},
        "period": {"type": "string", "description": "such as 'FY2025 Q3'"},
    },
}
Row = Sequence[str | tuple[str, int]]
INCOME: Sequence[Row] = (
    [("(In millions, except per share amounts)", 5)],
    ["", ("Three Months Ended December 31,", 2), ("Six Months Ended December 31,", 2)],
    ["", "2024", "2023", "2024", "2023"],
    ["Total net revenues (A)", "$ 5,048.4", "$ 4,668.0", "$ 9,881.1", "$ 9,180.3"],
    ["Net income (loss) attributable to Acme plc", "(963.2)", "878.4", "1,919.5", "1,737.8"],
    ["Net income attributable to non-controlling interests", "1.0", "2.0", "3.0", "4.0"],
    ["Earnings per share:", "", "", "", ""],
    ["Basic", "$ 2.36", "$ 2.14", "$ 4.71", "$ 4.22"],
)
BALANCE: Sequence[Row] = (
    ["", "December 31, 2024", "June 30, 2024"],
    ["Inventories, net", "1,379", "1,366"],
    ["Total current liabilities", "$ 54,303", "$ 45,080"],
)
FLOWS: Sequence[Row] = (
    ["", ("Six Months Ended December 31,", 2)],
    ["", "2024", "2023"],
    ["Inventories", "(49)", "(149)"],
    ["Purchases of property, plant and equipment", "(98)", "(94)"],
)


def statement(name: str, rows: Sequence[Row], heads: int) -> Block:
    cells: list[Cell] = []
    for row, texts in enumerate(rows):
        column = 0
        for given in texts:
            text, span = given if isinstance(given, tuple) else (given, 1)
            box = BBox(0.15 * column, 0.05 * row, 0.15 * span, 0.04)
            cells.append(Cell(row, column, text, 1, box, column_span=span, header=row < heads))
            column += span
    table = Table(len(rows), max(cell.column + cell.column_span for cell in cells), tuple(cells))
    return Block(name, 1, "table", table.text, BBox(0, 0, 1, 1), table=table)


@pytest.fixture(scope="module")
def report() -> SourceCatalog:
    return read_as(statement("p1-b1", INCOME, 3), statement("p1-b2", BALANCE, 1), statement("p1-b3", FLOWS, 2))


def found(report: SourceCatalog, **asked: object) -> Extraction:
    return extract(report, ExtractSchema.of({"properties": asked}), [OfflineExtractor()])


def figures(report: SourceCatalog, name: str) -> list[tuple[object, ...]]:
    listed = found(report, **{name: {"type": "array", "items": FIGURE}}).values[name]
    return [tuple(one.values()) for one in listed]


def test_a_list_has_the_figure_of_each_period_with_unit_scale_and_fiscal_name(report):
    assert figures(report, "revenue") == [
        (5048.4, "USD", 1_000_000, "FY2025 Q2"),
        (4668, "USD", 1_000_000, "FY2024 Q2"),
        (9881.1, "USD", 1_000_000, "FY2025 H1"),
        (9180.3, "USD", 1_000_000, "FY2024 H1"),
    ]


def test_what_is_printed_is_found_and_a_name_that_nobody_prints_is_marked(report):
    shown = found(report, revenue={"type": "array", "items": FIGURE})
    statuses = {name: shown[f"revenue[0].{name}"].status for name in ("value", "unit", "scale", "period")}
    assert statuses == {"value": "found", "unit": "found", "scale": "found", "period": "unverified"}
    assert shown["revenue[0].value"].records == ("p1-b1:r3c1",)
    assert "does not say 'FY2025 Q2'" in shown["revenue[0].period"].reason


def test_a_loss_is_negative_and_minorities_are_no_owners(report):
    assert [one[0] for one in figures(report, "net_income")] == [-963.2, 878.4, 1919.5, 1737.8]


def test_the_section_above_a_row_says_what_basic_is_and_its_scale_is_one(report):
    assert figures(report, "basic_eps")[0] == (2.36, "USD", 1, "FY2025 Q2")


def test_a_stock_is_taken_from_the_balance_sheet_and_not_from_its_change(report):
    assert [one[:1] + one[3:] for one in figures(report, "inventories")] == [(1379, "FY2025 Q2"), (1366, "FY2024")]


def test_what_is_paid_is_an_amount_though_it_stands_in_brackets(report):
    shown = found(report, capex={"type": "array", "items": FIGURE})
    assert (shown.values["capex"][0]["value"], shown["capex[0].value"].status) == (98, "found")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the year end FY2024 total current liabilities (in USD millions)?", 54303),
        ("How much capital expenditure was there in 2023?", 94),
        ("What is the growth of total current liabilities between 2023 and 2024?", None),
        ("Who is the auditor?", None),
    ],
)
def test_a_question_that_asks_for_a_line_item_is_answered_and_no_calculation_is(report, question, value):
    shown = found(report, figure={"type": "number", "description": question})
    assert shown.values["figure"] == value


@pytest.mark.parametrize(
    ("head", "above", "label"),
    [
        ("13 weeks ended December 28, 2024", "", "FY2025 Q2"),
        ("39 Weeks Ended March 29, 2025", "", "FY2025 YTD"),
        ("Fiscal year ended July 1, 2023", "", "FY2023"),
        ("Quarter ended September 30, 2024", "", "FY2025 Q1"),
        ("June 30, 2024", "", "FY2024"),
        ("Six months ended June 30, 2024", "", "FY2024 H2"),
    ],
)
def test_periods_are_named_by_the_fiscal_year(head, above, label):
    period = stated_period(head, above)
    assert period is not None
    assert fiscal_label(period, year_end=6) == label


@pytest.mark.parametrize("head", ["", "Amount", "2024 and 2023", "Note 12", "From 1 May 2024 to 3 June 2024"])
def test_a_head_without_one_period_is_none(head):
    assert stated_period(head) is None
