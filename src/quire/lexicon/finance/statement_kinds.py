"""The kinds of financial statements: which of them the pages of a report are, and which a question is about.

Questions name a line of a statement ("capital expenditure") or a ratio of lines ("gross margin"), rarely the words that
are printed on its page.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal, NamedTuple, cast, get_args

from quire.lexicon.words import phrase_patterns, squeezed_patterns

Statement = Literal["balance", "income", "cash flow"]
STATEMENTS: tuple[Statement, ...] = get_args(Statement)

NAMES: Mapping[str, str] = {
    "balance": "balance sheet",
    "income": "income statement",
    "cash flow": "cash flow statement",
}
EXPLICIT, IMPLIED, EXPLAINED = 1.0, 0.5, 0.1
"""The weights of a statement for a question that names it, a line or ratio of it, or reasons, which are in prose."""
_TITLED = 2
"""The weight of a title, in kinds of lines."""
_FEWEST_TITLED, _FEWEST, _FEWEST_CONTINUED = 5, 7, 3
"""Kinds of lines that a page of a statement has: with its title, without it, and where a statement is continued."""
_BEHIND = 1
"""Pages that reach the best page of a document but for this are statements, too: by quarter, or on two pages."""


class StatementLines(NamedTuple):
    """The titles of statements on a page, and the number of kinds of lines that it has of each."""

    counts: Mapping[Statement, int]
    titles: Set[Statement]
    is_continued: bool

    @property
    def scores(self) -> Mapping[Statement, int]:
        return {name: count + _TITLED * (name in self.titles) for name, count in self.counts.items()}


def statement_lines(head: str, tables: str) -> StatementLines:
    """The titles and lines of statements on a page: `head` is the text with the title, `tables` that of its tables."""
    squeezed = "".join(head.casefold().split())  # titles are often printed with letters spaced out
    titles = {name for name, pattern in squeezed_patterns("statement_titles").items() if pattern.search(squeezed)}
    text = tables.casefold().replace("’", "'")
    counts = dict.fromkeys(STATEMENTS, 0)
    for line, pattern in phrase_patterns("statement_lines").items():
        counts[cast("Statement", line.partition(":")[0])] += pattern.search(text) is not None
    return StatementLines(counts, cast("set[Statement]", titles), "continued" in squeezed)


def statement_pages(pages: Mapping[int, StatementLines]) -> dict[int, Statement]:
    """The statement that each page of a report is a part of, by its number; most pages are part of none."""
    best = {name: max((lines.scores[name] for lines in pages.values()), default=0) for name in STATEMENTS}
    found: dict[int, Statement] = {}
    for page, lines in sorted(pages.items()):
        name = max(STATEMENTS, key=lambda name: lines.scores[name])
        is_next = lines.is_continued and found.get(page - 1) == name
        fewest = _FEWEST_CONTINUED if is_next else _FEWEST_TITLED if name in lines.titles else _FEWEST
        if lines.counts[name] >= fewest and (is_next or lines.scores[name] >= best[name] - _BEHIND):
            found[page] = name
    return found


def statements_asked(text: str, question: str) -> dict[Statement, float]:
    """The statements that a text names anywhere, or else those that the question in it implies, and how surely."""
    if named := _named("statement_names", text):
        return dict.fromkeys(named, EXPLICIT)
    sure = EXPLAINED if _named("query_reasons", question) else IMPLIED
    return dict.fromkeys(_named("statement_topics", question), sure)


def _named(key: str, text: str) -> list[Statement]:
    """The groups of a key with a phrase in a text; those of most keys are statements."""
    plain = text.casefold().replace("’", "'")
    return cast("list[Statement]", [name for name, pattern in phrase_patterns(key).items() if pattern.search(plain)])
