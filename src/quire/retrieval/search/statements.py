"""Financial statements: which chunks are part of one, and which a question is about.

Questions name a line of a statement ("capital expenditure") or a figure computed from it ("gross margin"), rarely what
is printed on its page. Statements are recognised by their titles and lines while a document is indexed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Literal, NamedTuple

from quire.lexicon.finance.statement_kinds import STATEMENTS, Statement, kinds_of_lines, titles_in
from quire.retrieval.search.chunk_places import main_page

if TYPE_CHECKING:
    from quire.retrieval.chunk.rows import ChunkRow

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
    counts = kinds_of_lines(text)
    headings = (heading for row in tables for heading in row["section"][-1:])
    head = "".join("|".join([rows[0]["text"][:_BEGINNING], *headings]).casefold().split())
    titles = titles_in(head)
    return _Lines(counts, titles, "continued" in head)


def _has_table(row: ChunkRow) -> bool:
    return "table" in row["meta"]["kinds"]
