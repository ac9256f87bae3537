"""Tables of a page: ruled, partly ruled and unruled."""

from __future__ import annotations

from quire.core.pagetext import PageText
from quire.core.table_areas import TablesMode
from quire.pages.geometry.extents import shared_height, shared_width
from quire.pages.layout.lines import Line
from quire.pages.layout.tables.candidates import find_windows, within
from quire.pages.layout.tables.lattice import find_meshes
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.ruled_lines import find_rules
from quire.pages.layout.tables.strokes import Rules
from quire.pages.layout.tables.table_values import FoundCell, FoundTable, runs_in
from quire.pages.layout.tables.word_rows import Row, TableWord, rows_of, turned_words, words_in
from quire.pages.layout.tables.zones import find_gutters

WHOLE = 0.8  # of the rows of a table of amounts: a mesh with more of them is as good
HEADED = 12.0  # points: a mesh that begins further below has no header

__all__ = ["FoundCell", "FoundTable", "find_rules", "find_tables"]


def find_tables(page: PageText, lines: list[Line], rules: Rules, mode: TablesMode = "auto") -> list[FoundTable]:
    """The tables of a page, from top to bottom; `lines` are those of `find_lines`, `rules` those of `find_rules`."""
    if mode == "none":
        return []
    meshes = find_meshes(rules) if mode != "words" else []
    gutters = find_gutters(lines)
    windows = find_windows(lines, rules.across, gutters) if mode != "lines" else []
    banded: list[FoundTable] = []
    if mode != "lines" and not page.engine:
        banded, lines = _below_bands(page, lines, meshes)
    boxes = [(mesh.ys[0], mesh.ys[-1]) for mesh in meshes]
    if not windows and not boxes:
        return banded
    from quire.pages.layout.tables.ruled import (
        ruled_tables,  # lazy: most pages have no tables, and these are slow to import
    )

    words = words_in(page, within([*windows, *boxes], lines))
    rows, rest, found = rows_of(words), words, list[FoundTable]()
    if mode != "lines":
        found, meshes, rest = _items(page, lines, words, rows, meshes)
        if any(mesh.rows == 1 for mesh in meshes):
            below, meshes, rest = _below_strips(meshes, rest)
            found += below
        rows = rows_of(rest) if found else rows
        stated, meshes, rest = _statements(rest, rows, rules, meshes)
        found += stated
    tables, rest = ruled_tables(page, meshes, rest, turned_words(page, lines) if boxes else [])
    tables += [*found, *banded]
    if windows:
        from quire.pages.layout.tables.unruled import unruled_tables

        tables += unruled_tables(page, rules, rest, rows if rest is words else rows_of(rest), gutters)
    if tables:
        from quire.pages.layout.tables.above import with_titles
        from quire.pages.layout.tables.periods import with_periods

        tables = with_periods(page, with_titles(page, tables, lines), lines)
    return sorted(tables, key=lambda t: (t.box.top, t.box.left))


def _below_bands(page: PageText, lines: list[Line], meshes: list[Mesh]) -> tuple[list[FoundTable], list[Line]]:
    """The tables below bands with titles, and the lines that are not of them."""
    from quire.pages.layout.tables.bands import banded_tables, has_light_text

    if not has_light_text(page):
        return [], lines
    tables = banded_tables(page, words_in(page, lines), meshes)
    used = runs_in(tables)
    return tables, [line for line in lines if used.isdisjoint(line.runs)]


def _items(
    page: PageText, lines: list[Line], words: list[TableWord], rows: list[Row], meshes: list[Mesh]
) -> tuple[list[FoundTable], list[Mesh], list[TableWord]]:
    """The tables of numbered items, the meshes that are not of their lines, and the words that are in none of them."""
    from quire.pages.layout.tables.numbered_items import has_items, item_tables

    if not has_items(rows):
        return [], meshes, words
    found = item_tables(rows, words_in(page, lines))
    for table, own in found:
        meshes = [mesh for mesh in meshes if not _overlaps(mesh, table)]
        used = {run for row in own for word in row.words for run in word.runs}
        words = [word for word in words if word.runs[0] not in used]
    return [table for table, _ in found], meshes, words


def _below_strips(meshes: list[Mesh], words: list[TableWord]) -> tuple[list[FoundTable], list[Mesh], list[TableWord]]:
    """The tables below strips of titles, the other meshes, and the words that are in none of them."""
    from quire.pages.layout.tables.strips import strip_tables

    tables = []
    for table, strip in strip_tables(meshes, words):
        tables.append(table)
        meshes = [mesh for mesh in meshes if mesh is not strip]
    used = runs_in(tables)
    return tables, meshes, [word for word in words if word.runs[0] not in used]


def _statements(
    words: list[TableWord], rows: list[Row], rules: Rules, meshes: list[Mesh]
) -> tuple[list[FoundTable], list[Mesh], list[TableWord]]:
    """The tables of amounts, the meshes that are not of their lines, and the words that are in none of them.

    A mesh with nearly as many rows, the header among them, is the better reading of a table.
    """
    from quire.pages.layout.tables.amounts import amount_tables

    found = []
    for table, own in amount_tables(rows, rules.across):
        shared = [mesh for mesh in meshes if _overlaps(mesh, table)]
        whole = [mesh for mesh in shared if mesh.columns <= table.columns]  # others have columns of currency signs
        if any(mesh.rows >= WHOLE * table.rows and mesh.ys[0] < table.box.top + HEADED for mesh in whole):
            continue
        found.append(table)
        meshes = [mesh for mesh in meshes if mesh not in shared]
        used = {id(word) for row in own for word in row.words}
        words = [word for word in words if id(word) not in used]
    return found, meshes, words


def _overlaps(mesh: Mesh, table: FoundTable) -> bool:
    return shared_width(mesh.box, table.box) > 0 and shared_height(mesh.box, table.box) > 1
