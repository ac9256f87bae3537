"""Decides whether a mesh is a table: rows of words in columns may also be lists, contents, prose or drawings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import category

from quire.core.pagetext import PageText
from quire.pages.layout.tables.mesh import Mesh
from quire.pages.layout.tables.word_rows import Row, TableWord, amount, is_number

DRAWN = 0.2  # of the area: drawings and pictures that fill more make a figure
PAGE_PICTURE = 0.7  # of the page: pictures that cover more are its background
MAX_DRAWINGS = 2_000
MERGED = 2  # lines of a scan beside the first column that may continue the row above
PROSE = 12  # words: a cell with more is prose
MAX_UNIT = 4  # words of a number with its unit
PAGES = 4  # titles with page numbers that make a table of contents
KEY = 4  # words: a longer first cell does not name its row
CLOSED = 3  # rules across: over a table, under its titles and at its end
FORMULA = 0.12  # of the words: mathematical symbols

MARKER = re.compile(r"([•●◦▪■–—\-*·o§□☐►➢]|[(\[]?(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)\]]|\[\d+\])\Z")
SECTION = re.compile(r"(item|part|note|chapter|section|appendix|annex|exhibit)\b", re.IGNORECASE)


def is_table(mesh: Mesh, rows: Sequence[Row], head: int, rules: int, *, scanned: bool = False) -> bool:
    """Judge a mesh made of these rows by its columns, its numbers and its rules across.

    On a scan word positions are less certain: lines that had to be merged show that they form no columns.
    """
    body = mesh.atoms[head:]
    if scanned and rules < 3 and sum(1 for row in rows if row.right > mesh.xs[1]) > mesh.rows + MERGED:
        return False
    if mesh.columns < 2 or not body or mesh.rows < 2:
        return False
    if _is_list(mesh) or _is_contents(mesh, rows) or (rules < 2 and _is_formula(mesh)):
        return False
    filled = [[bool(atom) for atom in row] for row in mesh.atoms]
    several = sum(1 for row in filled if sum(row) > 1)
    if several < 2 or several * 2 < len(filled):
        return False
    cells = [atom for row in body for atom in row[1:] if atom]
    if not cells:
        return False
    numeric = sum(_is_value(atom) for atom in cells) / len(cells)
    amounts = [amount(atom) for row in mesh.atoms for atom in row]
    words = sum(amounts) / max(1, sum(sum(row) for row in filled))
    fill = sum(sum(row) for row in filled) / (mesh.rows * mesh.columns)
    if rules < 3 and mesh.rows < 4 and _is_scale(mesh.atoms[0]):
        return False
    if _is_keyed(mesh, head, rules):
        return True
    long = sum(count for count in amounts if count > PROSE)
    if 2 * rules < mesh.rows and 2 * long > sum(amounts):
        return False
    if rules >= 2:
        return words < 14 and fill > 0.3
    if mesh.columns > 2:
        return mesh.rows >= 3 and (fill > 0.45 if numeric >= 0.4 else fill > 0.75 and words < 3)
    return mesh.rows >= 4 and fill > 0.7 and numeric > 0.6 and words < 5


def _is_keyed(mesh: Mesh, head: int, rules: int) -> bool:
    """Rows that begin with a key under titles, with texts in one column at most and short cells in the others.

    Between rules above, below and under the titles a key may name several rows.
    """
    body = mesh.atoms[head:]
    titled = sum(any(row[c] for row in mesh.atoms[:head]) for c in range(mesh.columns))
    if (
        mesh.columns < (2 if rules > 1 else 3)
        or len(body) < (1 if rules and mesh.columns > 3 else 2)
        or 2 * titled <= mesh.columns
    ):
        return False
    if any(amount(row[0]) > KEY for row in mesh.atoms):
        return False
    if rules < CLOSED and 5 * sum(bool(row[0]) for row in body) < 4 * len(body):
        return False
    texts = [c for c in range(1, mesh.columns) if any(amount(row[c]) > PROSE for row in body)]
    if any(amount(atom) > PROSE for row in mesh.atoms[:head] for atom in row) or len(texts) > 1:
        return False
    filled = sum(bool(atom) for row in mesh.atoms for atom in row)
    return filled > 0.5 * mesh.rows * mesh.columns


def _is_value(words: list[TableWord]) -> bool:
    """A number, perhaps with its unit."""
    if is_number(words[0].text) and len(words) <= MAX_UNIT:
        return True
    return 2 * sum(is_number(w.text) for w in words) > len(words)


def _is_scale(row: list[list[TableWord]]) -> bool:
    """A row of nothing but numbers, as along the axis of a chart."""
    words = [word for atom in row for word in atom]
    return len(words) > 2 and all(is_number(word.text) for word in words)


def _is_list(mesh: Mesh) -> bool:
    """The first column is bullets or item numbers, and there is only one more."""
    first = [row[0] for row in mesh.atoms if row[0]]
    marks = sum(1 for atom in first if len(atom) == 1 and MARKER.match(atom[0].text))
    return mesh.columns == 2 and 2 * marks > len(first)


def _is_contents(mesh: Mesh, rows: Sequence[Row]) -> bool:
    """Dot leaders run from titles to page numbers, or the last column is page numbers: they never fall."""
    if mesh.columns <= 3 and 3 * sum(row.leader for row in rows) > len(rows):
        return True
    numbers = [row[-1][0].text for row in mesh.atoms if len(row[-1]) == 1 and row[-1][0].text.isdigit()]
    if len(numbers) < mesh.rows or [int(number) for number in numbers] != sorted(map(int, numbers)):
        return False
    if mesh.columns == 3:
        keys = [" ".join(word.text for word in row[0]) for row in mesh.atoms if row[0]]
        return mesh.rows > 2 and bool(keys) and all(map(SECTION.match, keys))
    return mesh.columns == 2 and len(numbers) >= PAGES and _are_words(mesh)


def _are_words(mesh: Mesh) -> bool:
    """Whether the first column has titles of several words."""
    return sum(amount(row[0]) for row in mesh.atoms) > 2 * mesh.rows


def _is_formula(mesh: Mesh) -> bool:
    """There are mathematical symbols between the words."""
    texts = [w.text for row in mesh.atoms for atom in row for w in atom]
    marks = [text for text in texts if len(text) == 1 and text != "±"]
    signs = sum(1 for text in marks if category(text) in ("Sm", "Ps", "Pe") or text in "·∙|/")
    return signs > FORMULA * len(texts)


def is_drawn(page: PageText, box: tuple[float, float, float, float]) -> bool:
    """Whether pictures or drawings fill a good part of a box: then the words in it are labels."""
    left, top, right, bottom = box
    area = max((right - left) * (bottom - top), 1.0)
    drawings, images = page.drawings, page.images
    filled = 0.0
    step = 1 + len(drawings) // (4 * MAX_DRAWINGS)
    for i in range(0, len(drawings), 4 * step):
        filled += step * _common(drawings[i : i + 4], box, outside=False)
    shown = [images[i : i + 4] for i in range(0, min(len(images), 4 * MAX_DRAWINGS), 4)]
    if sum((i[2] - i[0]) * (i[3] - i[1]) for i in shown) < PAGE_PICTURE * page.width * page.height:
        filled += sum(_common(image, box, outside=True) for image in shown)
    return filled > DRAWN * area


def _common(shape: Sequence[float], box: tuple[float, float, float, float], *, outside: bool) -> float:
    """The area of the shape in the box; a shape around the box counts only if `outside`."""
    left, top, right, bottom = (
        max(shape[0], box[0]),
        max(shape[1], box[1]),
        min(shape[2], box[2]),
        min(shape[3], box[3]),
    )
    if left > right or top > bottom:
        return 0.0
    if not outside and shape[0] <= box[0] and shape[1] <= box[1] and shape[2] >= box[2] and shape[3] >= box[3]:
        return 0.0
    return (right - left + 1) * (bottom - top + 1)
