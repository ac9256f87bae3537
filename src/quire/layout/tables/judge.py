"""Is it a table? Rows of words that stand in columns may also be lists, contents, prose or drawings."""

from __future__ import annotations

import re

from quire.layout.tables.mesh import Mesh
from quire.layout.tables.words import Word, is_leader, is_number

MARKER = re.compile(r"([•●◦▪■–—\-*·o§□☐►➢]|[(\[]?(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)\]]|\[\d+\])\Z")


def is_table(mesh: Mesh, head: int, rules: int) -> bool:
    """Judge a mesh by its columns, its figures and its rules."""
    body = mesh.atoms[head:]
    if mesh.columns < 2 or not body or mesh.rows < 2:
        return False
    if _is_list(mesh) or _is_contents(mesh):
        return False
    filled = [[bool(atom) for atom in row] for row in mesh.atoms]
    several = sum(1 for row in filled if sum(row) > 1)
    if several < 2 or several * 2 < len(filled):
        return False
    cells = [atom for row in body for atom in row[1:] if atom]
    if not cells:
        return False
    figures = sum(_is_value(atom) for atom in cells) / len(cells)
    words = sum(len(atom) for row in mesh.atoms for atom in row) / max(1, sum(sum(row) for row in filled))
    fill = sum(sum(row) for row in filled) / (mesh.rows * mesh.columns)
    if rules >= 2:
        return words < 14 and fill > 0.3
    if mesh.columns > 2:
        return mesh.rows >= 3 and fill > 0.45 and (figures >= 0.4 or words < 3)
    return mesh.rows >= 4 and fill > 0.7 and figures > 0.6 and words < 5


def _is_value(words: list[Word]) -> bool:
    return 2 * sum(is_number(w.text) for w in words) >= len(words)


def _is_list(mesh: Mesh) -> bool:
    """The first column is bullets or numbers of items, and there is only one more."""
    first = [row[0] for row in mesh.atoms if row[0]]
    marks = sum(1 for atom in first if len(atom) == 1 and MARKER.match(atom[0].text))
    return mesh.columns == 2 and 2 * marks > len(first)


def _is_contents(mesh: Mesh) -> bool:
    """Dots lead from titles to page numbers."""
    leaders = sum(1 for row in mesh.atoms if any(is_leader(w.text) for atom in row for w in atom))
    return mesh.columns <= 3 and 3 * leaders > mesh.rows
