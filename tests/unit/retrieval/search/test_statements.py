"""Financial statements are recognised by their titles and lines, and only where they are."""

from __future__ import annotations

from quire.retrieval.search.statements import statements
from tests.unit.retrieval.search.made import row

BALANCE = """| | 2022 | 2021 |
| --- | --- | --- |
| Accounts receivable | 5 | 6 |
| Inventories | 5 | 6 |
| Total current assets | 5 | 6 |
| Total assets | 5 | 6 |
| Total current liabilities | 5 | 6 |
| Total liabilities | 5 | 6 |
| Retained earnings | 5 | 6 |
| Total stockholders' equity | 5 | 6 |"""
INCOME = """| | 2022 | 2021 |
| --- | --- | --- |
| Revenue | 5 | 6 |
| Cost of sales | 5 | 6 |
| Gross profit | 5 | 6 |
| Operating expenses | 5 | 6 |
| Operating income | 5 | 6 |
| Income before income taxes | 5 | 6 |
| Net income | 5 | 6 |
| Basic earnings per share | 5 | 6 |"""
CASH = """| | 2022 | 2021 |
| --- | --- | --- |
| Depreciation | 5 | 6 |
| Net cash provided by operating activities | 5 | 6 |
| Purchases of property and equipment | 5 | 6 |
| Net cash used in investing activities | 5 | 6 |
| Proceeds from debt | 5 | 6 |
| Net cash used in financing activities | 5 | 6 |
| Cash at end of year | 5 | 6 |"""


def test_each_statement_of_a_report_is_recognised() -> None:
    found = statements(
        [
            row("We sell things.", page=1),
            row(BALANCE, page=2, kinds=["table"], section=["Consolidated Balance Sheets"]),
            row(INCOME, page=3, kinds=["table"], section=["Consolidated Statements of Operations"]),
            row(CASH, page=4, kinds=["table"], section=["Consolidated Statements of Cash Flows"]),
            row("See the notes.", page=4),
        ]
    )
    assert found == ["", "balance", "income", "cash flow", ""]


def test_a_title_with_letters_spaced_out_is_one() -> None:
    few = "\n".join(BALANCE.split("\n")[:7])
    assert statements([row(few, kinds=["table"], section=["Consolidated Balance Shee t s"])]) == ["balance"]


def test_a_statement_without_a_title_is_recognised_by_its_lines() -> None:
    assert statements([row(INCOME, kinds=["table"])]) == ["income"]


def test_a_summary_elsewhere_in_the_report_is_not_the_statement() -> None:
    quarters = "\n".join(INCOME.split("\n")[:7])
    found = statements(
        [
            row(INCOME, page=3, kinds=["table"], section=["Statements of Income"]),
            row(quarters, page=9, kinds=["table"], section=["Quarterly results"]),
        ]
    )
    assert found == ["income", ""]


def test_a_statement_goes_on_where_the_next_page_says_so() -> None:
    rest = "| Total current liabilities | 1 |\n| Total liabilities | 1 |\n| Total equity | 1 |"
    found = statements(
        [
            row(BALANCE, page=3, kinds=["table"], section=["Balance Sheets"]),
            row(rest, page=4, kinds=["table"], section=["(continued)"]),
        ]
    )
    assert found == ["balance", "balance"]


def test_prose_about_a_balance_sheet_is_none() -> None:
    assert statements([row(f"Our balance sheet shows {BALANCE}")]) == [""]
