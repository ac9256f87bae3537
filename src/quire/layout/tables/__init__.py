"""Tables of a page: ruled, partly ruled and unruled."""

from __future__ import annotations

from quire.layout.lines import Line
from quire.layout.tables.candidates import find_windows, within
from quire.layout.tables.lattice import find_meshes
from quire.layout.tables.rules import find_rules
from quire.layout.tables.types import FoundCell, FoundTable
from quire.layout.tables.words import turned_words, words_in
from quire.layout.tables.zones import find_gutters
from quire.pagetext import PageText

__all__ = ["FoundCell", "FoundTable", "find_tables"]


def find_tables(page: PageText, lines: list[Line]) -> list[FoundTable]:
    """The tables of a page, from top to bottom; `lines` are those of `find_lines`."""
    rules = find_rules(page)
    meshes = find_meshes(rules)
    gutters = find_gutters(lines)
    windows = find_windows(lines, rules.across, gutters)
    boxes = [(mesh.ys[0], mesh.ys[-1]) for mesh in meshes]
    if not windows and not boxes:
        return []
    from quire.layout.tables.ruled import ruled_tables  # lazy: most pages have no tables, and these are slow to import

    words = words_in(page, within([*windows, *boxes], lines))
    tables, words = ruled_tables(page, meshes, words, turned_words(page, lines) if boxes else [])
    if windows:
        from quire.layout.tables.unruled import unruled_tables

        tables += unruled_tables(page, rules, words, gutters)
    if tables:
        from quire.layout.tables.above import with_titles

        tables = with_titles(page, tables, lines)
    return sorted(tables, key=lambda t: (t.box.top, t.box.left))
