"""Financial statements: which chunks are part of one, and which a question is about.

Questions name a line of a statement ("capital expenditure") or a figure computed from it ("gross margin"), rarely what
is printed on its page. Statements are recognised by their titles and lines while a document is indexed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from quire.retrieval.search.chunk_places import main_page

if TYPE_CHECKING:
    from quire.retrieval.chunk.rows import ChunkRow

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
_TITLED = 2
"""What a title counts, in kinds of lines."""
_FEWEST_TITLED, _FEWEST, _FEWEST_CONTINUED = 5, 7, 3
"""Kinds of lines that a page of a statement has: with its title, without it, and where a statement is continued."""
_BEHIND = 1
"""Pages that reach the best page of a document but for this are statements, too: by quarter, or on two pages."""
_BEGINNING = 300
"""Characters of a page in which its title is looked for."""


def statements(rows: Sequence[ChunkRow]) -> list[Statement | Literal[""]]:
    """Which statement each chunk of a document is part of; empty for most."""
    by_page: dict[int, list[ChunkRow]] = defaultdict(list)
    for row in rows:
        by_page[main_page(row)].append(row)
    pages = {page: _lines(held) for page, held in by_page.items() if any(map(_has_table, held))}
    best = {name: max((lines.scores[name] for lines in pages.values()), default=0) for name in STATEMENTS}
    found: dict[int, Statement] = {}
    for page, lines in sorted(pages.items()):
        name = max(STATEMENTS, key=lambda name: lines.scores[name])
        is_next = lines.is_continued and found.get(page - 1) == name
        fewest = _FEWEST_CONTINUED if is_next else _FEWEST_TITLED if name in lines.titles else _FEWEST
        if lines.counts[name] >= fewest and (is_next or lines.scores[name] >= best[name] - _BEHIND):
            found[page] = name
    return [found.get(main_page(row), "") if _has_table(row) else "" for row in rows]


class _Lines(NamedTuple):
    """How many kinds of lines of each statement a page has, and which titles."""

    counts: Mapping[Statement, int]
    titles: Set[Statement]
    is_continued: bool

    @property
    def scores(self) -> Mapping[Statement, int]:
        return {name: count + _TITLED * (name in self.titles) for name, count in self.counts.items()}


def _lines(rows: Sequence[ChunkRow]) -> _Lines:
    tables = [row for row in rows if _has_table(row)]
    text = "\n".join(row["text"] for row in tables).casefold()
    counts = {name: sum(bool(line.search(text)) for line in _LINES[name]) for name in STATEMENTS}
    headings = (heading for row in tables for heading in row["section"][-1:])
    head = "".join("|".join([rows[0]["text"][:_BEGINNING], *headings]).casefold().split())
    titles = {name for name in STATEMENTS if _TITLES[name].search(head)}
    return _Lines(counts, titles, "continued" in head)


def _has_table(row: ChunkRow) -> bool:
    return "table" in row["meta"]["kinds"]
