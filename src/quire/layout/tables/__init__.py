"""Tables of a page: ruled, partly ruled and unruled."""

from __future__ import annotations

from quire.layout.lines import Line
from quire.layout.tables.ruled import ruled_tables
from quire.layout.tables.rules import find_rules
from quire.layout.tables.text import cell_text
from quire.layout.tables.types import FoundCell, FoundTable
from quire.layout.tables.unruled import unruled_tables
from quire.layout.tables.words import words_in
from quire.pagetext import PageText

__all__ = ["FoundCell", "FoundTable", "cell_text", "find_tables"]


def find_tables(page: PageText, lines: list[Line]) -> list[FoundTable]:
    """The tables of a page, from top to bottom; `lines` are those of `find_lines`."""
    rules = find_rules(page)
    words = words_in(page, lines)
    tables, words = ruled_tables(page, rules, words)
    tables += unruled_tables(page, rules, words)
    return sorted(tables, key=lambda t: (t.box.top, t.box.left))
