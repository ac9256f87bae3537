"""The kinds of financial statements: their titles and lines on a page, and how questions name or imply them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

Statement = Literal["balance", "income", "cash flow"]
STATEMENTS: tuple[Statement, ...] = get_args(Statement)

NAMES: Mapping[str, str] = {
    "balance": "balance sheet",
    "income": "income statement",
    "cash flow": "cash flow statement",
}
_TITLES: Mapping[Statement, re.Pattern[str]] = {
    "balance": re.compile(r"balancesheets?|statements?of(?:consolidated)?financial(?:position|condition)"),
    "income": re.compile(
        r"statements?of(?:consolidated|comprehensive)*(?:income|operations|earnings|profit|loss)"
        r"|incomestatements?|profit(?:and|&)lossaccount"
    ),
    "cash flow": re.compile(r"statements?of(?:consolidated)?cashflows?|cashflowstatements?"),
}
"""In a text without spaces: titles are often printed with letters spaced out."""
_EQUITY = r"(?:stock|share)(?:holders|owners)[^a-z]{0,3}(?:equity|investment|funds|deficit)|total equity|share capital"
_LINES: Mapping[Statement, tuple[re.Pattern[str], ...]] = {
    "balance": tuple(
        map(
            re.compile,
            (
                r"total assets",
                r"total liabilities",
                r"total (?:non-?)?current assets|fixed assets",
                r"total (?:non-?)?current liabilities",
                _EQUITY,
                r"(?:accounts|trade) (?:payable|receivable)|accounts and notes receivable|sundry (?:debtors|creditors)",
                r"retained earnings|accumulated deficit|reserves and surplus",
                r"accumulated other comprehensive",
                r"inventor(?:y|ies)|goodwill",
                r"property(?:, plant)?,? (?:and|&) equipment|cash and cash equivalents",
            ),
        )
    ),
    "income": tuple(
        map(
            re.compile,
            (
                r"revenues?\b|net sales|turnover|sales\b",
                r"costs? of (?:sales|revenues?|goods sold|products)|total costs and expenses|cost of services",
                r"gross (?:profit|margin)|research and development|marketing",
                r"selling,? (?:informational|general|and )|general and administrative|operating expenses",
                r"operating (?:income|profit|loss)"
                r"|(?:income|earnings|loss|profit)[^.|]{0,12} from (?:continuing )?operations",
                r"before (?:provision|benefit|income tax|tax)[^.|]{0,40}",
                r"(?:provision|benefit)[^.|]{0,20} for (?:income )?tax|income tax(?:es)?\b",
                r"net (?:income|earnings|loss)|profit (?:for the|after)",
                r"per (?:common )?share|earnings per",
                r"interest (?:and debt )?(?:expense|income)|other (?:income|expense)",
            ),
        )
    ),
    "cash flow": tuple(
        map(
            re.compile,
            (
                r"(?:net )?cash[^.|]{0,40} operating activities",
                r"(?:net )?cash[^.|]{0,40} investing activities",
                r"(?:net )?cash[^.|]{0,40} financing activities",
                r"depreciation",
                r"(?:purchases?|additions|acquisition)[^.|]{0,30} (?:of|to) (?:property|fixed|plant|capital)"
                r"|capital expenditure",
                r"cash[^.|]{0,60}(?:beginning|end) of (?:the )?(?:year|period|quarter)",
                r"proceeds from",
                r"(?:re)?payments? of|repurchase|dividends? paid",
                r"changes? in (?:operating |other )?(?:assets|working)|adjustments? to reconcile"
                r"|deferred (?:income )?tax",
            ),
        )
    ),
}
_ASKED: Mapping[Statement, re.Pattern[str]] = {
    "balance": re.compile(r"balance sheet|statement of financial (?:position|condition)"),
    "income": re.compile(
        r"(?:income|profit and loss|p&l|earnings) statement|statement of (?:income|operations|earnings|p)"
    ),
    "cash flow": re.compile(r"cash ?flow statement|statement of cash ?flow"),
}
_IMPLIED: Mapping[Statement, re.Pattern[str]] = {
    "balance": re.compile(
        r"working capital|(?:quick|current|debt.to.equity|turnover) ratio|pp&e|\bppn?e\b|property, plant"
        r"|(?:total|current|fixed|tangible) (?:current )?(?:assets|liabilities)|return on (?:assets|equity)"
        r"|\b(?:roa|roe|dpo|dso|dio)\b|days (?:payable|sales|inventory)|accounts (?:payable|receivable)"
        r"|(?:share|stock)holders.{0,3}(?:funds|equity)|(?:asset|inventory) turnover|capital structure|net debt"
        r"|goodwill|retained earnings"
    ),
    "income": re.compile(
        r"(?:gross|operating|net|profit|ebitda?)(?: income| profit)? margins?|net (?:income|profit|loss)"
        r"|gross profit|\b(?:cogs|ebitda?|eps|dpo|roa)\b|cost of (?:goods|sales|revenue)|days payable"
        r"|operating (?:income|profit|expenses)|effective tax rate|earnings per share|revenue growth"
        r"|(?:total|net|change in|growth (?:of|in)) (?:revenue|sales)|interest coverage"
        r"|(?:asset|inventory) turnover|return on (?:assets|equity)"
    ),
    "cash flow": re.compile(
        r"capital expenditures?|\bcapex\b|free cash ?flow|\bfcf\b|(?:operating|investing|financing) activities"
        r"|cash ?flows? from|operating cash ?flow|(?:operations|investing|financing).{0,40}cash ?flow|dividends? paid"
        r"|cash conversion|depreciation and amorti[sz]ation|\bebitda\b"
    ),
}


def titles_in(head: str) -> set[Statement]:
    """The statements whose title is in the head of a page, in small letters and without spaces."""
    return {name for name in STATEMENTS if _TITLES[name].search(head)}


def kinds_of_lines(text: str) -> dict[Statement, int]:
    """How many kinds of lines of each statement a text in small letters has."""
    return {name: sum(bool(line.search(text)) for line in _LINES[name]) for name in STATEMENTS}


def named_in(text: str) -> list[Statement]:
    """The statements that a question in small letters names."""
    return [name for name, pattern in _ASKED.items() if pattern.search(text)]


def implied_by(text: str) -> list[Statement]:
    """The statements with a line, or a ratio of lines, that a question in small letters asks for."""
    return [name for name, pattern in _IMPLIED.items() if pattern.search(text)]
